"""The places of all rows say what the occupied cells say."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Axis
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Boxes, Grid, Halving, Raster, Refined
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.vault.operations.decomposition import Placed


def table_of(domain: hg.Domain, rows: int, seed: int) -> ArrowTable:
    """Rows around the domain's edges and beyond, some of them missing."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name in domain:
        values = np.round(rng.normal(0.5, 0.6, rows), rng.integers(1, 6))
        values[rng.random(rows) < 0.1] = np.nan
        columns[name] = values
    table = open_table(pa.table(columns))
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    return table


@st.composite
def rasters(draw: st.DrawFn) -> Raster:
    axes: list[Axis] = []
    for _ in range(draw(st.integers(1, 3))):
        outside = draw(st.sampled_from(["drop", "clamp", "other"]))
        bins = draw(st.sampled_from([1, 2, 3, 7, 16, 100]))
        axes.append(hg.Regular(bins, 0, 1, outside=outside))
    domain = hg.Domain({f"x{number}": axis for number, axis in enumerate(axes)})
    return Raster(domain, tuple(draw(st.integers(1, axis.bins)) for axis in axes))


@given(rasters(), st.integers(0, 200), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=100)
def test_places_are_those_of_the_occupied_cells(raster: Raster, rows: int, seed: int) -> None:
    table, halving = table_of(raster.domain, rows, seed), Halving.of(raster)
    places, cells = table.row_places(raster), table.occupied_cells(raster)
    assert places is not None
    known = Placed.of(halving, cells)
    for depth in range(max(halving.bits) + 1):
        nodes = halving.nodes_at(depth)
        starts, stops = halving.starts(nodes), halving.stops(nodes)
        if depth == max(halving.bits):  # single cells further up have stops of their own depth
            stops = starts + 1
        assert places.between(starts, stops).tolist() == known.between(starts, stops).tolist()


@given(rasters(), st.integers(0, 200), st.integers(0, 2**32 - 1), st.data())
@settings(deadline=None, max_examples=100)
def test_boxes_of_the_tree_are_counted(
    raster: Raster, rows: int, seed: int, data: st.DataObject
) -> None:
    table, halving = table_of(raster.domain, rows, seed), Halving.of(raster)
    depth = data.draw(st.integers(0, max(halving.bits)))
    boxes = halving.leaves(np.unique(halving.starts(halving.nodes_at(depth))))
    places = table.row_places(raster)
    assert places is not None
    found = places.sum_boxes(boxes)
    assert found is not None
    known = table.occupied_cells(raster).sum_boxes(boxes)
    assert found.tolist() == known.tolist()
    in_one_pass = table.count_stretches(boxes)
    assert in_one_pass is not None
    assert in_one_pass.tolist() == known.tolist()


@given(st.integers(0, 2000), st.integers(0, 2**32 - 1), st.integers(1, 60))
@settings(deadline=None, max_examples=30)
def test_leaves_of_any_depth_are_found_among_those_that_share_an_entry(
    rows: int, seed: int, leaves: int
) -> None:
    """Below the bits by which boxes are looked up, they are searched."""
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    raster, rng = Raster(domain, (65_536, 65_536)), np.random.default_rng(seed)
    table, boxes = table_of(domain, rows, seed), Boxes.whole(raster)
    for _ in range(leaves):  # along one path, down to single cells, and off it here and there
        lower, upper = boxes.corners
        sides = upper - lower
        chosen = rng.choice(np.flatnonzero(sides.max(axis=1) > 1), 1)
        axes = np.full(boxes.size, -1)
        axes[chosen] = sides[chosen].argmax(axis=1)
        cuts = ((lower + upper) // 2)[np.arange(boxes.size), np.maximum(axes, 0)]
        boxes = boxes.cut(axes, cuts)
    found = table.count_stretches(boxes)
    assert found is not None
    assert found.tolist() == table.occupied_cells(raster).sum_boxes(boxes).tolist()


def test_other_boxes_are_left_to_the_cells() -> None:
    """Rows in the lower half of the second axis are no stretch of places."""
    domain = hg.Domain(x=hg.Regular(4, 0, 1), y=hg.Regular(4, 0, 1))
    raster = Raster.of_cells(domain)
    boxes = Boxes(raster, np.array([1, -1, -1]), np.array([2, 0, 0]))
    table = table_of(domain, 100, 1)
    places = table.row_places(raster)
    assert places is not None
    assert places.sum_boxes(boxes) is None
    assert table.count_stretches(boxes) is None
    remembered = Remembered(table)
    remembered._placed = {raster: places}
    known = table.occupied_cells(raster).sum_boxes(boxes)
    assert remembered.count(boxes).tolist() == known.tolist()


def test_a_fine_raster_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    raster, table = Raster(domain, (65_536, 65_536)), table_of(domain, 5_000, 2)
    remembered = Remembered(table)
    places = remembered.row_places(raster)
    assert isinstance(places, RowPlaces)
    known = table.occupied_cells(raster)
    monkeypatch.setattr(table, "tasks", None)
    halving = Halving.of(raster)
    leaves = halving.leaves(halving.starts(halving.nodes_at(4)))
    assert remembered.row_places(raster) is places
    assert remembered.count(leaves).tolist() == known.sum_boxes(leaves).tolist()
    remembered.forget()
    assert not remembered._placed


def test_places_that_are_too_long_are_left_to_the_cells() -> None:
    domain = hg.Domain({f"x{number}": hg.Interval(0, 1) for number in range(3)})
    assert table_of(domain, 10, 3).row_places(Raster(domain, (65_536,) * 3)) is None


def test_a_wide_axis_that_is_no_interval_has_places() -> None:
    """Its values are indices, far more of them than slices: none is looked up as a slice."""
    domain = hg.Domain(x=hg.Integer(0, 67_000_000), y=hg.Interval(0, 1))
    table = open_table(pa.table({"x": [5, 66_999_999, 67_000_000], "y": [0.1, 0.6, 0.6]}))
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    raster = Raster(domain, (1024, 1024))
    places = table.row_places(raster)
    assert places is not None
    everything = Boxes.whole(raster)
    found = places.sum_boxes(everything)
    assert found is not None
    assert found.tolist() == table.occupied_cells(raster).sum_boxes(everything).tolist() == [3]


@pytest.mark.parametrize("rows", [255, 256, 257, 65_536, 300_000])
def test_counts_are_carried_before_they_are_full(rows: int) -> None:
    """All rows in one part, whose low byte is full many times; and some beside it."""
    domain = hg.Domain(x=hg.Regular(10, 0, 1))
    table = open_table(pa.table({"x": np.r_[np.full(rows, 0.55), np.full(300, 0.95)]}))
    grid = Grid(domain, (2,))
    assert table.count(Grid.of_cells(domain)).tolist() == [0, 0, 0, 0, 0, rows, 0, 0, 0, 300]
    assert table.count(Refined(grid, np.array([[1], [5]]))).tolist() == [0, rows, 0, 0, 0, 300]


@pytest.mark.parametrize("bins", [10, 16, 65_536])
def test_many_round_numbers(bins: int) -> None:
    """Values on edges and beside them, which are settled many at a time, go where the axis says."""
    axis = hg.Regular(bins, 0, 4096)
    edges = axis.edges_at(np.arange(bins + 1))
    values = np.concatenate([edges, np.nextafter(edges, -1), np.nextafter(edges, 5000)])
    found = open_table(pa.table({"x": values})).count(Grid.of_cells(hg.Domain(x=axis)))
    known = [axis.index(value) for value in values.tolist()]
    expected = np.bincount([index for index in known if index is not None], minlength=bins)
    assert found.tolist() == expected.tolist()
