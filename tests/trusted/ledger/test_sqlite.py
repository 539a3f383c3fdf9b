"""The ledger in a file."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.sqlite import FileStore

from .durable_contract import Connection, DurableContract, check_a_killed_publish
from .ledger_contract import ROWS, pay


class TestSqlite(DurableContract):
    mark = "?"
    refusal = sqlite3.IntegrityError
    forbidden = (
        "UPDATE entries SET payload = '{}'",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE seq = 2",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 1",
        "INSERT INTO entries SELECT 9, account, kind, payload, time, prev_hash, 'x' FROM entries",
        "INSERT INTO entries SELECT NULL, account, kind, payload, time, hash, 'x' FROM entries",
    )
    disarming = ("DROP TRIGGER no_update", "DROP INDEX charges_by_request")

    @pytest.fixture
    def place(self, tmp_path: Path) -> Callable[[], str]:
        numbers = itertools.count()
        return lambda: str(tmp_path / f"{next(numbers)} odd?#%20é" / "ledger.db")

    @contextmanager
    def connected(self, place: str) -> Iterator[Connection]:
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            yield connection

    @contextmanager
    def unguarded(self, place: str) -> Iterator[Connection]:
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            yield connection
            for _, sql in triggers:
                connection.execute(sql)

    def copied(self, place: str) -> str:
        file = Path(place)
        copy = Path(tempfile.mkdtemp(dir=file.parent)) / file.name
        shutil.copy(file, copy)
        shutil.copytree(f"{file}.spool", f"{copy}.spool")
        return str(copy)

    def spoil(self, place: str, receipt: str, release: bytes | None) -> None:
        spooled = Path(f"{place}.spool") / f"{receipt}.hush.parquet"
        spooled.unlink()
        if release is not None:
            spooled.write_bytes(release)

    def held(self, place: str) -> AbstractContextManager[object]:
        return FileStore(Path(place)).writing()

    def test_processes_that_meet_at_an_empty_place_make_one_ledger(
        self, place: Callable[[], str]
    ) -> None:
        where = place()
        super().test_processes_that_meet_at_an_empty_place_make_one_ledger(lambda: where)
        names = {file.name for file in Path(where).parent.iterdir()}
        assert names == {"ledger.db", "ledger.db.spool"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_publish_killed_before_the_spool_is_named(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    check_a_killed_publish(place, "before the spool is named", spent=1, committed=False)


def test_it_tells_its_path(tmp_path: Path) -> None:
    path = tmp_path / "odd name?#%20é" / "ledger.db"
    assert Ledger.open(path).location == Ledger.open(str(path)).location == str(path)


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
    with FileStore(tmp_path / "ledger.db").writing() as rows:
        connection = rows.connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.in_transaction


def test_begin_looks_things_up_by_index(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    seen: list[str] = []
    with FileStore(tmp_path / "ledger.db").reading() as rows:
        connection = rows.connection
        connection.set_trace_callback(seen.append)
        journal = Journal(rows)
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


def test_a_ledger_that_vanished_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    path.unlink()
    with pytest.raises(LedgerError, match="cannot be opened or written"):
        pay(ledger)
    assert not path.exists()


def test_an_older_copy_is_found_by_receipts_and_by_the_spool(tmp_path: Path) -> None:
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    ledger = Ledger.open(path)
    ledger.open_account("a", 5, **ROWS)
    shutil.copy(path, copy)
    pending, done = pay(ledger, "a"), pay(ledger, "a")
    ledger.commit(done, b"release")
    shutil.copy(copy, path)
    for receipt in (pending.receipt, done.receipt):
        assert not ledger.find(receipt)
    with pytest.raises(LedgerCorrupted, match=f"release {done.receipt.id} in the spool"):
        ledger.verify()
    shutil.rmtree(tmp_path / "ledger.db.spool")
    assert ledger.verify() == 1  # without evidence from outside, nobody could know
    with pytest.raises(LedgerCorrupted, match=f"receipt {pending.receipt.id}.*older copy"):
        ledger.verify([pending.receipt])
