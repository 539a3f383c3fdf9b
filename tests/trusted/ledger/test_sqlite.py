"""The ledger in a file."""

from __future__ import annotations

import itertools
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from hushgram.errors import LedgerError
from hushgram.trusted.ledger import Ledger, SqliteLedger
from hushgram.trusted.ledger.database import FileDatabase
from hushgram.trusted.ledger.journal import Journal

from .ledger_contract import LedgerContract, pay


class TestSqlite(LedgerContract):
    durable = True

    @pytest.fixture
    def make(self, tmp_path: Path) -> Callable[[], Ledger]:
        numbers = itertools.count()
        return lambda: Ledger.open(tmp_path / f"{next(numbers)}" / "ledger.db")


def test_it_remembers(tmp_path: Path) -> None:
    path = tmp_path / "odd name?#%20é" / "ledger.db"
    ticket = pay(Ledger.open(path), request_id="r1")
    Ledger.open(path).commit(ticket, b"release")
    again = Ledger.open(str(path))
    assert again.location == str(path)
    assert again.account("checkins").spent == Fraction(1)
    assert again.verify([ticket.receipt]) == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_everything_is_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "ledger.db"
    ledger = Ledger.open(path)
    ledger.commit(pay(ledger), b"release")
    for made in (tmp_path / "new").rglob("*"):
        assert stat.S_IMODE(made.stat().st_mode) == (0o700 if made.is_dir() else 0o600), made
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_the_release_lies_beside_the_ledger(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    ticket = pay(ledger)
    ledger.commit(ticket, b"release")
    (spooled,) = (tmp_path / "ledger.db.spool").iterdir()
    assert spooled.name == f"{ticket.receipt.id}.hush.parquet"
    assert spooled.read_bytes() == b"release"


def test_nothing_else_is_left_behind(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger.db")
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def test_charges_are_synced_and_logged_ahead(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger.db")
    with FileDatabase(tmp_path / "ledger.db").transaction(write=True) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.in_transaction


def test_begin_looks_things_up_by_index(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    seen: list[str] = []
    with FileDatabase(tmp_path / "ledger.db").transaction(write=False) as connection:
        connection.set_trace_callback(seen.append)
        journal = Journal(connection)
        journal.account("a")
        journal.charge_of_request("a")
        journal.charge_of_receipt("a")
        journal.commit_of_receipt("a")
        connection.set_trace_callback(None)
        for query in seen:
            plan = str(connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
            assert "USING INDEX" in plan, (query, plan)
            assert "SCAN" not in plan, (query, plan)
    assert len(seen) == 4
    assert ledger.verify() == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET payload = '{}'",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE seq = 2",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 1",
        "INSERT INTO entries SELECT 9, account, kind, payload, time, prev_hash, 'x' FROM entries",
        "INSERT INTO entries SELECT NULL, account, kind, payload, time, hash, 'x' FROM entries",
    ],
)
def test_the_table_only_grows(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "ledger.db"
    pay(Ledger.open(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (2,)


def test_a_lock_that_is_held_for_too_long(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger.at(path, timeout=0.05)
    with FileDatabase(path).transaction(write=True):
        with pytest.raises(LedgerError, match=r"in use by another program.*try again"):
            pay(ledger)
        assert ledger.accounts() == []  # readers need not wait
    pay(ledger)


def test_a_ledger_that_vanished_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    path.unlink()
    with pytest.raises(LedgerError, match="cannot be opened or written"):
        pay(ledger)
    assert not path.exists()
