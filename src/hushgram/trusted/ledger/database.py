"""SQLite databases that hold a ledger: how they are made, opened, and locked."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.location import make_private, sync_folder
from hushgram.trusted.ledger.schema import APPLICATION, SCHEMA, VERSION
from hushgram.trusted.ledger.trouble import explained

_SMALLEST = 512  # bytes of one page; SQLite takes anything shorter for a new database


class Database(Protocol):
    """Atomic transactions: all of it durably, or nothing."""

    where: str
    durable: bool

    def transaction(self, *, write: bool) -> AbstractContextManager[sqlite3.Connection]: ...


class FileDatabase:
    """A file. Every transaction has its own connection, so that no fork ever shares one."""

    durable = True

    def __init__(self, path: Path, *, timeout: float = 60.0) -> None:
        self.path = path
        self.where = str(path)
        self._timeout = timeout

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        with explained(self.where), closing(self._connect()) as connection:
            _refuse_foreign(connection, self.where)
            with _atomic(connection, write=write):
                yield connection

    def create(self) -> None:
        """Make the file if there is none: whole or not at all, and never over another.

        An empty file thus can only be a ledger cut short, and is never taken for a new one.
        """
        with explained(self.where):
            if self.path.exists():
                return
            make_private(self.path.parent)
            fresh = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.new")
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            try:
                with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
                    connection.execute("PRAGMA synchronous = FULL")
                    connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
                    # Afterwards, so that the tables are in the file itself and not in a log.
                    connection.execute("PRAGMA journal_mode = WAL")
                _name(fresh, self.path)
            finally:
                fresh.unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def _connect(self) -> sqlite3.Connection:
        # The size is asked of the folder: closing a second handle would drop SQLite's locks.
        if self.path.is_file() and self.path.stat().st_size < _SMALLEST:
            raise LedgerCorrupted(
                f"the ledger {self.where} is empty or cut short, so what was spent is lost. "
                "Restore it from a backup, or choose another file with HUSHGRAM_LEDGER."
            )
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",  # never creates: a ledger that vanished is an error
            uri=True,
            timeout=self._timeout,
            isolation_level=None,
        )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on macOS, fsync alone stops at the drive
        return connection


class MemoryDatabase:
    """A database that ends with its process. One connection, one user at a time."""

    durable = False
    where = "in memory"

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)
        self._connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            # Each process would spend from its own copy of the same budget.
            raise LedgerError(
                "a ledger in memory cannot be shared with another process. "
                "Use a ledger in a file: Ledger.open(path)."
            )
        with explained(self.where), self._lock, _atomic(self._connection, write=write):
            yield self._connection


@contextmanager
def _atomic(connection: sqlite3.Connection, *, write: bool) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _name(fresh: Path, path: Path) -> None:
    """Give the fresh file its name, unless another process was faster."""
    try:
        path.hardlink_to(fresh)  # unlike a rename, a link never replaces
    except FileExistsError:
        return
    except OSError as error:
        raise LedgerError(
            f"the ledger {path} cannot be made on this file system, which has no hard links. "
            "Choose a file on a local disk with HUSHGRAM_LEDGER."
        ) from error


def _refuse_foreign(connection: sqlite3.Connection, where: str) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LedgerError(
            f"{where} is a SQLite database, but no Hushgram ledger. "
            "Choose another file with HUSHGRAM_LEDGER."
        )
    if version != VERSION:
        raise LedgerError(
            f"the ledger {where} has schema version {version}, and this Hushgram knows {VERSION}. "
            "Use the Hushgram that wrote it, or a newer one."
        )
