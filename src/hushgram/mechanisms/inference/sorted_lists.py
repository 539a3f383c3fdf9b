"""Many sorted lists at once, each processed as in `SortedSequence`.

A grid may have thousands of cells with sorted lists. Their data are in arrays, one list after the
other, and every step is one compiled loop over all lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.measured.curve import LeavesOnCurve
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.partition import Cuts, Halving, Ints
from hushgram.mechanisms.inference.grafting import Nodes, halve_slices
from hushgram.mechanisms.inference.ranks import CENTRE, RankCurve
from hushgram.mechanisms.inference.sorted_sequence import OrderedParts, cut_at_bends


class RankCurves(NamedTuple):
    """The curve of each list: the points of list k start at ``offsets[k]``."""

    offsets: Ints
    positions: Floats
    ranks: Floats

    def curve(self, number: int) -> RankCurve:
        own = slice(*self.offsets[number : number + 2].tolist())
        return RankCurve(self.positions[own], self.ranks[own])


@dataclass(frozen=True, eq=False)
class SortedLists:
    """The lists of some cells, with isotonic regression of their groups' sums."""

    cells: SortedCells
    sums: Ints
    """The sums that determine where the lists are cut into parts."""

    @cached_property
    def rows(self) -> Ints:
        """The declared length of each list."""
        return self.cells.rows[self.cells.zoomed]

    def fit_curves(self, sums: Ints) -> RankCurves:
        """The number of rows below each position, according to these sums."""
        from hushgram.mechanisms.inference.sorted_lists_kernels import fit_curves

        offsets = self.cells.offsets + 2 * np.arange(len(self.cells.offsets))
        found = RankCurves(offsets, *np.empty((2, int(offsets[-1]))))
        fit_curves(sums, self.rows, self.cells.offsets, self.cells.span, found)
        return found

    @cached_property
    def curves(self) -> RankCurves:
        """The curves of its own sums."""
        return self.fit_curves(self.sums)

    @cached_property
    def parts(self) -> LeavesOnCurve:
        """The parts of each list: see `SortedSequence.parts`. On one axis they are intervals."""
        curve = self.cells.inside.curve
        each = [self.curves.curve(number) for number in range(len(self.rows))]
        if len(curve.domain) > 1:
            return curve.leaves_around_each([one.positions[1:-1] for one in each])
        starts = [cut_at_bends(one, curve.span) for one in each]
        sizes = np.array([len(one) for one in starts], dtype=np.int64)
        numbers = np.concatenate([np.arange(size) for size in sizes.tolist()])
        along = np.concatenate(starts)
        return LeavesOnCurve(np.append(0, np.cumsum(sizes)), along, along, numbers)

    def parts_of(self, number: int) -> OrderedParts:
        """The parts of one list, with their layout within its cell."""
        own = slice(*self.parts.offsets[number : number + 2].tolist())
        _, places, starts, numbers = self.parts
        curve = self.cells.inside.curve
        if len(curve.domain) == 1:
            return OrderedParts(Cuts(curve.domain, (starts[own],)), starts[own], numbers[own])
        layout = Halving.of(curve.raster, curve.bits).leaves(places[own])
        return OrderedParts(layout, starts[own], numbers[own])

    def trees(self) -> list[Nodes]:
        """The tree of cuts of each list within its cell."""
        curve, ends = self.cells.inside.curve, self.parts.offsets
        if len(curve.domain) == 1:
            return [halve_slices(0, self.parts.starts[a:b]) for a, b in pairwise(ends.tolist())]
        halving = Halving.of(curve.raster, curve.bits)
        axes, cuts = halving.trees(self.parts.places, ends)
        nodes = pairwise((2 * ends - np.arange(len(ends))).tolist())
        return [(axes[a:b], cuts[a:b]) for a, b in nodes]

    def counts(self, totals: Ints, sums: Ints) -> Floats:
        """The number of rows in each part, list by list in the order of the curve."""
        from hushgram.mechanisms.inference.sorted_lists_kernels import spread_counts

        curves = self.curves if sums is self.sums else self.fit_curves(sums)
        found = np.empty(int(self.parts.offsets[-1]))
        spread_counts(curves, self.parts.offsets, self._cuts, self.rows, totals, found)
        return found

    def variances(self, noise: float, total: float) -> Floats:
        """The variance of each of these counts, given those of sums and totals."""
        from hushgram.mechanisms.inference.sorted_lists_kernels import spread_variances

        found = np.empty(int(self.parts.offsets[-1]))
        lists = self.curves, self.parts.offsets, self._cuts, self.rows
        spread_variances(*lists, self.cells.span, noise, total, found)
        return found

    @property
    def _cuts(self) -> Floats:
        """The position where each part starts."""
        return np.asarray(self.parts.starts - CENTRE, dtype=np.float64)
