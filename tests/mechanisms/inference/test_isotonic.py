"""Isotonic regression: the definition, the projection, and the paper's counterexample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.errors import BadInput
from hushgram.mechanisms.inference.isotonic import isotonic, isotonic_absolute
from tests.strategies import up_to

pairs = st.lists(
    st.tuples(st.one_of(st.integers(-5, 5), st.floats(-1e6, 1e6)), st.floats(0.01, 100)),
    min_size=1,
    max_size=12,
)


def by_definition(values: np.ndarray, weights: np.ndarray) -> list[float]:
    """The max-min formula: over starts up to i, the least weighted mean that reaches to i."""

    def mean(j: int, k: int) -> float:
        return float(np.average(values[j : k + 1], weights=weights[j : k + 1]))

    n = len(values)
    return [max(min(mean(j, k) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]


@settings(max_examples=up_to(300))
@given(pairs, st.booleans())
def test_the_definition(found: list[tuple[float, float]], increasing: bool) -> None:
    values, weights = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    sign = 1 if increasing else -1
    fitted = isotonic(values, weights, increasing)
    near = pytest.approx(by_definition(sign * values, weights), rel=1e-9, abs=1e-9)
    assert (sign * fitted).tolist() == near


@given(pairs)
def test_the_nearest_monotone_sequence(found: list[tuple[float, float]]) -> None:
    """Optimal if and only if what is left over never leans upwards, and sums to zero."""
    values, weights = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    fitted = isotonic(values, weights)
    left_over = weights * (values - fitted)
    suffixes = np.cumsum(left_over[::-1])[::-1]
    near_zero = 1e-9 * (1 + np.abs(weights * values).sum())
    assert (np.diff(fitted) >= 0).all()
    assert (suffixes <= near_zero).all()
    assert abs(suffixes[0]) <= near_zero
    assert abs(left_over @ fitted) <= near_zero * (1 + np.abs(values).max())


def test_it_pools_back_where_the_paper_does_not() -> None:
    assert isotonic([1, 2, 3, 0]).tolist() == pytest.approx([1, 5 / 3, 5 / 3, 5 / 3])


def test_the_papers_worked_example() -> None:
    """Fig. 5: the noisy counts, in the true order.

    The paper says 3.6712 before and 2.1553 after (with the labels swapped), 0.4123 moved; its
    printed numbers give 3.71, 2.21 and 0.408.
    """
    true = np.array([4, 3, 3, 7, 6, 5, 2, 3])
    noisy = np.array([4.3677, 3.0691, 2.9174, 7.3485, 6.1965, 5.6298, 3.7323, 3.0327])
    order = np.argsort(true, kind="stable")
    fitted = isotonic(noisy[order])
    assert fitted.round(2).tolist() == [3.19, 3.19, 3.19, 3.19, 4.37, 5.63, 6.2, 7.35]
    assert ((noisy - true) ** 2).sum() == pytest.approx(3.6712, rel=0.03)
    assert ((fitted - true[order]) ** 2).sum() == pytest.approx(2.1553, rel=0.03)
    assert ((fitted - noisy[order]) ** 2).sum() == pytest.approx(0.4123, rel=0.03)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, np.nan]])
def test_bad_weights(weights: list[float]) -> None:
    with pytest.raises(BadInput):
        isotonic([1, 2], weights)


# Least absolute deviations ------------------------------------------------------------------------


def least_error(values: np.ndarray, weights: np.ndarray) -> float:
    """By trying: a best sequence takes none but given values, so the best up to each of them is
    found value by value."""
    levels = np.unique(values)
    best = np.zeros(len(levels))
    for value, weight in zip(values, weights, strict=True):
        best = np.minimum.accumulate(best) + weight * np.abs(levels - value)
    return float(best.min())


@settings(max_examples=up_to(300))
@given(pairs)
def test_no_ascending_sequence_has_less_absolute_error(found: list[tuple[float, float]]) -> None:
    values, weights = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    fitted = isotonic_absolute(values, weights)
    assert (np.diff(fitted) >= -1e-9 * (1 + np.abs(values).max())).all()
    error = float((weights * np.abs(values - fitted)).sum())
    assert error == pytest.approx(least_error(values, weights), rel=1e-9, abs=1e-6)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_it_is_the_same_seen_from_the_other_end(values: list[int]) -> None:
    """In the middle between the lowest and the highest."""
    mirrored = -isotonic_absolute([-value for value in reversed(values)])[::-1]
    assert isotonic_absolute(values).tolist() == mirrored.tolist()


def test_an_even_pool_takes_the_middle_of_its_median() -> None:
    assert isotonic_absolute([4, 1]).tolist() == [2.5, 2.5]
    assert isotonic_absolute([3, 1, 2]).tolist() == [1.5, 1.5, 2]  # of 1 1 2 to 2 2 2
    with pytest.raises(BadInput, match="positive weights"):
        isotonic_absolute([1, 2], [1, 0])
