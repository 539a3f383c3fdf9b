"""Grids above a grid."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Interval
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.mechanisms.grid_hierarchy import GridHierarchy, axis_sides, hierarchy

PLANE = Domain(x=Interval(0, 1), y=Interval(0, 1))


@pytest.mark.parametrize(
    ("branching", "depth", "sides"),
    [
        (2, 2, [180, 360]),
        (2, 3, [90, 180, 360]),
        (2, 4, [45, 90, 180, 360]),
        (3, 2, [120, 360]),
        (6, 2, [60, 360]),
    ],
)
def test_the_papers_hierarchies(branching: int, depth: int, sides: list[int]) -> None:
    levels = hierarchy(PLANE, (360, 360), branching, depth)
    assert [level.slices for level in levels] == [(side, side) for side in sides]


@given(st.integers(1, 500), st.integers(0, 3), st.integers(2, 9), st.integers(1, 6))
def test_levels_are_nested_and_no_finer_than_wanted(
    most: int, more: int, branching: int, depth: int
) -> None:
    bins = most * (1 + more)
    sides = axis_sides(most, bins, branching, depth)
    assert len(sides) == depth
    assert sides[0] >= 1
    assert most / 2 < sides[-1] <= most
    for above, below in itertools.pairwise(sides):
        assert above <= below
        assert below % above == 0 or below == bins


def test_the_number_of_rows_decides_unless_the_size_is_given() -> None:
    counts = hg.Counts(np.full((1000, 1000), 2))  # 2 million rows: some 450 slices for ε = 1
    release = hg.publish(counts, epsilon=1, mechanism="grid-hierarchy")
    sides = [m.partition.slices[0] for m in release.estimate.measurements]
    assert sides[1] == 6 * sides[0]
    assert 490 < sides[1] <= 500  # two indices wide
    assert sum(1 / m.scale for m in release.estimate.measurements) == Fraction(49, 50)
    given_size = hg.publish(counts, epsilon=1, mechanism=GridHierarchy(slices=100, branching=5))
    assert [m.partition.slices for m in given_size.estimate.measurements] == [(20, 20), (100, 100)]
    assert sum(1 / m.scale for m in given_size.estimate.measurements) == 1


def test_one_level_is_the_even_grid() -> None:
    recipe = GridHierarchy(depth=1, slices=7)
    release = hg.publish(hg.Counts(np.ones((20, 20), int)), epsilon=1, mechanism=recipe)
    assert release.grid.slices == (7, 7)
    assert len(release.estimate.measurements) == 1


@pytest.mark.parametrize(
    "wrong", [{"branching": 1}, {"depth": 0}, {"slices": 0}, {"slices": 2.5}, {"total_share": 0}]
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(wrong))):
        GridHierarchy(**wrong)
