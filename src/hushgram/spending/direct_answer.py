"""The answer to a single query, as users see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import isfinite

from hushgram.answers.answer import format_between, format_confidence, format_digits
from hushgram.spending.clamped import FURTHER
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
    """Contains the true value with the stated confidence. None for a median: the size of its noise
    depends on the table and would reveal something about it."""
    confidence: float
    bounds: tuple[float, float] | None = None
    """For a sum or mean without declared bounds, the bounds that were found."""
    beyond: int = 0
    """The largest plausible number of rows beyond these bounds."""

    def __str__(self) -> str:
        if self.interval is None or isinstance(self.value, date):
            return str(self.value)
        if self.value != self.value:
            lower, upper = (format_digits(end, 6) for end in self.interval)
            return "too few rows to say" + (
                f": between {lower} and {upper}" if isfinite(sum(self.interval)) else ""
            )
        text = format_between(self.value, self.interval, format_confidence(self.confidence))
        return text if self.bounds is None else f"{text}; {self._allowance(*self.bounds)}"

    def _allowance(self, low: float, high: float) -> str:
        """What the interval assumes about rows beyond the bounds that were found."""
        further = FURTHER * (high - low)
        first, last, away = (format_digits(one, 6) for one in (low, high, further))
        return (
            f"allows for up to {self.beyond:,} rows below {first} or above {last}, "
            f"on average up to {away} beyond"
        )
