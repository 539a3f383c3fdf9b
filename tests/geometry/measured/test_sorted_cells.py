"""Groups of the sorted rows of each cell against sorted lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.measured.sorted_cells import Inside, SortedCells
from hushgram.geometry.partition import Grid, Raster

DOMAINS = (
    Grid(Domain(x=Integer(0, 12)), (3,)),
    Grid(Domain(x=Integer(0, 8, outside="other")), (2,)),
    Grid(Domain(x=Integer(0, 10), y=Integer(0, 6)), (3, 2)),
    Grid(Domain(x=Integer(0, 8), c=Category(("a", "b"), outside="other")), (2, 2)),
    Grid(Domain(x=Integer(0, 6, outside="other"), y=Integer(0, 4), z=Integer(0, 1)), (2, 2, 2)),
)


@st.composite
def lists(draw: Any) -> tuple[SortedCells, Any]:
    """Lists in some cells of a grid, and rows by their indices."""
    grid = draw(st.sampled_from(DOMAINS))
    divided = Inside.of(grid).divided
    lengths = draw(st.lists(st.integers(0, 6), min_size=grid.size, max_size=grid.size))
    group = draw(st.lists(st.integers(1, 4), min_size=grid.size, max_size=grid.size))
    cells = SortedCells(grid, np.where(divided, lengths, 0), np.array(group))
    one = st.tuples(*(st.integers(0, size - 1) for size in grid.domain.shape))
    rows = draw(st.lists(one, max_size=30))
    return cells, np.array(rows, dtype=np.int64).reshape(-1, len(grid.domain))


def by_hand(cells: SortedCells, rows: Any) -> list[int]:
    """Sort the rows of one cell after another, cut or pad, deal out."""
    inside, found = cells.inside, []
    parts = cells.grid.parts(list(rows.T))
    for number, groups in zip(cells.zoomed, cells.lists, strict=True):
        places = []
        for row in rows[parts == number]:
            raster = [inside.raster.slice_of(a, row[a : a + 1])[0] for a in inside.axes]
            local = [s % inside.slices[a] for s, a in zip(raster, inside.axes, strict=True)]
            number_inside = np.ravel_multi_index(local, inside.cell.shape)
            places.append(int(inside.curve.places(np.array([number_inside]))[0]))
        padded = (sorted(places) + [cells.span] * groups.rows)[: groups.rows]
        found += [sum(padded[a:b]) for a, b in pairwise([0, *groups.ends.tolist()])]
    return found


@given(lists())
def test_sums_are_those_of_the_sorted_lists(drawn: tuple[SortedCells, Any]) -> None:
    cells, rows = drawn
    raster = cells.inside.raster
    occupied, times = np.unique(raster.parts(list(rows.T)), return_counts=True)
    if cells.zoomed.size:
        assert cells.sums(occupied, times).tolist() == by_hand(cells, rows)
    again = measurable_from_json(cells.domain, cells.to_json())
    assert isinstance(again, SortedCells)
    assert again.to_json() == cells.to_json()
    assert again.size == cells.size


@given(
    st.lists(st.tuples(st.integers(1, 4000), st.integers(1, 40)), min_size=1, max_size=3),
    st.booleans(),
)
def test_every_slice_lies_in_one_cell(axes: list[tuple[int, int]], other: bool) -> None:
    outside = "other" if other else "clamp"
    domain = Domain({f"x{n}": Integer(0, b - 1, outside=outside) for n, (b, _) in enumerate(axes)})
    grid = Grid(domain, tuple(min(b, m) for b, m in axes))
    inside = Inside.of(grid)
    for axis, size in enumerate(domain.shape):
        indices = np.arange(size)
        slices = inside.raster.slice_of(axis, indices)
        assert (slices // inside.slices[axis] == grid.slice_of(axis, indices)).all()


@pytest.mark.parametrize("axes", [1, 2, 3, 4, 6])
def test_fine_axes_have_as_many_slices_as_a_raster_and_a_curve_allow(axes: int) -> None:
    domain = Domain({f"x{n}": Interval(0, 1) for n in range(axes)})
    inside = Inside.of(Grid(domain, (5,) * axes))
    assert inside.raster.size <= Raster.max_cells
    assert 2 <= min(inside.slices) == max(inside.slices) <= 2**16
    assert inside.curve.span < 2**48


def test_cells_at_other_are_divided_along_other_axes_only() -> None:
    domain = Domain(x=Integer(0, 7), c=Category(("a",), outside="other"))
    assert Inside.of(Grid(domain, (2, 1))).divided.tolist() == [True] * 4
    open_end = Domain(x=Integer(0, 7, outside="other"))
    assert Inside.of(Grid(open_end, (2,))).divided.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("slices", "rows"),
    [((2,), [1]), ((2,), [1, -1, 0]), ((2,), [0, 0, 1]), ((8,), [1] + [0] * 8)],
)
def test_odd_lists_are_refused(slices: Any, rows: Any) -> None:
    grid = Grid(Domain(x=Integer(0, 7, outside="other")), slices)
    with pytest.raises(DomainError, match=r"list|entry"):
        SortedCells(grid, np.array(rows), np.ones(len(rows), dtype=int))


def test_groups_of_no_rows_are_refused_when_read() -> None:
    cells = SortedCells(Grid(Domain(x=Integer(0, 7)), (2,)), np.array([3, 0]), np.array([1, 0]))
    forged = {**cells.to_json(), "group": cells.to_json()["rows"].swapcase()}
    with pytest.raises(DomainError):
        measurable_from_json(cells.domain, forged)
    with pytest.raises(DomainError, match="at least one row"):
        SortedCells(cells.grid, np.array([3, 0]), np.array([0, 0]))
