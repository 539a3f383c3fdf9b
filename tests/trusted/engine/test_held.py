"""Files held open: what is kept, what is compared, what is refused."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from hushgram.errors import SourceError, TableChanged
from hushgram.trusted.engine.sources import held
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged, hold, identity_at


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text("x\n1\n")
    return tmp_path / "a.csv"


def test_a_file_is_told_by_device_inode_size_and_time(path: Path) -> None:
    about = path.stat()
    expected = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
    assert HeldFile(path, keep_open=True).identity == identity_at(path) == expected
    assert identity_at(path.with_name("nowhere")) is None


def test_each_reader_begins_at_the_beginning(path: Path) -> None:
    file = HeldFile(path, keep_open=True)
    with file.open() as one, file.open() as other:
        assert one.read(2) == b"x\n"
        assert other.read() == b"x\n1\n"
        assert one.read() == b"1\n"


def test_where_descriptors_have_no_names_files_are_opened_by_theirs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "DESCRIPTORS", path.parent / "no proc")
    (file,) = hold([path])
    assert (file.kept_open, file.place) == (False, str(path))
    assert file.open().read() == b"x\n1\n"
    file.check()
    path.write_text("x\n2\n3\n")
    for look in (file.open, file.check):
        with pytest.raises(TableChanged, match=r"a\.csv changed"):
            look()


def test_a_reader_that_met_another_version_is_remembered(path: Path) -> None:
    """Also where the first version is back by the time that somebody asks."""
    file = HeldFile(path, keep_open=False)
    os.link(path, path.with_name("kept"))
    path.with_name("new").write_text("x\n2\n")
    path.with_name("new").replace(path)
    with pytest.raises(TableChanged):
        file.open()
    path.with_name("kept").replace(path)
    assert identity_at(path) == file.identity
    with pytest.raises(TableChanged):
        check_unchanged([file])


@pytest.mark.parametrize(("limit", "kept"), [(7, False), (8, True), (2**20, True)])
def test_no_more_are_kept_open_than_a_process_may(
    path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, kept: bool
) -> None:
    other = path.with_name("b.csv")
    other.touch()
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limit, limit))
    assert [file.kept_open for file in hold([path, other])] == [kept, kept]


def test_a_file_that_may_not_be_read_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(SourceError, match=r"Cannot read a\.csv: Permission denied"):
        hold([path])
