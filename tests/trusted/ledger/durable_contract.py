"""What every ledger that outlives its process must do, besides what every ledger must.

Many processes on one ledger, processes that die, and edits of the book: each is planted, and each
must be found.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pytest

import hushgram.errors
from hushgram.errors import HushgramError, LedgerCorrupted, LedgerError, RequestConflict
from hushgram.trusted.ledger import Finished, Ledger, Receipt
from hushgram.trusted.ledger.chain import GENESIS, canonical
from tests.trusted.ledger.ledger_contract import ROWS, LedgerContract, pay

SOURCE = str(Path(hushgram.errors.__file__).parents[1])

SPEND = """
import sys
from hushgram.errors import BudgetExceeded
from hushgram.trusted.ledger import Ledger
place, epsilon, attempts = sys.argv[1], sys.argv[2], int(sys.argv[3])
ledger, paid = Ledger.open(place), 0
for _ in range(attempts):
    try:
        ticket = ledger.begin("a", epsilon, unit="rows", neighbours="add-remove")
    except BudgetExceeded:
        continue
    paid += 1
    ledger.commit(ticket, ticket.receipt.id.encode())
sys.stdout.write(str(paid))
"""

DIE = """
import os, signal, sys
from hushgram.trusted.ledger import Ledger, journal
from hushgram.trusted.ledger.sqlite import spool
place, moment = sys.argv[1:]
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def then_die(step):
    return lambda *given, **named: die(step(*given, **named))
ledger = Ledger.open(place)
ledger.open_account("a", 5, unit="rows", neighbours="add-remove")
if moment == "before the charge is durable":
    journal.Journal.record = then_die(journal.Journal.record)
ticket = ledger.begin("a", 1, unit="rows", neighbours="add-remove", request_id="r1")
if moment == "before the commit":
    die()
if moment == "before the spool is named":
    spool.Path.replace = die
if moment == "before the commit is durable":
    journal.Journal.append = then_die(journal.Journal.append)
ledger.commit(ticket, b"release")
die()
"""

FORK = """
import os, sys
from hushgram.trusted.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
ledger.accounts()
for _ in range(4):
    if os.fork() == 0:
        ledger.begin('a', '1/10', unit='rows', neighbours='add-remove')
        os._exit(0)
assert [os.wait()[1] for _ in range(4)] == [0] * 4
"""

ROW = "seq, account, kind, payload, time, prev_hash, hash"


class Connection(Protocol):
    """The driver's own connection; each statement is a transaction."""

    def execute(self, statement: str, values: Sequence[object] = ..., /) -> Any: ...


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def spend(place: str, epsilon: object, *, processes: int, attempts: int) -> list[int]:
    """How often each of the processes could pay."""
    running = [start(SPEND, place, epsilon, attempts) for _ in range(processes)]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [error for _, error in outputs] == [""] * processes
    return [int(paid) for paid, _ in outputs]


def check_a_killed_publish(place: str, moment: str, *, spent: int, committed: bool) -> None:
    process = start(DIE, place, moment)
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", -9)
    ledger = Ledger.open(place)
    ledger.verify()
    assert ledger.account("a").spent == spent
    if committed:
        again = ledger.begin("a", 1, **ROWS, request_id="r1")
        assert isinstance(again, Finished)
        assert again.release == b"release"
    elif spent:
        with pytest.raises(RequestConflict, match="did not finish"):
            pay(ledger, "a", request_id="r1")
        pay(ledger, "a", request_id="r2")
    else:
        pay(ledger, "a", request_id="r1")
    ledger.verify()
    assert ledger.account("a").spent == spent + (not committed)


def rows_of(connection: Connection) -> list[list[Any]]:
    return [list(row) for row in connection.execute(f"SELECT {ROW} FROM entries ORDER BY seq")]


def hashed(prev_hash: str, row: Sequence[object]) -> str:
    body = dict(zip(ROW.split(", ")[:5], row[:5], strict=True))
    return hashlib.sha256((prev_hash + canonical(body)).encode()).hexdigest()


def replaced(row: list[Any], **fields: str) -> None:
    row[3] = canonical({**json.loads(row[3]), **fields})


def forget_a_charge(rows: list[list[Any]]) -> None:
    replaced(rows[5], spent="1/1")
    replaced(rows[6], spent="1/1")


def overdraw(rows: list[list[Any]]) -> None:
    replaced(rows[5], spent="3/1", epsilon="2/1")
    replaced(rows[6], spent="3/1")


def change_the_unit(rows: list[list[Any]]) -> None:
    replaced(rows[5], unit="user:id:1")


def negative_charge(rows: list[list[Any]]) -> None:
    replaced(rows[5], spent="0/1", epsilon="-1/1")
    replaced(rows[6], spent="0/1")


def free_charge(rows: list[list[Any]]) -> None:
    replaced(rows[5], spent="1/1", epsilon="0/1")
    replaced(rows[6], spent="1/1")


def refund_with_the_cap(rows: list[list[Any]]) -> None:
    replaced(rows[6], spent="0/1")


def cap_below_spent(rows: list[list[Any]]) -> None:
    replaced(rows[6], cap="1/2")


def open_with_spent(rows: list[list[Any]]) -> None:
    replaced(rows[3], spent="1/1")


def charge_without_account(rows: list[list[Any]]) -> None:
    rows[4][1] = "c"


def commit_of_nothing(rows: list[list[Any]]) -> None:
    replaced(rows[2], receipt="0" * 32)


def commit_of_another_account(rows: list[list[Any]]) -> None:
    rows[2][1] = "b"


def no_payload(rows: list[list[Any]]) -> None:
    rows[6][3] = "{}"


def strange_payload(rows: list[list[Any]]) -> None:
    rows[6][3] = "[1]"


class DurableContract(LedgerContract):
    """Needs a fixture `place`, and the ways in for who would edit the book."""

    durable = True

    mark: str
    """How the driver writes the place of a value."""

    refusal: type[Exception]
    """What the driver raises where a trigger refuses."""

    forbidden: tuple[str, ...]
    """Statements that would change the book."""

    disarming: tuple[str, ...]
    """Statements that remove a guard of the book."""

    @pytest.fixture
    def place(self) -> Callable[[], str]:
        """Gives the addresses of places where no ledger is yet."""
        raise NotImplementedError

    @abstractmethod
    def connected(self, place: str) -> AbstractContextManager[Connection]: ...

    @abstractmethod
    def unguarded(self, place: str) -> AbstractContextManager[Connection]:
        """A connection without the triggers, which come back at the end."""

    @abstractmethod
    def copied(self, place: str) -> str:
        """Another place, with a copy of the ledger."""

    @abstractmethod
    def spoil(self, place: str, receipt: str, release: bytes | None) -> None:
        """Replace or remove a kept release, behind the ledger's back."""

    @abstractmethod
    def held(self, place: str) -> AbstractContextManager[object]:
        """Another writer, who does not end."""

    @pytest.fixture
    def make(self, place: Callable[[], str]) -> Callable[[], Ledger]:
        return lambda: Ledger.open(place())

    @pytest.fixture
    def book(self, place: Callable[[], str]) -> str:
        """1 open a · 2 charge a · 3 commit a · 4 open b · 5 charge b · 6 charge b · 7 cap b."""
        book = place()
        ledger = Ledger.open(book)
        ledger.commit(pay(ledger, "a", request_id="r1"), b"release")
        ledger.open_account("b", 2, **ROWS)
        pay(ledger, "b")
        pay(ledger, "b")
        ledger.set_cap("b", 3)
        assert ledger.verify() == 7
        return book

    def rewrite(self, place: str, change: Callable[[list[list[Any]]], None]) -> None:
        """Change rows and recompute every hash, as a clever editor would."""
        with self.unguarded(place) as connection:
            rows = rows_of(connection)
            change(rows)
            connection.execute("DELETE FROM entries")
            last = GENESIS
            for row in rows:
                row[5], last = last, hashed(last, row)
                row[6] = last
                marks = ", ".join([self.mark] * 7)
                connection.execute(f"INSERT INTO entries VALUES ({marks})", row)

    def edit(self, place: str, seq: int, /, **cells: object) -> None:
        """Change cells of one entry."""
        with self.unguarded(place) as connection:
            sets = ", ".join(f"{name} = {self.mark}" for name in cells)
            connection.execute(f"UPDATE entries SET {sets} WHERE seq = {seq}", list(cells.values()))

    # Keeping

    def test_it_remembers(self, place: Callable[[], str]) -> None:
        where = place()
        ticket = pay(Ledger.open(where), request_id="r1")
        Ledger.open(where).commit(ticket, b"release")
        again = Ledger.open(where)
        assert again.account("checkins").spent == Fraction(1)
        assert again.verify([ticket.receipt]) == 3

    def test_a_large_release_is_kept(self, ledger: Ledger) -> None:
        release = os.urandom(5_000_000)
        ledger.commit(pay(ledger, request_id="r1"), release)
        again = ledger.begin("checkins", 1, **ROWS, request_id="r1")
        assert isinstance(again, Finished)
        assert again.release == release

    def test_the_table_only_grows(self, place: Callable[[], str]) -> None:
        where = place()
        pay(Ledger.open(where))
        with self.connected(where) as connection:
            for statement in self.forbidden:
                with pytest.raises(self.refusal, match="append-only"):
                    connection.execute(statement)
            assert len(rows_of(connection)) == 2

    def test_a_lock_that_is_held_for_too_long(self, place: Callable[[], str]) -> None:
        where = place()
        ledger = Ledger.open(where, timeout=0.05)
        with self.held(where):
            with pytest.raises(LedgerError, match=r"in use by another program.*try again"):
                pay(ledger)
            assert ledger.accounts() == []  # readers need not wait
        pay(ledger)

    # Processes

    def test_eight_processes_spend_exactly_the_cap(self, place: Callable[[], str]) -> None:
        where = place()
        ledger = Ledger.open(where)
        ledger.open_account("a", 1, **ROWS)
        assert sum(spend(where, "1/100", processes=8, attempts=25)) == 100
        assert ledger.account("a").spent == 1
        assert ledger.verify() == 1 + 100 + 100

    def test_processes_that_meet_at_an_empty_place_make_one_ledger(
        self, place: Callable[[], str]
    ) -> None:
        where = place()
        assert sorted(spend(where, 1, processes=6, attempts=1)) == [0, 0, 0, 0, 0, 1]
        assert Ledger.open(where).verify() == 3

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
    @pytest.mark.parametrize(
        ("moment", "spent", "committed"),
        [
            ("before the charge is durable", 0, False),
            ("before the commit", 1, False),
            ("before the commit is durable", 1, False),
            ("at the end", 1, True),
        ],
    )
    def test_a_killed_publish(
        self, place: Callable[[], str], moment: str, spent: int, committed: bool
    ) -> None:
        check_a_killed_publish(place(), moment, spent=spent, committed=committed)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
    def test_a_forked_child_uses_the_ledger_of_its_parent(self, place: Callable[[], str]) -> None:
        where = place()
        ledger = Ledger.open(where)
        ledger.open_account("a", 1, **ROWS)
        pay(ledger, "a", "0.5")
        child = start(FORK, where)
        assert (child.communicate(timeout=60)[1], child.returncode) == ("", 0)
        assert ledger.account("a").spent == Fraction(9, 10)
        ledger.verify()

    # Tampering

    @pytest.mark.parametrize("seq", range(1, 8))
    @pytest.mark.parametrize(
        "column", ["account = 'c'", "payload = payload || ' '", "time = '2001'", "hash = 'x'"]
    )
    def test_an_edited_entry_is_named(self, book: str, seq: int, column: str) -> None:
        with self.unguarded(book) as connection:
            connection.execute(f"UPDATE entries SET {column} WHERE seq = {seq}")
        with pytest.raises(
            LedgerCorrupted, match=rf"entry {seq} .*does not match its hash.*backup"
        ):
            Ledger.open(book).verify()

    @pytest.mark.parametrize("seq", range(1, 7))
    def test_a_deleted_entry_is_missed_at_once(self, book: str, seq: int) -> None:
        with self.unguarded(book) as connection:
            connection.execute(f"DELETE FROM entries WHERE seq = {seq}")
        with pytest.raises(LedgerCorrupted, match=f"entry {seq} is missing"):
            Ledger.open(book).verify()
        with pytest.raises(LedgerCorrupted):
            pay(Ledger.open(book), "new")

    @pytest.mark.parametrize("seq", [6, 7])
    def test_begin_checks_the_end_of_the_chain(self, book: str, seq: int) -> None:
        self.edit(book, seq, time="2001")
        with pytest.raises(LedgerCorrupted, match=f"entry {seq} "):
            pay(Ledger.open(book), "new")

    def test_begin_checks_the_account_it_charges(self, book: str) -> None:
        with self.connected(book) as connection:
            row = rows_of(connection)[1]
        replaced(row, spent="0/1")
        self.edit(book, 2, payload=row[3])
        ledger = Ledger.open(book)
        for ask in (lambda: pay(ledger, "a"), lambda: ledger.account("a"), ledger.accounts):
            with pytest.raises(LedgerCorrupted, match=r"entry 2 \(charge of account 'a'\)"):
                ask()

    def test_begin_checks_the_only_entry(self, place: Callable[[], str]) -> None:
        where = place()
        Ledger.open(where).open_account("a", 1, **ROWS)
        self.edit(where, 1, time="2001")
        with pytest.raises(LedgerCorrupted, match="entry 1 "):
            pay(Ledger.open(where), "b")

    @pytest.mark.parametrize("seq", [2, 5])
    def test_one_entry_with_a_new_hash_breaks_the_next_link(self, book: str, seq: int) -> None:
        with self.connected(book) as connection:
            row = rows_of(connection)[seq - 1]
        row[4] = "2001"
        self.edit(book, seq, time="2001", hash=hashed(row[5], row))
        with pytest.raises(LedgerCorrupted, match=f"entry {seq + 1} .*does not continue"):
            Ledger.open(book).verify()

    @pytest.mark.parametrize(
        ("change", "seq"),
        [
            (forget_a_charge, 6),
            (overdraw, 6),
            (change_the_unit, 6),
            (negative_charge, 6),
            (free_charge, 6),
            (refund_with_the_cap, 7),
            (cap_below_spent, 7),
            (open_with_spent, 4),
            (charge_without_account, 5),
            (commit_of_nothing, 3),
            (commit_of_another_account, 3),
            (no_payload, 7),
            (strange_payload, 7),
        ],
    )
    def test_sums_are_checked_even_if_the_hashes_hold(
        self, book: str, change: Callable[[list[list[Any]]], None], seq: int
    ) -> None:
        self.rewrite(book, change)
        with pytest.raises(LedgerCorrupted, match=f"entry {seq} "):
            Ledger.open(book).verify()

    def test_the_rewriting_itself_is_not_what_is_found(self, book: str) -> None:
        self.rewrite(book, lambda rows: None)
        assert Ledger.open(book).verify() == 7

    def test_a_rewritten_past_no_longer_fits_its_receipts(self, book: str) -> None:
        ledger = Ledger.open(book)
        receipt = Receipt.of(ledger.entries()[1])
        ledger.verify([receipt])

        def consistent(rows: list[list[Any]]) -> None:
            replaced(rows[0], cap="2/1")
            replaced(rows[1], cap="2/1")

        self.rewrite(book, consistent)
        ledger.verify()
        assert not ledger.find(receipt)
        with pytest.raises(LedgerCorrupted, match="does not contain receipt"):
            ledger.verify([receipt])

    def test_missing_guards_are_missed(self, book: str) -> None:
        for statement in self.disarming:
            copy = self.copied(book)
            with self.connected(copy) as connection:
                connection.execute(statement)
            with pytest.raises(LedgerCorrupted, match="indexes or triggers were changed"):
                Ledger.open(copy).verify()

    def test_an_older_copy_does_not_know_newer_receipts(self, book: str) -> None:
        older = self.copied(book)
        ledger = Ledger.open(book)
        receipt = pay(ledger, "b").receipt
        ledger.verify([receipt])
        with pytest.raises(LedgerCorrupted, match=f"receipt {receipt.id}.*older copy"):
            Ledger.open(older).verify([receipt])

    def test_a_copy_from_before_the_commit_is_found_by_a_release_that_left(self, book: str) -> None:
        ledger = Ledger.open(book)
        ticket = pay(ledger, "b")
        older = self.copied(book)
        ledger.commit(ticket, b"release")
        assert ledger.verify([ticket.receipt], committed=True) == 9
        Ledger.open(older).verify([ticket.receipt])
        with pytest.raises(
            LedgerCorrupted, match=f"finished release of receipt {ticket.receipt.id}"
        ):
            Ledger.open(older).verify([ticket.receipt], committed=True)

    @pytest.mark.parametrize(("edit", "found"), [(b"other", "was changed"), (None, "is missing")])
    def test_a_kept_release_that_was_edited_or_lost(
        self, book: str, edit: bytes | None, found: str
    ) -> None:
        ledger = Ledger.open(book)
        self.spoil(book, ledger.entries()[1].field("receipt"), edit)
        for ask in (ledger.verify, lambda: pay(ledger, "a", request_id="r1")):
            with pytest.raises(LedgerCorrupted, match=found):
                ask()

    @pytest.mark.slow
    def test_every_single_cell_is_covered_by_the_chain(self, book: str) -> None:
        """The test of the tests: change each cell alone; verify must object each time."""
        with self.connected(book) as connection:
            rows = rows_of(connection)
        ledger = Ledger.open(book)
        for row in rows:
            for column, before in zip(ROW.split(", "), row, strict=True):
                value = {"seq": 99, "kind": "cap", "payload": "{}"}.get(column, "x")
                if (row[0], column) == (7, "kind"):
                    value = "charge"
                self.edit(book, row[0], **{column: value})
                with pytest.raises(HushgramError):
                    ledger.verify()
                self.edit(book, 99 if column == "seq" else row[0], **{column: before})
        assert ledger.verify() == 7
