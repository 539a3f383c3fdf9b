"""Compiled: tables of the probabilities of splitting a count in two, for each kind of split.

Counts are on a lattice: number k stands for k times its spacing. In a clumped or mild split, a node
of k has j in the lower half with probability w(j) w(k - j) / W(k), so a weight per count is enough.
Each k has few nearly even splits: their probabilities are in a table, one k after the other. For
small counts, all nodes share this table; for large ones, each node has its own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import (
    BETAS,
    GAUSSIANS,
    SPREADS,
    STRENGTHS,
    Weights,
)

REACH = 4.5
"""The number of standard deviations of a nearly even split that are included."""

GRAIN = 0.08
"""The variance of rounding to a lattice."""

SMALL = 1024
"""Counts below which the table of nearly even splits is shared."""

WIDER = GAUSSIANS[0]
"""The wider of the two kinds of nearly even splits."""


class Stretch(NamedTuple):
    """A range of counts on the lattice."""

    lo: int
    size: int


class Splits(NamedTuple):
    """The tables of the probabilities of splits."""

    spacing: float
    halves: Any
    wholes: Any
    """See `split_kinds.Weights`: rows of four, one after the other."""
    lows: Any
    """The smallest lower half among the nearly even splits of each count."""
    starts: Any
    """The start of each count's probabilities in ``chances``, followed by the end of all."""
    chances: Any
    """The probabilities of nearly even splits, with those of the two kinds next to each other."""


@compiled(nogil=True)
def half_weights(k: int) -> Any:
    """A row of `split_kinds.Weights.halves` beyond its end, by a power law."""
    return power_law(1, 0, k), power_law(1, 1, k), power_law(1, 2, k), 1.0


@compiled(nogil=True)
def whole_weights(k: int) -> Any:
    """A row of `split_kinds.Weights.wholes` beyond its end, by a power law."""
    return 1 / power_law(2, 0, k), 1 / power_law(2, 1, k), 1 / power_law(2, 2, k), 1.0


@compiled(nogil=True, error_model="numpy")
def power_law(times: int, place: int, k: int) -> float:
    """An approximation of Γ(k + s) / (k! Γ(s)), where s is ``times`` the strength of a kind."""
    s = times * STRENGTHS[BETAS[place]]
    return float((k + 0.5 * s) ** (s - 1) / math.gamma(s))


@compiled(nogil=True)
def normal_sum(k: int, variance: float) -> float:
    """The sum over j = 0 … k of exp(-(j - k/2)² / 2 variance)."""
    if variance > 2.0 and 1.0 * k * k > 64.0 * variance:
        return float(np.sqrt(2 * np.pi * variance))
    reach = 6.0 * np.sqrt(variance) + 1
    first, last = max(0, int(0.5 * k - reach)), min(k, int(0.5 * k + reach) + 1)
    found = 0.0
    for j in range(first, last + 1):
        found += np.exp(-0.5 * (j - 0.5 * k) ** 2 / variance)
    return found


@compiled(nogil=True)
def even_variance(kind: int, k: int, spacing: float) -> float:
    """The variance of the lower half of k, on the lattice: of the share, of the random division of
    rows, and of rounding."""
    return float((SPREADS[kind] * k) ** 2 + 0.25 * k / spacing + GRAIN)


@compiled(nogil=True)
def even_reach(kind: int, k: int, low: Stretch, high: Stretch, spacing: float) -> Any:
    """The first count of a lower half of k that is included, and one past the last, within the
    ranges of the halves."""
    reach = REACH * np.sqrt(even_variance(kind, k, spacing))
    first = max(max(low.lo, k - high.lo - high.size + 1), int(np.floor(0.5 * k - reach)))
    last = min(min(low.lo + low.size - 1, k - high.lo), int(np.ceil(0.5 * k + reach)))
    return first, max(first, last + 1)


@compiled(nogil=True)
def fill_chances(kind: int, k: int, first: int, last: int, spacing: float, chances: Any) -> None:
    """Fill in a normal density around one half, for lower halves from ``first`` up to ``last``.
    Each is computed from the one before."""
    variance = even_variance(kind, k, spacing)
    deviation = first - 0.5 * k
    density = np.exp(-0.5 * deviation * deviation / variance) / normal_sum(k, variance)
    ratio = np.exp(-(deviation + 0.5) / variance)
    change = np.exp(-1.0 / variance)
    for j in range(last - first):
        chances[j] = density
        density *= ratio
        ratio *= change


@compiled(nogil=True)
def fill_evens(low: Stretch, high: Stretch, whole: Stretch, spacing: float, lows: Any, starts: Any,
               chances: Any) -> None:  # fmt: skip
    """Fill in the table of nearly even splits for the counts of two halves."""
    filled = starts[0] = 0
    for i in range(whole.size):
        k = whole.lo + i
        first, last = even_reach(WIDER, k, low, high, spacing)
        lows[i], starts[i + 1] = first, filled + last - first
        for n in range(2 * filled, 2 * (filled + last - first)):
            chances[n] = 0.0
        for kind in GAUSSIANS:
            begin, end = even_reach(kind, k, low, high, spacing)
            if begin < end:
                place = 2 * (filled + begin - first) + kind - WIDER
                fill_chances(kind, k, begin, end, spacing, chances[place::2])
        filled += last - first


@compiled(nogil=True)
def count_evens(half: Stretch, spacing: float) -> int:
    """The number of nearly even splits of counts in a range, if both halves are in it, too."""
    found = 0
    for k in range(half.lo, half.lo + half.size):
        first, last = even_reach(WIDER, k, half, half, spacing)
        found += last - first
    return found


def share_tables(spacing: float, weights: Weights, most: int) -> Splits:
    """The tables that all nodes share, with nearly even splits of small counts below ``most``."""
    size = min(SMALL, most)
    half = Stretch(0, size)
    lows, starts = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    chances = np.empty(2 * count_evens(half, spacing))
    fill_evens(half, half, half, spacing, lows, starts, chances)
    return Splits(
        spacing, weights.halves.reshape(-1), weights.wholes.reshape(-1), lows, starts, chances
    )
