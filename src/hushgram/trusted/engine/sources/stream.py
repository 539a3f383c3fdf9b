"""Sources of Arrow batches, and the engine in this process that counts them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import ibis
import pyarrow as pa

from hushgram.errors import SourceError
from hushgram.trusted.engine.compiled.arrow import ArrowTable, Task, Tasks
from hushgram.trusted.engine.sources.plain import plain_reader, plain_schema

Batches = Callable[[Sequence[str]], Iterable[pa.RecordBatch]]
"""Returns the named columns of a source, in that order. Called for each pass."""


def open_stream(
    schema: pa.Schema,
    batches: Batches,
    tasks: Tasks | None = None,
    native: Callable[[Any, list[str]], ibis.Table | None] = lambda backend, columns: None,
    no_rows: Batches | None = None,
    types: Any = None,
    **more: Any,
) -> ArrowTable:
    """Open a source of Arrow batches. ``tasks`` read it in parallel pieces, if it has any;
    ``native`` returns the engine's own view of it, if there is one; ``no_rows`` returns batches
    without rows, using the same code as for other batches; ``types`` are the column types as the
    engine sees them, if there is no list of columns."""
    check_unique(schema.names)
    backend = cache(duckdb_backend)

    def view(columns: list[str]) -> ibis.Table:
        own = native(backend(), columns)
        if own is not None:
            return own
        reader = plain_reader(schema, columns, batches(columns))
        backend().con.register("hushgram_rows", reader)
        return backend().table("hushgram_rows")

    def whole(columns: Sequence[str]) -> list[Task]:
        return [lambda: iter(batches(columns))]

    def empty() -> ArrowTable:
        without = open_stream(schema, no_rows or partial(blank, schema), types=types, **more)
        without.rowless = True
        return without

    return ArrowTable(
        schema, tasks or whole, backend, types or plain_schema(schema), view, no_rows=empty, **more
    )


def blank(schema: pa.Schema, columns: Sequence[str]) -> list[pa.RecordBatch]:
    """Return one batch without rows."""
    arrays = [pa.nulls(0, schema.field(name).type) for name in columns]
    return [pa.RecordBatch.from_arrays(arrays, [f"c{place}" for place in range(len(columns))])]


def check_unique(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise SourceError("The table has two columns with the same name.")


@cache
def duckdb_instance(process: int) -> Any:
    """Return the engine of a process. A forked child does not have its parent's threads, so it
    needs its own engine. Data that does not fit into memory goes to a folder that nobody else can
    read, not to the working directory. The cache of file contents by name is off, because a name
    may refer to another version later."""
    import duckdb

    folder = tempfile.mkdtemp(prefix="hushgram-")

    def clean() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(clean)
    return duckdb.connect(config={"temp_directory": folder, "enable_external_file_cache": "false"})


def duckdb_backend() -> Any:
    """Return a separate connection, whose views and tables no other connection sees. If the engine
    has failed for good, a new one is started."""
    try:
        own = duckdb_instance(os.getpid()).cursor()
        own.execute("SELECT 1")
    except Exception:
        duckdb_instance.cache_clear()
        own = duckdb_instance(os.getpid()).cursor()
    backend = ibis.duckdb.from_connection(own)
    progress = "enable_progress_bar=true", "enable_progress_bar_print=false"
    for setting in ("TimeZone='UTC'", *progress, "preserve_insertion_order=false"):
        backend.raw_sql(f"SET {setting}")
    return backend
