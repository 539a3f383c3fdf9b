"""Counts of a grid, and the distribution of rows within some of its cells.

Every cell's sum is its noisy count. In cells with a list of sorted rows, the count is distributed
as in `SortedSequence`, separately for each cell; other cells stay whole::

    ┌─────┬─────┬─────┐        counts   12  40  3        a count for each cell
    │     │  ├──┤     │        sums         ··            sums of sorted groups, for the second
    │  12 ├──┤  │  3  │
    │     │  │  │     │        parts    12  9 4 20 7  3   the second is cut where its sums say
    └─────┴──┴──┴─────┘

So each zoomed cell has a range of the parts and a range of the sums. All lists are processed
together (`SortedLists`), except for weights, which usually affect few cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Partition
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.grafting import (
    LEAF,
    Nodes,
    graft,
    halve_grid,
    place_tree,
)
from hushgram.mechanisms.inference.sorted_lists import SortedLists
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence, check_layout
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Zoomed(Inference):
    """The inference of a grid's counts and of the sums of sorted groups in its cells."""

    kind: ClassVar[str] = "zoomed"
    measurements: tuple[Measurement, Measurement]
    """The counts, and the sums. They determine the cuts and the positions of the linearisation,
    whatever measurements `push` gets."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Zoomed:
        lists = measurements[1].partition if len(measurements) == 2 else None
        if not isinstance(lists, SortedCells) or measurements[0].partition != lists.grid:
            raise BadInput("A zoom needs the counts of a grid and the sorted groups of its cells.")
        return cls((measurements[0], measurements[1]))

    @property
    def is_linear(self) -> bool:
        return False

    @property
    def noise_margin(self) -> float:
        return 1.5

    @property
    def cells(self) -> SortedCells:
        found = self.measurements[1].partition
        assert isinstance(found, SortedCells)
        return found

    @cached_property
    def lists(self) -> SortedLists:
        return SortedLists(self.cells, self.measurements[1].values)

    @cached_property
    def offsets(self) -> Ints:
        """The number of each cell's first part, followed by the number of all parts."""
        sizes = np.ones(self.cells.grid.size, dtype=np.int64)
        sizes[self.cells.zoomed] = np.diff(self.lists.parts.offsets)
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def along(self) -> Ints:
        """The number of each part of the lists, list by list in the order of the curve."""
        first = np.repeat(self.offsets[self.cells.zoomed], np.diff(self.lists.parts.offsets))
        return first + self.lists.parts.numbers

    @cached_property
    def _sequences(self) -> dict[int, SortedSequence]:
        return {}

    def sequence(self, place: int) -> SortedSequence:
        """The inference of a single list, cached."""
        if place not in self._sequences:
            counts, sums = self.measurements
            number = int(self.cells.zoomed[place])
            own = slice(*self.cells.offsets[place : place + 2].tolist())
            cell = self.cells.inside.cell
            groups = SortedGroups(cell, self.cells.rows[number], self.cells.group[number])
            total, whole = counts.values[number : number + 1], Grid(cell, (1,) * len(cell))
            made = SortedSequence.of((
                Measurement(whole, total, counts.variance, counts.scale),
                Measurement(groups, sums.values[own], sums.variance, sums.scale),
            ))  # fmt: skip
            found = {"curve": self.lists.curves.curve(place), "parts": self.lists.parts_of(place)}
            vars(made).update(found)  # the values of its cached properties
            self._sequences[place] = made
        return self._sequences[place]

    @cached_property
    def layout(self) -> Cuts | Boxes:
        """The cells without a list and the parts of the others, in the order of the cells: cuts on
        one axis, boxes on several."""
        inside = self.cells.inside
        if len(self.cells.grid.domain) == 1:
            return Cuts(self.cells.grid.domain, (inside.raster.cuts(0)[self._starts()],))
        return Boxes(inside.raster, *self._tree())

    def _starts(self) -> Ints:
        """The slice of the raster at which each part starts, on a single axis."""
        cells = self.cells.grid.slices[0]
        starts = np.arange(cells) * self.cells.inside.slices[0]
        slices = np.repeat(starts, np.diff(self.offsets)[:cells])
        slices[self.along] += self.lists.parts.starts
        return slices

    def _tree(self) -> Nodes:
        """The tree whose leaves are the grid's cells, with the trees of the lists below them."""
        grid, inside = self.cells.grid, self.cells.inside
        leaves = [LEAF] * grid.size
        at = np.unravel_index(self.cells.zoomed, grid.shape)
        corners = np.stack(at, axis=1) * inside.slices
        each = zip(self.cells.zoomed.tolist(), self.lists.trees(), corners, strict=True)
        for number, own, corner in each:
            leaves[number] = place_tree(own, np.array(inside.axes), corner)
        firsts = [np.arange(m) * k for m, k in zip(grid.shape, inside.slices, strict=True)]
        return graft(halve_grid(firsts), leaves)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        counts, sums = (one.values for one in measurements)
        values = np.repeat(counts.astype(np.float64), np.diff(self.offsets))
        values[self.along] = self.lists.counts(counts[self.cells.zoomed], sums)
        return values

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """The weights on the counts and the sums. If all parts of a cell have the same weight, its
        count has this weight: rows that move within the cell change nothing."""
        counts = weights[self.offsets[:-1]].astype(np.float64)
        sums = np.zeros(self.cells.size)
        least, most = (
            each.reduceat(weights, self.offsets[:-1]) for each in (np.minimum, np.maximum)
        )
        for place in np.flatnonzero((least < most)[self.cells.zoomed]).tolist():
            number = self.cells.zoomed[place]
            parts = slice(*self.offsets[number : number + 2].tolist())
            by_count, by_sums = self.sequence(place).pull(weights[parts])
            counts[number] = by_count[0]
            sums[slice(*self.cells.offsets[place : place + 2].tolist())] = by_sums
        return [counts, sums]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        total = measurements[0].variance
        found = np.full(int(self.offsets[-1]), total, dtype=np.float64)
        found[self.along] = self.lists.variances(self.measurements[1].variance, total)
        return found

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Zoomed:
        return cls.of(measurements)
