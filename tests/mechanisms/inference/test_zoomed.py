"""Counts of cells, distributed by the sorted rows inside."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_cells import Inside, SortedCells
from hushgram.geometry.partition import Boxes, Cuts, Grid
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.inference.grafting import LEAF, graft, halve_slices
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.levels import parents_of
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.queries import Measurement

GRIDS = (
    Grid(Domain(x=Integer(0, 99)), (7,)),
    Grid(Domain(x=Interval(0, 1, outside="other")), (5,)),
    Grid(Domain(x=Integer(0, 40), y=Integer(0, 30)), (3, 4)),
    Grid(Domain(x=Interval(0, 1), y=Interval(0, 1)), (4, 3)),
    Grid(Domain(x=Interval(0, 1), c=Category(("a", "b"), outside="other")), (4, 2)),
    Grid(Domain(x=Integer(0, 9, outside="other"), y=Integer(0, 9), z=Interval(0, 1)), (2, 10, 3)),
)


def rows_in(grid: Grid, count: int, seed: int = 3) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.beta(0.7, 2, (count, len(grid.domain))) * grid.domain.shape).astype(np.int64)


def measured(grid: Grid, rows: Any, group: int, noise: float = 0, seed: int = 0) -> Any:
    """Counts and sums, exact or with some noise, where a cell has five rows or more."""
    rng = np.random.default_rng(seed)
    table = IndexedTable(grid.domain, rows)
    exact = table.count(grid)
    counts = exact + np.rint(rng.laplace(scale=noise, size=grid.size)).astype(int)
    lengths = np.where(Inside.of(grid).divided & (counts >= 5), counts, 0)
    cells = SortedCells(grid, lengths, np.full(grid.size, group))
    found = table.occupied_cells(cells.inside.raster)
    sums = cells.sums(found.cells, found.rows)
    sums = sums + np.rint(rng.laplace(scale=noise * cells.span, size=cells.size)).astype(int)
    return [
        Measurement(grid, counts, 2 * noise**2, Fraction(1)),
        Measurement(cells, sums, 2.0 * (noise * cells.span) ** 2, Fraction(1)),
    ]


@given(st.sampled_from(GRIDS), st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_parts_refine_the_cells_and_add_up_to_their_counts(
    grid: Grid, seed: int, group: int
) -> None:
    measurements = measured(grid, rows_in(grid, 400, seed), group, 3, seed)
    zoomed = Zoomed.of(measurements)
    values = zoomed.push(measurements)
    assert isinstance(zoomed.layout, Cuts if len(grid.domain) == 1 else Boxes)
    parents = parents_of(zoomed.layout, grid)
    assert (np.diff(parents) >= 0).all()
    upper = zoomed.layout.boxes()[1] - 1
    assert (grid.parts(list(upper.T)) == parents).all()
    np.testing.assert_allclose(np.bincount(parents, values), measurements[0].values, atol=1e-6)


@given(st.sampled_from(GRIDS), st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_variances_are_those_of_the_weights(grid: Grid, seed: int, group: int) -> None:
    measurements = measured(grid, rows_in(grid, 100, seed), group, 2, seed)
    zoomed = Zoomed.of(measurements)
    stated = zoomed.variances(measurements)
    some = np.random.default_rng(seed).integers(0, zoomed.layout.size, 20)
    for part in some:
        weights = np.zeros(zoomed.layout.size)
        weights[part] = 1
        pulled = zip(zoomed.pull(weights), measurements, strict=True)
        found = sum(float((w**2).sum()) * m.variance for w, m in pulled)
        assert stated[part] == pytest.approx(found, rel=1e-6, abs=1e-6)
    whole = zoomed.pull(np.ones(zoomed.layout.size))
    np.testing.assert_allclose(whole[0], 1)
    np.testing.assert_allclose(whole[1], 0, atol=1e-9)


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: str(grid.domain.names))
def test_without_noise_rows_are_found_where_they_are(grid: Grid) -> None:
    """In groups of one row, each part holds what lies in it, up to the parts' borders."""
    rows = rows_in(grid, 1000)
    measurements = measured(grid, rows, 1)
    zoomed = Zoomed.of(measurements)
    true = IndexedTable(grid.domain, rows).count(zoomed.layout)
    assert np.abs(zoomed.push(measurements) - true).mean() < 1
    assert zoomed.layout.size > 3 * grid.size


@pytest.mark.parametrize("grid", GRIDS[:4], ids=str)
def test_a_weight_that_all_parts_of_a_cell_share_is_that_of_its_count(grid: Grid) -> None:
    """As pulled through every list, one by one."""
    zoomed = Zoomed.of(measured(grid, rows_in(grid, 900), 20, noise=2))
    weights = np.repeat(np.arange(grid.size) % 3, np.diff(zoomed.offsets)).astype(float)
    weights[: len(weights) // 3] = np.arange(len(weights) // 3) % 2
    counts, sums = zoomed.pull(weights)
    for place, number in enumerate(zoomed.cells.zoomed):
        parts = slice(*zoomed.offsets[number : number + 2].tolist())
        own = slice(*zoomed.cells.offsets[place : place + 2].tolist())
        by_count, by_sums = zoomed.sequence(place).pull(weights[parts])
        assert counts[number] == pytest.approx(by_count[0])
        assert sums[own].tolist() == pytest.approx(by_sums.tolist())


def test_the_order_of_a_cell_is_that_of_sorted() -> None:
    """A grid of one cell gives what `sorted` gives."""
    from hushgram.geometry.measured.sorted_groups import SortedGroups
    from hushgram.mechanisms.inference.sorted_sequence import SortedSequence

    domain = Domain(x=Integer(0, 31), y=Integer(0, 31))
    grid = Grid(domain, (1, 1))
    counts, sums = measured(grid, rows_in(grid, 300), 10)
    whole = Measurement(SortedGroups(domain, 300, 10), sums.values, 0.0, Fraction(1))
    sequence, zoomed = SortedSequence.of([counts, whole]), Zoomed.of([counts, sums])
    np.testing.assert_array_equal(sequence.layout.boxes()[0], zoomed.layout.boxes()[0])
    np.testing.assert_array_equal(sequence.push([counts, whole]), zoomed.push([counts, sums]))


def test_trees_are_grafted_on_trees() -> None:
    axes, cuts = graft(
        halve_slices(0, np.array([0, 4])), [halve_slices(1, np.array([0, 2, 3])), LEAF]
    )
    assert axes.tolist() == [0, 1, -1, 1, -1, -1, -1]
    assert cuts.tolist() == [4, 2, 0, 3, 0, 0, 0]


def test_what_is_no_zoom_is_refused() -> None:
    counts, sums = measured(GRIDS[0], rows_in(GRIDS[0], 200), 9)
    other = Measurement(Grid(GRIDS[0].domain, (8,)), np.zeros(8, dtype=int), 1.0, Fraction(1))
    for odd in ([counts], [sums, counts], [counts, counts], [other, sums]):
        with pytest.raises(BadInput):
            inference_from_json({"kind": "zoomed"}, odd)
    assert isinstance(inference_from_json({"kind": "zoomed"}, [counts, sums]), Zoomed)
