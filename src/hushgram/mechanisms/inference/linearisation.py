"""How counts between cuts move with noisy positions, to first order.

Groups of rows are at noisy positions along an axis; groups that isotonic regression pooled move
together, as one block. If a block moves up by a little, some of its rows pass the cuts around it:
as many as the density of rows there says. A cut between two blocks feels both, the nearer more::

                 block low            cut         block high
        rows   ······•·················|··············•······    position
                     ── moves by d ──>
                     rows that pass the cut: density x d x (1 - share)

with the share of the way from low to high at which the cut lies. The counts of two neighbouring
parts change by opposite amounts: what leaves one enters the other.
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
    """For each cut the blocks below and above it, and how the number of rows below the cut changes
    for each index that either of them moves."""

    low: Ints
    high: Ints
    by_low: Floats
    by_high: Floats

    @classmethod
    def empty(cls, cuts: int) -> Crossings:
        """Room for that many cuts."""
        return cls(*np.empty((2, cuts), dtype=np.int64), *np.empty((2, cuts)))


@dataclass(frozen=True, eq=False)
class Linearisation:
    """The derivatives of the counts between cuts, around the positions that ``curve`` has."""

    groups: SortedGroups
    curve: RankCurve
    cuts: Floats
    """The positions of the inner cuts, in order: parts are what lies between."""
    noise: float
    """The variance of each group's sum."""

    @cached_property
    def blocks(self) -> Ints:
        """The block of each group: groups at one position."""
        middles = self.curve.positions[1:-1]
        return np.concatenate([[0], np.cumsum(middles[1:] > middles[:-1])])

    @cached_property
    def rows(self) -> Floats:
        """How many rows each block has."""
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
        """What one more row in the total does to each part: a row at the end of the axis is added
        to the list, and moves the last block there."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_by_total

        last, found = self.blocks[-1], np.empty(len(self.cuts) + 1)
        moved = (self.groups.span - self.curve.positions[-2]) / self.rows[last]
        fill_by_total(self.crossings, last, moved, found)
        return found

    def pull(self, weights: Floats) -> tuple[Floats, Floats]:
        """For weights on the parts, the weight on the total and those on the groups' sums.

        A row that passes a cut goes from the part above to the part below.
        """
        low, high, by_low, by_high = self.crossings
        crossing = -np.diff(weights)
        moved = np.bincount(low, crossing * by_low, len(self.rows))
        moved += np.bincount(high, crossing * by_high, len(self.rows))
        by_total = np.array([weights @ self.by_total])
        return by_total, np.asarray((moved / self.rows)[self.blocks])

    def variances(self, total: float) -> Floats:
        """The variance of each part, where the total has this one."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_variances

        found = np.empty(len(self.cuts) + 1)
        fill_variances(self.crossings, self.spreads, self.by_total, total, found)
        return found
