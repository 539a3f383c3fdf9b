"""SQLite databases with a ledger: creating, opening and locking them.

A writer starts with ``BEGIN IMMEDIATE``, so it has the only write lock before it reads what it will
change. Transactions use a rollback journal, whose locks are on the file itself. (A write-ahead log
has its locks in files next to the *name*. Programs that used a hard link or a mount of the file did
not share them, and a budget could be spent twice.)
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.location import make_private, sync_folder
from hushgram.trusted.ledger.sqlite.errors import translate_errors
from hushgram.trusted.ledger.sqlite.names import fresh_name, refuse_other_names
from hushgram.trusted.ledger.sqlite.rows import SqliteRows
from hushgram.trusted.ledger.sqlite.schema import APPLICATION, SCHEMA, VERSION
from hushgram.trusted.ledger.sqlite.spool import FolderSpool, MemorySpool, Spool
from hushgram.trusted.ledger.store import LOCKED

_SMALLEST = 512  # bytes of one page; to SQLite, a shorter file is a new database
_PAUSE = 0.01  # seconds between attempts to get exclusive access


class SqliteStore(ABC):
    """The common part of both stores: transactions on a connection."""

    where: str
    durable: bool
    spool: Spool

    def reading(self) -> AbstractContextManager[SqliteRows]:
        return self._transaction("BEGIN")

    def writing(self) -> AbstractContextManager[SqliteRows]:
        return self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def keeping(
        self, receipt_id: str, release: bytes
    ) -> Iterator[tuple[SqliteRows, Callable[[], None]]]:
        # The slow write comes first. Under the lock, there is only a rename.
        with (
            translate_errors(self.where),
            self.spool.stage(receipt_id, release) as place,
            self.writing() as rows,
        ):
            yield rows, place

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[SqliteRows]:
        with translate_errors(self.where), self._connection() as connection:
            connection.execute(begin)
            try:
                yield SqliteRows(connection, self.spool)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @abstractmethod
    def _connection(self) -> AbstractContextManager[sqlite3.Connection]: ...


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
        """Open or create the store in a file; `timeout` is how long to wait for a lock."""
        store = cls(path, timeout=timeout)
        with translate_errors(store.where):
            store._refuse_leftovers()
            store._create()
        return store

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        refuse_other_names(self.path)
        deadline = time.monotonic() + self._timeout
        while True:
            with closing(self._connect()) as connection:
                _refuse_foreign(connection, self.where)
                if self._leave_log(connection):
                    yield connection
                    return
            # Closed while waiting, for a random time, so that one of many processes gets access.
            if time.monotonic() > deadline:
                raise LedgerError(f"The ledger {self.where} {LOCKED}")
            time.sleep(_PAUSE * (1 + secrets.randbelow(20)))

    def _leave_log(self, connection: sqlite3.Connection) -> bool:
        """Move a ledger of an earlier Hushgram from its write-ahead log to a rollback journal.

        Returns False if others have it open.

        SQLite first writes the log's charges to the file, which needs exclusive access.
        """
        ((mode,),) = connection.execute("PRAGMA journal_mode")
        if mode != "wal":
            return True
        connection.execute("PRAGMA busy_timeout = 0")
        if not _switch_to_journal(connection):
            return False
        connection.execute(f"PRAGMA busy_timeout = {round(1000 * self._timeout)}")
        sync_folder(self.path.parent)  # a log that reappears after a power cut would undo charges
        return True

    def _refuse_leftovers(self) -> None:
        """Raise if there is a spool, a journal or a log without a ledger: it was deleted or moved.

        These files are checked first: a process that is just creating a ledger makes the ledger
        first.
        """
        beside = (self.path.with_name(f"{self.path.name}{end}") for end in ("-journal", "-wal"))
        left = any(file.exists() for file in beside) or self.spool.ids()
        if left and not self.path.exists():
            raise LedgerCorrupted(
                f"There is no ledger {self.path}, but releases paid from it are stored "
                "next to it. Restore the ledger from a backup. For a fresh start, choose "
                "another file with HUSHGRAM_LEDGER."
            )

    def _create(self) -> None:
        """Create the file if there is none, atomically, and never over another file.

        So an empty file can only be a truncated ledger, and is never mistaken for a new one.
        """
        if self.path.exists():
            return
        make_private(self.path.parent)
        fresh = fresh_name(self.path, secrets.token_hex(8))
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
                _make_durable(connection)
                connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
            _link(fresh, self.path)
        finally:
            fresh.unlink(missing_ok=True)
        sync_folder(self.path.parent)

    def _connect(self) -> sqlite3.Connection:
        # stat, not open: closing a second handle would drop SQLite's locks.
        if self.path.is_file() and self.path.stat().st_size < _SMALLEST:
            raise LedgerCorrupted(
                f"The ledger {self.where} is empty or truncated, so the record of what was "
                "spent is lost. Restore it from a backup, or choose another file with "
                "HUSHGRAM_LEDGER."
            )
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",  # never creates: a ledger that vanished is an error
            uri=True,
            timeout=self._timeout,
            isolation_level=None,
        )
        _make_durable(connection)
        return connection


class MemoryStore(SqliteStore):
    """A database that ends with its process. One connection, one user at a time."""

    durable = False
    where = "in memory"

    def __init__(self) -> None:
        self.spool = MemorySpool()
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self._database.executescript(SCHEMA)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            # Each process would spend from its own copy of the same budget.
            raise LedgerError(
                "A ledger in memory cannot be shared with another process. Use a ledger "
                "in a file: Ledger.open(path)."
            )
        with self._lock:
            yield self._database


def _make_durable(connection: sqlite3.Connection) -> None:
    """Make transactions durable. They end when the journal is deleted, which EXTRA syncs and FULL
    does not."""
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA fullfsync = ON")  # on macOS, fsync alone stops at the drive


def _switch_to_journal(connection: sqlite3.Connection) -> bool:
    """Switch the file to a rollback journal; return False if others have it open."""
    try:
        ((mode,),) = connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return bool(mode == "delete")


def _link(fresh: Path, path: Path) -> None:
    """Give the new file its name, unless another process was faster."""
    try:
        path.hardlink_to(fresh)  # unlike a rename, a link never replaces a file
    except FileExistsError:
        return
    except OSError as error:
        raise LedgerError(
            f"Cannot create the ledger {path} on this file system, because it has no hard "
            "links. Choose a file on a local disk with HUSHGRAM_LEDGER."
        ) from error


def _refuse_foreign(connection: sqlite3.Connection, where: str) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LedgerError(
            f"{where} is a SQLite database, but not a Hushgram ledger. "
            "Choose another file with HUSHGRAM_LEDGER."
        )
    if version != VERSION:
        raise LedgerError(
            f"The ledger {where} has schema version {version}, but this version of "
            f"Hushgram uses {VERSION}. Use the Hushgram that wrote it, or a newer one."
        )
