"""What an engine believes of a file, instead of reading it, must not let one row move others."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table

AXES = {
    "drop": hg.Variable([0, 1, 5]),
    "other": hg.Variable([0, 1, 5], outside="other"),
    "equal": hg.Regular(2, 0, 8, outside="clamp"),
    "whole": hg.Integer(0, 5, outside="other"),
}
WAYS: dict[str, Any] = {
    "rows": lambda file: (file, Rows()),
    "people": lambda file: (file, User("u", 1)),
    "where": lambda file: (hg.Where(file, "u >= 0"), Rows()),
    "where the same": lambda file: (hg.Where(file, "x >= 0"), Rows()),
    "ibis": lambda file: (ibis.duckdb.connect().read_parquet(file), Rows()),
    "ibis, people": lambda file: (ibis.duckdb.connect().read_parquet(file), User("u", 1)),
}


def counted(source: Any, unit: Any, axis: Any) -> list[int]:
    domain = hg.Domain(x=axis)
    table = open_table(source).bound_to(domain, unit)
    return table.count(Grid.of_cells(domain)).tolist()


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("way", WAYS)
def test_a_row_beyond_the_axis_decides_nothing_of_rows_without_a_number(
    tmp_path: Path, way: str, axis: str
) -> None:
    """Statistics of a Parquet file leave NaN out, and an engine may take them for all values."""
    inside = [0.5, 1.5, 4.5] * 10
    values = [*inside, *[math.nan] * 100]
    found = []
    for name, column in {"within": values, "beyond": [*values, 100.0], "none": inside}.items():
        file = str(tmp_path / f"{name}.parquet")
        pq.write_table(pa.table({"x": column, "u": list(range(len(column)))}), file)
        found.append(counted(*WAYS[way](file), AXES[axis]))
    within, beyond, none = found
    assert sum(abs(a - b) for a, b in zip(within, beyond, strict=True)) <= 1
    known = [0] * len(within)
    if way != "where the same":  # NaN is not above 0
        known[{"drop": 0, "clamp": 0, "other": -1}[AXES[axis].outside]] = 100
    if AXES[axis].outside == "drop":
        known[0] = 0
    assert [a - b for a, b in zip(within, none, strict=True)] == known


def decimals(kind: pa.DataType, unscaled: list[int]) -> pa.Array:
    """Decimals as a broken file may hold them."""
    size = kind.bit_width // 8
    raw = b"".join((one % 2 ** (8 * size)).to_bytes(size, "little") for one in unscaled)
    return pa.Array.from_buffers(kind, len(unscaled), [None, pa.py_buffer(raw)])


@pytest.mark.parametrize("unit", [Rows(), User("x", 10**6)])
def test_a_decimal_with_too_many_digits_takes_the_value_of_no_other_row(
    tmp_path: Path, unit: Any
) -> None:
    found = []
    for first in (3, 7):
        column = [first] + ([1] * 2047 + [99_999_999]) * 5
        table = pa.table({"x": decimals(pa.decimal128(4, 0), column)})
        file = tmp_path / f"{first}.parquet"
        pq.write_table(table, file, store_decimal_as_integer=True)
        for source in (file, table):
            found.append(counted(source, unit, hg.Integer(0, 9)))
    once = [0, 5 * 2047, 0, 1, 0, 0, 0, 0, 0, 0]
    moved = [0, 5 * 2047, 0, 0, 0, 0, 0, 1, 0, 0]
    assert found == [once, once, moved, moved]


@pytest.mark.parametrize(
    "kind", [pa.decimal32(9, 2), pa.decimal64(18, 2), pa.decimal128(38, 2), pa.decimal256(76, 2)]
)
def test_no_decimal_stops_a_count(kind: pa.DataType) -> None:
    least = -(2 ** (kind.bit_width - 1))
    table = pa.table({"x": decimals(kind, [100, 200, 300, least])})
    assert counted(table, Rows(), hg.Regular(5, 0, 10)) == [1, 2, 0, 0, 0]
    assert counted(table, User("x", 1), hg.Regular(5, 0, 10)) == [1, 2, 0, 0, 0]
