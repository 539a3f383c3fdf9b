"""Compare means over runs, which may be within noise of each other. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hushgram.lab.evaluate.tables import interval
from reproduction.findings import short, some_of

Runs = Sequence[float]
"""One number for each run."""

Judged = bool | None
"""Whether something holds; None if the noise is too large to say."""

ABOUT = (
    "± is half the width of Student's 95 % interval of a mean over runs. It covers the noise of "
    "the mechanisms, not the choice of data and queries. Two means are *within noise* of each "
    "other, written ≈, if Welch's 95 % interval of their difference contains zero."
)


def mean(values: Runs) -> float:
    return float(np.mean(values))


def format_mean(values: Runs, *, percent: bool = False) -> str:
    """Format a mean and half the width of its interval.

    >>> format_mean([1.0, 2.0, 3.0]), format_mean([0.5]), format_mean([0.75, 0.77], percent=True)
    ('2 ± 2.5', '0.5', '76 ± 13 %')
    """
    scaled = np.asarray(values) * (100 if percent else 1)
    middle, low, high = interval(scaled.tolist())
    half = (high - low) / 2
    written = f"{half:.2g}" if abs(middle) >= 1e7 else short(half, 2)
    return short(middle) + ("" if math.isnan(half) else f" ± {written}") + " %" * percent


def less(first: Runs, second: Runs) -> Judged:
    """Return whether one mean is below another, by Welch's test at 95 %.

    >>> less([1.0, 1.1, 0.9], [2.0, 2.1, 2.2]), less([1.0, 3.0], [2.0, 2.5]), less([1.0], [2.0])
    (True, None, None)
    """
    from scipy.special import stdtrit

    if min(len(first), len(second)) < 2:
        return None
    parts = [float(np.var(one, ddof=1)) / len(one) for one in (first, second)]
    apart = mean(second) - mean(first)
    if sum(parts) == 0:
        return None if apart == 0 else apart > 0
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, (first, second), strict=True)
    )
    if abs(apart) <= float(stdtrit(freedom, 0.975)) * math.sqrt(sum(parts)):
        return None
    return apart > 0


class Ratio(NamedTuple):
    """The logarithm of a ratio of means, and its variance."""

    logarithm: float
    variance: float

    @classmethod
    def of(cls, over: Runs, under: Runs) -> Ratio:
        spread = sum(float(np.var(one)) / len(one) / mean(one) ** 2 for one in (over, under))
        return cls(math.log(mean(over) / mean(under)), spread)

    @classmethod
    def geometric(cls, ratios: Sequence[Ratio]) -> Ratio:
        """Return the geometric mean of several ratios."""
        logs, variances = zip(*ratios, strict=True)
        return cls(mean(logs), sum(variances) / len(ratios) ** 2)

    def below(self, other: Ratio) -> Judged:
        """Return whether it is below another, at 95 %, for many runs."""
        apart = other.logarithm - self.logarithm
        if abs(apart) <= 1.96 * math.sqrt(self.variance + other.variance):
            return None
        return apart > 0

    def __str__(self) -> str:
        """
        >>> str(Ratio.of([2.0, 2.0], [1.0, 1.0]))
        '2'
        """
        value = math.exp(self.logarithm)
        half = 1.96 * math.sqrt(self.variance) * value
        return short(value) + (f" ± {short(half, 2)}" if half else "")


def every(judged: Iterable[Judged]) -> Judged:
    """Return whether all hold: False if one does not, None if one is unknown.

    >>> every([True, True]), every([True, None]), every([None, False])
    (True, None, False)
    """
    found = list(judged)
    if False in found:
        return False
    return None if None in found else True


CLOSE = 1.1
"""Two means are close up to this ratio, or if they are within noise."""


def close(first: Runs, second: Runs) -> bool:
    """Return whether two means are about the same.

    >>> close([1.0, 1.01], [1.05, 1.06]), close([1.0, 1.01], [2.0, 2.01])
    (True, False)
    """
    ratio = mean(first) / mean(second)
    return less(first, second) is None or 1 / CLOSE <= ratio <= CLOSE


def lowest(found: Mapping[str, Runs], name: str) -> Judged:
    """Return whether one has the smallest mean of all."""
    return every(less(found[name], values) for other, values in found.items() if other != name)


def in_order(found: Mapping[str, Runs]) -> str:
    """Return the names in ascending order of their means, with ≈ between those within noise.

    >>> in_order({"a": [5.0, 5.1], "b": [1.0, 1.1], "c": [5.0, 5.2]})
    'b < a ≈ c'
    """
    names = sorted(found, key=lambda name: mean(found[name]))
    parts = names[:1]
    for one, other in pairwise(names):
        parts += ["<" if less(found[one], found[other]) else "≈", other]
    return " ".join(parts)


def times(judged: Iterable[Judged], what: str) -> str:
    """Describe how often something holds.

    >>> times([True, None, False], "ε"), times([True, True], "ε")
    ('at 1 of 3 ε, 1 within noise', 'at all 2 ε')
    """
    found = list(judged)
    open_ = found.count(None)
    return f"at {some_of(found.count(True), len(found))} {what}" + (
        f", {open_} within noise" if open_ else ""
    )
