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
"""A lower limit for the number of rows by which a variance is divided."""


def uneven_width(uneven: Uneven, confidence: float, values: Any = np.inf) -> Floats:
    """Half the width of an interval for the effect of unevenly spread rows, for counts with these
    values.

    With many parts, the deviation is normal. If all rows of a single part are at one place, they
    are either inside or outside, and only the largest deviation is safe.

    People query places with rows. At the position of a row, the expected count is larger than at
    any position, by its variance over its mean; half of that is allowed for.
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
    """Half the width of an interval for the truth, from those for the noise and for unevenly spread
    rows. They are independent, so their squares add up."""
    return np.asarray(MARGIN * np.hypot(noise, uneven))
