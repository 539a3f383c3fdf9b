"""Pooling is a linear map, and its transpose and variances are those of the map."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Merged
from hushgram.mechanisms.inference.averaged import Averaged
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.queries import Measurement


def relabelled(labels: list[int]) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1]


@given(st.data())
def test_pooling_is_averaging(data: st.DataObject) -> None:
    cells = data.draw(st.integers(1, 12))
    grid = Grid.of_cells(Domain(x=Integer(0, cells - 1)))
    labels = relabelled(data.draw(st.lists(st.integers(0, 4), min_size=cells, max_size=cells)))
    merged = data.draw(st.booleans())
    measured = Merged(grid, labels) if merged else grid
    groups = relabelled(
        data.draw(st.lists(st.integers(0, 3), min_size=measured.size, max_size=measured.size))
    )
    values = np.arange(measured.size) * 7 % 11
    measurement = Measurement(measured, values, 3.0, Fraction(1))
    pooled = inference_from_json(Pooled(measured, groups).to_json(), [measurement])

    group_of = [groups[labels[c]] if merged else groups[c] for c in range(cells)]
    matrix = np.array(
        [
            [(groups[p] == group_of[c]) / group_of.count(group_of[c]) for p in range(measured.size)]
            for c in range(cells)
        ]
    )
    assert np.allclose(pooled.push([measurement]), matrix @ values)
    weights = np.random.default_rng(2).normal(size=cells)
    assert np.allclose(pooled.pull(weights)[0], matrix.T @ weights)
    assert np.allclose(pooled.variances([measurement]), 3 * (matrix**2).sum(axis=1))


@given(st.data())
def test_two_counts_are_averaged_by_their_variances(data: st.DataObject) -> None:
    """Beside weighted least squares, by a matrix."""
    cells = data.draw(st.integers(1, 8))
    grid = Grid.of_cells(Domain(x=Integer(0, cells - 1)))
    labels = relabelled(data.draw(st.lists(st.integers(0, 5), min_size=cells, max_size=cells)))
    merged = Merged(grid, labels)
    groups = relabelled(
        data.draw(st.lists(st.integers(0, 3), min_size=merged.size, max_size=merged.size))
    )
    sums = Measurement(merged, np.arange(merged.size) * 7 % 11, 3.0, Fraction(1))
    look = Measurement(grid, np.arange(cells) * 5 % 13, 2.0, Fraction(2))
    made = Averaged.of([sums, look], groups)
    pooled = inference_from_json(made.to_json(), [sums, look])

    blocks = np.eye(groups.max() + 1)[groups[labels]]
    in_sum = np.array(
        [[(groups[p] == b) for b in range(groups.max() + 1)] for p in range(len(groups))]
    )
    both_sums = in_sum.T @ sums.values, blocks.T @ look.values
    sizes = blocks.sum(axis=0)
    variances = sums.variance * in_sum.sum(axis=0), look.variance * sizes
    precision = 1 / variances[0] + 1 / variances[1]
    expected = (both_sums[0] / variances[0] + both_sums[1] / variances[1]) / precision / sizes
    assert np.allclose(pooled.push([sums, look]), blocks @ expected)
    assert np.allclose(pooled.variances([sums, look]), blocks @ (1 / precision / sizes**2))

    weights = np.arange(cells) + 1.0
    to_sums, to_look = pooled.pull(weights)
    value = to_sums @ sums.values + to_look @ look.values
    assert np.isclose(value, weights @ pooled.push([sums, look]))
    noise = to_sums**2 @ np.full(len(to_sums), sums.variance) + to_look**2 @ np.full(
        cells, look.variance
    )
    assert np.isclose(pooled.row_variances(weights[None, :], [sums, look])[0], noise)
