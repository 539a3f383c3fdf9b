"""Whatever an engine knows of its rows without reading them, one row does not move the others."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from hushgram.declare.axis import Axis, Integer, Regular, Variable
from hushgram.declare.condition import Where
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests.engines.stores import Store

AXES: dict[str, Axis] = {
    "drop": Variable((0, 1, 5)),
    "other": Variable((0, 1, 5), outside="other"),
    "clamp": Regular(2, 0, 8, outside="clamp"),
    "whole": Integer(0, 5, outside="other"),
}
INSIDE = [0.5, 1.5, 4.5] * 4
NOWHERE = [math.nan] * 20


def table(values: list[float]) -> pa.Table:
    return pa.table({"x": values, "who": [str(place) for place in range(len(values))]})


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("way", ["rows", "people", "x >= 0", "NOT (x BETWEEN 6 AND 7)"])
def test_no_row_decides_where_nan_counts(store: Store, way: str, axis: str) -> None:
    domain = Domain(x=AXES[axis])
    found = []
    for values in (INSIDE, [*INSIDE, *NOWHERE], [*INSIDE, *NOWHERE, 100.0]):
        source: Any = store.load(table(values))
        if way not in ("rows", "people"):
            source = Where(source, way)
        bound = open_table(source).bound_to(domain, User("who", 1) if way == "people" else Rows())
        found.append(bound.count(Grid.of_cells(domain)).tolist())
    none, within, beyond = found
    known = [0] * len(within)
    if way in ("rows", "people") and AXES[axis].outside != "drop":
        known[{"clamp": 0, "other": -1}[AXES[axis].outside]] = len(NOWHERE)
    assert [a - b for a, b in zip(within, none, strict=True)] == known
    assert sum(abs(a - b) for a, b in zip(within, beyond, strict=True)) <= 1
