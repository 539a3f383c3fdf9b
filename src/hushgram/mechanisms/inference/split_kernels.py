"""Compiled: tables of the probabilities of splitting a count in two, for each kind of split.

Counts are on a lattice: number k stands for k times its spacing. In a clumped or mild split, a node
of k has j in the lower half with probability w(j) w(k - j) / W(k), so a weight per count is enough.
Each j has few upper halves with which it is a nearly even split: their probabilities are in a
table, one j after the other. For
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
    """The smallest upper half among the nearly even splits of each lower half."""
    starts: Any
    """The start of each lower half's probabilities in ``chances``, followed by the end of all."""
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
def lay_evens(low: Stretch, high: Stretch, whole: Stretch, spacing: float, lows: Any,
              starts: Any) -> int:  # fmt: skip
    """Fill in where the nearly even splits of each lower half are in the table. The number of all,
    with the gaps between them."""
    lows[: low.size] = high.lo + high.size
    starts[: low.size + 1] = 0  # one past the largest upper half, until the end
    for k in range(whole.lo, whole.lo + whole.size):
        first, last = even_reach(WIDER, k, low, high, spacing)
        for j in range(first, last):
            lows[j - low.lo] = min(lows[j - low.lo], k - j)
            starts[j - low.lo + 1] = max(starts[j - low.lo + 1], k - j + 1)
    for j in range(low.size):
        starts[j + 1] = starts[j] + max(starts[j + 1] - lows[j], 0)
    return int(starts[low.size])


@compiled(nogil=True)
def fill_evens(low: Stretch, high: Stretch, whole: Stretch, spacing: float, lows: Any, starts: Any,
               chances: Any) -> None:  # fmt: skip
    """Fill in the table of nearly even splits for the counts of two halves, after `lay_evens`: a
    normal density around one half. Each density is computed from the one before."""
    chances[: 2 * starts[low.size]] = 0.0
    for kind in GAUSSIANS:
        for k in range(whole.lo, whole.lo + whole.size):
            first, last = even_reach(kind, k, low, high, spacing)
            variance = even_variance(kind, k, spacing)
            deviation = first - 0.5 * k
            density = np.exp(-0.5 * deviation * deviation / variance) / normal_sum(k, variance)
            ratio = np.exp(-(deviation + 0.5) / variance)
            change = np.exp(-1.0 / variance)
            for j in range(first, last):
                place = starts[j - low.lo] + k - j - lows[j - low.lo]
                chances[2 * place + kind - WIDER] = density
                density *= ratio
                ratio *= change


def share_tables(spacing: float, weights: Weights, most: int) -> Splits:
    """The tables that all nodes share, with nearly even splits of small counts below ``most``."""
    size = min(SMALL, most)
    half = Stretch(0, size)
    lows, starts = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    chances = np.empty(2 * lay_evens(half, half, half, spacing, lows, starts))
    fill_evens(half, half, half, spacing, lows, starts, chances)
    return Splits(
        spacing, weights.halves.reshape(-1), weights.wholes.reshape(-1), lows, starts, chances
    )
