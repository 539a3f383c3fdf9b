"""A noisy sum around a centre and a noisy number of rows, as the ledger stores them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hushgram.answers.tables.magnitudes import fieller
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber

SURE = 10.0
"""Noise never exceeds this many standard deviations in practice."""

Ends = tuple[float, float]


@dataclass(frozen=True)
class Beyond:
    """The noisy numbers of rows below and above bounds that were found. They count as the nearest
    bound."""

    below: int
    above: int
    variance: float
    further: float
    """The assumed largest average distance beyond the bounds."""
    bins: tuple[int, int] = (1, 1)
    """The number of bins below and above, each with independent noise."""

    def most(self, confidence: float) -> tuple[float, float]:
        """Return the largest plausible numbers of rows below and above."""
        sides = zip((self.below, self.above), self.bins, strict=True)
        noise = NoiseTerm(1, self.variance)
        ends = (NoisyNumber(n, (noise,) * bins).interval(confidence)[1] for n, bins in sides)
        below, above = (max(end, 0.0) for end in ends)
        return below, above


@dataclass(frozen=True)
class NoisyAmount:
    """The noisy sum of the distances of rows above a centre, in steps, and the noisy number of
    rows.

    >>> found = NoisyAmount(120, 0.0, 100, 0.0, centre=50.0, step=0.5, low=0.0, high=100.0)
    >>> found.sum(0.95), found.mean(0.95)
    ((5060.0, (5060.0, 5060.0)), (50.6, (50.6, 50.6)))
    """

    above: int
    above_variance: float
    rows: int
    """0 if the centre is 0, where the number is not needed."""
    rows_variance: float
    centre: float
    step: float
    low: float
    high: float
    blur: float = 0.0
    """The largest rounding error of a row's value."""
    beyond: Beyond | None = None

    def sum(self, confidence: float) -> tuple[float, Ends]:
        """Return the sum of the values, and an interval at this confidence."""
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
        """Return the mean and an interval; NaN if there are too few rows, with the bounds if these
        were declared."""
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
        """Return how much clamping can add to and take from the sum: rows below, and rows above."""
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
