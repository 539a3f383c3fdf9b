"""SQLite databases: a table in a file, read from a copy in memory.

SQLite opens files by name, so it would see another version of a file that was replaced; it also
reads a log next to the file. So the bytes of the opened version are read and passed to SQLite. A
cell may have any type, whatever its column declares: see `objects`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from hushgram.base.text import did_you_mean
from hushgram.declare.text_format import TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.frames import Naming
from hushgram.trusted.engine.sources.held import HeldFile
from hushgram.trusted.engine.sources.objects import open_objects, text_schema
from hushgram.trusted.engine.table import Table

LARGEST = 1 << 31
"""The maximum number of bytes of a database, which is read into memory."""

LOGS = ("-wal", "-journal")
"""Suffixes of files that contain changes which are not in the database yet."""

MODES = slice(18, 20)
"""Header bytes that say whether a database uses a write-ahead log."""

ENCODINGS = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
"""Python's names of SQLite's text encodings."""

TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
"""


def open_sqlite(file: HeldFile, table: str | None, form: TextFormat) -> Table:
    """Open a table of a database, by default the only one."""
    check_settled(file)
    with closing(connect(file)) as database:
        name = choose(file, table, stored_tables(database), "table")
        kinds = column_kinds(database, name)
    return open_objects(text_schema(kinds), partial(read_rows, file, name, kinds), [file], form)


def check_settled(file: HeldFile) -> None:
    """Refuse a database with changes that are not in the file yet, or one that is too large."""
    for path in {file.path, file.path.resolve()}:
        for ending in LOGS:
            log = path.with_name(path.name + ending)
            if log.exists() and log.stat().st_size:
                raise SourceError(
                    f"{file.name} has changes that are still in {log.name}. Close the program that "
                    "writes to it, or publish a copy made with: "
                    f"sqlite3 {file.name} \"VACUUM INTO 'copy.db'\""
                )
    if file.identity.size > LARGEST:
        raise SourceError(
            f"{file.name} is too large to be read into memory (2 GiB at most). Export its table: "
            f'sqlite3 -header -csv {file.name} "SELECT * FROM visits" > visits.csv'  # nosec B608
        )


def connect(file: HeldFile) -> sqlite3.Connection:
    """Load the file's bytes as a database, which any thread may read."""
    with file.open() as stream:
        data = bytearray(stream.read())
    if data[MODES] == b"\2\2":
        data[MODES] = b"\1\1"
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.text_factory = decode
    try:
        database.deserialize(bytes(data))
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except (sqlite3.Error, MemoryError):
        database.close()
        broken = True
    else:
        broken = False
    if broken:  # outside the handler: its error may quote the file
        raise SourceError(f"Cannot read {file.name} as a SQLite database.")
    return database


def decode(raw: bytes, encoding: str = "utf-8") -> str | None:
    """Decode text; None for invalid bytes."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def choose(file: HeldFile, wanted: str | None, known: Sequence[str], what: str) -> str:
    """Return the name of the wanted table or sheet, by default of the only one."""
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted in known:
        return str(wanted)
    names = ", ".join(map(repr, known[:20])) or "none"
    found = f"Found {names}{f' and {len(known) - 20} more' if len(known) > 20 else ''}."
    if wanted is None:
        example = Path(file.name) / (known[0] if known else what.upper())
        raise SourceError(
            f"{file.name} must have one {what}, or name it after the file: {example}. {found}"
        )
    raise SourceError(f"{file.name} has no {what} {wanted!r}.{did_you_mean(wanted, known)} {found}")


def stored_tables(database: sqlite3.Connection) -> list[str]:
    """Return the tables whose rows are stored. A view may repeat a row, or fail on one."""
    return [str(name) for (name,) in database.execute(TABLES)]


def column_kinds(database: sqlite3.Connection, table: str) -> dict[str, str]:
    """Return the stored columns and their declared types. Computed columns are left out, because
    they may fail on a value."""
    listed = database.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
    return {str(name): str(kind).upper() for name, kind in listed}


def read_rows(
    file: HeldFile, table: str, kinds: dict[str, str], columns: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Yield the named columns of every row."""
    wanted = ", ".join(map(column_query, columns))
    with closing(connect(file)) as database:
        (encoding,) = database.execute("PRAGMA encoding").fetchone()
        readers = [reader_of(name, kinds[name], encoding) for name in columns]
        for row in database.execute(f"SELECT {wanted} FROM {quote_name(table)}"):  # nosec B608
            yield [read(value) for read, value in zip(readers, row, strict=True)]


def column_query(name: str) -> str:
    """Return a column as SQL. People's names are read as bytes: SQLite converts invalid UTF-16 to
    other text, which may be somebody else's name."""
    column = quote_name(name)
    if not isinstance(name, Naming):
        return column
    raw = f"WHEN 'text' THEN CAST({column} AS BLOB) WHEN 'blob' THEN NULL"
    return f"CASE typeof({column}) {raw} ELSE {column} END"


def reader_of(name: str, kind: str, encoding: str) -> Callable[[Any], Any]:
    """Return the function that converts the cells of a column. Booleans are stored as numbers."""
    if isinstance(name, Naming):
        return lambda value: decode(value, ENCODINGS[encoding]) if type(value) is bytes else value
    return as_boolean if kind.startswith("BOOL") else lambda value: value


def as_boolean(value: Any) -> Any:
    return bool(value) if value in (0, 1) else value


def quote_name(name: str) -> str:
    """Quote a name for a query."""
    return '"' + name.replace('"', '""') + '"'
