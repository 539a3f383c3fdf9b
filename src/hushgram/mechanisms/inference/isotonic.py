"""Isotonic regression: the nearest monotone sequence."""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.errors import BadInput

LARGEST = 1e100
"""The largest value that the kernels accept: the sum of many squares must not overflow."""


def isotonic(
    values: ArrayLike, weights: ArrayLike | None = None, increasing: bool = True
) -> NDArray[np.float64]:
    """The monotone sequence x that minimises ``sum(weights * (values - x) ** 2)``.

    Uses scipy's pool-adjacent-violators in O(n): neighbours in the wrong order are pooled to their
    weighted mean, and a pool that is now in the wrong order with the one before it is pooled *back*
    with it. Algorithm 1 of Shi & Zhou only goes forward, and turns 1, 2, 3, 0 into 1, 2, 1.5, 1.5.

    Barlow, Bartholomew, Bremner & Brunk, *Statistical Inference under Order Restrictions*, 1972;
    for private histograms: Hay et al., VLDB 2010.

    >>> isotonic([1, 2, 3, 0]).tolist()
    [1.0, 1.6666666666666667, 1.6666666666666667, 1.6666666666666667]
    >>> isotonic([1, 3], weights=[3, 1], increasing=False).tolist()
    [1.5, 1.5]
    """
    from scipy.optimize import isotonic_regression

    y, w = as_finite_row(values), as_weights(values, weights)
    fitted: Any = isotonic_regression(y, weights=w, increasing=increasing)
    return np.asarray(fitted.x, dtype=np.float64)


def isotonic_absolute(values: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The ascending sequence x that minimises ``sum(weights * abs(values - x))``.

    Neighbours in the wrong order are pooled to a weighted median instead of a mean, which is better
    for noise with heavy tails. There may be many such sequences, between a lowest and a highest
    one: this returns their average. O(n log n).

    Stout, *Optimal algorithms for unimodal regression*, 2000.

    >>> isotonic_absolute([1, 2, 3, 0]).tolist()
    [1.0, 2.0, 2.5, 2.5]
    >>> isotonic_absolute([5, 1], weights=[3, 1]).tolist()
    [5.0, 5.0]
    """
    y, w = as_finite_row(values), as_weights(values, weights)
    each = np.ones_like(y) if w is None else w
    lowest, highest = lowest_absolute(y, each), -lowest_absolute(-y[::-1], each[::-1])[::-1]
    return np.asarray(lowest / 2 + highest / 2)


def lowest_absolute(values: NDArray[np.float64], weights: NDArray[np.float64]) -> Any:
    """The lowest of the best sequences.

    Let f(x) be the smallest error of the values so far if the sequence never exceeds x. It is
    convex and never increases, so it is determined by the places where its slope changes, kept in a
    heap with the highest on top. A value adds weight on both sides of itself, and the increasing
    part is then removed from the top.
    """
    heap: list[tuple[float, float]] = []
    tops = np.empty(len(values))
    for place, (value, weight) in enumerate(zip(values.tolist(), weights.tolist(), strict=True)):
        heappush(heap, (-value, 2 * weight))
        rising = weight
        while rising > 0:
            top, slope = heap[0]
            if slope > rising:
                heapreplace(heap, (top, slope - rising))
                break
            heappop(heap)
            rising -= slope
        tops[place] = -heap[0][0]
    return np.minimum.accumulate(tops[::-1])[::-1]


def as_weights(values: ArrayLike, weights: ArrayLike | None) -> NDArray[np.float64] | None:
    """One positive weight per value."""
    if weights is None:
        return None
    row, size = as_finite_row(weights), np.size(values)
    if row.shape != (size,) or row.min() <= 0:
        raise BadInput(
            f"Isotonic regression of {size} values needs {size} positive weights. Found "
            f"{len(row)}, the smallest {row.min():g}."
        )
    return row


def as_finite_row(values: ArrayLike) -> NDArray[np.float64]:
    """The values as one row of doubles. Raises if there are none, or for NaN and very large values.

    >>> as_finite_row([3, 1])
    array([3., 1.])
    """
    row = np.ascontiguousarray(values, dtype=np.float64)
    if row.ndim != 1 or not row.size:
        raise BadInput(
            f"Expected a row of one or more values. Found an array of shape {row.shape}."
        )
    if not (row.min() >= -LARGEST and row.max() <= LARGEST):  # NaN fails both
        place = int(np.argmin(np.abs(row) <= LARGEST))
        raise BadInput(
            f"Values must be from {-LARGEST:g} to {LARGEST:g}. Value {place} is {row[place]}."
        )
    return row
