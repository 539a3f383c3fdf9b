"""The results of an audit, and its statistical power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.lab.bound import Bound, log_ratio

ALPHA = 1e-6
"""The probability that any correct procedure is convicted in a whole audit."""


@dataclass(frozen=True)
class Finding:
    """The result for one pair of tables: the claimed epsilon, and a lower bound on the true one."""

    subject: str
    pair: str
    claimed: float
    bound: Bound

    @property
    def convicted(self) -> bool:
        return self.bound.epsilon > self.claimed

    def to_json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "pair": self.pair,
            "claimed": self.claimed,
            "at_least": round(self.bound.epsilon, 4),
            "convicted": self.convicted,
            "runs": self.bound.runs,
        }


def power(excess: float, runs: int, alpha: float, *, trials: int = 2000, seed: int = 1) -> float:
    """Simulate the probability to convict a mechanism whose loss is ``excess`` instead of 1.

    The event is the optimal one for Laplace noise: a count at or above the larger value.
    """
    rng = np.random.default_rng(seed)
    ratio = np.exp(-excess)
    tested = runs // 4  # half on each table, and half of those choose the event
    likely = rng.binomial(tested, 1 / (1 + ratio), trials)
    unlikely = rng.binomial(tested, ratio / (1 + ratio), trials)
    return float(np.mean(log_ratio(likely, unlikely, tested, alpha) > 1))
