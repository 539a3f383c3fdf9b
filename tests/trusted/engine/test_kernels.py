"""The compiled loops, interpreted, count what first principles count: every edge, every policy."""

from __future__ import annotations

import math
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushgram.declare.axis import Axis, Category, Integer, Interval, Regular, Variable, Window
from hushgram.declare.axis.numeric import Even
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Boxes, Grid, Halving, Partition, Raster, Refined
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.compiled.layout import GridLayout, side_of
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.sources.source import open_table
from tests import reference

pytestmark = pytest.mark.usefixtures("kernels")


AXES: list[Axis] = [
    *(Regular(5, 0.1, 0.7, outside=policy) for policy in ("drop", "clamp", "other")),
    *(Interval(-3, 7, resolution=23, outside=policy) for policy in ("drop", "clamp", "other")),
    Regular(4, -1.0, 1e-17, outside="other"),  # lo + span rounds to 0, below hi
    Regular(1, 0, 1),
    Integer(-2, 4, outside="clamp"),
    Integer(-2, 4),
    Variable((0.0, 0.5, 2.0, 7.0), outside="clamp"),
    Variable((0.0, 0.5, 2.0, 7.0), outside="other"),
    Window(Regular(9, 0, 1), 2, 7),
    Window(Integer(0, 20), 3, 8),
    Category(["a", "b", "c", "d", "e"], outside="other"),
    Category([1, 2, 3]),
]


def values_of(axis: Axis) -> list[Any]:
    """Values at and next to each edge, between edges, outside, and no values."""
    while isinstance(axis, Window):
        axis = axis.axis
    if isinstance(axis, Category):
        return [*axis.values, *axis.values[:2], None]
    edges = [float(axis.edge(index)) for index in range(axis.bins + 1)]
    between = [(low + high) / 2 for low, high in pairwise(edges)]
    beside = [math.nextafter(x, far) for x in edges for far in (-math.inf, math.inf)]
    unit = math.ulp(max(map(abs, edges)))
    near = [x + steps * unit for x in edges for steps in (-70, -40, -10, 10, 40)]
    outside = [edges[0] - 3, edges[-1] + 3, math.inf, -math.inf, math.nan]
    return [*edges, *between, *beside, *near, *outside, None]


def table_of(domain: Domain, seed: int, rows: int) -> tuple[ArrowTable, list[list[Any]]]:
    """Rows that hold each value of an axis at least once, mixed at random."""
    rng = np.random.default_rng(seed)
    columns = []
    for axis in domain.axes:
        pool = values_of(axis)
        more = [pool[index] for index in rng.integers(0, len(pool), max(0, rows - len(pool)))]
        columns.append([*pool, *more])
    length = max(map(len, columns))
    columns = [
        [column[index % len(column)] for index in rng.permutation(length)] for column in columns
    ]
    table = open_table(pa.table(dict(zip(domain, map(pa.array, columns), strict=True))))
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    return table, [list(row) for row in zip(*columns, strict=True)]


def agrees(table: ArrowTable, partition: Partition, rows: list[list[Any]]) -> None:
    assert table.count(partition).tolist() == reference.count(partition, rows)


@pytest.mark.parametrize("axis", AXES, ids=repr)
def test_each_value_goes_to_its_slice(axis: Axis) -> None:
    domain = Domain(x=axis)
    table, rows = table_of(domain, 1, 0)
    for slices in sorted({1, 2, 3, axis.bins - 1, axis.bins} & set(range(1, axis.bins + 1))):
        agrees(table, Grid(domain, (slices,)), rows)


@pytest.mark.parametrize("axis", AXES, ids=repr)
def test_each_value_goes_to_its_cell_and_place(axis: Axis) -> None:
    domain = Domain(x=axis)
    table, rows = table_of(domain, 2, 0)
    for slices in {1, (axis.bins + 1) // 2, axis.bins}:
        raster = Raster(domain, (slices,))
        known = np.array(reference.count(Grid(domain, (slices,)), rows))
        found = table.occupied_cells(raster)
        assert found.cells.tolist() == np.flatnonzero(known).tolist()
        assert found.rows.tolist() == known[known > 0].tolist()
        placed = table.row_places(raster)
        assert placed is not None
        cells = Halving.of(raster).places(np.arange(len(known)))
        assert placed.between(cells, cells + 1).tolist() == known.tolist()


@pytest.mark.parametrize("axis", AXES, ids=repr)
@pytest.mark.parametrize("slices", [1, 3])
def test_each_value_goes_to_its_part_of_a_refined_grid(axis: Axis, slices: int) -> None:
    domain = Domain(x=axis)
    table, rows = table_of(domain, 3, 0)
    agrees(table, refined(domain, (min(slices, axis.bins),), seed=axis.bins), rows)


def refined(domain: Domain, slices: tuple[int, ...], seed: int) -> Refined:
    grid = Grid(domain, slices)
    lower, upper = grid.boxes()
    sizes = np.random.default_rng(seed).integers(1, 9, lower.shape)
    return Refined(grid, np.minimum(sizes, upper - lower))


@pytest.mark.parametrize("policies", [("drop", "clamp"), ("other", "drop"), ("clamp", "other")])
@pytest.mark.parametrize("slices", [(5, 7, 3), (2, 3, 2), (3, 7, 1)])
def test_axes_are_put_together(policies: tuple[Any, Any], slices: tuple[int, ...]) -> None:
    """Rows that are in doubt on one axis, and out of another."""
    first, second = policies
    domain = Domain(
        x=Regular(5, 0.1, 0.7, outside=first),
        y=Interval(-3, 7, resolution=7, outside=second),
        z=Category(["a", "b", "c"]),
    )
    table, rows = table_of(domain, 4, 150)
    agrees(table, Grid(domain, slices), rows)
    agrees(table, refined(domain, slices, seed=5), rows)
    raster = Raster(domain, slices)
    known = np.array(reference.count(Grid(domain, slices), rows))
    occupied = table.occupied_cells(raster)
    assert occupied.cells.tolist() == np.flatnonzero(known).tolist()
    assert occupied.rows.tolist() == known[known > 0].tolist()
    found = table.row_places(raster)
    assert found is not None
    halves = Halving.of(raster)
    for depth in range(max(halves.bits) + 1):
        boxes = halves.leaves(np.unique(halves.starts(halves.nodes_at(depth))))
        sums = found.sum_boxes(boxes)
        assert sums is not None
        assert sums.tolist() == reference.count(boxes, rows)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 16, 255, 256, 257, 520])
def test_blocks_and_bytes_that_are_just_full(rows: int) -> None:
    domain = Domain(x=Regular(10, 0, 1))
    table = open_table(pa.table({"x": np.r_[np.full(rows, 0.55), np.full(3, 0.95)]}))
    assert isinstance(table, ArrowTable)
    expected = [0, 0, 0, 0, 0, rows, 0, 0, 0, 3]
    assert table.count(Grid.of_cells(domain)).tolist() == expected
    assert table.count(Refined(Grid(domain, (2,)), np.array([[1], [5]]))).tolist() == [
        0, rows, 0, 0, 0, 3,
    ]  # fmt: skip
    placed = table.row_places(Raster.of_cells(domain))
    assert placed is not None
    assert len(placed.lows) == rows + 3
    found = table.occupied_cells(Raster.of_cells(domain))
    assert found.rows.tolist() == [count for count in expected if count]


def test_rows_are_found_by_their_halves() -> None:
    """Places with the same upper half, with none, and beyond all."""
    places = np.array([0, 1, 1, 65_535, 65_536, 65_538, 65_538, 3 << 16, 2**32 - 1], np.uint32)
    raster = Raster.of_cells(Domain(x=Regular(2, 0, 1)))
    found = RowPlaces.of(raster, np.random.default_rng(1).permutation(places))
    asked = [0, 1, 2, 65_535, 65_536, 65_537, 65_538, 65_539, 2 << 16, 3 << 16, (3 << 16) + 1]
    starts = np.array([*asked, 2**32 - 1, 2**32])
    before = [int((places < start).sum()) for start in starts.tolist()]
    zeros = np.zeros(len(starts), dtype=np.int64)
    assert found.between(zeros, starts).tolist() == before
    assert found.offsets[-1] == len(places)


@pytest.mark.parametrize("rows", [0, 1, 6, 7])
def test_a_place_takes_two_bytes(rows: int) -> None:
    raster = Raster.of_cells(Domain(x=Regular(2, 0, 1)))
    found = RowPlaces.of(raster, np.zeros(rows, dtype=np.uint32))
    assert found.lows.base is not None
    assert found.lows.base.nbytes == 4 * ((rows + 1) // 2)


@pytest.mark.parametrize("axis", [one for one in AXES if isinstance(one, Even)], ids=repr)
def test_the_guess_is_the_index_or_doubted(axis: Even) -> None:
    """What the table of numbers promises, so that few rows need a second look."""
    for slices in {axis.bins, 2 if axis.bins > 2 else axis.bins}:
        grid = Grid(Domain(x=axis), (slices,))
        lo, hi, span, bins, base, rate, clear, near, step, sure, many, _ = side_of(grid, 0)
        assert (lo, hi, span, bins, many) == (axis.lo, axis.hi, axis.span, axis.bins, slices)
        fitting = [x for x in values_of(axis) if x is not None and lo <= x <= hi]
        for x in fitting:
            index = reference.place(axis, x)
            assert index is not None
            guess, share = (x - base) * rate, (x - near) * step
            assert int(guess) == index or (int(guess) == index - 1 and guess % 1 > clear)
            assert int(share) == index * slices // axis.bins or share % 1 > sure
        middle = [(axis.edge(index) + axis.edge(index + 1)) / 2 for index in range(axis.bins)]
        assert all((x - base) * rate % 1 < clear for x in middle)
        doubted = sum((x - near) * step % 1 > sure for x in middle)
        assert doubted <= (0 if axis.bins % slices == 0 else 3 * slices)


def test_indices_of_a_window_fall_where_they_should(kernels: ModuleType) -> None:
    axis = Regular(9, 0, 1, outside="other")
    sides = GridLayout.of(Raster.of_cells(Domain(x=axis))).sides
    x = np.array([value for value in values_of(axis) if value is not None])
    found = kernels.indices(x, sides)
    assert found.tolist() == [reference.place(axis, value) for value in x.tolist()]
    dropping = GridLayout.of(Raster.of_cells(Domain(x=Regular(9, 0, 1)))).sides
    outside = kernels.indices(np.array([-1.0, 2.0, math.nan]), dropping)
    assert np.isnan(outside).all()


def test_occupied_cells_of_boxes_are_summed() -> None:
    raster = Raster.of_cells(Domain(x=Regular(4, 0, 1)))
    found = Occupied.of(raster, np.array([3, 0, 3, 1]))
    assert (found.cells.tolist(), found.rows.tolist()) == ([0, 1, 3], [1, 1, 2])
    boxes = Boxes(raster, np.array([0, -1, -1]), np.array([2, 0, 0]))
    assert found.sum_boxes(boxes).tolist() == [2, 2]
    more = Occupied.of(raster, np.array([3, 2]), np.array([5, 6]))
    both = Occupied.together(raster, [found, more])
    assert (both.cells.tolist(), both.rows.tolist()) == ([0, 1, 2, 3], [1, 1, 6, 7])
    assert Occupied.together(raster, [found]) is found
    assert Occupied.together(raster, []).cells.tolist() == []


def test_what_slices_add_to_a_place() -> None:
    domain = Domain(x=Regular(4, 0, 1), y=Regular(2, 0, 1))
    raster = Raster.of_cells(domain)
    halves = Halving.of(raster)
    parts = halves.slice_places
    for x in range(4):
        for y in range(2):
            place = int(parts[0][x] + parts[1][y])
            assert place == halves.places(np.array([2 * x + y]))[0]
