"""Tree inference is weighted least squares, and its variances are those of the estimates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement


@st.composite
def trees(draw: st.DrawFn) -> list[Measurement]:
    """Nested grids of one or two axes, of any sizes, with any noise."""
    axes = draw(st.integers(1, 2))
    bins = [draw(st.integers(1, 24 if axes == 1 else 7)) for _ in range(axes)]
    domain = Domain({f"x{a}": Integer(0, n - 1) for a, n in enumerate(bins)})
    branching = draw(st.integers(2, 4))
    sides = [branching**level for level in range(4)]
    slices = [tuple(side for _ in bins) for side in sides if side < min(bins)] + [tuple(bins)]
    start = draw(st.integers(0, len(slices) - 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    made = []
    for level in slices[start:]:
        grid = Grid(domain, level)
        noise = draw(st.floats(0.1, 10))
        made.append(Measurement(grid, rng.integers(-50, 50, grid.size), noise, Fraction(1)))
    return made


def design(measurements: list[Measurement]) -> np.ndarray:
    """Which leaves each measured node sums."""
    leaves = measurements[-1].partition
    assert isinstance(leaves, Grid)
    corners = leaves.boxes()[0]
    rows = []
    for measurement in measurements:
        part = measurement.partition.parts(list(corners.T))
        rows += [part == node for node in range(measurement.partition.size)]
    return np.array(rows, dtype=float)


@given(trees())
@settings(max_examples=200)
def test_it_is_the_dense_weighted_least_squares_solution(measurements: list[Measurement]) -> None:
    a = design(measurements)
    noise = np.concatenate([np.full(m.partition.size, m.variance) for m in measurements])
    y = np.concatenate([m.values for m in measurements])
    information = a.T @ (a / noise[:, None])
    tree = Tree.of(measurements)
    assert np.allclose(tree.push(measurements), np.linalg.solve(information, a.T @ (y / noise)))
    covariance = np.linalg.inv(information)
    assert np.allclose(tree.variances(measurements), np.diag(covariance))
    weights = np.random.default_rng(1).normal(size=a.shape[1])
    pulled = np.concatenate(tree.pull(weights))
    assert np.allclose(pulled, (a / noise[:, None]) @ covariance @ weights)
    assert np.isclose((pulled**2 * noise).sum(), weights @ covariance @ weights)
