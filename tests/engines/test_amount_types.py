"""Every engine adds up the same integers, whatever type of number a column has."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests.engines.stores import Store

CELLS = Grid.of_cells(hg.Domain(x=hg.Integer(0, 1)))
HALVES = [0.5, -0.5, 1.5, 2.5, 10.4999, 10.5, -5.5, -5.51, 0.005, 0.015, 0.285, 1.005]
NINES = "9" * 29 + "." + "9" * 9
THIRD = "0." + "3" * 38
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "small": (pa.int16(), [0, 1, -1, 10, 11, -6, 2**15 - 1, -(2**15)]),
    "large": (pa.int64(), [0, 5, 2**53 + 1, 2**63 - 1, -(2**63), 10**18, 10**18 + 63]),
    "single": (pa.float32(), [*HALVES, -0.0, math.nan, math.inf, -math.inf, 1e38]),
    "double": (pa.float64(), [*HALVES, -0.0, math.nan, math.inf, -math.inf, 1e308, 5e-324]),
    "cents": (pa.decimal128(12, 3), [Decimal(str(x)) for x in HALVES if x != 10.4999]),
    "long": (pa.decimal128(38, 9), [Decimal(x) for x in ("0.5", "0.285", "-0.005", NINES)]),
    "fine": (pa.decimal128(38, 38), [Decimal(x) for x in ("0.5", "-0.5", "0.285", THIRD)]),
}  # fmt: skip
MEASURES = [
    hg.Sum("v", -5, 10, step=1),
    hg.Sum("v", -5, 10, step="0.01", missing=0),
    hg.Sum("v", -5, 10, step="1/3", outside="drop"),
    hg.Sum("v", -(10**18), 1e18),
    hg.Sum("v", 0, 1e-90),
]


@pytest.fixture(scope="module")
def loaded(store: Store) -> dict[str, Any]:
    return {name: store.load(rows(name)) for name in COLUMNS}


def rows(name: str) -> pa.Table:
    kind, values = COLUMNS[name]
    places = np.arange(len(values) + 1) % 2
    return pa.table({"x": places, "v": pa.array([*values, None], kind)})


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("name", COLUMNS)
def test_the_same_integers_of_every_type(
    loaded: dict[str, Any], name: str, measure: hg.Sum
) -> None:
    amount = measure.amount
    table = open_table(loaded[name]).carrying([amount])
    table.check(CELLS.domain, Rows())
    found = table.add_up(CELLS, amount)
    steps = [[amount.steps(value) for value in held] for held in cells_of(rows(name))]
    kept = [[one for one in cell if one is not None] for cell in steps]
    assert found.rows.tolist() == [len(cell) for cell in kept]
    assert (found.above + amount.low * found.rows).tolist() == [sum(cell) for cell in kept]


def cells_of(table: pa.Table) -> list[list[Any]]:
    """The values of either cell."""
    values = table["v"].to_pylist()
    return [values[0::2], values[1::2]]
