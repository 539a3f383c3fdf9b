"""Sorted rows, represented by counts, and the smooth sensitivity of their median."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from math import ceil

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.trusted.noise.exactexp import ceil_shift, enclose

SLACK = Fraction(1, 1024)
"""The share of the smoothing rate, or of 1, that covers the rounding of weights."""


class Ranked:
    """The sorted rows of an ordered axis, represented by counts.

    Row i of n (starting from 1) has position 2i - n - 1: the middle is at 0, neighbouring rows are
    2 apart, and adding or removing a row moves every other row by 1. All positions before the first
    row have the lowest index, and all after the last row the highest.

    >>> Ranked(np.array([0, 2, 0, 1])).median_twice, Ranked(np.array([1, 0, 0, 1])).median_twice
    (2, 3)
    """

    def __init__(self, counts: Ints) -> None:
        self.through = np.cumsum(counts)
        self.rows = int(self.through[-1])
        self.highest = len(counts) - 1
        self.half, self.even = divmod(self.rows + 1, 2)

    @property
    def median_twice(self) -> int:
        """Twice the median's index: the sum of the indices of the two middle rows, which may be the
        same row.

        If there are no rows, the middle of the axis.
        """
        return int(self.at(np.array([0, self.even])).sum())

    def at(self, steps: Ints) -> Ints:
        """Return the index of the row this many steps after row ``half``, the lower of the middle
        rows."""
        return np.minimum(np.searchsorted(self.through - self.half, steps), self.highest)

    def reach(self, changes: Ints) -> Ints:
        """Return how far one more row can move the doubled median, after k rows have changed.

        The widest gap over at most k + 1 steps from row to row, between positions -k - 2 and k + 2.
        """
        odd = changes % 2
        inner = changes // 2 + (odd | self.even)
        outer = inner + (odd == self.even)
        below, above = self.at(self.even - inner), self.at(inner)
        wide: Ints = np.maximum(above - self.at(self.even - outer), self.at(outer) - below)
        return wide

    def turns(self, most: int) -> Ints:
        """Return the numbers of changes, from 0 to ``most``, at which `reach` may grow: up to three
        per occupied cell."""
        ends = np.concatenate([[0], self.through[np.diff(self.through, prepend=0) > 0]])
        below = self.rows - ends - ends - 1  # the last row of a cell becomes reachable
        above = ends - (self.rows - ends)  # the first row of the next cell does
        found = np.concatenate([[0], below, above - 1, above])
        return np.unique(found[(found >= 0) & (found <= min(most, self.rows))])


def smooth_spread(ranked: Ranked, shift: Fraction, rate: Fraction) -> Fraction:
    """Return a noise scale s ≥ 1 that fits the table, and changes little if a row is added or
    removed.

    One row moves the doubled median by at most ``shift * s``, and s by a factor of at most
    exp(rate). It is the largest of ``reach(k) * exp(-k * rate) / shift`` over all k ≥ 0 and 1,
    rounded up (proof: ``docs/proofs/smooth-median.md``). For a scale in finer steps, divide
    ``shift`` by the number of steps.

    `reach` only grows at few k, and values of k that cannot be the maximum are skipped: O(cells +
    min(cells, log(cells / shift) / rate)) steps, for any number of rows.

    References
    ----------
    Nissim, Raskhodnikova & Smith, *Smooth sensitivity and sampling in private data analysis*,
    STOC 2007.
    """
    widest = ranked.highest
    if widest <= shift:
        return Fraction(1)
    slack = min(rate, Fraction(1)) * SLACK
    turns = ranked.turns(ceil(ceil(widest / shift).bit_length() / (rate - slack)))
    bits = ceil(6 * len(turns) * widest / (shift * slack)).bit_length()
    least = shift * (1 << bits)
    decay = lru_cache(maxsize=None)(partial(decay_above, rate - slack, bits))
    best, weight, before = int(least), 1 << bits, 0
    for k, reach in zip(turns.tolist(), ranked.reach(turns).tolist(), strict=True):
        weight, before = ceil_shift(weight * decay(k - before), bits), k
        if widest * weight <= best:
            break
        best = max(best, reach * weight)
    return max(Fraction(1), best / least)


def decay_above(rate: Fraction, bits: int, steps: int) -> int:
    """Return ``2**bits * exp(-rate * steps)``, rounded up."""
    return enclose(rate * steps, bits)[1]
