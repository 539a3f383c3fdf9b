"""A noisy number and the variance of its noise, as the ledger stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.counting.intervals import Spread, half_width, kurtosis_of


class NoiseTerm(NamedTuple):
    """Discrete Laplace noise with this variance, times a weight."""

    weight: int | float
    variance: float


@dataclass(frozen=True)
class NoisyNumber:
    """A weighted sum of noisy whole numbers.

    >>> NoisyNumber(300, (NoiseTerm(1, 1.841347),)).interval(0.95)     # a count at epsilon 1
    (297.0, 303.0)
    """

    value: int | float
    terms: tuple[NoiseTerm, ...]
    """The independent noise terms."""
    blur: float = 0.0
    """The largest error besides noise, because values are only known up to their bins."""

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return an interval that contains the true value with this confidence."""
        noisy = [term for term in self.terms if term.variance > 0 and term.weight]
        parts = np.array([float(term.weight) ** 2 * term.variance for term in noisy])
        largest = max((abs(float(term.weight)) for term in noisy), default=0.0)
        spread = Spread(
            parts.sum(),
            kurtosis_of(parts.sum(), (parts**2).sum()),
            largest,
            all(abs(term.weight) == 1 for term in noisy),
        )
        width = float(half_width(spread, confidence)) + self.blur
        return self.value - width, self.value + width

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "terms": [list(one) for one in self.terms], "blur": self.blur}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NoisyNumber:
        return cls(data["value"], tuple(NoiseTerm(*one) for one in data["terms"]), data["blur"])
