"""The best tree over several axes: its predicted error is the true one, and the least."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.hb import best_levels, best_sides, range_variance


def dense_variance(lengths: tuple[int, ...], sides: list[int]) -> float:
    """The mean variance over all boxes, by dense least squares over all levels."""
    domain = Domain({f"x{place}": Integer(0, n - 1) for place, n in enumerate(lengths)})
    cells = list(np.indices(lengths).reshape(len(lengths), -1))
    known = np.zeros((len(cells[0]), len(cells[0])))
    for side in sides:
        parts = Grid(domain, tuple(min(side, n) for n in lengths)).parts(cells)
        known += parts == parts[:, np.newaxis]
    covariance = len(sides) ** 2 * np.linalg.inv(known)
    ranges = [list(itertools.combinations(range(n + 1), 2)) for n in lengths]
    found = []
    for box in itertools.product(*ranges):
        held = [(a <= c) & (c < b) for (a, b), c in zip(box, cells, strict=True)]
        inside = np.logical_and.reduce(held).astype(float)
        found.append(inside @ covariance @ inside)
    return float(np.mean(found))


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
def test_the_predicted_error_is_the_true_one(lengths: tuple[int, ...], sides: list[int]) -> None:
    (predicted,) = range_variance(lengths, np.array(sides)[:, np.newaxis])
    assert predicted == pytest.approx(dense_variance(lengths, sides))


def test_uneven_trees_are_predicted_well() -> None:
    (predicted,) = range_variance((7, 9), np.array([[3], [9]]))
    assert predicted == pytest.approx(dense_variance((7, 9), [3, 9]), rel=0.05)


@pytest.mark.parametrize("lengths", [(256, 256), (64, 64), (30, 500), (32, 32, 32), (5, 5)])
def test_no_tree_is_much_better(lengths: tuple[int, ...]) -> None:
    """Against every tree of t, t b, t b², … slices: coarse searching loses next to nothing."""
    longest = max(lengths)

    def variance(sides: list[int]) -> float:
        return float(range_variance(lengths, np.array(sides)[:, np.newaxis])[0])

    trees = []
    for top in range(1, longest):
        for branching in range(2, longest // top + 1):
            powers = itertools.takewhile(
                lambda side: side < longest, (top * branching**level for level in itertools.count())
            )
            trees.append([*powers, longest])
    assert variance(best_sides(lengths)) <= 1.01 * min(map(variance, [*trees, [longest]]))


def test_hierarchies_help_less_on_more_axes() -> None:
    assert best_sides((16, 16, 16, 16)) == [16]
    assert len(best_sides((256, 256))) == 2


def test_levels_end_at_the_cells_and_keep_categories() -> None:
    domain = Domain(a=Integer(0, 99), b=Integer(0, 6), sex=Category(("F", "M")))
    levels = best_levels(domain)
    assert levels[-1].slices == (100, 7, 2)
    assert all(level.slices[2] == 2 for level in levels)
    for domain in (Domain(x=Integer(0, 0)), Domain(sex=Category(("F", "M")))):
        assert best_levels(domain) == (Grid.of_cells(domain),)
