"""The distribution behind noisy sums of sorted groups.

A group's mean, with noise, is where its middle row lies. Isotonic regression restores the order of
the means; the line through (position, rank of the middle row) of all groups is the estimated number
of rows below any position. Where groups were pooled to one position the line jumps: many rows at
one value stay there. Beyond the outermost middles it goes on for half a group with the step of the
nearest two groups, since the paper's cells, which run to the ends of the axis, put rows where none
may be: on clustered rows their error is two to ten times as large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Boxes, Cuts, Ints, Lattice, Partition
from hushgram.mechanisms.inference.isotonic import isotonic
from hushgram.queries import Measurement

CENTRE = 0.5
"""A row of index i lies in the middle of its cell, which begins at ``i - CENTRE``."""


class Line(NamedTuple):
    """The number of rows below a position: a line through points, both coordinates ascending."""

    positions: Floats
    ranks: Floats

    def before(self, places: Floats) -> Ints:
        """The segment of each place: the number of the point that it ends with."""
        found = np.searchsorted(self.positions, places, side="left")
        return np.clip(found, 1, len(self.positions) - 1)

    def shares(self, places: Floats, after: Ints) -> Floats:
        """How far along its segment each place is, from 0 to 1."""
        start, stop = self.positions[after - 1], self.positions[after]
        width = np.where(stop > start, stop - start, 1.0)
        return np.clip((places - start) / width, 0, 1)

    def below(self, places: Floats) -> Floats:
        """The number of rows below each place."""
        after = self.before(places)
        start, stop = self.ranks[after - 1], self.ranks[after]
        inside = start + self.shares(places, after) * (stop - start)
        return np.where(places > self.positions[-1], self.ranks[-1], inside)


@dataclass(frozen=True, eq=False)
class SortedSequence:
    """The inference of a total and of the sums of sorted groups: counts between cuts.

    It is not linear, since noise moves positions and not counts. `pull` and `variances` are those
    of its linearisation: where a position moves, rows pass a cut by the density around it, taken
    over one standard deviation of the position to either side. They are approximate, and leave out
    that isotonic regression chose its pools by the noise: among many rows they are some 40 % too
    wide, in thin tails sometimes too narrow. The total's noise falls to the upper end, where the
    list is cut or padded.
    """

    kind: ClassVar[str] = "sorted"
    measurements: tuple[Measurement, Measurement]
    """The number of rows, and the sums: what the cuts and the linearisation are derived from."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> SortedSequence:
        if len(measurements) != 2 or not isinstance(measurements[1].partition, SortedGroups):
            raise BadInput("a sorted sequence is inferred from a total and sums of sorted groups.")
        whole = measurements[0].partition
        if not isinstance(whole, Lattice) or whole.size != 1:
            raise BadInput("the total of a sorted sequence is a single count.")
        return cls((measurements[0], measurements[1]))

    @property
    def groups(self) -> SortedGroups:
        found = self.measurements[1].partition
        assert isinstance(found, SortedGroups)
        return found

    def points(self, measurements: Sequence[Measurement]) -> tuple[Floats, Ints]:
        """The reconstructed rows: the position of each group along the indices, in order, and how
        many rows it stands for."""
        lengths = self.groups.lengths
        means = measurements[1].values / lengths
        fitted = isotonic(means, lengths.astype(np.float64))
        return np.clip(fitted, 0, self.groups.span), lengths

    def line(self, measurements: Sequence[Measurement]) -> Line:
        """The number of rows below each position, as these measurements have it."""
        positions, lengths = self.points(measurements)
        ends = self.groups.ends.astype(np.float64)
        steps = np.diff(positions) if len(positions) > 1 else np.zeros(1)
        first = max(positions[0] - steps[0] / 2, -CENTRE)
        last = min(positions[-1] + steps[-1] / 2, self.groups.span + CENTRE)
        return Line(
            np.concatenate([[first], positions, [last]]),
            np.concatenate([[0.0], ends - lengths / 2, ends[-1:]]),
        )

    @cached_property
    def _line(self) -> Line:
        return self.line(self.measurements)

    @cached_property
    def _parts(self) -> tuple[Cuts | Boxes, Ints, Ints]:
        """The layout, where its parts start, in order, and the number of each of these parts.

        On one axis there are cuts where the line bends, and on both sides of the cells in which it
        jumps: no more than twice as many as there are groups, however fine the axis is. On more
        axes boxes are cut until none has two bends.
        """
        if len(self.groups.domain) > 1:
            return self.groups.curve.boxes_around(self._line.positions[1:-1])
        places = self._line.positions + CENTRE
        jumps = np.floor(places[:-1][np.diff(places) == 0])
        cuts = np.unique(np.concatenate([np.rint(places), jumps, jumps + 1]).astype(np.int64))
        starts = np.concatenate([[0], cuts[(cuts > 0) & (cuts <= self.groups.span)]])
        return Cuts(self.groups.domain, (starts,)), starts, np.arange(len(starts))

    @property
    def layout(self) -> Cuts | Boxes:
        return self._parts[0]

    @cached_property
    def _inner(self) -> Floats:
        """The positions where all parts but the first start."""
        return np.asarray(self._parts[1][1:] - CENTRE, dtype=np.float64)

    def _numbered(self, values: Floats) -> Floats:
        """Values in the order of the line, by the parts' numbers."""
        found = np.empty(len(values))
        found[self._parts[2]] = values
        return found

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        below = self.line(measurements).below(self._inner)
        values = np.diff(np.concatenate([[0.0], below, [float(self.groups.rows)]]))
        values[-1] += float(int(measurements[0].values[0]) - self.groups.rows)
        return self._numbered(values)

    @cached_property
    def blocks(self) -> Ints:
        """The pool of each group: groups at one position."""
        return np.concatenate([[0], np.cumsum(np.diff(self._line.positions[1:-1]) > 0)])

    @cached_property
    def _spreads(self) -> Floats:
        """The variance of each block's position."""
        groups = np.bincount(self.blocks)
        return np.asarray(self.measurements[1].variance * groups / self._rows**2)

    @cached_property
    def _rows(self) -> Floats:
        """How many rows each block has."""
        return np.asarray(np.bincount(self.blocks, self.groups.lengths), dtype=np.float64)

    @cached_property
    def _passing(self) -> tuple[Ints, Ints, Floats, Floats]:
        """For each inner cut the blocks before and after it, and how many rows pass it for each
        index that either of them moves."""
        after = self._line.before(self._inner)
        share = self._line.shares(self._inner, after)
        last = len(self.blocks) - 1
        low, high = (self.blocks[np.clip(n, 0, last)] for n in (after - 2, after - 1))
        deviations = np.sqrt(self._spreads)
        step = np.maximum((1 - share) * deviations[low] + share * deviations[high], 1e-9)
        around = self._line.below(self._inner + step) - self._line.below(self._inner - step)
        density = around / (2 * step)
        return low, high, -density * (1 - share), -density * share

    @cached_property
    def _by_total(self) -> Floats:
        """What one row more in the total does to each part: a row at the end of the axis is added
        to the list, and moves the last block there."""
        low, high, by_low, by_high = self._passing
        last = self.blocks[-1]
        moved = (self.groups.span - self._line.positions[-2]) / self._rows[last]
        passed = moved * (np.where(low == last, by_low, 0) + np.where(high == last, by_high, 0))
        return np.diff(np.concatenate([[0.0], passed, [1.0]]))

    def pull(self, weights: Floats) -> Sequence[Floats]:
        low, high, by_low, by_high = self._passing
        weights = weights[self._parts[2]]
        crossing = -np.diff(weights)
        moved = np.bincount(low, crossing * by_low, len(self._rows))
        moved += np.bincount(high, crossing * by_high, len(self._rows))
        by_total = np.array([weights @ self._by_total])
        return [by_total, np.asarray((moved / self._rows)[self.blocks])]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        low, high, by_low, by_high = self._passing

        def shared(a: slice, b: slice) -> Floats:
            """The covariance of the numbers of rows below two cuts."""
            found = np.zeros(len(low[a]))
            for left, by_left in ((low[a], by_low[a]), (high[a], by_high[a])):
                for right, by_right in ((low[b], by_low[b]), (high[b], by_high[b])):
                    found += np.where(left == right, self._spreads[left] * by_left * by_right, 0)
            return found

        own, next_to = shared(slice(None), slice(None)), shared(slice(None, -1), slice(1, None))
        found = np.concatenate([[0.0], own]) + np.concatenate([own, [0.0]])
        found[1:-1] -= 2 * next_to
        by_total = measurements[0].variance * self._by_total**2
        return self._numbered(np.maximum(found, 0) + by_total)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


def check_layout(partition: Partition, derived: Cuts | Boxes) -> None:
    """Their number, not their bounds: these are rounded floats, and another machine may round
    otherwise."""
    if type(partition) is not type(derived) or partition.size != derived.size:
        raise BadInput("the parts of sorted rows are cut where the sums of their groups say.")
