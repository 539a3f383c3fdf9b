"""Symlinks: nothing is written through a link, and a ledger is where its file is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.errors import HushgramError, OutputError
from hushgram.release.signing import new_key
from tests.samples import cells, release_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")

METHODS = ["save", "to_csv"]


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "elsewhere" / "victim"
    file.parent.mkdir()
    file.write_text("precious")
    return file


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dangling", [True, False])
def test_an_output_is_not_written_through_a_link(
    tmp_path: Path, victim: Path, method: str, dangling: bool
) -> None:
    release = release_of(cells(x=hg.Integer(0, 1)))
    link = tmp_path / "r"
    link.symlink_to(victim.with_name("nothing") if dangling else victim)
    with pytest.raises(OutputError, match="exists"):
        getattr(release, method)(link)
    getattr(release, method)(link, overwrite=True)
    assert not link.is_symlink()
    assert link.read_bytes()[:8] not in (b"", b"precious")
    assert victim.read_text() == "precious"
    assert [path.name for path in victim.parent.iterdir()] == ["victim"]


def test_a_key_is_not_written_through_a_link(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "k").symlink_to(victim.with_name("nothing"))
    (tmp_path / "other.pub").symlink_to(victim.with_name("nothing"))
    for name in ("k", "other"):
        with pytest.raises(OutputError, match="exists"):
            new_key(tmp_path / name)
    assert [path.name for path in victim.parent.iterdir()] == ["victim"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "k", "other.pub"]


def test_temporary_files_cannot_be_foreseen(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link under a temporary name is passed over: names are random, and made anew."""
    import tempfile

    names = iter(["guess", "guess", "fresh", *map(str, range(50))])
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: names)
    (tmp_path / ".hushgram-guess").symlink_to(victim)
    release_of(cells(x=hg.Integer(0, 1))).save(tmp_path / "r")
    assert victim.read_text() == "precious"
    assert (tmp_path / ".hushgram-guess").is_symlink()


def test_a_linked_ledger_is_one_ledger(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link.db").symlink_to(real / "ledger.db")
    for path in (tmp_path / "link.db", real / "ledger.db"):
        ledger = hg.Ledger.open(path)
        assert ledger.location == str(real / "ledger.db")
        ledger.open_account(path.stem, 1, unit="rows", neighbours="add-remove")
        hg.publish(hg.Counts([1]), epsilon=1, account=path.stem, ledger=ledger)
    assert ledger.verify() == 6
    assert not (tmp_path / "link.db.spool").exists()
    assert len(list((real / "ledger.db.spool").iterdir())) == 2


def test_a_ledger_linked_to_something_else_spends_nothing(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "ledger.db").symlink_to(victim)
    with pytest.raises(HushgramError):
        hg.publish(
            hg.Counts([1]), epsilon=1, account="a", ledger=hg.Ledger.open(tmp_path / "ledger.db")
        )
    assert victim.read_text() == "precious"


def test_a_kept_release_replaces_a_link_in_the_spool(tmp_path: Path, victim: Path) -> None:
    ledger = hg.Ledger.open(tmp_path / "ledger.db")
    hg.publish(hg.Counts([1]), epsilon=1, account="a", ledger=ledger, request="r")
    (kept,) = (tmp_path / "ledger.db.spool").iterdir()
    kept.unlink()
    kept.symlink_to(victim)
    with pytest.raises(HushgramError):
        ledger.verify()
    with pytest.raises(HushgramError):
        hg.publish(hg.Counts([1]), epsilon=1, account="a", ledger=ledger, request="r")
    assert victim.read_text() == "precious"
