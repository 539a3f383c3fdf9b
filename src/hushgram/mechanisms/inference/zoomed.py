"""Counts of a grid, and the distribution of rows inside some of its cells.

Every cell's sum is its noisy count. In a cell that has a list of sorted rows the count is
distributed as in `SortedSequence`, each cell by itself; any other cell is left whole::

    ┌─────┬─────┬─────┐        counts   12  40  3        a count for each cell
    │     │  ├──┤     │        sums         ··            sums of sorted groups, for the second
    │  12 ├──┤  │  3  │
    │     │  │  │     │        parts    12  9 4 20 7  3   the second is cut where its sums say
    └─────┴──┴──┴─────┘

So each of the cells that are zoomed into has a stretch of the parts and a stretch of the sums
(`ZoomedCell`), and all maps go cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

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
    tree_of,
)
from hushgram.mechanisms.inference.sorted_sequence import (
    SortedSequence,
    check_layout,
    divide_together,
)
from hushgram.queries import Measurement


class ListedCell(NamedTuple):
    """A cell that has a list of sorted rows."""

    number: int
    """Its number in the grid."""
    groups: SortedGroups
    sums: slice
    """Its groups' sums, among those of all lists."""

    def select(self, measurements: Sequence[Measurement]) -> tuple[Measurement, Measurement]:
        """What a `SortedSequence` takes: the count of the cell, and the sums of its groups."""
        counts, sums = measurements
        one, own = slice(self.number, self.number + 1), self.groups
        whole = Grid(own.domain, (1,) * len(own.domain))
        return (
            Measurement(whole, counts.values[one], counts.variance, counts.scale),
            Measurement(own, sums.values[self.sums], sums.variance, sums.scale),
        )


class ZoomedCell(NamedTuple):
    """A cell with a list, and the distribution of its rows."""

    cell: ListedCell
    sequence: SortedSequence
    parts: slice
    """Its parts, among those of all cells."""


@dataclass(frozen=True, eq=False)
class Zoomed(Inference):
    """The inference of a grid's counts and of the sums of sorted groups in its cells."""

    kind: ClassVar[str] = "zoomed"
    measurements: tuple[Measurement, Measurement]
    """The counts, and the sums. They say where to cut, and around which positions to linearise:
    both stay as they are, whatever `push` is asked for."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Zoomed:
        lists = measurements[1].partition if len(measurements) == 2 else None
        if not isinstance(lists, SortedCells) or measurements[0].partition != lists.grid:
            raise BadInput("a zoom is inferred from a grid's counts and its cells' sorted groups.")
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
    def listed(self) -> list[ListedCell]:
        """The cells that have lists."""
        stretches = (slice(*ends) for ends in pairwise(self.cells.offsets.tolist()))
        each = zip(self.cells.zoomed.tolist(), self.cells.lists, stretches, strict=True)
        return [ListedCell(*one) for one in each]

    @cached_property
    def sequences(self) -> list[SortedSequence]:
        """The distribution of each list."""
        found = [SortedSequence.of(one.select(self.measurements)) for one in self.listed]
        if len(self.cells.inside.axes) > 1:
            divide_together(found)
        return found

    @cached_property
    def offsets(self) -> Ints:
        """The number of each cell's first part, and last the number of all parts."""
        sizes = np.ones(self.cells.grid.size, dtype=np.int64)
        sizes[self.cells.zoomed] = [sequence.layout.size for sequence in self.sequences]
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def zooms(self) -> list[ZoomedCell]:
        """The cells that are zoomed into."""
        return [
            ZoomedCell(one, sequence, slice(*self.offsets[one.number : one.number + 2].tolist()))
            for one, sequence in zip(self.listed, self.sequences, strict=True)
        ]

    @cached_property
    def layout(self) -> Cuts | Boxes:
        """The cells, and the parts of those that have a list, in the order of the cells: cuts on
        one axis, boxes on several."""
        inside = self.cells.inside
        if len(self.cells.grid.domain) == 1:
            return Cuts(self.cells.grid.domain, (inside.raster.cuts(0)[self._starts()],))
        return Boxes(inside.raster, *self._tree())

    def _starts(self) -> Ints:
        """On a single axis, the slice of the raster at which each part starts."""
        cells = self.cells.grid.slices[0]
        starts = np.arange(cells) * self.cells.inside.slices[0]
        slices = np.repeat(starts, np.diff(self.offsets)[:cells])
        for zoom in self.zooms:
            assert isinstance(zoom.sequence.layout, Cuts)
            slices[zoom.parts] += zoom.sequence.layout.starts[0]
        return slices

    def _tree(self) -> Nodes:
        """The grid's cells as leaves of a tree, and each leaf that has a list cut as the list
        says."""
        grid, inside = self.cells.grid, self.cells.inside
        leaves = [LEAF] * grid.size
        for zoom in self.zooms:
            corner = np.array(np.unravel_index(zoom.cell.number, grid.shape)) * inside.slices
            own = tree_of(zoom.sequence.layout)
            leaves[zoom.cell.number] = place_tree(own, np.array(inside.axes), corner)
        firsts = [np.arange(m) * k for m, k in zip(grid.shape, inside.slices, strict=True)]
        return graft(halve_grid(firsts), leaves)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        values = np.repeat(measurements[0].values.astype(np.float64), np.diff(self.offsets))
        for zoom, own in self._each(measurements):
            values[zoom.parts] = zoom.sequence.push(own)
        return values

    def _each(
        self, measurements: Sequence[Measurement]
    ) -> Iterator[tuple[ZoomedCell, tuple[Measurement, Measurement]]]:
        """The cells that are zoomed into, and of these measurements what is theirs."""
        kept = all(one is own for one, own in zip(measurements, self.measurements, strict=True))
        for zoom in self.zooms:
            yield zoom, zoom.sequence.measurements if kept else zoom.cell.select(measurements)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """Where all parts of a cell have one weight, its count has it: rows that move inside of the
        cell change nothing."""
        counts = weights[self.offsets[:-1]].astype(np.float64)
        sums = np.zeros(self.cells.size)
        least, most = (
            each.reduceat(weights, self.offsets[:-1]) for each in (np.minimum, np.maximum)
        )
        for place in np.flatnonzero((least < most)[self.cells.zoomed]).tolist():
            zoom = self.zooms[place]
            by_count, by_sums = zoom.sequence.pull(weights[zoom.parts])
            counts[zoom.cell.number] = by_count[0]
            sums[zoom.cell.sums] = by_sums
        return [counts, sums]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        found = np.full(int(self.offsets[-1]), measurements[0].variance, dtype=np.float64)
        for zoom, own in self._each(measurements):
            found[zoom.parts] = zoom.sequence.variances(own)
        return found

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Zoomed:
        return cls.of(measurements)
