"""How clumped rows are, by the pairs of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.answers.unevenness import clumping
from hushgram.answers.unevenness.clumping import (
    Pairs,
    Parts,
    clumping_of,
    find_boxes,
    find_slices,
)
from hushgram.geometry.partition import Grid
from tests.samples import cells, grids


@settings(deadline=None)
@given(grids(), st.integers(0, 2**32), st.sampled_from([1 << 18, 3]))
def test_slices_of_a_lattice_have_the_pairs_of_their_boxes(
    grid: Grid, seed: int, most: int
) -> None:
    rng = np.random.default_rng(seed)
    values, variances = rng.normal(50, 30, grid.size), rng.exponential(3, grid.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clumping, "MAX_PAIRS", most)
        for axis in range(len(grid.domain)):
            found = find_slices(axis, grid, values, variances)
            expected = find_boxes(axis, Parts(*grid.boxes(), values, variances))
            for one, other in zip(found, expected, strict=True):
                assert (one is None) == (other is None)
                if one is not None and other is not None:
                    same_pairs(one, other)


def same_pairs(found: Pairs, expected: Pairs) -> None:
    for name in Pairs.__dataclass_fields__:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-9)


def test_of_many_pairs_those_all_over_the_axis_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first slabs may be empty, and tell nothing about the others."""
    monkeypatch.setattr(clumping, "MAX_PAIRS", 500)
    grid = cells(**square(100))
    rng = np.random.default_rng(1)
    rates = np.repeat(np.where(np.arange(100) < 50, 0.0, 100.0), 100)
    smooth = rng.poisson(rates) + rng.laplace(0, 2, grid.size)
    assert clumping_of(grid, smooth, np.full(grid.size, 8.0)).shares.max() < 0.1


def square(side: int) -> dict[str, Any]:
    import hushgram as hg

    return {"x": hg.Integer(1, side), "y": hg.Integer(1, side)}
