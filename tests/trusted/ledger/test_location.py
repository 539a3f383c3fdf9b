"""Where the ledger lives."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hushgram.errors import LedgerError
from hushgram.trusted.ledger import Ledger, ledger_path, location


def test_the_argument_wins_over_the_variable(tmp_path: Path) -> None:
    environ = {"HUSHGRAM_LEDGER": str(tmp_path / "b.db")}
    assert ledger_path(tmp_path / "a.db", environ) == tmp_path / "a.db"
    assert ledger_path(None, environ) == tmp_path / "b.db"


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, ".local/share/hushgram/ledger.db"),
        ("linux", {"HUSHGRAM_LEDGER": ""}, ".local/share/hushgram/ledger.db"),
        ("linux", {"XDG_DATA_HOME": "relative"}, ".local/share/hushgram/ledger.db"),
        ("linux", {"XDG_DATA_HOME": "{home}/data"}, "data/hushgram/ledger.db"),
        ("darwin", {}, "Library/Application Support/hushgram/ledger.db"),
        ("win32", {}, "AppData/Local/hushgram/ledger.db"),
        ("win32", {"LOCALAPPDATA": "{home}/Local"}, "Local/hushgram/ledger.db"),
    ],
)
def test_the_user_data_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    environ: dict[str, str],
    expected: str,
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    filled = {name: value.format(home=tmp_path) for name, value in environ.items()}
    assert ledger_path(None, filled, platform) == tmp_path / expected


def test_relative_paths_and_tildes_become_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert ledger_path("ledger.db") == ledger_path("~/ledger.db") == tmp_path / "ledger.db"


def test_a_variable_names_one_ledger_wherever_it_is_read(tmp_path: Path) -> None:
    """Else every folder would have budgets of its own."""
    for relative in ("ledger.db", "./ledger.db", "books/ledger.db"):
        with pytest.raises(LedgerError, match="in every folder"):
            ledger_path(None, {"HUSHGRAM_LEDGER": relative})
    whole = str(tmp_path / "ledger.db")
    assert ledger_path(None, {"HUSHGRAM_LEDGER": whole}) == tmp_path / "ledger.db"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(LedgerError, match="Set HUSHGRAM_LEDGER"):
        ledger_path(None, {}, "linux")
    with pytest.raises(LedgerError, match="Set HUSHGRAM_LEDGER"):
        ledger_path(None, {"HUSHGRAM_LEDGER": "~nobody at all/ledger.db"}, "linux")


def test_open_follows_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUSHGRAM_LEDGER", str(tmp_path / "x" / "my.db"))
    assert Ledger.open().location == str(tmp_path / "x" / "my.db")
    assert (tmp_path / "x" / "my.db").is_file()


@pytest.mark.skipif(os.name == "nt", reason="modes and folders are POSIX")
def test_new_folders_are_private_and_their_names_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(location, "sync_folder", synced.append)
    tmp_path.chmod(0o755)
    before = os.umask(0)
    try:
        location.make_private(tmp_path / "a" / "b")
        location.make_private(tmp_path)
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (tmp_path, tmp_path / "a", tmp_path / "a/b")
    ]
    assert modes == [0o755, 0o700, 0o700]
    assert synced == [tmp_path, tmp_path / "a"]


@pytest.mark.skipif(os.name == "nt", reason="modes and folders are POSIX")
def test_a_folder_is_brought_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    monkeypatch.setattr(
        os,
        "fsync",
        lambda handle: synced.append(os.path.samestat(os.fstat(handle), tmp_path.stat())),
    )
    location.sync_folder(tmp_path)
    assert synced == [True]
