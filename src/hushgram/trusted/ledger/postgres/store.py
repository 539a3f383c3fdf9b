"""A ledger in PostgreSQL, which several stewards on several machines can share.

**Locking.** The hash chain runs through all accounts, so every entry depends on the previous one,
whatever its account: with a lock per account, two writers could continue the same entry. So a
writer locks the only row of the table ``ledger`` (``SELECT … FOR UPDATE``) before it reads
anything, until its transaction ends. This takes milliseconds; counting and adding noise happen
outside it.

**Isolation.** A writer uses READ COMMITTED, whatever the server's default: each query sees
everything that was committed before it, and the lock keeps others from committing in between. At a
stricter level, the snapshot would be older than the lock. (Even without a lock, no account could be
overdrawn: a writer continues the end of the chain that it saw first, and two entries with one
number violate the primary key.) Readers take one snapshot, at REPEATABLE READ, and never wait.

**Durability.** A writer sets ``synchronous_commit`` to ``on`` for its transaction, whatever the
defaults of server, database and role, and refuses a server that runs without ``fsync``. If the
connection is lost during COMMIT, the outcome is unknown, and the budget counts as spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from hushgram.errors import LedgerCorrupted, LedgerError, MissingExtra
from hushgram.trusted.ledger.chain import corruption_error
from hushgram.trusted.ledger.postgres.address import PostgresAddress
from hushgram.trusted.ledger.postgres.rows import PostgresRows
from hushgram.trusted.ledger.postgres.schema import SCHEMA, VERSION

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_SETTINGS = """
SELECT set_config('search_path', 'hushgram, pg_temp', true),
    set_config('lock_timeout', ?, true),
    set_config('statement_timeout', ?, true),
    set_config('synchronous_commit',
        CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
"""
_LOCK = "SELECT version FROM hushgram.ledger FOR UPDATE"
_HOLD = """
SELECT current_setting('fsync'), set_config('idle_in_transaction_session_timeout', '60s', true)
"""  # a writer that stops responding loses the lock
_LONGEST = 600.0  # seconds that one statement may take
_CREATING = 0x48757368  # the advisory lock for creating a ledger


class PostgresStore:
    """The schema ``hushgram`` of a database. Every transaction has its own connection."""

    durable = True

    def __init__(self, url: str, *, timeout: float = 60.0) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError:
            raise MissingExtra("psycopg[binary]", "postgres", "a ledger in PostgreSQL") from None
        self._address = PostgresAddress(url)
        self.where = self._address.where
        self._timeout = timeout

    @classmethod
    def at(cls, url: str, *, timeout: float) -> PostgresStore:
        """Open or create the store at an address; `timeout` is how long to wait for a lock."""
        store = cls(url, timeout=timeout)
        store._create()
        return store

    @contextmanager
    def reading(self) -> Iterator[PostgresRows]:
        with self._transaction(_READ) as rows:
            self._refuse_foreign(rows.execute("SELECT version FROM hushgram.ledger"))
            yield rows

    @contextmanager
    def writing(self) -> Iterator[PostgresRows]:
        with self._transaction(_WRITE) as rows:
            self._lock(rows)
            yield rows

    @contextmanager
    def keeping(
        self, receipt_id: str, release: bytes
    ) -> Iterator[tuple[PostgresRows, Callable[[], None]]]:
        """Send the bytes before taking the lock. They are stored if the transaction commits.

        On a repeated commit they already exist, and the hash is compared under the lock.
        """
        with self._transaction(_WRITE) as rows:
            keep = "INSERT INTO releases VALUES (?, ?) ON CONFLICT DO NOTHING"
            rows.execute(keep, [receipt_id, release])
            self._lock(rows)
            yield rows, lambda: None

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresRows]:
        with closing(PostgresRows(self._address)) as rows:
            rows.execute(begin)
            rows.execute(_SETTINGS, self._limits())
            try:
                yield rows
            except BaseException:
                rows.roll_back()
                raise
            if begin == _WRITE:
                rows.commit()

    def _limits(self) -> list[str]:
        lock, statement = max(self._timeout, 0.001), max(self._timeout, _LONGEST)
        return [f"{round(lock * 1000)}ms", f"{round(statement * 1000)}ms"]

    def _lock(self, rows: PostgresRows) -> None:
        self._refuse_foreign(rows.execute(_LOCK))
        ((fsync, _),) = rows.execute(_HOLD)
        if fsync != "on":
            raise LedgerError(
                f"The server of the ledger {self.where} runs with fsync = off, so it may "
                "lose what was spent. Ask its administrator to turn fsync on, or choose "
                "another ledger with HUSHGRAM_LEDGER."
            )

    def _refuse_foreign(self, head: Iterable[tuple[Any, ...]]) -> None:
        versions = [row[0] for row in head]
        if not versions:
            raise corruption_error("its version is missing")
        if versions != [VERSION]:
            raise LedgerError(
                f"The ledger {self.where} has schema version {versions[0]}, but this "
                f"version of Hushgram uses {VERSION}. Use the Hushgram that wrote it, or a "
                "newer one."
            )

    def _create(self) -> None:
        """Create the tables if there are none, in one transaction, by one program at a time."""
        with self._transaction(_WRITE) as rows:
            if "ledger" in _tables(rows):
                return
            rows.execute("SELECT pg_advisory_xact_lock(?)", [_CREATING])
            if "ledger" in _tables(rows):
                return
            self._refuse_unsuitable(rows)
            if not list(rows.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'hushgram'")):
                rows.execute("CREATE SCHEMA hushgram")
            rows.execute(SCHEMA)

    def _refuse_unsuitable(self, rows: PostgresRows) -> None:
        """Raise if a new ledger cannot be created here: remains of another, or a wrong encoding."""
        if _tables(rows):
            raise LedgerCorrupted(
                f"The schema 'hushgram' at {self.where} has tables, but they are not an "
                "intact ledger. Restore the ledger from a backup. For a fresh start, "
                "choose another database with HUSHGRAM_LEDGER."
            )
        ((encoding,),) = rows.execute("SELECT current_setting('server_encoding')")
        if encoding != "UTF8":
            raise LedgerError(
                f"The database {self.where} has the encoding {encoding}, which cannot "
                "store every name. Create a database with: CREATE DATABASE … ENCODING "
                "'UTF8'"
            )


def _tables(rows: PostgresRows) -> set[str]:
    """Return the names of the tables, from the catalogue itself: ``to_regclass`` may be out of date
    after a wait."""
    query = (
        "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
        "WHERE nspname = 'hushgram' AND relkind <> 'i'"
    )
    return {name for (name,) in rows.execute(query)}
