"""The best tree for ranges: its predicted error is the true one, and the least."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.hb import best_levels
from hushgram.mechanisms.tree_sizing import (
    Levels,
    best_shares,
    best_tree,
    range_variance,
    with_cells,
)


def dense_variance(lengths: tuple[int, ...], sides: list[int], shares: list[float]) -> float:
    """The mean variance over all boxes, by dense least squares over all levels."""
    domain = Domain({f"x{place}": Integer(0, n - 1) for place, n in enumerate(lengths)})
    cells = list(np.indices(lengths).reshape(len(lengths), -1))
    known = np.zeros((len(cells[0]), len(cells[0])))
    for side, share in zip(sides, shares, strict=True):
        parts = Grid(domain, tuple(min(side, n) for n in lengths)).parts(cells)
        known += share**2 * (parts == parts[:, np.newaxis])
    together = np.ones_like(known)
    for n, cell in zip(lengths, cells, strict=True):
        first = np.minimum.outer(cell, cell) + 1
        last = np.maximum.outer(cell, cell)
        together *= first * (n - last) / math.comb(n + 1, 2)
    return float((np.linalg.inv(known) * together).sum())


def equal(sides: list[int]) -> list[float]:
    return [1 / len(sides)] * len(sides)


def exact(lengths: tuple[int, ...], tree: Levels) -> float:
    return dense_variance(lengths, [*tree.sides, max(lengths)], list(tree.shares))


def predicted(lengths: tuple[int, ...], sides: list[int], shares: list[float]) -> float:
    columns = np.array([sides, shares])[:, :, np.newaxis]
    return float(range_variance(lengths, *columns)[0])


def literature_tree(cells: int) -> list[int]:
    """The tree of Qardaji, Yang & Li, without its root: levels of b, b², … nodes."""

    def average(branching: int) -> float:
        height = math.ceil(math.log(cells, branching) - 1e-9)
        return (branching - 1) * height**3 - 2 * (branching + 1) * height**2 / 3

    best = min(range(2, min(cells, 1024) + 1), key=average) if cells > 2 else 2
    powers = (best**level for level in itertools.count(1))
    return [*itertools.takewhile(lambda nodes: nodes < cells, powers), cells]


@pytest.mark.parametrize(
    ("lengths", "sides"),
    [
        ((12,), [12]),
        ((12,), [3, 12]),
        ((16,), [2, 4, 8, 16]),
        ((6, 6), [6]),
        ((6, 6), [3, 6]),
        ((8, 8), [1, 2, 8]),
        ((8, 4), [2, 4, 8]),
        ((4, 4, 2), [2, 4]),
    ],
)
@pytest.mark.parametrize("grows", [1.0, 1.7])
def test_the_predicted_error_is_the_true_one(
    lengths: tuple[int, ...], sides: list[int], grows: float
) -> None:
    weights = [grows**level for level in range(len(sides))]
    shares = [weight / sum(weights) for weight in weights]
    assert predicted(lengths, sides, shares) == pytest.approx(
        dense_variance(lengths, sides, shares)
    )


def test_boxes_are_averaged_over_all_of_them() -> None:
    """Against the sum box by box, which `dense_variance` shortens."""
    cells = list(np.indices((3, 4)).reshape(2, -1))
    found = [
        np.sum((a <= cells[0]) & (cells[0] < b) & (c <= cells[1]) & (cells[1] < d))
        for a, b in itertools.combinations(range(4), 2)
        for c, d in itertools.combinations(range(5), 2)
    ]
    assert dense_variance((3, 4), [4], [1.0]) == pytest.approx(np.mean(found))


@pytest.mark.parametrize("lengths", [(41,), (67,), (97,), (700,), (31, 29), (20, 60), (12, 12, 12)])
def test_uneven_trees_are_predicted_well(lengths: tuple[int, ...]) -> None:
    best = best_tree(lengths)
    assert best.sides
    assert best.variance == pytest.approx(exact(lengths, best), rel=0.01)


@pytest.mark.parametrize("lengths", [(100,), (1000,), (256, 256), (30, 500), (16, 16, 16)])
def test_no_shares_are_better(lengths: tuple[int, ...]) -> None:
    best = best_tree(lengths)
    sides = [*best.sides, max(lengths)]
    rng = np.random.default_rng(1)
    for size in (0.01, 0.1, 1):
        for _ in range(50):
            other = np.array(best.shares) * np.exp(rng.normal(0, size, len(sides)))
            assert predicted(lengths, sides, list(other / other.sum())) > 0.9999 * best.variance


@pytest.mark.parametrize(
    "lengths",
    [
        (50,),
        (100,),
        (700,),
        (4096,),
        (10**6,),
        (256, 256),
        (64, 64),
        (30, 500),
        (100, 100, 100),
        (5,),
    ],
)
def test_no_tree_is_much_better(lengths: tuple[int, ...]) -> None:
    """Against thousands of trees of any height, with the best shares for each."""
    rng = np.random.default_rng(2)
    longest = max(lengths)
    best = best_tree(lengths).variance
    for height in range(2, 8):
        spread = np.exp(rng.normal(0, 0.6, (2000, height - 1)))
        tried = np.maximum(2, np.rint(longest ** (1 / height) * spread)).astype(np.int64)
        sides = np.cumprod(tried[tried.prod(axis=1) < longest], axis=1).T
        if sides.size:
            sides = with_cells(lengths, sides)
            variances = range_variance(lengths, sides, best_shares(lengths, sides))
            assert best < 1.003 * variances.min()


@pytest.mark.slow
@pytest.mark.parametrize("start", range(2, 10))
def test_it_beats_flat_and_literature_trees_for_all_lengths(start: int) -> None:
    for cells in range(start, 4097, 8):
        found = best_tree((cells,)).variance
        for sides in ([cells], literature_tree(cells)):
            assert found <= (1 + 1e-9) * predicted((cells,), sides, equal(sides))


@pytest.mark.parametrize("first", range(2, 14))
def test_it_beats_flat_and_literature_trees_exactly(first: int) -> None:
    """By dense least squares: every length up to 133, and some beyond."""
    for cells in [*range(first, 134, 12), 60 * first + 7]:
        found = exact((cells,), best_tree((cells,)))
        for sides in ([cells], literature_tree(cells)):
            assert found <= (1 + 1e-9) * dense_variance((cells,), sides, equal(sides))


def test_hierarchies_help_less_on_more_axes() -> None:
    assert best_tree((5, 5, 5, 5)).sides == ()
    assert best_tree((625,)).sides == (7, 56)


def test_levels_end_at_the_cells_and_keep_categories() -> None:
    domain = Domain(a=Integer(0, 99), b=Integer(0, 6), sex=Category(("F", "M")))
    levels, shares = best_levels(domain)
    assert len(levels) == len(shares) > 1
    assert levels[-1].slices == (100, 7, 2)
    assert all(level.slices[2] == 2 for level in levels)
    for domain in (Domain(x=Integer(0, 0)), Domain(sex=Category(("F", "M")))):
        assert best_levels(domain) == ((Grid.of_cells(domain),), (1.0,))


@pytest.mark.parametrize("cells", [37, 97, 612, 1009, 9000, 10**6])
def test_levels_nest(cells: int) -> None:
    sides = best_tree((cells,)).sides
    assert all(below % above == 0 for above, below in itertools.pairwise(sides))
    assert sides[-1] < cells
