"""Halves of halves, with a budget that grows towards the leaves."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput, DomainError
from hushgram.mechanisms.hierarchical import shares_of
from hushgram.mechanisms.quadtree import MAX_LEAVES, Quadtree, quadtree_levels

PLANE = Domain(x=Interval(0, 1), y=Interval(0, 1))


def test_declared_cells_are_the_leaves() -> None:
    levels = quadtree_levels(hg.Counts(np.zeros((256, 256), int)).domain, None)
    assert [level.slices[0] for level in levels] == [2, 4, 8, 16, 32, 64, 128, 256]
    odd = quadtree_levels(Domain(x=Integer(0, 99), y=Integer(0, 6)), None)
    assert odd[-1].slices == (100, 7)


@pytest.mark.parametrize(("axes", "height"), [(1, 20), (2, 10), (3, 6), (4, 5)])
def test_continuous_axes_have_a_million_leaves_at_most(axes: int, height: int) -> None:
    domain = Domain({f"x{place}": Interval(0, 1) for place in range(axes)})
    levels = quadtree_levels(domain, None)
    assert len(levels) == height
    assert levels[-1].size <= MAX_LEAVES


def test_the_height_can_be_given() -> None:
    assert quadtree_levels(PLANE, 3)[-1].slices == (8, 8)
    assert len(quadtree_levels(Domain(x=Integer(0, 3)), 10)) == 2
    with pytest.raises(DomainError, match="too many"):
        Quadtree(height=14).check(PLANE)
    for height in (0, -1, 1.5, "3", True):
        with pytest.raises(BadInput, match="height must be a whole number from 1"):
            Quadtree(height=height)  # type: ignore[arg-type]


def test_categories_keep_their_cells() -> None:
    domain = Domain(x=Integer(0, 7), sex=Category(("F", "M"), outside="other"))
    assert [level.shape for level in quadtree_levels(domain, None)] == [(2, 3), (4, 3), (8, 3)]
    alone = Domain(sex=Category(("F", "M")))
    assert [level.shape for level in quadtree_levels(alone, None)] == [(2,)]


def test_budgets_grow_by_the_cube_root_of_two() -> None:
    release = hg.publish(hg.Counts(np.ones((64, 64), int)), epsilon=1, mechanism="quadtree")
    budgets = [1 / measurement.scale for measurement in release.estimate.measurements]
    assert sum(budgets) == 1
    ratios = [float(b / a) for a, b in itertools.pairwise(budgets)]
    assert np.allclose(ratios, 2 ** (1 / 3))
    line = hg.publish(hg.Counts(np.ones(64, int)), epsilon=1, mechanism="quadtree")
    assert {1 / m.scale for m in line.estimate.measurements} == {Fraction(1, 6)}


def test_shares_are_rounded_down() -> None:
    shares = shares_of([1.0, 2.0**0.5, 3.0])
    assert sum(shares) < 1
    assert np.allclose([float(share) for share in shares], np.array([1, 2**0.5, 3]) / (4 + 2**0.5))
    assert shares_of([0.1] * 7) == [Fraction(1, 7)] * 7


def test_consistent() -> None:
    """The leaves below a node add up to what least squares says of it: the tree is one estimate."""
    counts = np.random.default_rng(2).poisson(20, (24, 10))
    release = hg.publish(hg.Counts(counts), epsilon=10, mechanism="quadtree")
    assert release.to_array().shape == (24, 10)
    assert abs(release.to_array().sum() - counts.sum()) < 200
