"""DuckDB's tables: relations, and Ibis tables on DuckDB.

Their rows are streamed from DuckDB, and nothing is compared or counted by it where they are. Of a
Parquet file DuckDB takes the smallest and the largest value that the file tells of for those of all
rows, and leaves comparisons out which these pass. But a file tells nothing of its NaN: whether they
pass as well would hang on the other rows (``tests/resistance/test_statistics.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis

from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.plain import ROWS
from hushgram.trusted.engine.sources.stream import check_unique, open_stream
from hushgram.trusted.engine.table import Table

HUGE = ("HUGEINT", "UHUGEINT", "BIGNUM")
"""DuckDB's integers that Arrow has no type for: they come as text."""

TEXTS = (*HUGE, "VARCHAR", "JSON")

LONGEST = 16_000
"""Bytes of a text that DuckDB hands over; longer ones are NULL. With `ROWS` of them a batch stays
below the 2 GiB at which it would fail."""


def open_duckdb(table: ibis.Table) -> Table:
    """An Ibis table in DuckDB, as the relation that it is there."""
    backend = table.get_backend()
    try:
        backend.to_pyarrow(table.limit(0).count())  # tables in memory are handed to DuckDB here
        relation = backend.con.sql(backend.compile(table))
    except Exception:
        relation = None
    if relation is None:
        raise SourceError("The Ibis table is not valid: DuckDB cannot determine its columns.")
    return open_relation(relation)


def open_relation(relation: Any) -> Table:
    """A DuckDB relation is streamed from its own connection, the wanted columns only."""
    import duckdb

    kinds = {name: str(kind) for name, kind in zip(relation.columns, relation.types, strict=True)}
    check_unique(relation.columns)

    def column(name: str) -> Any:
        found = duckdb.ColumnExpression(name)
        if kinds[name] in HUGE:
            found = found.cast("VARCHAR")
        if kinds[name] in TEXTS:
            short = duckdb.FunctionExpression("strlen", found) <= LONGEST
            found = duckdb.CaseExpression(short, found).alias(name)
        return found

    def select(names: Sequence[str]) -> Any:
        return relation.select(*[column(name) for name in names])

    try:
        schema = select(list(kinds)).limit(0).to_arrow_table().schema
    except Exception:
        raise SourceError("The relation is not valid: it has no schema.") from None
    return open_stream(schema, lambda columns: select(columns).to_arrow_reader(ROWS), lossy=True)
