"""A ledger file has one name; the moment when it is made is no exception."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hushgram.errors import LedgerError
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.sqlite import names
from hushgram.trusted.ledger.sqlite.names import fresh_name, is_mount_point, refuse_other_names
from tests.trusted.ledger.durable_contract import start

DIE_AS_MAKER = """
import os, signal, sys
from pathlib import Path
from hushgram.trusted.ledger import Ledger
Path.unlink = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
Ledger.open(sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_maker_that_was_killed_leaves_a_ledger_with_one_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    maker = start(DIE_AS_MAKER, path)
    assert (maker.communicate(timeout=60)[1], maker.returncode) == ("", -9)
    assert path.stat().st_nlink == 2
    assert Ledger.open(path).verify() == 0
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def test_the_name_under_which_it_is_made_is_dropped_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    Ledger.open(path)
    fresh, foreign = fresh_name(path, "0" * 16), fresh_name(path, "1" * 16)
    fresh.hardlink_to(path)
    foreign.write_bytes(b"another file")
    refuse_other_names(path)
    assert sorted(tmp_path.iterdir()) == [foreign, path]
    for other in (tmp_path / ".ledger.db.copy", tmp_path / "x.new"):
        other.hardlink_to(path)
        with pytest.raises(LedgerError, match="has 2 names"):
            refuse_other_names(path)
        other.unlink()


def test_a_maker_that_ends_meanwhile_is_not_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    Ledger.open(path)
    fresh = fresh_name(path, "0" * 16)
    fresh.hardlink_to(path)
    before = os.lstat

    def too_late(file: str) -> os.stat_result:
        fresh.unlink()
        return before(file)

    monkeypatch.setattr(names.os, "lstat", too_late)
    refuse_other_names(path)
    assert path.stat().st_nlink == 1


def test_what_is_not_there_or_no_file_has_no_second_name(tmp_path: Path) -> None:
    refuse_other_names(tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").mkdir()
    refuse_other_names(tmp_path / "folder")


def test_mount_points_are_read_as_the_kernel_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my\tledger \\ é\n.db"
    escaped = os.fsencode(path)
    for sign in (b"\\", b" ", b"\t", b"\n"):
        escaped = escaped.replace(sign, b"\\%03o" % sign[0])
    table = tmp_path / "mountinfo"
    table.write_bytes(b"63 43 254:0 /a/b " + escaped + b" rw,relatime - ext4 /dev/vda rw\n")
    monkeypatch.setattr(names, "MOUNTS", table)
    assert is_mount_point(path)
    assert not is_mount_point(tmp_path)
    with pytest.raises(LedgerError, match=r"mounted as a single file.*Mount the folder"):
        refuse_other_names(path)
    monkeypatch.setattr(names, "MOUNTS", tmp_path / "not on this system")
    assert not is_mount_point(path)
