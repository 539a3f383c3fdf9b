"""Rules of thumb for the number of bins or clusters."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log2, sqrt

import numpy as np
from numpy.typing import NDArray


def square_root(values: NDArray[np.float64]) -> int:
    return ceil(sqrt(len(values)))


def sturges(values: NDArray[np.float64]) -> int:
    return ceil(1 + log2(len(values)))


def doane(values: NDArray[np.float64]) -> int:
    """Sturges' rule, with more bins for skewed data.

    The skewness is √n Σd³ / (Σd²)^1.5. The paper omits the √n, so its rule hardly differs from
    Sturges'.
    """
    n = len(values)
    deviations = values - values.mean()
    deviations /= np.abs(deviations).max() or 1.0  # so that cubes of small values do not vanish
    squares = float(deviations @ deviations)
    if n < 3 or squares == 0:
        return sturges(values)
    skewness = sqrt(n) * float(deviations @ (deviations * deviations)) / squares**1.5
    scale = sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return ceil(1 + log2(n) + log2(1 + abs(skewness) / scale))


def rice(values: NDArray[np.float64]) -> int:
    return ceil(2 * float(np.cbrt(len(values))))


RULES: dict[str, Callable[[NDArray[np.float64]], int]] = {
    "square-root": square_root,
    "sturges": sturges,
    "doane": doane,
    "rice": rice,
}
