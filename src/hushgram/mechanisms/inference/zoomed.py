"""Counts of a grid, and the distribution of rows inside some of its cells.

Every cell's sum is its noisy count. In a cell that has a list of sorted rows the count is
distributed as in `SortedSequence`, each cell by itself; any other cell is left whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Partition
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence, check_layout
from hushgram.queries import Measurement

Nodes = tuple[Ints, Ints]
"""The axes and the cuts of a tree's nodes, as `Boxes` has them."""

LEAF: Nodes = (np.array([-1]), np.array([0]))


@dataclass(frozen=True, eq=False)
class Zoomed:
    """The inference of a grid's counts and of the sums of sorted groups in its cells."""

    kind: ClassVar[str] = "zoomed"
    measurements: tuple[Measurement, Measurement]
    """The counts, and the sums: what the parts and the linearisation are derived from."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Zoomed:
        lists = measurements[1].partition if len(measurements) == 2 else None
        if not isinstance(lists, SortedCells) or measurements[0].partition != lists.grid:
            raise BadInput("a zoom is inferred from a grid's counts and its cells' sorted groups.")
        return cls((measurements[0], measurements[1]))

    @property
    def cells(self) -> SortedCells:
        found = self.measurements[1].partition
        assert isinstance(found, SortedCells)
        return found

    def pieces(self, measurements: Sequence[Measurement]) -> list[tuple[Measurement, Measurement]]:
        """For each list, the count of its cell and the sums of its groups."""
        counts, sums = measurements
        if not self.cells.lists:
            return []
        whole = Grid(self.cells.inside.cell, (1,) * len(self.cells.inside.cell))
        ends = pairwise(self.cells.offsets.tolist())
        return [
            (
                Measurement(whole, counts.values[cell : cell + 1], counts.variance, counts.scale),
                Measurement(groups, sums.values[start:stop], sums.variance, sums.scale),
            )
            for groups, cell, (start, stop) in zip(
                self.cells.lists, self.cells.zoomed, ends, strict=True
            )
        ]

    @cached_property
    def sequences(self) -> list[SortedSequence]:
        """The distribution in each cell that has a list."""
        return [SortedSequence.of(piece) for piece in self.pieces(self.measurements)]

    @cached_property
    def layouts(self) -> list[Cuts | Boxes]:
        return [sequence.layout for sequence in self.sequences]

    @cached_property
    def offsets(self) -> Ints:
        """The number of each cell's first part, and last the number of all parts."""
        sizes = np.ones(self.cells.grid.size, dtype=np.int64)
        sizes[self.cells.zoomed] = [layout.size for layout in self.layouts]
        return np.concatenate([[0], np.cumsum(sizes)])

    def stretch(self, cell: int) -> slice:
        """The parts of a cell."""
        return slice(int(self.offsets[cell]), int(self.offsets[cell + 1]))

    @cached_property
    def layout(self) -> Cuts | Boxes:
        """The cells, and the parts of those that have a list, in the order of the cells: cuts on
        one axis, boxes on several."""
        grid, inside = self.cells.grid, self.cells.inside
        if len(grid.domain) == 1:
            starts = np.arange(grid.slices[0]) * inside.slices[0]
            slices = np.repeat(starts, np.diff(self.offsets)[: grid.slices[0]])
            for cell, layout in zip(self.cells.zoomed, self.layouts, strict=True):
                assert isinstance(layout, Cuts)
                slices[self.stretch(cell)] += layout.starts[0]
            return Cuts(grid.domain, (inside.raster.cuts(0)[slices],))
        return Boxes(inside.raster, *self.tree())

    def tree(self) -> Nodes:
        """The grid's cells as leaves of a tree, and each leaf that has a list cut as the list
        says."""
        grid, inside = self.cells.grid, self.cells.inside
        firsts = [np.arange(m) * k for m, k in zip(grid.shape, inside.slices, strict=True)]
        top = LEAF
        for axis in reversed(range(len(firsts))):
            top = hung(line_tree(axis, firsts[axis]), [top] * len(firsts[axis]))
        at = np.stack(np.unravel_index(self.cells.zoomed, grid.shape), axis=1)
        leaves = [LEAF] * grid.size
        for cell, corner, layout in zip(
            self.cells.zoomed, at * np.array(inside.slices), self.layouts, strict=True
        ):
            leaves[cell] = moved(nodes_of(layout), np.array(inside.axes), corner)
        return hung(top, leaves)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        values = np.repeat(measurements[0].values.astype(np.float64), np.diff(self.offsets))
        for cell, sequence, piece in self._zooms(measurements):
            values[self.stretch(cell)] = sequence.push(piece)
        return values

    def pull(self, weights: Floats) -> Sequence[Floats]:
        counts = weights[self.offsets[:-1]].astype(np.float64)
        sums = np.zeros(self.cells.size)
        for number, (cell, sequence) in enumerate(
            zip(self.cells.zoomed, self.sequences, strict=True)
        ):
            by_count, by_sums = sequence.pull(weights[self.stretch(cell)])
            counts[cell] = by_count[0]
            sums[self.cells.offsets[number] : self.cells.offsets[number + 1]] = by_sums
        return [counts, sums]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        found = np.full(int(self.offsets[-1]), measurements[0].variance, dtype=np.float64)
        for cell, sequence, piece in self._zooms(measurements):
            found[self.stretch(cell)] = sequence.variances(piece)
        return found

    def _zooms(self, measurements: Sequence[Measurement]) -> Any:
        """Each cell that has a list, its distribution, and its own measurements."""
        return zip(self.cells.zoomed, self.sequences, self.pieces(measurements), strict=True)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        check_layout(partition, self.layout)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


def line_tree(axis: int, starts: Ints) -> Nodes:
    """Cuts in two along an axis, again and again, down to slices that start there.

    >>> [nodes.tolist() for nodes in line_tree(0, np.array([0, 5, 7]))]
    [[0, -1, 0, -1, -1], [5, 0, 7, 0, 0]]
    """
    if len(starts) == 1:
        return LEAF
    middle = len(starts) // 2
    halves = [line_tree(axis, half) for half in (starts[:middle], starts[middle:])]
    own = (np.array([axis]), starts[middle : middle + 1])
    axes, cuts = (np.concatenate(both) for both in zip(own, *halves, strict=True))
    return axes, cuts


def hung(tree: Nodes, leaves: Sequence[Nodes]) -> Nodes:
    """The tree with another tree in place of each leaf."""
    inner = np.flatnonzero(tree[0] >= 0)
    ends = np.flatnonzero(tree[0] < 0)
    sizes = np.ones(len(tree[0]), dtype=np.int64)
    sizes[ends] = [len(axes) for axes, _ in leaves]
    places = (np.cumsum(sizes) - sizes)[inner]
    found = []
    for nodes, parts in zip(tree, zip(*leaves, strict=True), strict=True):
        whole = np.empty(int(sizes.sum()), dtype=np.int64)
        own = np.zeros(len(whole), dtype=bool)
        own[places] = True
        whole[places] = nodes[inner]
        whole[~own] = np.concatenate(parts)
        found.append(whole)
    return found[0], found[1]


def nodes_of(layout: Cuts | Boxes) -> Nodes:
    """The tree of a layout; cuts of one axis have one too."""
    if isinstance(layout, Boxes):
        return layout.axes, layout.cuts
    return line_tree(0, layout.starts[0])


def moved(tree: Nodes, axes: Ints, corner: Ints) -> Nodes:
    """A tree over some axes of a larger space, from a corner on."""
    cut = tree[0] >= 0
    whose = np.where(cut, axes[tree[0]], -1)
    return whose, np.where(cut, tree[1] + corner[whose], 0)
