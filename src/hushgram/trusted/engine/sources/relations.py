"""DuckDB tables: relations, and Ibis tables on DuckDB.

Rows are streamed from DuckDB; it does not compare or count them itself. For Parquet files, DuckDB
trusts the minimum and maximum in the file's statistics and skips comparisons that both would pass.
But statistics do not cover NaN, so whether NaN passes would depend on the other rows
(``tests/resistance/test_statistics.py``).
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
"""DuckDB's integer types without an Arrow equivalent. They are read as text."""

TEXTS = (*HUGE, "VARCHAR", "JSON")

LONGEST = 16_000
"""The maximum number of bytes of a text; longer ones become NULL. A batch of `ROWS` such texts is
below the 2 GiB at which DuckDB fails."""


def open_duckdb(table: ibis.Table) -> Table:
    """Open an Ibis table on DuckDB, as a DuckDB relation."""
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
    """Open a DuckDB relation. The wanted columns are streamed from its own connection."""
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
