"""Open any source: files, data frames, tables of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa

from hushgram.declare.condition import Where
from hushgram.declare.text_format import DEFAULT, Text, TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources import frames
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from hushgram.trusted.engine.sources.files import check_no_bytes, open_path
from hushgram.trusted.engine.sources.plain import ROWS
from hushgram.trusted.engine.sources.relations import open_relation
from hushgram.trusted.engine.sources.remote import fetch, is_remote
from hushgram.trusted.engine.sources.servers import open_frame, open_ibis, open_url
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.table import Table


def open_table(source: Any, form: TextFormat = DEFAULT) -> Table:
    """Open the table behind a path, a URL, a frame, a relation or an expression. ``form`` is its
    declared text format."""
    if isinstance(source, Text):
        return open_table(source.source, source)
    if isinstance(source, Where):
        return open_chosen(source, form)
    if is_remote(source):
        table = open_path(fetch(source), form)
    elif isinstance(source, str | Path) and "://" not in str(source):
        table = open_path(source, form)
    else:
        check_no_bytes(form)
        table = open_other(source, form)
    table.declare_texts(form)
    return table


def open_other(source: Any, form: TextFormat) -> Table:
    """Open the table behind anything but a file."""
    if isinstance(source, Counts):
        return CountedTable(source)
    if isinstance(source, str):
        return open_url(source)
    if isinstance(source, ibis.Table):
        return open_ibis(source)
    openers: dict[str, Callable[[Any], Table]] = {
        "pyarrow.Table": open_arrow,
        "pyarrow.RecordBatch": lambda batch: open_arrow(pa.Table.from_batches([batch])),
        "pandas.DataFrame": lambda frame: open_pandas(frame, form),
        "polars.DataFrame": open_polars,
        "polars.LazyFrame": open_lazy,
        "pyspark.DataFrame": open_frame,
        "duckdb.DuckDBPyRelation": open_relation,
        "_duckdb.DuckDBPyRelation": open_relation,
    }
    for kind in map(full_name, type(source).__mro__):  # a GeoDataFrame is a DataFrame
        if kind in openers:
            return openers[kind](source)
    raise SourceError(
        f"Unsupported table of type {full_name(type(source))}. Use the path of a file, a "
        "PostgreSQL or Spark URL, an Arrow, pandas, Polars or Spark table, a DuckDB "
        "relation, an Ibis table, or Counts(array)."
    )


def open_chosen(some: Where, form: TextFormat) -> Table:
    """Open some of a table's rows."""
    table = open_table(some.source, form)
    table.keep(some.parsed)
    return table


def full_name(kind: type) -> str:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def open_arrow(table: pa.Table) -> Table:
    return open_stream(table.schema, lambda columns: table.select(columns).to_batches(ROWS))


def open_pandas(frame: Any, form: TextFormat) -> Table:
    read = partial(frames.pandas_table, frame, form=form)
    return open_read_once(frames.pandas_schema(frame), read, guessed=frames.guessed_columns(frame))


def open_read_once(
    schema: pa.Schema, read: Callable[[Sequence[str]], pa.Table], **more: Any
) -> Table:
    """Open a source that is read once for the same columns, however often they are counted."""

    @lru_cache(maxsize=None, typed=True)
    def read_columns(*columns: str) -> pa.Table:
        return read(columns)

    return open_stream(schema, lambda columns: read_columns(*columns).to_batches(ROWS), **more)


def open_polars(frame: Any) -> Table:
    schema = frames.polars_schema(frame.clear())
    return open_stream(schema, lambda columns: frames.polars_table(frame, columns).to_batches(ROWS))


def open_lazy(frame: Any) -> Table:
    """Open a Polars query, which runs once, when its rows are first needed, and may then fail on
    them. Like queries of DuckDB and Ibis, it may also leave out rows: see
    `docs/guides/sources.md`."""
    try:
        schema = frames.polars_schema(frame.clear().collect())
    except Exception:
        raise SourceError("The query of the lazy frame is not valid: it has no schema.") from None
    return open_read_once(schema, partial(frames.lazy_table, frame), lossy=True)
