"""Tables for the engine's tests: columns for any axis, and how to count them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Date, Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, Unit
from hushgram.geometry.partition import Grid, Partition
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.sources.source import open_table
from tests.strategies import as_texts, mean_values


def counted(source: Any, partition: Partition, unit: Unit | None = None) -> list[int]:
    """The counts of a source, opened anew."""
    table = open_table(source).bound_to(partition.domain, unit or Rows())
    return both_paths(table, partition)


def both_paths(table: Any, partition: Partition) -> list[int]:
    """The counts by the compiled loops, which are those of the engine."""
    fast: list[int] = table.count(partition).tolist()
    if isinstance(table, ArrowTable):
        table.fast = False
        assert table.count(partition).tolist() == fast
        table.fast = True
    return fast


def cells(source: Any, domain: Domain, unit: Unit | None = None) -> list[int]:
    return counted(source, Grid.of_cells(domain), unit)


def native_type(axis: Axis) -> pa.DataType:
    """The type of a column that needs no parsing."""
    while isinstance(axis, Window):
        axis = axis.axis
    if isinstance(axis, Date):
        return pa.timestamp("us")
    if not isinstance(axis, Category):
        return pa.float64()
    first = axis.values[0]
    if isinstance(first, bool):
        return pa.bool_()
    whole = isinstance(first, int) and all(abs(int(v)) < 2**63 for v in axis.values)
    return pa.int64() if whole else pa.string()


def native_values(axis: Axis) -> list[Any]:
    kind = native_type(axis)
    wanted = {pa.timestamp("us"): dt.datetime, pa.float64(): (int, float), pa.bool_(): bool}
    types: Any = wanted.get(kind, int if kind == pa.int64() else str)
    found = [v for v in mean_values(axis) if isinstance(v, types)]
    if kind == pa.float64():
        found = [float(v) for v in found]
    if kind == pa.int64():
        found = [v for v in found if not isinstance(v, bool)]
    return [*found, None]


@st.composite
def columns(draw: st.DrawFn, axis: Axis, rows: int) -> tuple[pa.DataType, list[Any]]:
    """A column for an axis, of its own type or of texts, full of trouble."""
    text = draw(st.booleans())
    values = native_values(axis)
    pool = [*as_texts([v for v in values if v is not None]), None] if text else values
    chosen = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
    return pa.string() if text else native_type(axis), chosen


@st.composite
def tables(draw: st.DrawFn, domain: Domain, max_rows: int = 40) -> tuple[pa.Table, list[list[Any]]]:
    """A table with a column for every axis, and its rows."""
    rows = draw(st.integers(0, max_rows))
    made = [draw(columns(axis, rows)) for axis in domain.axes]
    arrays = {n: pa.array(v, kind) for n, (kind, v) in zip(domain, made, strict=True)}
    return pa.table(arrays), transposed([values for _, values in made])


def transposed(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]
