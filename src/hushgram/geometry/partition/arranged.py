"""Cells of a raster in the order of boxes, to count the leaves of growing trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition.base import Ints
from hushgram.geometry.partition.boxes import Boxes
from hushgram.geometry.partition.lattice import Raster


class PackedCells(NamedTuple):
    """Cells of a raster in increasing order, and the number of rows in each, or an estimate of it.
    A cell is one integer: the bits of its slices next to each other, the last axis lowest.

    They fit: a raster has at most 2^50 cells, and an axis of m slices takes up to 3 / log₂ 5 times
    log₂ m bits, so at most 64 in total.
    """

    raster: Raster
    shifts: Ints
    masks: Ints
    slices: Ints
    rows: Ints | Floats

    @classmethod
    def of(cls, raster: Raster, cells: Ints, rows: Ints | Floats) -> PackedCells:
        from hushgram.geometry.partition.arranged_kernels import pack_cells

        lengths = np.array(raster.shape, dtype=np.int64)
        bits = np.array([(length - 1).bit_length() for length in raster.shape], dtype=np.int64)
        shifts = np.cumsum(bits[::-1])[::-1] - bits
        masks = (np.int64(1) << bits) - 1
        if (lengths[1:] == masks[1:] + 1).all():  # cell numbers are packed already
            return cls(raster, shifts, masks, cells, rows)
        packed = np.empty(len(cells), dtype=np.int64)
        pack_cells(cells, lengths, shifts, packed)
        return cls(raster, shifts, masks, packed, rows)


class Segments(NamedTuple):
    """Cells in the order of boxes: those of box k from ``starts[k]`` up to ``starts[k + 1]``."""

    starts: Ints
    slices: Ints
    """The packed slices of each cell."""
    rows: Ints | Floats


class Arranged:
    """Cells in the order of boxes, and within a box in the order of their slices on an axis.

    When a box is cut along that axis, its cells are in order already; along another axis, those
    below the cut are moved before the others in a stable partition. A tree that grows by a level
    costs O(cells in boxes that are cut), and nothing is ever sorted again.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> raster = Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 9)))
    >>> cells = Arranged(PackedCells.of(raster, np.array([9, 37, 52]), np.array([5, 2, 1])), 1)
    >>> whole = Boxes.whole(raster)
    >>> halves = whole.cut(np.array([0]), np.array([4]))
    >>> [cells.within(boxes).rows.tolist() for boxes in (whole, halves)]
    [[1, 2, 5], [2, 5, 1]]
    >>> cells.sum_boxes(halves).tolist()
    [7, 1]
    """

    def __init__(self, cells: PackedCells, axis: int) -> None:
        self.cells, self.axis = cells, axis
        self.shift, self.mask = int(cells.shifts[axis]), int(cells.masks[axis])
        self._reset()

    def _reset(self) -> None:
        """Put all cells into one box, sorted along the axis. They come sorted along the first
        one."""
        from hushgram.base.sorting import sort_digits

        slices, rows = self.cells.slices, self.cells.rows
        if self.axis and self.mask:
            slices, rows = sort_digits(slices, rows, self.shift, self.mask.bit_length())
        else:
            slices, rows = slices.copy(), rows.copy()
        self._boxes = Boxes.whole(self.cells.raster)
        self._segments = Segments(np.array([0, len(rows)]), slices, rows)

    def within(self, boxes: Boxes) -> Segments:
        """The cells of each box. Starts over unless the boxes subdivide those of the last call."""
        from hushgram.geometry.partition.arranged_kernels import rearrange

        if boxes is self._boxes:
            return self._segments
        if boxes.raster != self.cells.raster:
            raise ValueError("The boxes come from a different raster.")
        if boxes.count_inside(self._boxes) is None:
            self._reset()
        starts = np.empty(boxes.size + 1, dtype=np.int64)
        trees = boxes.axes, boxes.cuts, self._boxes.axes
        bits = self.cells.shifts, self.cells.masks
        rearrange(*trees, self._segments, *bits, self.axis, starts)
        self._boxes, self._segments = boxes, self._segments._replace(starts=starts)
        return self._segments

    def sum_boxes(self, boxes: Boxes) -> Ints:
        """The rows in each box."""
        from hushgram.geometry.partition.arranged_kernels import sum_segments

        found = np.empty(boxes.size, dtype=np.int64)
        sum_segments(self.within(boxes), found)
        return found
