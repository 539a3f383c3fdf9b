"""Error bars for sums of Laplace noise.

A weighted sum of independent Laplace variables is between one Laplace variable (excess kurtosis 3)
and a normal one (0). Its quantiles are approximated by those of the sum of m equal Laplace
variables with the same variance and kurtosis, m = 3 / kurtosis: exact for any number of equal
cells, and in the limit. Far out, which matters for simultaneous intervals, one large term among
many small ones has larger quantiles: those of a Laplace variable plus a normal one, again with the
same variance and kurtosis, are used if they are larger. One whole cell has discrete Laplace noise,
whose quantiles are known in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import QuestionError

TERMS = np.geomspace(1, 4096, 49)
"""Numbers of equal terms for which quantiles are tabulated; beyond, the sum is normal."""


class Spread(NamedTuple):
    """The known properties of the noise of weighted sums: numbers, or arrays with one per sum."""

    variance: Any
    kurtosis: Any
    """The excess kurtosis: 3 for one term, less for more; None if unknown."""
    largest: Any = 0.0
    """The largest weight of integer noise, which changes in steps of this size; 0 if unknown."""
    whole: Any = False
    """Whether all weights are 0 or 1, so that the sum's noise is a whole number."""


def kurtosis_of(squares: Any, fourths: Any) -> Any:
    """The excess kurtosis of a sum of equal Laplace variables, from the sums of the squares and of
    the fourth powers of its weights. An empty sum has none, and 0 / 0 is avoided.

    >>> float(kurtosis_of(1.0, 1.0)), float(kurtosis_of(4.0, 4.0)), float(kurtosis_of(0.0, 0.0))
    (3.0, 0.75, 0.0)
    """
    return np.minimum(3 * fourths / np.maximum(squares, 1e-100) ** 2, 3.0)


def half_width(spread: Spread, confidence: Any) -> Floats:
    """Half the width of the interval that contains the noise with the given confidence, or slightly
    more.

    The curve through the tabulated sums is continuous and the noise is not: if it changes in steps,
    half a step is added, and whole numbers are rounded. If the kurtosis is unknown, the widest of
    all sums with that variance is used.
    """
    level = as_confidence(confidence)
    if spread.kurtosis is None:
        return np.asarray(tabulate_quantiles(level).max() * np.sqrt(np.maximum(spread.variance, 0)))
    variance, kurtosis, largest = (np.asarray(x, dtype=np.float64) for x in spread[:3])
    terms = 3 / np.maximum(kurtosis, 3 / TERMS[-1])
    factor = np.interp(np.log(terms), np.log(TERMS), tabulate_quantiles(level))
    width = factor * np.sqrt(variance)
    rounded = np.where(spread.whole, np.maximum(np.ceil(width - 0.5), 0), width + largest / 2)
    step = np.where(largest > 0, largest, 1)
    single = (terms < 1 + 1e-9) & (largest > 0)
    return np.asarray(np.where(single, step * one_cell(variance / step**2, level), rounded))


def as_confidence(confidence: Any) -> float:
    if isinstance(confidence, int | float | np.number) and 0 < confidence < 1:
        return float(confidence)
    raise QuestionError(
        f"confidence must be between 0 and 1, such as 0.95. Found {confidence!r}. To ask "
        "about an axis named confidence, use a mapping."
    )


def one_cell(variance: Floats, confidence: float) -> Floats:
    """The smallest whole w with P(|noise| <= w) >= confidence, for one discrete Laplace variable.

    With r = exp(-1/scale), the variance is 1 / (cosh(1/scale) - 1) and the probability of more than
    w is 2 r^(w+1) / (1 + r).

    >>> one_cell(np.array(1.841347), 0.95)  # scale 1
    array(3.)
    """
    rate = 2 * np.arcsinh(1 / np.sqrt(2 * np.clip(variance, 1e-300, 1e300)))
    allowed = math.log((1 - confidence) / 2) + np.log1p(np.exp(-rate))
    return np.asarray(np.maximum(np.ceil(-allowed / rate) - 1, 0))


@lru_cache(maxsize=32)
def tabulate_quantiles(confidence: float) -> Floats:
    """The two-sided quantile, in standard deviations, for the kurtosis of each number of terms."""
    equal = [quantile(float(terms), confidence) for terms in TERMS]
    uneven = [uneven_quantile(float(terms) ** -0.5, confidence) for terms in TERMS]
    return np.maximum(equal, uneven)


def uneven_quantile(share: float, confidence: float) -> float:
    """The two-sided quantile of a Laplace variable with this share of the variance 1, plus a normal
    one with the rest. The excess kurtosis is 3 times the squared share.

    >>> round(uneven_quantile(1.0, 0.95), 4), round(uneven_quantile(1e-4, 0.95), 4)
    (2.1183, 1.96)
    """
    scale, deviation = math.sqrt(share / 2), math.sqrt(1 - share)
    if deviation == 0:
        return -scale * math.log(1 - confidence)
    ratio = deviation / scale / math.sqrt(2)

    def beyond(x: float) -> float:
        z = x / deviation / math.sqrt(2)
        return math.erfc(z) + (tail(ratio, z) - tail(ratio, -z)) / 2

    return invert_tail(beyond, confidence)


def tail(a: float, z: float) -> float:
    """exp(a² - 2 a z) erfc(a - z), computed without overflow."""
    from scipy.special import erfcx

    if a > z:
        return math.exp(-z * z) * float(erfcx(a - z))
    return math.exp(a * (a - 2 * z)) * math.erfc(a - z)


def invert_tail(beyond: Callable[[float], float], confidence: float) -> float:
    """The value that is exceeded with probability ``1 - confidence``, by bisection."""
    low, high = 0.0, 4 * math.log(2 / (1 - confidence)) + 4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > 1 - confidence else (low, middle)
    return high


def quantile(terms: float, confidence: float) -> float:
    """The two-sided quantile of the sum of equal Laplace variables, with variance 1.

    The sum is normal given a Gamma variable, its mixing variance. The mixture is integrated over
    the logarithm of that variable, where the trapezoidal rule is exact to rounding, and inverted
    by bisection.

    >>> round(quantile(1.0, 0.95), 4), round(math.log(20) / 2**0.5, 4), quantile(4096.0, 0.95)
    (2.1183, 2.1183, 1.96...)
    """
    from scipy.special import erfc

    spread = 12 / math.sqrt(terms)
    logs = np.linspace(-max(40 / terms, spread), math.log1p(60 / terms + spread), 1200)
    weights = np.exp(terms * (logs - np.expm1(logs)))  # the density relative to that at the mean
    weights /= weights.sum()
    deviation = np.sqrt(2 * np.exp(logs))
    return invert_tail(lambda x: float(weights @ erfc(x / deviation)), confidence)
