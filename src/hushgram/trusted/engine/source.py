"""Open whatever a steward has: files, frames, tables of an engine."""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.errors import SourceError
from hushgram.trusted.engine.counted import CountedTable, Counts
from hushgram.trusted.engine.csv import CsvFile
from hushgram.trusted.engine.table import IbisTable, Table

PARQUET = (".parquet", ".parq", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
HEADER = "The first line of a text file names its columns; this one does not name it"


def open_table(source: Any) -> Table:
    """The table behind a path, a glob, a directory, a frame, a relation or an expression."""
    if isinstance(source, Counts):
        return CountedTable(source)
    if isinstance(source, str | Path):
        return open_path(source)
    if isinstance(source, ibis.Table):
        return open_ibis(source)
    kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__name__}"
    openers: dict[str, Callable[[Any], Table]] = {
        "pyarrow.Table": open_arrow,
        "pyarrow.RecordBatch": lambda batch: open_arrow(pa.Table.from_batches([batch])),
        "pandas.DataFrame": open_pandas,
        "polars.DataFrame": lambda frame: open_arrow(frame.to_arrow()),
        "polars.LazyFrame": lambda frame: open_arrow(frame.collect().to_arrow()),
        "duckdb.DuckDBPyRelation": open_relation,
        "_duckdb.DuckDBPyRelation": open_relation,
    }
    if kind not in openers:
        raise SourceError(
            f"a {kind} is no table. Give a CSV or Parquet path, an Arrow, pandas or Polars table, "
            "a DuckDB relation, an Ibis table, or Counts(array)."
        )
    return openers[kind](source)


def duckdb_backend() -> Any:
    backend = ibis.duckdb.connect()
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
        found = sorted(p for p in path.rglob("*") if p.name.lower().endswith(PARQUET + CSV))
        hint = "holds no CSV or Parquet file"
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
    backend = duckdb_backend()
    names = [str(path) for path in paths]
    try:
        table = backend.read_parquet(names, hive_partitioning=False)
    except Exception:
        raise SourceError(f"{paths[0].name} cannot be read as Parquet.") from None
    return IbisTable(backend, table.schema(), lambda columns: table)


def parquet_schema(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path).remove_metadata()
    except (OSError, pa.ArrowException):
        raise SourceError(f"{path.name} is not a readable Parquet file.") from None


def open_csv(paths: Sequence[Path]) -> Table:
    file = CsvFile(paths)
    schema = ibis.schema(dict.fromkeys(file.header, "string"))
    return open_stream(schema, file.reader, header=HEADER, lossy=True)


def open_stream(
    schema: ibis.Schema, reader: Callable[[Sequence[str]], pa.RecordBatchReader], **more: Any
) -> Table:
    """A source of Arrow batches that is read anew for each pass."""
    backend = duckdb_backend()

    def view(columns: list[str]) -> ibis.Table:
        backend.con.register("hushgram_rows", reader(columns))
        return backend.table("hushgram_rows")

    return IbisTable(backend, schema, view, **more)


def open_arrow(table: pa.Table) -> Table:
    plain = pa.table(
        {name: plain_column(table.column(name)) for name in unique(table.column_names)}
    )
    backend = duckdb_backend()
    backend.con.register("hushgram_rows", plain)
    view = backend.table("hushgram_rows")
    return IbisTable(backend, view.schema(), lambda columns: view)


def unique(names: Sequence[str]) -> Sequence[str]:
    if len(set(names)) < len(names):
        raise SourceError("the table has two columns of the same name.")
    return names


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Dictionaries as their values, so that a neighbour's dictionary cannot matter."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def open_pandas(frame: Any) -> Table:
    columns = {}
    for name in unique([str(name) for name in frame.columns]):
        values = frame.iloc[:, [str(n) for n in frame.columns].index(name)]
        columns[name] = pandas_column(values)
    return open_arrow(pa.table(columns))


def pandas_column(values: Any) -> pa.Array:
    """By its declared type only: a column of objects is text, whatever the objects are."""
    if values.dtype == object:
        texts = [None if v is None or v != v else str(v) for v in values]
        return pa.chunked_array([pa.array(texts, pa.string())])
    array = pa.Array.from_pandas(values)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def open_relation(relation: Any) -> Table:
    """A DuckDB relation is streamed from its own connection, the wanted columns only."""
    import duckdb

    schema = ibis.Schema.from_pyarrow(relation.limit(0).to_arrow_table().schema)

    def reader(columns: Sequence[str]) -> pa.RecordBatchReader:
        wanted = relation.select(*[duckdb.ColumnExpression(name) for name in columns])
        return wanted.to_arrow_reader(1 << 17)

    return open_stream(schema, reader)


def open_ibis(table: ibis.Table) -> Table:
    try:
        backend = table.get_backend()
    except ibis.IbisError:
        raise SourceError("the Ibis table is bound to no backend. Connect it first.") from None
    return IbisTable(backend, table.schema(), lambda columns: table)
