"""Compiled: how likely a count is split into two, for each kind of split, as tables.

Counts live on a lattice: number k stands for k times its spacing. Entry j, m of a table has for
each kind the probability that a node of j + m has j in its lower half and m in its upper one.

Small counts are looked up in a table that all nodes share. For large ones a table over the windows
of the two halves is made each time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kinds import (
    BETAS,
    EMPTY_HALF,
    GAUSSIANS,
    KINDS,
    SPREADS,
    STRENGTHS,
    TABLE,
)

REACH = 4.5
"""Standard deviations of a nearly even split that are added up."""

GRAIN = 0.08
"""The variance of rounding to a lattice."""

SMALL = 128
"""Counts below which the table is shared."""


class Stretch(NamedTuple):
    """Counts on the lattice, from the first on."""

    lo: int
    size: int


class Splits(NamedTuple):
    """What is needed to say how likely splits are."""

    spacing: float
    weights: Any
    """See `split_kinds.weight_tables`."""
    shared: Any
    """The table for small counts."""


@compiled(nogil=True)
def weight(table: Any, gamma: float, strength: float, k: int) -> float:
    """Γ(k + s) / (k! Γ(s)) for a strength s: from a table, or by the power law that it follows."""
    if k < TABLE:
        return float(table[k])
    return float((k + 0.5 * strength) ** (strength - 1) / gamma)


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
    """The variance of half of k, on the lattice: of the share, of rows that fall either way, and
    of rounding."""
    return float((SPREADS[kind] * k) ** 2 + 0.25 * k / spacing + GRAIN)


@compiled(nogil=True)
def fill_empty(low: Stretch, high: Stretch, table: Any) -> None:
    """All in one half, either with the same probability."""
    for j in range(low.size):
        for m in range(high.size):
            table[j, m] = 0.5 * (low.lo + j == 0) + 0.5 * (high.lo + m == 0)


@compiled(nogil=True, error_model="numpy")
def fill_beta(kind: int, low: Stretch, high: Stretch, weights: Any, table: Any) -> None:
    """w(j) w(m) / W(j + m)."""
    strength, base = STRENGTHS[kind], low.lo + high.lo
    upper, whole = np.empty(high.size), np.empty(low.size + high.size)
    for m in range(high.size):
        upper[m] = weight(weights[0][kind], weights[1][kind], strength, high.lo + m)
    for k in range(low.size + high.size):
        whole[k] = 1 / weight(weights[2][kind], weights[3][kind], 2 * strength, base + k)
    for j in range(low.size):
        lower = weight(weights[0][kind], weights[1][kind], strength, low.lo + j)
        for m in range(high.size):
            table[j, m] = lower * upper[m] * whole[j + m]


@compiled(nogil=True, error_model="numpy")
def fill_even(kind: int, low: Stretch, high: Stretch, whole: Stretch, spacing: float,
              table: Any) -> None:  # fmt: skip
    """A normal density around one half; along all splits of a count, each follows from the one
    before."""
    for j in range(low.size):
        for m in range(high.size):
            table[j, m] = 0.0
    for k in range(whole.lo, whole.lo + whole.size):
        variance = even_variance(kind, k, spacing)
        reach = REACH * np.sqrt(variance)
        begin = max(max(low.lo, k - high.lo - high.size + 1), int(np.floor(0.5 * k - reach)))
        end = min(min(low.lo + low.size - 1, k - high.lo), int(np.ceil(0.5 * k + reach)))
        if begin > end:
            continue
        away = begin - 0.5 * k
        density = np.exp(-0.5 * away * away / variance) / normal_sum(k, variance)
        ratio = np.exp(-(away + 0.5) / variance)
        change = np.exp(-1.0 / variance)
        for j in range(begin, end + 1):
            table[j - low.lo, k - j - high.lo] = density
            density *= ratio
            ratio *= change


@compiled(nogil=True)
def fill_splits(low: Stretch, high: Stretch, whole: Stretch, spacing: float, weights: Any,
                table: Any) -> None:  # fmt: skip
    """The table over the windows of two halves, for those sums that lie in a window of the whole.
    O(low x high)"""
    fill_empty(low, high, table[:, :, EMPTY_HALF])
    for kind in BETAS:
        fill_beta(kind, low, high, weights, table[:, :, kind])
    for kind in GAUSSIANS:
        fill_even(kind, low, high, whole, spacing, table[:, :, kind])


def share_tables(spacing: float, weights: Any, most: int) -> Splits:
    """With a table for small counts, and not beyond ``most``."""
    size = min(SMALL, most)
    shared = np.empty((size, size, KINDS))
    half = Stretch(0, size)
    fill_splits(half, half, Stretch(0, 2 * size - 1), spacing, weights, shared)
    return Splits(spacing, weights, shared)
