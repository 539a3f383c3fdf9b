"""Files and folders that are no ledger: always an error in words, never SQLite's own."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger import Ledger, Ticket
from hushgram.trusted.ledger.sqlite import spool
from hushgram.trusted.ledger.sqlite.rows import SqliteRows
from tests.trusted.ledger.ledger_contract import pay


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def filled(path: Path) -> Ticket:
    ledger = Ledger.open(path)
    ticket = pay(ledger, request_id="r1")
    ledger.commit(ticket, b"release")
    return ticket


@pytest.mark.parametrize("content", [b"", b"x", b"lon,lat\n1,2\n" * 1000, bytes(4096)])
def test_garbage(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerCorrupted, match=r"ledger\.db is .*(backup|HUSHGRAM_LEDGER)"):
        Ledger.open(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("keep", [0, 50, 100, 4096, 8192, 0.5, 0.99])
def test_cut_short(path: Path, keep: float) -> None:
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole)) if isinstance(keep, float) else keep])
    with pytest.raises(LedgerCorrupted, match="backup"):
        Ledger.open(path).verify()


@pytest.mark.parametrize("offset", range(0, 4096 * 9, 997))
def test_flipped_bytes_never_give_a_raw_error(path: Path, offset: int) -> None:
    filled(path)
    content = bytearray(path.read_bytes())
    for place in range(offset, min(offset + 40, len(content))):
        content[place] ^= 0xFF
    path.write_bytes(content)
    try:
        ledger = Ledger.open(path)
        ledger.verify()
        ledger.begin("checkins", 1, unit="rows", neighbours="add-remove", request_id="r1")
        ledger.accounts()
    except LedgerError:
        pass  # found; bytes that hold nothing may also flip unnoticed


def test_another_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entries (seq)")
    with pytest.raises(LedgerError, match=r"not a Hushgram ledger\. Choose another file"):
        Ledger.open(path)


def test_another_version(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(LedgerError, match=r"schema version 7, but this version"):
        Ledger.open(path)


def test_tables_that_are_gone(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE entries")
    with pytest.raises(LedgerCorrupted, match="Restore it from a backup"):
        Ledger.open(path).accounts()


def test_a_folder(path: Path) -> None:
    path.mkdir()
    with pytest.raises(LedgerError, match="cannot be opened or written"):
        Ledger.open(path)


@pytest.mark.parametrize("below", ["ledger.db", "folder/ledger.db"])
def test_a_path_through_a_file(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(LedgerError, match="cannot be opened or written"):
        Ledger.open(tmp_path / "file" / below)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        Ledger.open(tmp_path / ("x" * 300))
    with pytest.raises(LedgerError, match="Cannot determine where the ledger is"):
        Ledger.open("nul\0l")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_file_that_may_not_be_written(path: Path) -> None:
    filled(path)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(LedgerError, match="you have permission to write"):
            pay(Ledger.open(path))
    finally:
        path.parent.chmod(0o700)


def test_a_spool_that_cannot_be_written_leaves_the_charge_pending(path: Path) -> None:
    ledger = Ledger.open(path)
    ticket = pay(ledger)
    folder = path.with_name("ledger.db.spool")
    folder.write_bytes(b"a file in the way")
    with pytest.raises(LedgerError, match="cannot be opened or written"):
        ledger.commit(ticket, b"release")
    assert ledger.verify() == 2
    folder.unlink()
    ledger.commit(ticket, b"release")
    assert ledger.verify() == 3


def test_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    ledger = Ledger.open(path)
    ticket = pay(ledger, "other")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spool.os, "fsync", full)
    with pytest.raises(LedgerError, match=r"disk is full.*Free some space"):
        ledger.commit(ticket, b"release")
    monkeypatch.undo()
    assert len(list(path.with_name("ledger.db.spool").iterdir())) == 1
    ledger.commit(ticket, b"release")


def test_a_full_database(path: Path) -> None:
    ledger = Ledger.open(path)
    writing = ledger._store.writing

    @contextmanager
    def cramped() -> Iterator[SqliteRows]:
        with writing() as rows:
            rows.execute("PRAGMA max_page_count = 1")
            yield rows  # type: ignore[misc]

    ledger._store.writing = cramped  # type: ignore[method-assign]
    ledger.open_account("a", 10, unit="rows", neighbours="add-remove")

    def many() -> None:
        for _ in range(100):
            pay(ledger, "a", "0.01")

    with pytest.raises(LedgerError, match="disk is full"):
        many()
    charges = [entry for entry in ledger.entries() if entry.kind == "charge"]
    assert ledger.account("a").spent * 100 == len(charges)
    ledger.verify()


def test_a_deleted_ledger_is_missed(path: Path) -> None:
    filled(path)
    path.unlink()
    with pytest.raises(LedgerCorrupted, match="Restore the ledger from a backup"):
        Ledger.open(path)
    shutil.rmtree(path.with_name("ledger.db.spool"))
    path.with_name("ledger.db-wal").write_bytes(b"")
    with pytest.raises(LedgerCorrupted, match="choose another file"):
        Ledger.open(path)
