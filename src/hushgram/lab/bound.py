"""An empirical lower bound on epsilon, from runs on two neighbouring tables. NONPRIVATE.

If a procedure is ε-private, no event is more than e^ε times as likely on one table as on its
neighbour. So draw many outputs on both. Use one half of them to choose the event that best
distinguishes the tables, and the other half to bound its two probabilities with exact
Clopper-Pearson limits. The logarithm of the ratio of the limits is a lower bound on ε at the stated
confidence. A bound above the claimed ε convicts.

Events are thresholds of features, each a number computed from an output.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats

THRESHOLDS = 64
"""The number of thresholds to try per feature."""


@dataclass(frozen=True)
class Event:
    """The event ``feature >= threshold`` or ``feature < threshold``, more likely on one of the
    tables."""

    feature: int
    threshold: float
    above: bool
    likelier_first: bool

    def counts(self, first: Floats, second: Floats) -> tuple[int, int]:
        """Count how often it happens on the table where it should be more likely, and on the
        other."""
        hits = [int(np.sum(self._happens(runs[:, self.feature]))) for runs in (first, second)]
        return (hits[0], hits[1]) if self.likelier_first else (hits[1], hits[0])

    def _happens(self, values: Floats) -> Any:
        return values >= self.threshold if self.above else values < self.threshold


@dataclass(frozen=True)
class Selection:
    """The event that one of these outcomes occurs, more likely on one of the tables."""

    outcomes: frozenset[Hashable]
    likelier_first: bool

    def counts(self, first: Counter[Hashable], second: Counter[Hashable]) -> tuple[int, int]:
        """Count how often it happens on the table where it should be more likely, and on the
        other."""
        hits = [sum(times[one] for one in self.outcomes) for times in (first, second)]
        return (hits[0], hits[1]) if self.likelier_first else (hits[1], hits[0])


@dataclass(frozen=True)
class Bound:
    """A lower bound on ε, which is wrong with a probability of at most ``alpha``."""

    epsilon: float
    alpha: float
    event: Event | Selection
    runs: int


def lower_bound(first: Floats, second: Floats, alpha: float) -> Bound:
    """Compute the bound from features (runs x features) on two tables.

    The event is chosen on the even runs and tested on the odd ones.
    """
    event = best_event(first[::2], second[::2])
    tested = first[1::2], second[1::2]
    likely, unlikely = event.counts(*tested)
    runs = len(tested[0])
    bound = log_ratio(np.array([likely]), np.array([unlikely]), runs, alpha)[0]
    return Bound(max(float(bound), 0.0), alpha, event, runs)


def best_event(first: Floats, second: Floats) -> Event:
    """Return the event with the largest bound on these runs, over all features and thresholds."""
    best, found = -math.inf, Event(0, 0.0, above=True, likelier_first=True)
    runs = len(first)
    for feature in range(first.shape[1]):
        a, b = np.sort(first[:, feature]), np.sort(second[:, feature])
        thresholds = candidates(np.concatenate([a, b]))
        below = np.searchsorted(a, thresholds), np.searchsorted(b, thresholds)
        for above in (True, False):
            hits = [runs - n if above else n for n in below]
            for likelier_first in (True, False):
                likely, unlikely = hits if likelier_first else reversed(hits)
                bounds = log_ratio(likely, unlikely, runs, 1e-3)
                place = int(np.argmax(bounds))
                if bounds[place] > best:
                    best = float(bounds[place])
                    found = Event(feature, float(thresholds[place]), above, likelier_first)
    return found


def candidates(values: Floats) -> Floats:
    """Return thresholds at quantiles, including the tails, and between the most frequent values."""
    tail = np.geomspace(1e-4, 0.5, THRESHOLDS // 2)
    quantiles = np.quantile(values, np.concatenate([tail, 1 - tail]), method="nearest")
    return np.unique(np.concatenate([quantiles, np.nextafter(quantiles, np.inf)]))


def log_ratio(likely: Any, unlikely: Any, runs: int, alpha: float) -> Floats:
    """Return log(p / q) for the lower limit of p and the upper limit of q, each with half of
    alpha."""
    from scipy.stats import beta

    lower = beta.ppf(alpha / 2, likely, runs - likely + 1)
    upper = beta.ppf(1 - alpha / 2, unlikely + 1, runs - unlikely)
    lower = np.where(likely == 0, 0.0, lower)
    upper = np.where(unlikely == runs, 1.0, upper)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(lower) - np.log(upper))
