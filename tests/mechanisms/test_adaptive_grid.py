"""Both grids follow the paper, their agreement is least squares, and only noisy numbers decide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.geometry.partition import MAX_PARTS, Grid, Refined
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.adaptive_grid import (
    AdaptiveGrid,
    coarse_grid,
    publishable_slices,
    slices_per_cell,
)
from hushgram.mechanisms.grid_sizing import slices_per_axis
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

PLANE = Domain(x=Interval(0, 1), y=Interval(0, 1))


@pytest.mark.parametrize(
    ("rows", "epsilon", "even", "first"),
    [
        (1_600_000, 1, 400, 100),
        (1_000_000, 1, 316, 79),
        (900_000, 1, 300, 75),
        (9_000, 1, 30, 10),
        (1_600_000, 0.1, 126, 32),
        (1_000_000, 0.1, 100, 25),
        (900_000, 0.1, 95, 24),
        (9_000, 0.1, 10, 10),
    ],
)
def test_table_ii_and_guideline_2(rows: int, epsilon: float, even: int, first: int) -> None:
    """Table II suggests the even grid; the adaptive one starts with a fourth of it, from 10."""
    ratio = rows * epsilon / 10
    assert slices_per_axis(PLANE, ratio) == (even, even)
    assert coarse_grid(PLANE, ratio).slices == (first, first)


@pytest.mark.parametrize(
    ("count", "size"), [(1000, 10), (1001, 11), (49, 3), (10, 1), (11, 2), (0, 1), (-70, 1)]
)
def test_cells_are_cut_by_guideline_2(count: int, size: int) -> None:
    """⌈√(N' ε₂ / c₂)⌉ for ε₂ = 1/2 and c₂ = 5."""
    grid = Grid(PLANE, (10, 10))
    assert (slices_per_cell(grid, np.full(100, count * 0.5 / 5)) == size).all()


def test_dimension_rule() -> None:
    """(N' ε₂ / c₂)^(2 / (d + 2)) per side."""
    line = Grid(Domain(x=Interval(0, 1)), (4,))
    assert (slices_per_cell(line, np.full(4, 999.0)) == 100).all()
    cube = Grid(Domain({name: Interval(0, 1) for name in "abcd"}), (1, 1, 1, 1))
    assert (slices_per_cell(cube, np.array([999.0])) == 10).all()


def test_categories_and_others_are_not_cut() -> None:
    domain = Domain(
        sex=Category(("F", "M"), outside="other"),
        x=Interval(0, 1, outside="other"),
        day=Integer(1, 7),
    )
    grid = coarse_grid(domain, 1e4)
    sizes = slices_per_cell(grid, np.full(grid.size, 1e4))
    lower, upper = grid.boxes()
    assert (sizes[:, 0] == 1).all()
    assert (sizes[upper[:, 1] == domain.axes[1].size, 1] == 1).all()
    assert (sizes[lower[:, 1] < domain.axes[1].bins, 1] > 1).any()
    Refined(grid, sizes)


def test_short_sides_leave_the_rest_to_others() -> None:
    grid = Grid(Domain(x=Interval(0, 1), y=Integer(0, 3)), (1, 1))
    (sizes,) = slices_per_cell(grid, np.array([4.0 * 10**6])).tolist()
    assert sizes[1] == 4
    assert sizes[0] == pytest.approx(10**4, rel=0.02)


@given(st.integers(1, 300), st.floats(0, 1e7))
def test_slices_have_whole_numbers_of_indices(bins: int, ratio: float) -> None:
    """As many slices as the rule gives, or as many more as do not make the narrowest narrower."""
    grid = Grid(Domain(x=Integer(0, bins - 1)), (1,))
    ((size,),) = slices_per_cell(grid, np.array([ratio])).tolist()
    wanted = min(max(1, int(np.ceil(ratio ** (2 / 3)))), bins)
    assert wanted <= size <= bins
    assert bins // size == bins // wanted
    assert size == bins or bins // (size + 1) < bins // wanted


def test_never_more_parts_than_fit() -> None:
    grid = Grid(PLANE, (100, 100))
    for ratio in (np.full(10_000, 1e15), np.geomspace(1, 1e30, 10_000)):
        sizes = publishable_slices(grid, ratio)
        assert MAX_PARTS / 8 < sizes.prod(axis=1).sum() <= MAX_PARTS


def measured(rng: np.random.Generator, alpha: float) -> tuple[Measurement, Measurement]:
    grid = Grid(Domain(x=Integer(0, 11), y=Integer(0, 11)), (2, 3))
    sizes = np.repeat(rng.integers(1, 5, grid.size), 2).reshape(-1, 2)
    fine = Refined(grid, np.minimum(sizes, 4))
    draws = [rng.integers(-50, 50, part.size) for part in (grid, fine)]
    return (
        Measurement(grid, draws[0], 2 / alpha**2, Fraction(1)),
        Measurement(fine, draws[1], 2 / (1 - alpha) ** 2, Fraction(1)),
    )


@given(st.integers(0, 2**32), st.floats(0.05, 0.95))
@settings(max_examples=40)
def test_agreement_is_the_papers_formula_with_its_division(seed: int, alpha: float) -> None:
    """v' is the weighted mean; the difference is shared among the m² pieces (the printed formula
    adds all of it to each)."""
    coarse, fine = measured(np.random.default_rng(seed), alpha)
    refined = fine.partition
    assert isinstance(refined, Refined)
    found = Tree.of([coarse, fine]).push([coarse, fine])
    for cell, count in enumerate(coarse.values):
        pieces = slice(refined.offsets[cell], refined.offsets[cell + 1])
        own = fine.values[pieces]
        weight = alpha**2 * len(own) / ((1 - alpha) ** 2 + alpha**2 * len(own))
        better = weight * count + (1 - weight) * own.sum()
        assert np.allclose(found[pieces], own + (better - own.sum()) / len(own))


@given(st.integers(0, 2**32), st.floats(0.05, 0.95))
@settings(max_examples=40)
def test_agreement_is_weighted_least_squares(seed: int, alpha: float) -> None:
    coarse, fine = measured(np.random.default_rng(seed), alpha)
    refined = fine.partition
    assert isinstance(refined, Refined)
    sums = (refined.cells == np.arange(refined.grid.size)[:, np.newaxis]).astype(float)
    rows = np.concatenate([alpha * sums, (1 - alpha) * np.eye(refined.size)])
    noisy = np.concatenate([alpha * coarse.values, (1 - alpha) * fine.values])
    dense = np.linalg.lstsq(rows, noisy, rcond=None)[0]
    assert np.allclose(Tree.of([coarse, fine]).push([coarse, fine]), dense)


def test_dense_places_are_cut_finely() -> None:
    rng = np.random.default_rng(4)
    rows = (rng.beta(2, 40, size=(20_000, 2)) * PLANE.shape).astype(np.int64)
    vault = TableVault(
        IndexedTable(PLANE, rows),
        PLANE,
        Fraction(1),
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )
    estimate = AdaptiveGrid().estimate(vault)
    refined = estimate.partition
    assert isinstance(refined, Refined)
    assert vault.remaining == 0
    dense = refined.sizes[int(refined.grid.parts([rows[:1, 0], rows[:1, 1]])[0])]
    assert dense.min() > 5
    assert np.median(refined.sizes) == 1
    assert abs(estimate.values.sum() - 20_000) < 1000


def test_parameters_are_shares() -> None:
    for name in ("alpha", "total_share"):
        with pytest.raises(BadInput, match=name):
            AdaptiveGrid(**{name: 1})  # type: ignore[arg-type]
    assert AdaptiveGrid(alpha="1/4").alpha == Fraction(1, 4)  # type: ignore[arg-type]
    assert AdaptiveGrid().parameters()["alpha"] == "1/2"


def test_small_tables_get_a_small_grid() -> None:
    release = hg.publish(hg.Counts(np.zeros((200, 200), int)), epsilon=1, mechanism="adaptive-grid")
    refined = release.estimate.partition
    assert isinstance(refined, Refined)
    assert refined.grid.slices == (10, 10)


def test_a_given_first_size_and_constant() -> None:
    """A_{m1,c2} of the paper: no number of rows is bought, and m₂ = ⌈√(N' (1 - α) ε / c₂)⌉."""
    counts = np.full((64, 64), 100)
    release = hg.publish(
        hg.Counts(counts), epsilon=4, mechanism="adaptive-grid:m1=8,c2=800,alpha=1/4"
    )
    first, second = release.estimate.measurements
    assert (first.scale, second.scale) == (1, Fraction(1, 3))
    assert first.partition.slices == (8, 8)
    # ⌈√(6,400 x 3 / 800)⌉ is 5, and 6 where ε₂ stands for the noise that was added: 8 whole indices
    assert (release.estimate.partition.sizes == 8).all()
    coarse = hg.publish(
        hg.Counts(counts), epsilon=4, mechanism="adaptive-grid:m1=8,c2=10000,alpha=1/4"
    )
    assert (coarse.estimate.partition.sizes == 2).all()


@pytest.mark.parametrize("wrong", [{"m1": 0}, {"m1": 2.5}, {"c2": 0}, {"c2": -1}, {"c2": "x"}])
def test_bad_sizes_and_constants(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        AdaptiveGrid(**wrong)  # type: ignore[arg-type]
