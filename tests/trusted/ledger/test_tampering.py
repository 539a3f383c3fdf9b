"""Edits of the book: each is planted, and each must be found."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hushgram.errors import HushgramError, LedgerCorrupted
from hushgram.trusted.ledger import Ledger, Receipt
from hushgram.trusted.ledger.chain import GENESIS, canonical

from .ledger_contract import ROWS, pay

ROW = "seq, account, kind, payload, time, prev_hash, hash"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """1 open a · 2 charge a · 3 commit a · 4 open b · 5 charge b · 6 charge b · 7 cap b."""
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.commit(pay(ledger, "a", request_id="r1"), b"release")
    ledger.open_account("b", 2, **ROWS)
    pay(ledger, "b")
    pay(ledger, "b")
    ledger.set_cap("b", 3)
    assert ledger.verify() == 7
    return path


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection without the triggers, which come back at the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)


def rewrite(path: Path, change: Callable[[list[list[object]]], None]) -> None:
    """Change rows and recompute every hash, as a clever editor would."""
    with unguarded(path) as connection:
        rows = [list(row) for row in connection.execute(f"SELECT {ROW} FROM entries ORDER BY seq")]
        change(rows)
        connection.execute("DELETE FROM entries")
        last = GENESIS
        for row in rows:
            body = dict(zip(ROW.split(", ")[:5], row[:5], strict=True))
            row[5], last = last, hashlib.sha256((last + canonical(body)).encode()).hexdigest()
            row[6] = last
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def replaced(row: list[object], **fields: str) -> None:
    row[3] = canonical({**json.loads(str(row[3])), **fields})


@pytest.mark.parametrize("seq", range(1, 8))
@pytest.mark.parametrize(
    "column", ["account = 'c'", "payload = payload || ' '", "time = '2001'", "hash = 'x'"]
)
def test_an_edited_entry_is_named(path: Path, seq: int, column: str) -> None:
    with unguarded(path) as connection:
        connection.execute(f"UPDATE entries SET {column} WHERE seq = {seq}")
    with pytest.raises(LedgerCorrupted, match=rf"entry {seq} .*does not match its hash.*backup"):
        Ledger.open(path).verify()


@pytest.mark.parametrize("seq", range(1, 7))
def test_a_deleted_entry_is_missed_at_once(path: Path, seq: int) -> None:
    with unguarded(path) as connection:
        connection.execute(f"DELETE FROM entries WHERE seq = {seq}")
    with pytest.raises(LedgerCorrupted, match=f"entry {seq} is missing"):
        Ledger.open(path).verify()
    with pytest.raises(LedgerCorrupted):
        pay(Ledger.open(path), "new")


@pytest.mark.parametrize("seq", [6, 7])
def test_begin_checks_the_end_of_the_chain(path: Path, seq: int) -> None:
    with unguarded(path) as connection:
        connection.execute(f"UPDATE entries SET time = '2001' WHERE seq = {seq}")
    with pytest.raises(LedgerCorrupted, match=f"entry {seq} "):
        pay(Ledger.open(path), "new")


def test_begin_checks_the_account_it_charges(path: Path) -> None:
    with unguarded(path) as connection:
        connection.execute(
            "UPDATE entries SET payload = json_set(payload, '$.spent', '0/1') WHERE seq = 2"
        )
    ledger = Ledger.open(path)
    for ask in (lambda: pay(ledger, "a"), lambda: ledger.account("a"), ledger.accounts):
        with pytest.raises(LedgerCorrupted, match=r"entry 2 \(charge of account 'a'\)"):
            ask()


def test_begin_checks_the_only_entry(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    Ledger.open(path).open_account("a", 1, **ROWS)
    with unguarded(path) as connection:
        connection.execute("UPDATE entries SET time = '2001'")
    with pytest.raises(LedgerCorrupted, match="entry 1 "):
        pay(Ledger.open(path), "b")


@pytest.mark.parametrize("seq", [2, 5])
def test_one_entry_with_a_new_hash_breaks_the_next_link(path: Path, seq: int) -> None:
    with unguarded(path) as connection:
        query = f"SELECT {ROW} FROM entries WHERE seq = {seq}"
        row = list(connection.execute(query).fetchone())
        body = dict(zip(ROW.split(", ")[:5], [*row[:4], "2001"], strict=True))
        forged = hashlib.sha256((row[5] + canonical(body)).encode()).hexdigest()
        connection.execute(
            "UPDATE entries SET time = '2001', hash = ? WHERE seq = ?", (forged, seq)
        )
    with pytest.raises(LedgerCorrupted, match=f"entry {seq + 1} .*does not continue"):
        Ledger.open(path).verify()


def forget_a_charge(rows: list[list[object]]) -> None:
    replaced(rows[5], spent="1/1")
    replaced(rows[6], spent="1/1")


def overdraw(rows: list[list[object]]) -> None:
    replaced(rows[5], spent="3/1", epsilon="2/1")
    replaced(rows[6], spent="3/1")


def change_the_unit(rows: list[list[object]]) -> None:
    replaced(rows[5], unit="user:id:1")


def negative_charge(rows: list[list[object]]) -> None:
    replaced(rows[5], spent="0/1", epsilon="-1/1")
    replaced(rows[6], spent="0/1")


def free_charge(rows: list[list[object]]) -> None:
    replaced(rows[5], spent="1/1", epsilon="0/1")
    replaced(rows[6], spent="1/1")


def refund_with_the_cap(rows: list[list[object]]) -> None:
    replaced(rows[6], spent="0/1")


def cap_below_spent(rows: list[list[object]]) -> None:
    replaced(rows[6], cap="1/2")


def open_with_spent(rows: list[list[object]]) -> None:
    replaced(rows[3], spent="1/1")


def charge_without_account(rows: list[list[object]]) -> None:
    rows[4][1] = "c"


def commit_of_nothing(rows: list[list[object]]) -> None:
    replaced(rows[2], receipt="0" * 32)


def commit_of_another_account(rows: list[list[object]]) -> None:
    rows[2][1] = "b"


def no_payload(rows: list[list[object]]) -> None:
    rows[6][3] = "{}"


def strange_payload(rows: list[list[object]]) -> None:
    rows[6][3] = "[1]"


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
    path: Path, change: Callable[[list[list[object]]], None], seq: int
) -> None:
    rewrite(path, change)
    with pytest.raises(LedgerCorrupted, match=f"entry {seq} "):
        Ledger.open(path).verify()


def test_the_rewriting_itself_is_not_what_is_found(path: Path) -> None:
    rewrite(path, lambda rows: None)
    assert Ledger.open(path).verify() == 7


def test_a_rewritten_past_no_longer_fits_its_receipts(path: Path) -> None:
    ledger = Ledger.open(path)
    receipt = Receipt.of(ledger.entries()[1])
    ledger.verify([receipt])

    def consistent(rows: list[list[object]]) -> None:
        replaced(rows[0], cap="2/1")
        replaced(rows[1], cap="2/1")

    rewrite(path, consistent)
    ledger.verify()
    assert not ledger.find(receipt)
    with pytest.raises(LedgerCorrupted, match="does not know receipt"):
        ledger.verify([receipt])


@pytest.mark.parametrize("name", ["TRIGGER no_update", "INDEX charges_by_request"])
def test_missing_guards_are_missed(path: Path, name: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP {name}")
    with pytest.raises(LedgerCorrupted, match="indexes or triggers were changed"):
        Ledger.open(path).verify()


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


@pytest.mark.parametrize(("edit", "found"), [(b"other", "was changed"), (None, "is missing")])
def test_a_spooled_release_that_was_edited_or_lost(
    path: Path, edit: bytes | None, found: str
) -> None:
    (spooled,) = path.with_name("ledger.db.spool").iterdir()
    spooled.unlink()
    if edit is not None:
        spooled.write_bytes(edit)
    ledger = Ledger.open(path)
    for ask in (ledger.verify, lambda: pay(ledger, "a", request_id="r1")):
        with pytest.raises(LedgerCorrupted, match=found):
            ask()


def test_every_single_cell_is_covered_by_the_chain(path: Path) -> None:
    """The test of the tests: change each cell alone; verify must object each time."""
    whole = path.read_bytes()
    for seq in range(1, 8):
        for column in ROW.split(", "):
            path.write_bytes(whole)
            with unguarded(path) as connection:
                value = "99" if column == "seq" else "'cap'" if column == "kind" else "'x'"
                if (seq, column) == (7, "kind"):
                    value = "'charge'"
                if column == "payload":
                    value = "'{}'"
                connection.execute(f"UPDATE entries SET {column} = {value} WHERE seq = {seq}")
            with pytest.raises(HushgramError):
                Ledger.open(path).verify()
