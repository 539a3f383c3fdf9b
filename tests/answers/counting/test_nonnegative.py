"""Norm-sub against its definition: no negative value, the same total, and nothing nearer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.errors import BadInput

values = st.lists(st.integers(-50, 100), min_size=1, max_size=12)


def by_bisection(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The shift found by trying."""
    total = values.sum()
    if total <= 0:
        return np.zeros(len(values))
    low, high = 0.0, float((values / weights).max())
    for _ in range(200):
        shift = (low + high) / 2
        too_much = np.maximum(values - shift * weights, 0).sum() > total
        low, high = (shift, high) if too_much else (low, shift)
    return np.maximum(values - high * weights, 0)


@given(values, st.data())
def test_it_is_the_shift_that_keeps_the_total(counts: list[int], data: st.DataObject) -> None:
    size = len(counts)
    drawn = data.draw(st.lists(st.floats(0.1, 10), min_size=size, max_size=size))
    given_values, weights = np.array(counts, dtype=np.float64), np.array(drawn)
    found = norm_sub(counts, weights)
    assert found.min() >= 0
    assert math.fsum(found) == pytest.approx(max(sum(counts), 0), abs=1e-9)
    np.testing.assert_allclose(found, by_bisection(given_values, weights), atol=1e-8)


@given(values)
def test_equal_weights_are_no_weights(counts: list[int]) -> None:
    np.testing.assert_allclose(norm_sub(counts), norm_sub(counts, [2.5] * len(counts)), atol=1e-9)


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=9))
def test_counts_stay_as_they_are(counts: list[int]) -> None:
    assert norm_sub(counts).tolist() == [float(count) for count in counts]


def test_nothing_nearer_has_the_same_total() -> None:
    rng = np.random.default_rng(3)
    counts = rng.normal(1, 3, 40)
    found = norm_sub(counts)
    best = ((found - counts) ** 2).sum()
    for _ in range(300):
        other = np.maximum(found + rng.normal(0, 0.5, 40), 0)
        other *= counts.sum() / other.sum()
        assert ((other - counts) ** 2).sum() >= best - 1e-9


def test_a_million_values_keep_their_total() -> None:
    counts = np.random.default_rng(4).normal(0.01, 10, 10**6)
    assert math.fsum(norm_sub(counts)) == pytest.approx(math.fsum(counts), rel=1e-7)


def test_bad_values_and_weights_are_refused() -> None:
    with pytest.raises(BadInput, match="one or more values"):
        norm_sub([])
    with pytest.raises(BadInput, match=r"must be from .* Value 1 is nan"):
        norm_sub([1, math.nan])
    for weights in ([1], [1, 0], [1, -1]):
        with pytest.raises(BadInput, match="positive weights"):
            norm_sub([1, 2], weights)
