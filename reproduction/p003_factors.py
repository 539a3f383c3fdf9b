"""The factors that determine the order in paper 003's Tables 2 to 4, one at a time. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing
from reproduction.findings import Numbers, short
from reproduction.judged import Judged, Runs, in_order, lowest, mean
from reproduction.p003_rivals import (
    FIVE,
    OURS,
    RIVALS,
    Method,
    MethodRuns,
    ahp,
    floor_counts,
    in_advance,
    left_out,
    publishing_method,
)

CHANGED: dict[str, tuple[str, Method]] = {
    "AHP: half of ε for its first counts, not 0.85": ("AHP", ahp(share=Fraction(1, 2))),
    "AHP: threshold η = 0.35, not 0.1": ("AHP", ahp(eta=0.35)),
    "AHP: threshold η = 1": ("AHP", ahp(eta=1.0)),
    "AHP: optimal clusters, not greedy": ("AHP", ahp(clustering="optimal")),
    "NF: n / 10 clusters, given in advance": ("NF", in_advance),
    "PHP: this package's rules": ("PHP", OURS["p-hpartition"]),
    "GS: the group size that it deems best": ("GS", publishing_method(GroupingSmoothing())),
}
"""Changes of one of the five methods."""

RULES: dict[str, Callable[..., object]] = {
    "zeros: negative counts become 1": partial(floor_counts, 1.0),
    "zeros: negative counts become 10⁻⁶": partial(floor_counts, 1e-6),
    "zeros: bins without a positive count are left out": left_out,
}

AS_IT_IS = "as above"
SHUFFLED = "bins in random order"
SHUFFLED_GIVEN = "bins in random order, and NF's clusters given in advance"
GIVEN = "NF, given"
FULL = "without the empty bins"


class Tried(NamedTuple):
    """The divergences of the five with one factor changed."""

    found: dict[str, Runs]

    @property
    def lowest(self) -> Judged:
        return lowest(self.found, "AHP")

    def __str__(self) -> str:
        """Format the order of AHP and the best of the others, with their divergences."""
        rivals = {name: runs for name, runs in self.found.items() if name != "AHP"}
        best = min(rivals, key=lambda name: mean(rivals[name]))
        two = {"AHP": self.found["AHP"], best: rivals[best]}
        values = sorted(mean(runs) for runs in two.values())
        return f"{in_order(two)} ({', '.join(map(short, values))})"


def shuffle_bins(own: MethodRuns) -> MethodRuns:
    """Run the five on the same bins in random order, and NF with its clusters given in advance."""
    mixed = np.random.default_rng(5).permutation(own.counts)
    return MethodRuns(mixed, own.epsilon, own.runs).add({**RIVALS, GIVEN: in_advance})


def try_factors(own: MethodRuns, mixed: MethodRuns) -> dict[str, Tried]:
    """Compare the five unchanged, and with each factor changed."""
    base = own.divergences(FIVE)
    found = {AS_IT_IS: Tried(base)}
    found |= {name: Tried(own.divergences(FIVE, rule)) for name, rule in RULES.items()}
    for name, (who, method) in CHANGED.items():
        other = MethodRuns(own.counts, own.epsilon, own.runs).add({who: method})
        found[name] = Tried({**base, **other.divergences([who])})
    if (own.counts == 0).any():
        full = MethodRuns(own.counts[own.counts > 0], own.epsilon, own.runs)
        found[FULL] = Tried(full.add(RIVALS).divergences(FIVE))
    random = mixed.divergences([*FIVE, GIVEN])
    found[SHUFFLED] = Tried({name: random[name] for name in FIVE})
    found[SHUFFLED_GIVEN] = Tried({**found[SHUFFLED].found, "NF": random[GIVEN]})
    return found


def table(found: dict[str, dict[str, Tried]]) -> Numbers:
    """Return a table with a row for each factor, and a column for each ε."""
    names = list(next(iter(found.values())))
    rows = [(name, *(str(by[name]) for by in found.values())) for name in names]
    return Numbers(
        "Tested: one thing changed at a time, and the effect on AHP and the best of the other "
        "four (KLD)",
        ("", *(f"ε = {epsilon}" for epsilon in found)),
        rows,
    )
