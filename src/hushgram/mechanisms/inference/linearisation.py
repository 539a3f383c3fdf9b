"""The effect of noisy positions on the counts between cuts, to first order.

Groups of rows have noisy positions along an axis; groups that isotonic regression pooled move
together, as one block. If a block moves up slightly, some of its rows pass the cuts around it,
according to the density of rows there. A cut between two blocks is affected by both, more by the
nearer one::

                 block low            cut         block high
        rows   ······•·················|··············•······    position
                     ── moves by d ──>
                     rows that pass the cut: density x d x (1 - share)

where ``share`` is the position of the cut between low and high. The counts of two neighbouring
parts change by opposite amounts, since rows that leave one enter the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.ranks import RankCurve


class Crossings(NamedTuple):
    """For each cut, the blocks below and above it, and the change of the number of rows below the
    cut if either block moves by one index."""

    low: Ints
    high: Ints
    by_low: Floats
    by_high: Floats

    @classmethod
    def empty(cls, cuts: int) -> Crossings:
        """Uninitialised arrays for this number of cuts."""
        return cls(*np.empty((2, cuts), dtype=np.int64), *np.empty((2, cuts)))


@dataclass(frozen=True, eq=False)
class Linearisation:
    """The derivatives of the counts between cuts, at the positions of ``curve``."""

    groups: SortedGroups
    curve: RankCurve
    cuts: Floats
    """The positions of the inner cuts, in order."""
    noise: float
    """The variance of each group's sum."""

    @cached_property
    def blocks(self) -> Ints:
        """The block of each group. Groups at the same position are one block."""
        middles = self.curve.positions[1:-1]
        return np.concatenate([[0], np.cumsum(middles[1:] > middles[:-1])])

    @cached_property
    def rows(self) -> Floats:
        """The number of rows in each block."""
        return np.asarray(np.bincount(self.blocks, self.groups.lengths), dtype=np.float64)

    @cached_property
    def spreads(self) -> Floats:
        """The variance of each block's position."""
        return np.asarray(self.noise * np.bincount(self.blocks) / self.rows**2)

    @cached_property
    def crossings(self) -> Crossings:
        from hushgram.mechanisms.inference.linearisation_kernels import fill_crossings

        found = Crossings.empty(len(self.cuts))
        fill_crossings(self.curve, self.blocks, self.spreads, self.cuts, found)
        return found

    @cached_property
    def by_total(self) -> Floats:
        """The change of each part for one more row in the total: this row is added to the list at
        the end of the axis and moves the last block."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_by_total

        last, found = self.blocks[-1], np.empty(len(self.cuts) + 1)
        moved = (self.groups.span - self.curve.positions[-2]) / self.rows[last]
        fill_by_total(self.crossings, last, moved, found)
        return found

    def pull(self, weights: Floats) -> tuple[Floats, Floats]:
        """The weight on the total and those on the groups' sums, from weights on the parts.

        A row that passes a cut goes from the part above to the part below.
        """
        low, high, by_low, by_high = self.crossings
        crossing = -np.diff(weights)
        moved = np.bincount(low, crossing * by_low, len(self.rows))
        moved += np.bincount(high, crossing * by_high, len(self.rows))
        by_total = np.array([weights @ self.by_total])
        return by_total, np.asarray((moved / self.rows)[self.blocks])

    def variances(self, total: float) -> Floats:
        """The variance of each part, given that of the total."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_variances

        found = np.empty(len(self.cuts) + 1)
        fill_variances(self.crossings, self.spreads, self.by_total, total, found)
        return found
