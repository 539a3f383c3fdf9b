"""Count outcomes, and compute a lower bound on epsilon from the counts. NONPRIVATE.

If there are few outcomes, the best event is a set of them: those whose probabilities differ most
between the tables, by the likelihood ratio on one half of the runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.lab.bound import Bound, Selection, log_ratio

Tally = Counter[Hashable]
"""How often each outcome occurred."""

CHOOSING = 1e-3
"""The level at which events are compared. The chosen one is tested at another level."""


def tally_of(codes: Ints) -> Tally:
    """Count integers, one for each run. O(n) if they are close together."""
    least = int(codes.min())
    if int(codes.max()) - least < len(codes):
        times = np.bincount(codes - least)
        found = np.flatnonzero(times)
        times = times[found]
        found += least
    else:
        found, times = np.unique(codes, return_counts=True)
    return Counter(dict(zip(found.tolist(), times.tolist(), strict=True)))


def tallied_bound(learned: tuple[Tally, Tally], tested: tuple[Tally, Tally], alpha: float) -> Bound:
    """Compute the bound from outcomes on two tables: the event is learned on one pair of tallies
    and tested on the other. Both tables have the same number of runs."""
    event = best_selection(*learned)
    likely, unlikely = event.counts(*tested)
    runs = tested[0].total()
    bound = log_ratio(np.array([likely]), np.array([unlikely]), runs, alpha)[0]
    return Bound(max(float(bound), 0.0), alpha, event, runs)


def best_selection(first: Tally, second: Tally) -> Selection:
    """Return the set with the largest bound: outcomes sorted by likelihood ratio, or by value if
    they are numbers, up to some place, from either end."""
    outcomes = list({**first, **second})
    times = np.array([[first[one], second[one]] for one in outcomes], dtype=np.int64)
    runs = first.total()
    best, found = -math.inf, Selection(frozenset(), likelier_first=True)
    for order in orders(outcomes, times):
        hits = np.cumsum(times[order], axis=0)
        for likely in (0, 1):
            bounds = log_ratio(hits[:, likely], hits[:, 1 - likely], runs, CHOOSING)
            place = int(np.argmax(bounds))
            if bounds[place] > best:
                best = float(bounds[place])
                chosen = frozenset(outcomes[i] for i in order[: place + 1])
                found = Selection(chosen, likelier_first=likely == 0)
    return found


def orders(outcomes: Sequence[Any], times: Ints) -> Iterator[Ints]:
    ratios = np.argsort(np.log(times + 0.5) @ np.array([1, -1]), kind="stable")
    yield ratios
    yield ratios[::-1]
    if all(isinstance(one, int) for one in outcomes):
        sizes = np.argsort(np.array(outcomes))
        yield sizes
        yield sizes[::-1]
