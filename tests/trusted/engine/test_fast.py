"""The compiled path counts what first principles count, and what the engine counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid, Partition
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.compiled.columns import is_readable
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.strategies import axes, domains, partitions
from tests.trusted.engine.tables import native_type, native_values, tables


def fast_counts(table: pa.Table, partition: Partition) -> list[int]:
    """The counts of the compiled path, or an error if the table does not allow it."""
    opened = open_table(table)
    assert isinstance(opened, ArrowTable)
    for name, axis in partition.domain.items():
        assert is_readable(axis, opened.kind_of(name))
    opened.check(partition.domain, Rows())
    return opened.count(partition).tolist()


@given(axes(), st.data())
@settings(max_examples=150)
@example(Regular(4, -1.0, 1e-17), None)  # lo + span rounds to 0, below hi
@example(Interval(-1.0, 1e-17, 7, outside="other"), None)
def test_the_meanest_values(axis: Axis, data: Any) -> None:
    values, kind = native_values(axis), native_type(axis)
    domain = Domain(x=axis)
    slices = data.draw(st.integers(1, axis.bins)) if data else axis.bins
    grid = Grid(domain, (slices,))
    column = pa.array(values, kind)
    assert fast_counts(pa.table({"x": column}), grid) == reference.count(
        grid, [[v] for v in values]
    )


@given(st.data())
@settings(max_examples=15, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_both_paths_agree(data: st.DataObject) -> None:
    domain = data.draw(domains())
    assume(domain.cells < 20_000)
    table, _ = data.draw(tables(domain))
    partition = data.draw(partitions(domain))
    opened = open_table(table)
    assert isinstance(opened, ArrowTable)
    opened.check(domain, Rows())
    quick = opened.count(partition)
    opened.fast = False
    assert opened.count(partition).tolist() == quick.tolist()


@pytest.mark.parametrize(("lo", "hi"), [(-180, 180), (-1, 1e-17), (0.1, 0.7), (-1e-7, 3e5)])
@pytest.mark.parametrize("slices", [2**20, 1000, 7, 1])
def test_a_million_bins(lo: float, hi: float, slices: int) -> None:
    axis = Interval(lo, hi, outside="other")
    grid = Grid(Domain(x=axis), (slices,))
    rng = np.random.default_rng(3)
    places = [*rng.integers(0, axis.bins + 1, 300), *grid.cuts(0)[:300]]
    edges = [axis.edge(min(int(i), axis.bins)) for i in places]
    near = [x for e in edges for x in (e, math.nextafter(e, -9e99), math.nextafter(e, 9e99))]
    index = np.array([axis.index(x) for x in near])
    expected = np.bincount(grid.parts([index]), minlength=grid.size)
    assert fast_counts(pa.table({"x": near}), grid) == expected.tolist()


def test_truth_values_of_every_spelling() -> None:
    domain = Domain(x=Category([True, False], outside="other"))
    grid = Grid.of_cells(domain)
    texts = pa.table({"x": ["true", "True", "TRUE", "false", "x", None]})
    assert fast_counts(texts, grid) == [3, 1, 2]
    assert fast_counts(pa.table({"x": [True, False, None]}), grid) == [1, 1, 1]
