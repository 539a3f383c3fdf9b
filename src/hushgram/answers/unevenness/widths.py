"""Half the widths of intervals: for the noise, for unevenly spread rows, and for the truth."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from hushgram.answers.answer import MARGIN
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.unevenness.base import Uneven
from hushgram.declare.axis import Floats
from hushgram.mechanisms.estimate import Estimate

TINY = 1e-9
"""The least number of rows that a variance is divided by."""


def uneven_width(uneven: Uneven, confidence: float, values: Any = np.inf) -> Floats:
    """Half the width of an interval for it, for counts of these values.

    Many parts make a normal deviation. The rows of a single part, all at one place, are in or out,
    and only the largest deviation is sure to hold.

    People ask where rows are. Among the places where a row lies, the mean of a count is larger than
    among all places, by its variance over its mean; half of that is allowed for.
    """
    both, one = (NormalDist().inv_cdf(level) for level in ((1 + confidence) / 2, confidence))
    variance = np.maximum(uneven.variance, 0)
    deviation = np.sqrt(variance)
    sought = np.minimum(variance / (2 * np.maximum(np.abs(values), TINY)), uneven.most)
    shifted = np.abs(uneven.seen) + sought + one * deviation
    width = np.maximum(both * deviation, shifted)
    most = np.where(np.isfinite(uneven.most), np.maximum(uneven.most, 0), np.inf)
    surest = np.where(np.isfinite(most), most, width)
    mixed = width + uneven.alone * (surest - width)
    return np.asarray(np.minimum(mixed, most), dtype=np.float64)


def noise_width(estimate: Estimate, spread: Spread, confidence: float) -> Floats:
    """Half the width of an interval for the noise of sums of an estimate's values."""
    return np.asarray(estimate.inference.noise_margin * half_width(spread, confidence))


def truth_width(noise: Any, uneven: Any) -> Floats:
    """Half the width of an interval for the truth, from those for the noise and for rows that do
    not are spread evenly. They are independent, and add up like the sides of a right-angled
    triangle."""
    return np.asarray(MARGIN * np.hypot(noise, uneven))
