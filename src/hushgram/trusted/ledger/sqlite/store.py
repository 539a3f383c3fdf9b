"""SQLite databases that hold a ledger: how they are made, opened, and locked.

A writer begins with ``BEGIN IMMEDIATE``: it holds the only write lock before it reads what it will
change. The log is written ahead and synced at every commit.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.location import make_private, sync_folder
from hushgram.trusted.ledger.sqlite.rows import SqliteRows
from hushgram.trusted.ledger.sqlite.schema import APPLICATION, SCHEMA, VERSION
from hushgram.trusted.ledger.sqlite.spool import FolderSpool, MemorySpool, Spool
from hushgram.trusted.ledger.sqlite.trouble import explained

_SMALLEST = 512  # bytes of one page; SQLite takes anything shorter for a new database


class SqliteStore(ABC):
    """What both have in common: how a connection becomes a transaction."""

    where: str
    durable: bool
    spool: Spool

    @contextmanager
    def reading(self) -> Iterator[SqliteRows]:
        with explained(self.where), self._connected() as connection, _atomic(connection, "BEGIN"):
            yield SqliteRows(connection, self.spool)

    @contextmanager
    def writing(self) -> Iterator[SqliteRows]:
        with (
            explained(self.where),
            self._connected() as connection,
            _atomic(connection, "BEGIN IMMEDIATE"),
        ):
            yield SqliteRows(connection, self.spool)

    @contextmanager
    def keeping(
        self, receipt_id: str, release: bytes
    ) -> Iterator[tuple[SqliteRows, Callable[[], None]]]:
        # The slow write comes first; under the lock there is only a rename.
        with (
            explained(self.where),
            self.spool.staged(receipt_id, release) as place,
            self.writing() as rows,
        ):
            yield rows, place

    @abstractmethod
    def _connected(self) -> AbstractContextManager[sqlite3.Connection]: ...


class FileStore(SqliteStore):
    """A file. Every transaction has its own connection, so that no fork ever shares one."""

    durable = True

    def __init__(self, path: Path, *, timeout: float = 60.0) -> None:
        self.path = path
        self.where = str(path)
        self.spool = FolderSpool(path.with_name(f"{path.name}.spool"))
        self._timeout = timeout

    @classmethod
    def at(cls, path: Path, *, timeout: float) -> FileStore:
        """The store in that file, made if need be; `timeout` is how long to wait for a lock."""
        store = cls(path, timeout=timeout)
        with explained(store.where):
            store._refuse_leftovers()
            store._create()
        return store

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as connection:
            _refuse_foreign(connection, self.where)
            yield connection

    def _refuse_leftovers(self) -> None:
        """A spool or a write-ahead log without a ledger: it was deleted or moved, not never made.

        The evidence is looked at first: a ledger that another process is just making precedes it.
        """
        left = self.path.with_name(f"{self.path.name}-wal").exists() or self.spool.ids()
        if left and not self.path.exists():
            raise LedgerCorrupted(
                f"there is no ledger {self.path}, but releases paid from it lie beside it. Bring "
                "the ledger back from a backup; for a fresh start, choose another file with "
                "HUSHGRAM_LEDGER."
            )

    def _create(self) -> None:
        """Make the file if there is none: whole or not at all, and never over another.

        An empty file thus can only be a ledger cut short, and is never taken for a new one.
        """
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


class MemoryStore(SqliteStore):
    """A database that ends with its process. One connection, one user at a time."""

    durable = False
    where = "in memory"

    def __init__(self) -> None:
        self.spool = MemorySpool()
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)
        self._connection.executescript(SCHEMA)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            # Each process would spend from its own copy of the same budget.
            raise LedgerError(
                "a ledger in memory cannot be shared with another process. "
                "Use a ledger in a file: Ledger.open(path)."
            )
        with self._lock:
            yield self._connection


@contextmanager
def _atomic(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
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
