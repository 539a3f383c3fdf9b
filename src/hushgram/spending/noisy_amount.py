"""What rows add up to around a centre, and how many they are, as the ledger keeps both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hushgram.answers.tables.magnitudes import fieller
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber

SURE = 10.0
"""Standard deviations of noise that nobody meets."""

Ends = tuple[float, float]


@dataclass(frozen=True)
class Beyond:
    """The rows below and above bounds that were found, which count as the nearest bound."""

    below: int
    above: int
    variance: float
    further: float
    """How far beyond they can be on average."""
    bins: tuple[int, int] = (1, 1)
    """In how many bins they were counted, each with noise of its own."""

    def most(self, confidence: float) -> tuple[float, float]:
        """At most so many rows below, and above."""
        sides = zip((self.below, self.above), self.bins, strict=True)
        noise = NoiseTerm(1, self.variance)
        ends = (NoisyNumber(n, (noise,) * bins).interval(confidence)[1] for n, bins in sides)
        below, above = (max(end, 0.0) for end in ends)
        return below, above


@dataclass(frozen=True)
class NoisyAmount:
    """How far the rows are above a centre, all together and in steps, and how many rows there are.

    >>> found = NoisyAmount(120, 0.0, 100, 0.0, centre=50.0, step=0.5, low=0.0, high=100.0)
    >>> found.sum(0.95), found.mean(0.95)
    ((5060.0, (5060.0, 5060.0)), (50.6, (50.6, 50.6)))
    """

    above: int
    above_variance: float
    rows: int
    """0 if the centre is 0 and nobody needs to know."""
    rows_variance: float
    centre: float
    step: float
    low: float
    high: float
    blur: float = 0.0
    """How far a row's value can be from what it was rounded to."""
    beyond: Beyond | None = None

    def sum(self, confidence: float) -> tuple[float, Ends]:
        """What the values add up to, and what holds the truth with this confidence."""
        terms = (
            NoiseTerm(self.centre, self.rows_variance),
            NoiseTerm(self.step, self.above_variance),
        )
        value = self.centre * self.rows + self.step * self.above
        lower, upper = NoisyNumber(value, terms, self.blur * self._most_rows).interval(confidence)
        if self.beyond is not None:
            below, above = self._cut(self.beyond, confidence)
            lower, upper = lower - below, upper + above
        return value, (lower, upper)

    def mean(self, confidence: float) -> tuple[float, Ends]:
        """The mean, and what holds the truth; NaN and the bounds where there are too few rows. If
        these were found, nothing is then known of the mean."""
        width, apart = (
            NoisyNumber(0, (NoiseTerm(1, variance),)).interval(confidence)[1]
            for variance in (self.rows_variance, self.above_variance)
        )
        if not self.rows > width:
            known = (self.low, self.high) if self.beyond is None else (-math.inf, math.inf)
            return math.nan, known
        lower, upper = (
            self.centre + self.step * end + side * self.blur
            for side, end in zip((-1, 1), fieller(self.above, apart, self.rows, width), strict=True)
        )
        value, lower, upper = (
            min(max(one, self.low), self.high)
            for one in (self.centre + self.step * self.above / self.rows, lower, upper)
        )
        if self.beyond is not None:
            below, above = self._cut(self.beyond, confidence)
            lower, upper = lower - below / (self.rows - width), upper + above / (self.rows - width)
        return value, (lower, upper)

    @property
    def _most_rows(self) -> float:
        return max(self.rows, 0) + SURE * math.sqrt(self.rows_variance)

    def _cut(self, beyond: Beyond, confidence: float) -> Ends:
        """What clamping can take from values below and from those above, all together."""
        below, above = beyond.most(confidence)
        return below * beyond.further, above * beyond.further

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NoisyAmount:
        beyond = data["beyond"]
        if beyond is not None:
            beyond = Beyond(**{**beyond, "bins": tuple(beyond.get("bins", (1, 1)))})
        return cls(**{**data, "beyond": beyond})
