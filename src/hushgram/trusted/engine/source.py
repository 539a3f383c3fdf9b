"""Open whatever a steward has: files, frames, tables of an engine."""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.errors import SourceError
from hushgram.trusted.engine import frames
from hushgram.trusted.engine.arrow import ArrowTable, Task, Tasks, parquet_tasks
from hushgram.trusted.engine.counted import CountedTable, Counts
from hushgram.trusted.engine.csv import CsvFile
from hushgram.trusted.engine.plain import ROWS, plain_reader, plain_schema
from hushgram.trusted.engine.table import IbisTable, Table

PARQUET = (".parquet", ".parq", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
HEADER = "The first line of a text file names its columns; this one does not name it"

Batches = Callable[[Sequence[str]], Iterable[pa.RecordBatch]]
"""The named columns of a source, in that order, read anew for each pass."""


def open_table(source: Any) -> Table:
    """The table behind a path, a glob, a directory, a frame, a relation or an expression."""
    if isinstance(source, Counts):
        return CountedTable(source)
    if isinstance(source, str | Path):
        return open_path(source)
    if isinstance(source, ibis.Table):
        return open_ibis(source)
    openers: dict[str, Callable[[Any], Table]] = {
        "pyarrow.Table": open_arrow,
        "pyarrow.RecordBatch": lambda batch: open_arrow(pa.Table.from_batches([batch])),
        "pandas.DataFrame": open_pandas,
        "polars.DataFrame": open_polars,
        "polars.LazyFrame": open_lazy,
        "duckdb.DuckDBPyRelation": open_relation,
        "_duckdb.DuckDBPyRelation": open_relation,
    }
    for kind in map(full_name, type(source).__mro__):  # a GeoDataFrame is a DataFrame
        if kind in openers:
            return openers[kind](source)
    raise SourceError(
        f"a {full_name(type(source))} is no table. Give a CSV or Parquet path, an Arrow, pandas or "
        "Polars table, a DuckDB relation, an Ibis table, or Counts(array)."
    )


def full_name(kind: type) -> str:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


@cache
def duckdb_instance(process: int) -> Any:
    """One engine per process: a forked child has none of its parent's threads, so it needs its
    own. What does not fit into its memory goes to a folder that nobody else can read, and not
    into the one where the steward works."""
    import duckdb

    folder = tempfile.mkdtemp(prefix="hushgram-")

    def clean() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(clean)
    return duckdb.connect(config={"temp_directory": folder})


def duckdb_backend() -> Any:
    """A connection of its own, whose views and tables no other connection sees."""
    backend = ibis.duckdb.from_connection(duckdb_instance(os.getpid()).cursor())
    backend.raw_sql("SET TimeZone='UTC'")
    backend.raw_sql("SET enable_progress_bar=true")
    backend.raw_sql("SET enable_progress_bar_print=false")
    backend.raw_sql("SET preserve_insertion_order=false")
    return backend


def open_path(source: str | Path) -> Table:
    paths = matching(source)
    name = paths[0].name.lower()
    if name.endswith(PARQUET):
        return open_parquet(paths)
    if name.endswith(CSV):
        return open_csv(paths)
    raise SourceError(
        f"{paths[0].name} is neither CSV nor Parquet by its name. Rename it to end in .csv, .tsv "
        "or .parquet."
    )


def matching(source: str | Path) -> list[Path]:
    """The files that a path, a glob or a directory stands for, of one format."""
    path = Path(source)
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.name.lower().endswith(PARQUET + CSV))
        found, hint = [p for p in inside if p.is_file()], "holds no CSV or Parquet file"
    elif path.exists():
        found, hint = [path], ""
    else:
        found = sorted(Path(p) for p in glob.glob(str(source), recursive=True))  # noqa: PTH207
        found = [p for p in found if p.is_file()]
        hint = "matches no file" if glob.has_magic(str(source)) else "does not exist"
    if not found:
        raise SourceError(f"{source} {hint}.")
    if len({p.name.lower().endswith(PARQUET) for p in found}) > 1:
        raise SourceError(f"{source} mixes CSV and Parquet files. Name the files of one format.")
    return found


def open_parquet(paths: Sequence[Path]) -> Table:
    schema = parquet_schema(paths[0])
    for path in paths[1:]:
        if not parquet_schema(path).equals(schema):
            raise SourceError(f"{path.name} has other columns or types than {paths[0].name}.")

    def batches(columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
        import pyarrow.dataset as ds

        files = ds.dataset([str(path) for path in paths], schema=schema, format="parquet")
        wanted = {f"c{place}": ds.field(name) for place, name in enumerate(columns)}
        reader: Iterable[pa.RecordBatch] = files.scanner(
            columns=wanted, batch_size=ROWS
        ).to_reader()
        return reader

    def native(backend: Any, columns: list[str]) -> ibis.Table | None:
        return scanned(backend, paths, schema, columns)

    return open_stream(
        schema, batches, lambda columns: parquet_tasks(paths, columns), native=native
    )


def scanned(
    backend: Any, paths: Sequence[Path], schema: pa.Schema, columns: list[str]
) -> ibis.Table | None:
    """The files as the engine itself reads them, which takes half the time of a stream.

    Only where nothing can go wrong: numbers, which no value makes unreadable, and names that the
    engine cannot take for a pattern or for one another.
    """
    numbers = all(
        pa.types.is_integer(schema.field(name).type)
        or pa.types.is_floating(schema.field(name).type)
        for name in columns
    )
    distinct = len({name.casefold() for name in schema.names}) == len(schema.names)
    if not numbers or not distinct or any(glob.has_magic(str(path)) for path in paths):
        return None
    table = backend.read_parquet([str(path) for path in paths], hive_partitioning=False)
    return table.select(**{f"c{place}": table[name] for place, name in enumerate(columns)})


def parquet_schema(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path).remove_metadata()
    except (OSError, pa.ArrowException):
        raise SourceError(f"{path.name} is not a readable Parquet file.") from None


def open_csv(paths: Sequence[Path]) -> Table:
    file = CsvFile(paths)
    schema = pa.schema([(name, pa.string()) for name in file.header])
    return open_stream(schema, file.reader, header=HEADER, lossy=True)


def open_arrow(table: pa.Table) -> Table:
    return open_stream(table.schema, lambda columns: table.select(columns).to_batches(ROWS))


def open_pandas(frame: Any) -> Table:
    @lru_cache(maxsize=None, typed=True)
    def wanted(*columns: str) -> pa.Table:
        return frames.pandas_table(frame, columns)

    schema = frames.pandas_schema(frame)
    return open_stream(schema, lambda columns: wanted(*columns).to_batches(ROWS))


def open_polars(frame: Any) -> Table:
    schema = frames.polars_schema(frame.clear())
    return open_stream(schema, lambda columns: frames.polars_table(frame, columns).to_batches(ROWS))


def open_lazy(frame: Any) -> Table:
    """A Polars query runs once, when its rows are first needed: running it may fail on them. A
    query may also leave rows out, as DuckDB's and Ibis's may: see `docs/guides/sources.md`."""

    @lru_cache(maxsize=None, typed=True)
    def wanted(*columns: str) -> pa.Table:
        return frames.lazy_table(frame, columns)

    try:
        schema = frames.polars_schema(frame.clear().collect())
    except Exception:
        raise SourceError("the lazy frame's query is not valid: it has no schema.") from None
    return open_stream(schema, lambda columns: wanted(*columns).to_batches(ROWS), lossy=True)


HUGE = ("HUGEINT", "UHUGEINT", "BIGNUM")
"""DuckDB's integers that Arrow has no type for: they come as text."""

LONGEST = 16_000
"""Bytes of a text that DuckDB hands over; longer ones are NULL. With `ROWS` of them a batch stays
below the 2 GiB at which it would fail."""


def open_relation(relation: Any) -> Table:
    """A DuckDB relation is streamed from its own connection, the wanted columns only."""
    import duckdb

    kinds = {name: str(kind) for name, kind in zip(relation.columns, relation.types, strict=True)}
    check_unique(relation.columns)

    def column(name: str) -> Any:
        found = duckdb.ColumnExpression(name)
        if kinds[name] in HUGE:
            found = found.cast("VARCHAR")
        if kinds[name] in (*HUGE, "VARCHAR"):
            short = duckdb.FunctionExpression("strlen", found) <= LONGEST
            found = duckdb.CaseExpression(short, found).alias(name)
        return found

    def select(names: Sequence[str]) -> Any:
        return relation.select(*[column(name) for name in names])

    try:
        schema = select(list(kinds)).limit(0).to_arrow_table().schema
    except Exception:
        raise SourceError("the relation is not valid: it has no schema.") from None
    return open_stream(schema, lambda columns: select(columns).to_arrow_reader(ROWS), lossy=True)


def open_stream(
    schema: pa.Schema,
    batches: Batches,
    tasks: Tasks | None = None,
    native: Callable[[Any, list[str]], ibis.Table | None] = lambda backend, columns: None,
    **more: Any,
) -> Table:
    """A source of Arrow batches. ``tasks`` read it in pieces, if it has some; ``native`` gives the
    engine's own view of it, if it has one."""
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

    return ArrowTable(schema, tasks or whole, backend, plain_schema(schema), view, **more)


def check_unique(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise SourceError("the table has two columns of the same name.")


def open_ibis(table: ibis.Table) -> Table:
    try:
        backend = table.get_backend()
    except ibis.IbisError:
        raise SourceError("the Ibis table is bound to no backend. Connect it first.") from None

    def view(columns: list[str]) -> ibis.Table:
        return table.select(**{f"c{place}": table[name] for place, name in enumerate(columns)})

    return IbisTable(lambda: backend, table.schema(), view, lossy=True)
