"""A single noisy number, as users get it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import isfinite

from hushgram.answers.answer import format_between, format_confidence, format_digits
from hushgram.spending.median import Value


@dataclass(frozen=True)
class DirectAnswer:
    """A single noisy number, returned by `hushgram.ask`.

    Examples
    --------
    >>> import hushgram as hg
    >>> answer = hg.ask(hg.Counts([500, 700]), "count", epsilon=1)
    >>> answer.interval[0] <= answer.value <= answer.interval[1]
    True
    """

    aggregate: str
    value: Value
    interval: tuple[float, float] | None
    """It holds the truth with the stated confidence; None for a median, whose noise fits the table,
    so that its size would tell about it."""
    confidence: float
    bounds: tuple[float, float] | None = None
    """Of a sum or mean, the bounds to which values were moved, if they were found."""
    beyond: int = 0
    """At most so many rows lie beyond bounds that were found."""

    def __str__(self) -> str:
        if self.interval is None or isinstance(self.value, date):
            return str(self.value)
        if self.value != self.value:
            lower, upper = (format_digits(end, 6) for end in self.interval)
            return "too few rows to say" + (
                f": between {lower} and {upper}" if isfinite(sum(self.interval)) else ""
            )
        said = format_between(self.value, self.interval, format_confidence(self.confidence))
        return said if self.bounds is None else f"{said}; {self._allowance(*self.bounds)}"

    def _allowance(self, low: float, high: float) -> str:
        """What the interval takes for granted of rows beyond bounds that were found."""
        first, last, apart = (format_digits(end, 6) for end in (low, high, high - low))
        return (
            f"allows for up to {self.beyond:,} rows below {first} or above {last}, "
            f"on average up to {apart} beyond"
        )
