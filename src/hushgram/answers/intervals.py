"""Error bars for sums of Laplace noise.

A weighted sum of independent Laplace variables lies between one Laplace variable (excess
kurtosis 3) and a normal one (0). Its quantiles are taken from the sum of m equal Laplace
variables that has the same variance and the same kurtosis, m = 3 / kurtosis: exact for one
cell, for any number of equal cells, and in the limit.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from hushgram.axis import Floats
from hushgram.errors import QuestionError

TERMS = np.geomspace(1, 4096, 49)
"""Numbers of equal terms for which quantiles are tabulated; beyond, the sum is normal."""


def half_width(variance: Floats, kurtosis: Floats, confidence: float, whole: Floats) -> Floats:
    """Half of the interval that holds the noise with the given confidence.

    ``whole`` marks sums whose noise is a whole number; there the half-width is the smallest
    whole number that suffices.
    """
    if not 0 < confidence < 1:
        raise QuestionError(f"a confidence lies between 0 and 1, not at {confidence!r}.")
    quantiles = tabulated(confidence)
    terms = 3 / np.maximum(kurtosis, 3 / TERMS[-1])
    factor = np.interp(np.log(terms), np.log(TERMS), quantiles)
    width = factor * np.sqrt(variance)
    return np.asarray(np.where(whole, np.maximum(np.ceil(width - 0.5), 0), width))


@lru_cache(maxsize=32)
def tabulated(confidence: float) -> Floats:
    """The two-sided quantile of each number of terms, in standard deviations."""
    return np.array([quantile(float(terms), confidence) for terms in TERMS])


def quantile(terms: float, confidence: float) -> float:
    """The two-sided quantile of the sum of equal Laplace variables, with variance 1.

    The sum is normal given a Gamma variable, its mixing variance; the mixture is averaged over
    midpoints of equal probability and inverted by bisection.

    >>> round(quantile(1.0, 0.95), 2), round(quantile(4096.0, 0.95), 2)
    (2.12, 1.96)
    """
    from scipy.special import erf, gammaincinv

    points = (np.arange(2000) + 0.5) / 2000
    deviation = np.sqrt(2 * gammaincinv(terms, points) / terms)
    low, high = 0.0, 4 * math.log(2 / (1 - confidence)) + 4
    for _ in range(50):
        middle = (low + high) / 2
        reached = float(np.mean(erf(middle / deviation)))
        low, high = (middle, high) if reached < confidence else (low, middle)
    return high
