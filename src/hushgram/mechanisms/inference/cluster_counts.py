"""How many bins or clusters, by rules of thumb."""

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
    """Sturges, and more for skew data.

    The skewness is √n Σd³ / (Σd²)^1.5; the paper's lacks the √n, and so its rule hardly differs
    from Sturges'.
    """
    n = len(values)
    apart = values - values.mean()
    apart /= np.abs(apart).max() or 1.0  # so that cubes of small values do not vanish
    squares = float(apart @ apart)
    if n < 3 or squares == 0:
        return sturges(values)
    skewness = sqrt(n) * float(apart @ (apart * apart)) / squares**1.5
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
