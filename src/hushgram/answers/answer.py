"""Answers to queries: numbers with error bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from hushgram.answers.notebook import answer_html, table_html
from hushgram.declare.axis import Floats

Interval = tuple[float, float]

MARGIN = 1.1
"""The factor by which intervals for the truth are widened: they are based on estimates, and must
not hold less often than stated."""

DOMINANT = MARGIN * 2**0.5
"""If an interval exceeds that for the noise alone by this factor, noise is the smaller part of it,
because squared widths add up."""

CUT = "mostly because the range cuts through cells; use cell edges for a smaller margin"
COARSE = "mostly because the range cuts through parts that were counted as one"
SHARED = "mostly because many cells share one estimate"
BINNED = "mostly because values are only known to the bin; publish finer bins for a smaller margin"
"""Reasons why an interval is wider than its noise."""


VISIBLE = 0.1
"""How far off the middle a number is before both ends of its interval are shown, in half widths."""

FEWEST, MOST = 6, 16
"""Digits that a number is shown with."""


@dataclass(frozen=True)
class Answer:
    """A number with an error bar.

    ``interval`` contains the true answer with the stated confidence. ``noise_interval`` only
    accounts for the added noise: use it to add up answers, or if no part is cut. ``partial`` is the
    number of rows of the value that come from parts that the range cuts, or from cells that share
    one estimate.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([500, 700]), epsilon=1)
    >>> answer = release.count(x0=1)
    >>> answer.interval[0] <= answer.value <= answer.interval[1]
    True
    """

    value: float
    interval: Interval
    confidence: float = 0.95
    partial: float = 0.0
    noise_interval: Interval = field(default=(), kw_only=True)  # type: ignore[assignment]
    """By default equal to ``interval``."""
    why_wide: str = field(default=CUT, kw_only=True, repr=False, compare=False)
    """The reason shown for an interval that `is_mostly_cut`."""

    def __post_init__(self) -> None:
        if len(self.noise_interval) == 0:
            object.__setattr__(self, "noise_interval", self.interval)

    @classmethod
    def of(
        cls, value: float, widths: tuple[float, float], confidence: float, partial: float, why: str
    ) -> Self:
        """Create an answer from a value and the half widths of its two intervals."""
        noise, truth = (around(value, float(width)) for width in widths)
        return cls(value, truth, confidence, partial, noise_interval=noise, why_wide=why)

    @property
    def half_width(self) -> float:
        """Half the width of the interval, the number after ±."""
        return (self.interval[1] - self.interval[0]) / 2

    @property
    def is_mostly_cut(self) -> bool:
        """Whether most of the interval comes from parts or groups that the range cuts."""
        noise = (self.noise_interval[1] - self.noise_interval[0]) / 2
        return self.half_width > DOMINANT * noise

    def __str__(self) -> str:
        said = f"{format_rows(self.value)} ± {format_rows(self.half_width)}"
        return f"{said} ({self._remark})"

    def _repr_html_(self) -> str:
        return answer_html(str(self), (self.interval[0], self.value, self.interval[1]))

    @property
    def _remark(self) -> str:
        """The confidence level, and why the interval is wide."""
        why = f"; {self.why_wide}" if self.is_mostly_cut else ""
        return f"{format_confidence(self.confidence)}{why}"


def format_rows(number: float) -> str:
    """A number of rows as text, of any size, since noise is unbounded.

    >>> format_rows(1234.5), format_rows(-0.2), format_rows(1e300), format_rows(float("inf"))
    ('1,234', '0', '1e+300', 'inf')
    """
    return f"{round(number):,}" if abs(number) < 1e18 else f"{number:.6g}"


def format_digits(number: float, digits: int) -> str:
    """A number to some digits, without an exponent unless it is huge or tiny.

    >>> format_digits(76_151_342.7, 6), format_digits(999.7, 3), format_digits(44.80861, 6)
    ('76,151,300', '1,000', '44.8086')
    >>> format_digits(0.0, 3), format_digits(1e300, 3), format_digits(float("inf"), 3)
    ('0', '1e+300', 'inf')
    """
    rounded = float(f"{number:.{digits - 1}e}")
    if 10 ** (digits - 1) <= abs(rounded) < 1e18:
        return f"{rounded:,.0f}"
    return f"{rounded:,.{digits}g}"


def format_between(value: float, interval: Interval, remark: str) -> str:
    """A number and its interval, with as many digits as the interval is worth: by its half width,
    unless the number is visibly off the middle.

    >>> format_between(1234.5678, (1233.44, 1235.69), "95 %")
    '1,234.57 ± 1.12 (95 %)'
    >>> format_between(9.867, (6.912, 13.619), "95 %")
    '9.867 (6.912 to 13.619; 95 %)'
    >>> format_between(1e15 + 3, (1e15 - 1, 1e15 + 7), "95 %")
    '1,000,000,000,000,003 ± 4 (95 %)'
    """
    lower, upper = interval
    width = (upper - lower) / 2
    digits = digits_worth(max(map(abs, (value, *interval))), width)
    if abs(lower + upper - 2 * value) <= VISIBLE * width:
        return f"{format_digits(value, digits)} ± {format_digits(width, 3)} ({remark})"
    shown, low, high = (format_digits(number, digits) for number in (value, lower, upper))
    return f"{shown} ({low} to {high}; {remark})"


def digits_worth(number: float, width: float) -> int:
    """To how many digits a number is shown, so that two or three of its margin's are among them.

    >>> digits_worth(1e15, 4.0), digits_worth(27_698.3, 520.0), digits_worth(1e15, 0.0)
    (16, 6, 6)
    """
    if not 0 < width < np.inf or not 0 < number < np.inf:
        return FEWEST
    apart = np.floor(np.log10(number)) - np.floor(np.log10(width))
    return int(np.clip(apart + 3, FEWEST, MOST))


def format_confidence(confidence: float) -> str:
    """A confidence as text.

    >>> format_confidence(0.95), format_confidence(0.995)
    ('95 %', '99.5 %')
    """
    return f"{100 * confidence:.10g} %"


class Widths(NamedTuple):
    """Half the widths of many intervals."""

    noise: Floats
    truth: Floats


@dataclass(frozen=True, eq=False)
class Answers:
    """Many answers at once, as arrays; see `Answer`. Everything except the values is computed when
    it is first needed.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([500, 700]), epsilon=1)
    >>> answers = release.count({"x0_lo": [0, 1], "x0_hi": [1, 2]})
    >>> len(answers), answers.to_pandas().columns.tolist()[:3]
    (2, ['value', 'lower', 'upper'])
    """

    values: Floats
    confidence: float
    find_partial: Callable[[], Floats] = field(repr=False)
    find_widths: Callable[[], Widths] = field(repr=False)
    why_wide: str = field(default=CUT, repr=False)

    @cached_property
    def partial(self) -> Floats:
        """The number of rows of each value that come from parts that the range cuts."""
        return self.find_partial()

    @cached_property
    def widths(self) -> Widths:
        """Half the widths of the intervals."""
        return self.find_widths()

    @property
    def lower(self) -> Floats:
        """The lower ends of the intervals."""
        return np.asarray(self.values - self.widths.truth)

    @property
    def upper(self) -> Floats:
        """The upper ends of the intervals."""
        return np.asarray(self.values + self.widths.truth)

    @property
    def noise_lower(self) -> Floats:
        """The lower ends of the intervals for the noise alone."""
        return np.asarray(self.values - self.widths.noise)

    @property
    def noise_upper(self) -> Floats:
        """The upper ends of the intervals for the noise alone."""
        return np.asarray(self.values + self.widths.noise)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Answer:
        widths = self.widths.noise[place], self.widths.truth[place]
        value, partial = float(self.values[place]), float(self.partial[place])
        return Answer.of(value, widths, self.confidence, partial, self.why_wide)

    def _repr_html_(self) -> str:
        frame = self.to_pandas()[["value", "lower", "upper"]]
        return table_html(frame, len(self), "answers")

    def to_pandas(self) -> Any:
        """A data frame with a row for each answer."""
        import pandas as pd

        columns = ("lower", "upper", "noise_lower", "noise_upper", "partial")
        return pd.DataFrame(
            {"value": self.values, **{name: getattr(self, name) for name in columns}}
        )


def around(value: float, width: float) -> Interval:
    return value - width, value + width
