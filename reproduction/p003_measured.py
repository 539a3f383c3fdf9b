"""Measure the five methods of paper 003 and others on its sets, once. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hushgram.geometry.partition import Ints
from reproduction.judged import Judged, Runs, lowest
from reproduction.p003_factors import Tried, shuffle_bins, try_factors
from reproduction.p003_rivals import FIVE, OURS, RIVALS, MethodRuns
from reproduction.p003_sets import SETS, PaperSet

EPSILONS = ("1", "0.1", "0.01")


@dataclass(frozen=True, eq=False)
class At:
    """The measurements on a set at an ε, for each run."""

    divergence: dict[str, Runs]
    """The divergences of the five, of other mechanisms, and of a view."""
    errors: dict[str, dict[int, Runs]]
    """Their mean squared errors by the size of ranges."""
    mixed: dict[str, dict[int, Runs]]
    """The same for the five, with the bins in random order."""
    factors: dict[str, Tried]

    @classmethod
    def of(cls, counts: Ints, epsilon: str, runs: int) -> At:
        own = MethodRuns(counts, epsilon, runs).add({**RIVALS, **OURS})
        mixed = shuffle_bins(own)
        divergence = own.divergences([*RIVALS, *OURS])
        return cls(divergence, own.errors(), mixed.errors(), try_factors(own, mixed))


def measure_set(histogram: PaperSet, epsilons: Sequence[str], runs: int) -> dict[str, At]:
    """Return the measurements at each ε, which are cached."""
    return {epsilon: _measure(histogram.name, epsilon, runs) for epsilon in epsilons}


@lru_cache(maxsize=64)
def _measure(name: str, epsilon: str, runs: int) -> At:
    (histogram,) = (one for one in SETS if one.name == name)
    _, counts = histogram.make()
    return At.of(counts, epsilon, runs)


def best_of(found: dict[str, dict[str, dict[int, Runs]]]) -> dict[tuple[str, int], Judged]:
    """Return whether AHP has the lowest error of the five, for every ε and size."""
    return {
        (epsilon, size): lowest({name: errors[name][size] for name in FIVE}, "AHP")
        for epsilon, errors in found.items()
        for size in errors["AHP"]
    }


def cases(judged: Sequence[Judged]) -> str:
    """Describe how often something holds.

    >>> cases([True, None, False])
    '1 of 3 cases (1 more within noise)'
    """
    open_ = judged.count(None)
    more = f" ({open_} more within noise)" if open_ else ""
    return f"{judged.count(True)} of {len(judged)} cases{more}"
