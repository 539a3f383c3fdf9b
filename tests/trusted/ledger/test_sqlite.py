"""The ledger in a file."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from hushgram.errors import BudgetExceeded, LedgerCorrupted, LedgerError, RequestConflict
from hushgram.trusted.ledger import Finished, Ledger
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.sqlite import FileStore
from tests.trusted.ledger.durable_contract import (
    Connection,
    DurableContract,
    check_a_killed_publish,
    start,
)
from tests.trusted.ledger.ledger_contract import ROWS, pay

GOLDEN = Path(__file__).parents[2] / "golden" / "wal"
CHARGE = """
import sys
from hushgram.trusted.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
while True:
    ticket = ledger.begin("a", "1/1000000", unit="rows", neighbours="add-remove")
    print(ticket.receipt.id, flush=True)
"""
READ = """
import sys
from hushgram.trusted.ledger import Ledger
sys.stdout.write(str(Ledger.open(sys.argv[1]).account("trips").spent))
"""


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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_charges_outlive_a_kill_at_any_moment_of_them(tmp_path: Path) -> None:
    """Some of the kills leave a journal behind, which the next to come rolls back."""
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.open_account("a", 1, **ROWS)
    told = 0
    for turn in range(12):
        child = start(CHARGE, path)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(turn * 0.003)
        child.kill()
        told += 1 + child.communicate(timeout=60)[0].count("\n")
        charged = ledger.account("a").spent * 10**6
        assert told <= charged <= told + turn + 1
        assert ledger.verify() == 1 + charged


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


def test_charges_are_synced_with_the_end_of_their_journal(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger.db")
    with FileStore(tmp_path / "ledger.db").writing() as rows:
        connection = rows.connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.in_transaction


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    """A ledger of an earlier Hushgram, killed while its newest charge was in the log only."""
    shutil.copytree(GOLDEN, tmp_path / "wal")
    return tmp_path / "wal" / "ledger.db"


def test_charges_in_the_log_of_an_earlier_ledger_are_kept(logged: Path) -> None:
    assert b"in the log" not in logged.read_bytes()
    ledger = Ledger.open(logged)
    assert b"in the log" in logged.read_bytes()
    assert ledger.account("trips").spent == Fraction(3, 10)
    assert ledger.verify() == 4
    assert {file.name for file in logged.parent.iterdir()} == {"ledger.db", "ledger.db.spool"}
    with closing(sqlite3.connect(logged)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    again = ledger.begin("trips", "0.1", **ROWS, request_id="first")
    assert isinstance(again, Finished)
    with pytest.raises(RequestConflict):
        pay(ledger, "trips", "0.2", request_id="in the log")
    with pytest.raises(BudgetExceeded):
        pay(ledger, "trips", "0.3")


def test_a_log_is_left_by_one_of_many(logged: Path) -> None:
    with closing(sqlite3.connect(logged)) as old:
        old.execute("SELECT 1 FROM entries").fetchone()
        old.commit()
        with pytest.raises(LedgerError, match="in use by another program"):
            Ledger.open(logged, timeout=0.05)
    processes = [start(READ, logged) for _ in range(6)]
    assert [process.communicate(timeout=60) for process in processes] == [("3/10", "")] * 6


def test_a_log_that_comes_back_changes_nothing(logged: Path) -> None:
    """As after a power cut, if the disk forgot that the log was deleted."""
    log = logged.with_name("ledger.db-wal").read_bytes()
    Ledger.open(logged)
    logged.with_name("ledger.db-wal").write_bytes(log)
    ledger = Ledger.open(logged)
    assert ledger.verify() == 4
    assert ledger.account("trips").spent == Fraction(3, 10)


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
