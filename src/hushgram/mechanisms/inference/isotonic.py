"""Isotonic regression: the nearest sequence that keeps an order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.errors import BadInput

LARGEST = 1e100
"""The largest value that the kernels take: the sum of many squares must not overflow."""


def isotonic(
    values: ArrayLike, weights: ArrayLike | None = None, increasing: bool = True
) -> NDArray[np.float64]:
    """The monotone sequence x that minimises ``sum(weights * (values - x) ** 2)``.

    Pool-adjacent-violators, scipy's, O(n): neighbours in the wrong order are pooled to their
    weighted mean, and a pool that now disagrees with the one before it is pooled *back* with it.
    Algorithm 1 of Shi & Zhou looks forward only, and turns 1, 2, 3, 0 into 1, 2, 1.5, 1.5.

    Barlow, Bartholomew, Bremner & Brunk, *Statistical Inference under Order Restrictions*, 1972;
    for private histograms: Hay et al., VLDB 2010.

    >>> isotonic([1, 2, 3, 0]).tolist()
    [1.0, 1.6666666666666667, 1.6666666666666667, 1.6666666666666667]
    >>> isotonic([1, 3], weights=[3, 1], increasing=False).tolist()
    [1.5, 1.5]
    """
    from scipy.optimize import isotonic_regression

    y = as_finite_row(values)
    w = None if weights is None else as_finite_row(weights)
    if w is not None and (w.shape != y.shape or w.min() <= 0):
        raise BadInput(
            f"isotonic regression of {len(y)} values needs as many positive weights; "
            f"found {len(w)}, the smallest {w.min():g}."
        )
    fitted: Any = isotonic_regression(y, weights=w, increasing=increasing)
    return np.asarray(fitted.x, dtype=np.float64)


def as_finite_row(values: ArrayLike) -> NDArray[np.float64]:
    """The values as one row of doubles; refuses none at all, NaN, and what has no finite square.

    >>> as_finite_row([3, 1])
    array([3., 1.])
    """
    row = np.ascontiguousarray(values, dtype=np.float64)
    if row.ndim != 1 or not row.size:
        raise BadInput(f"a row of one or more values is needed; the shape found is {row.shape}.")
    if not (row.min() >= -LARGEST and row.max() <= LARGEST):  # NaN fails both
        place = int(np.argmin(np.abs(row) <= LARGEST))
        raise BadInput(
            f"values must lie between {-LARGEST:g} and {LARGEST:g}; value {place} is {row[place]}."
        )
    return row
