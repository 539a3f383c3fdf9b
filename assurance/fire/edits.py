"""Ledger files that are truncated, restored or edited: each change must be detected.

Runs ``hushgram ledger verify RELEASE`` with the newest release, as a steward would.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assurance.fire.children import done
from assurance.fire.scene import Scene, scene
from hushgram.errors import HushgramError
from hushgram.release import load
from hushgram.trusted.ledger import Ledger, Receipt
from hushgram.trusted.ledger.chain import Entry, canonical, next_entry

PUBLISHED = 3
"""The number of releases in the ledger that is edited, each from its own account."""

COLUMNS = ("seq", "account", "kind", "payload", "time", "prev_hash", "hash")


@dataclass(frozen=True)
class Edit:
    """One change of a ledger, and whether it was detected."""

    kind: str
    found: bool
    what: str


@dataclass(frozen=True)
class Book:
    """An intact ledger with releases, and a copy that is edited repeatedly."""

    aside: Path
    scene: Scene
    releases: tuple[Path, ...]

    @property
    def file(self) -> Path:
        return Path(self.scene.place)

    def restore(self, copy: Path | None = None) -> None:
        shutil.rmtree(self.file.parent, ignore_errors=True)
        shutil.copytree(copy or self.aside, self.file.parent)

    def is_detected(self) -> bool:
        return bool(done(self._detect))

    def _detect(self) -> bool:
        newest = load(self.releases[-1]).receipt
        assert newest is not None
        try:
            Ledger.open(self.file).verify([Receipt.from_json(newest)], committed=True)
        except HushgramError:
            return True
        return False

    def entries(self) -> Any:
        """Return the entries of the ledger, or the error when reading them."""
        try:
            return [vars(entry) for entry in Ledger.open(self.file).entries()]
        except HushgramError:
            return "unreadable"


def edits(flips: int, chance: random.Random) -> Iterator[Edit]:
    """Yield all kinds of edits of a ledger in a file."""
    with scene() as here:
        book = make_book(here)
        for tried in (cut_file, restore_older_copies, edit_cells, delete_entries, rewrite_chain):
            yield from tried(book)
        yield from flip_bits(book, flips, chance)
        book.restore()
        yield Edit("nothing", not book.is_detected(), "an untouched ledger is found sound")


def make_book(here: Scene) -> Book:
    """Publish several releases, and keep a copy of the ledger before each."""
    releases = []
    for number in range(PUBLISHED):
        if number:
            shutil.copytree(Path(here.place).parent, here.folder / f"older {number}")
        one = replace(here, account=f"people {number}")
        done(publish_once, one)
        releases.append(here.folder / f"{number}.hush.parquet")
        here.output.rename(releases[-1])
    aside = here.folder / "aside"
    shutil.copytree(Path(here.place).parent, aside)
    return Book(aside, here, tuple(releases))


def publish_once(one: Scene) -> bool:
    return bool(one.publish())


def cut_file(book: Book) -> Iterator[Edit]:
    """Truncate the file at each sixteenth."""
    size = book.file.stat().st_size
    for part in range(16):
        book.restore()
        with book.file.open("r+b") as stream:
            stream.truncate(size * part // 16)
        yield Edit("cut short", book.is_detected(), f"{part} of 16 parts")


def restore_older_copies(book: Book) -> Iterator[Edit]:
    """Restore an older copy, with the old spool, the current one, or none."""
    for number in range(1, PUBLISHED):
        for spool in ("then", "now", "none"):
            book.restore(book.scene.folder / f"older {number}")
            kept = book.file.with_name(f"{book.file.name}.spool")
            if spool != "then":
                shutil.rmtree(kept, ignore_errors=True)
            if spool == "now":
                shutil.copytree(book.aside / kept.name, kept)
            yield Edit("copied back", book.is_detected(), f"after {number}, spool of {spool}")


def edit_cells(book: Book) -> Iterator[Edit]:
    """Edit every cell of every entry, one at a time."""
    for row in rows_of(book.aside / book.file.name):
        for column, before in zip(COLUMNS, row, strict=True):
            book.restore()
            after = {"seq": 99, "kind": "cap", "payload": altered_payload(row)}.get(
                column, f"{before}x"
            )
            with open_without_triggers(book.file) as connection:
                values = (after, row[0])
                connection.execute(f"UPDATE entries SET {column} = ? WHERE seq = ?", values)
            yield Edit("edited", book.is_detected(), f"{column} of entry {row[0]}")


def altered_payload(row: tuple[Any, ...]) -> str:
    return canonical({**json.loads(row[3]), "more": "1"})


def delete_entries(book: Book) -> Iterator[Edit]:
    """Delete every entry, one at a time."""
    for row in rows_of(book.aside / book.file.name):
        book.restore()
        with open_without_triggers(book.file) as connection:
            connection.execute("DELETE FROM entries WHERE seq = ?", (row[0],))
        yield Edit("deleted", book.is_detected(), f"entry {row[0]}")


def rewrite_chain(book: Book) -> Iterator[Edit]:
    """Edit entries and recompute all hashes and sums, which only the receipt of a release can
    reveal.

    Without receipts, none of these edits could be detected.
    """
    forgeries: dict[str, Callable[[list[Entry]], list[Entry]]] = {
        "the newest release was never charged": lambda entries: entries[:-3],
        "the newest charge is pending": lambda entries: entries[:-1],
        "the first account never was": lambda entries: entries[3:],
        "caps are higher": lambda entries: [with_cap(entry) for entry in entries],
    }
    for what, forge in forgeries.items():
        book.restore()
        refill(book.file, forge([Entry(*row) for row in rows_of(book.file)]))
        yield Edit("rewritten", book.is_detected(), what)


def refill(file: Path, entries: Sequence[Entry]) -> None:
    """Replace the entries by these, in a valid chain, and remove all other releases."""
    last: Entry | None = None
    with open_without_triggers(file) as connection:
        connection.execute("DELETE FROM entries")
        for entry in entries:
            last = forge_entry(last, entry)
            values = tuple(getattr(last, name) for name in COLUMNS)
            connection.execute(f"INSERT INTO entries VALUES ({', '.join('?' * 7)})", values)
    known = {json.loads(entry.payload).get("receipt") for entry in entries}
    for kept in file.with_name(f"{file.name}.spool").iterdir():
        if kept.name.partition(".")[0] not in known:
            kept.unlink()


def forge_entry(last: Entry | None, entry: Entry) -> Entry:
    """Return the same entry, chained to `last`, with its time unchanged."""
    with patch("hushgram.trusted.ledger.chain.datetime") as clock:
        clock.now.return_value = datetime.fromisoformat(entry.time)
        return next_entry(last, entry.account, entry.kind, json.loads(entry.payload))


def with_cap(entry: Entry) -> Entry:
    details = json.loads(entry.payload)
    if "cap" not in details:
        return entry
    return replace(entry, payload=canonical({**details, "cap": "2/1"}))


def flip_bits(book: Book, number: int, chance: random.Random) -> Iterator[Edit]:
    """Flip single bits of the file. If the entries are unchanged, there is nothing to detect."""
    book.restore()
    before = done(book.entries)
    content = book.file.read_bytes()
    for _ in range(number):
        book.restore()
        place, bit = chance.randrange(len(content)), chance.randrange(8)
        mutated = bytearray(content)
        mutated[place] ^= 1 << bit
        book.file.write_bytes(mutated)
        found = book.is_detected() or done(book.entries) == before
        yield Edit("bit flipped", found, f"bit {bit} of byte {place}")


@contextmanager
def open_without_triggers(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a connection without the triggers, which are restored afterwards."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = connection.execute(query).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, statement in triggers:
            connection.execute(statement)


def rows_of(file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(
            f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY seq"
        ).fetchall()
