"""The ledger within one transaction of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any

from hushgram.trusted.ledger.chain import corruption_error
from hushgram.trusted.ledger.sqlite.schema import SCHEMA
from hushgram.trusted.ledger.sqlite.spool import Spool


class SqliteRows:
    """Entries in the database, and releases in a spool next to it."""

    def __init__(self, connection: sqlite3.Connection, spool: Spool) -> None:
        self.connection = connection
        self._spool = spool

    def execute(self, statement: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        return self.connection.execute(statement, tuple(values))

    def field(self, name: str) -> str:
        return f"json_extract(payload, '$.{name}')"

    def check(self) -> None:
        ((verdict,),) = self.execute("PRAGMA integrity_check(1)")
        if verdict != "ok":
            raise corruption_error(f"SQLite reports that the file is damaged ({verdict})")
        with closing(sqlite3.connect(":memory:")) as pristine:
            pristine.executescript(SCHEMA)
            if _objects(self.connection) != _objects(pristine):
                raise corruption_error("its tables, indexes or triggers were changed")

    def release(self, receipt_id: str) -> bytes | None:
        return self._spool.read(receipt_id)

    def releases(self) -> set[str]:
        return self._spool.ids()


def _objects(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    return [(name, sql) for name, sql in connection.execute(query)]
