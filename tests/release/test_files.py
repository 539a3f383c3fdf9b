"""Files appear whole or not at all, and never over another without being told."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.base.files import check_writable, write_new
from hushgram.errors import OutputError
from tests.samples import cells, release_of


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_a_new_file_that_others_may_read(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_new(tmp_path / "r", b"bytes")
    finally:
        os.umask(mask)
    assert (tmp_path / "r").read_bytes() == b"bytes"
    assert (tmp_path / "r").stat().st_mode & 0o777 == 0o644
    assert names(tmp_path) == ["r"]


@pytest.mark.parametrize("method", ["save", "to_csv"])
def test_nothing_is_overwritten_unasked(tmp_path: Path, method: str) -> None:
    release = release_of(cells(x=hg.Integer(0, 1)))
    target = tmp_path / "r"
    target.write_text("mine")
    with pytest.raises(OutputError, match=r"exists. Choose another name, or overwrite it"):
        getattr(release, method)(target)
    assert target.read_text() == "mine"
    getattr(release, method)(target, overwrite=True)
    assert target.read_bytes() != b"mine"
    assert names(tmp_path) == ["r"]


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="exists"):
        write_new(tmp_path / "link", b"")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file/r", "Not a directory"),
        ("nowhere/r", "No such file or directory"),
        ("x" * 300, "File name too long"),
        ("null\0byte", "embedded null"),
        ("folder", "is a folder"),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_an_impossible_output_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, name: str, message: str, overwrite: bool
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for write in (lambda p, **how: write_new(p, b"", **how), check_writable):
        with pytest.raises(OutputError, match=message):
            write(tmp_path / name, overwrite=overwrite)
    assert names(tmp_path) == ["file", "folder"]
    assert names(tmp_path / "folder") == []


def test_a_name_of_full_length_can_be_written(tmp_path: Path) -> None:
    write_new(tmp_path / ("x" * 250), b"bytes")
    assert (tmp_path / ("x" * 250)).read_bytes() == b"bytes"


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    if overwrite:
        (tmp_path / "r").write_text("old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OutputError, match="No space left on device"):
        write_new(tmp_path / "r", b"bytes", overwrite=overwrite)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"] * overwrite


def no_links(*_: Any) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def test_folders_without_hard_links_are_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    write_new(tmp_path / "r", b"bytes")
    assert (tmp_path / "r").read_bytes() == b"bytes"
    assert names(tmp_path) == ["r"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    sync = os.fsync

    def meanwhile(handle: int) -> None:
        (tmp_path / "r").write_text("theirs")
        sync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(OutputError, match="exists"):
        write_new(tmp_path / "r", b"bytes")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["theirs"]
