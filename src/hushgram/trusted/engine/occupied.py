"""The cells of a raster that have rows. Private: which ones there are is not to be published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hushgram.geometry.partition import Boxes, Ints, Raster


class SortedAlong(NamedTuple):
    """The occupied cells in the order of their slices on an axis."""

    order: Ints | None
    """Their order, None if they are as they were."""
    slices: Ints
    rows: Ints


@dataclass(frozen=True, eq=False)
class Occupied:
    """The occupied cells' numbers, in rising order, and how many rows each has."""

    raster: Raster
    cells: Ints
    rows: Ints
    _last: list[tuple[Boxes, Ints]] = field(default_factory=list, repr=False)
    """The boxes that were asked about last, and the box of each cell."""

    @classmethod
    def of(cls, raster: Raster, cells: Ints, rows: Ints | None = None) -> Occupied:
        """From cells in any order and as often as they come: O(n log n)."""
        if rows is None:
            ordered = np.sort(cells)
            starts = firsts(ordered)
            return cls(raster, ordered[starts], np.diff(np.append(starts, len(ordered))))
        order = np.argsort(cells, kind="stable")
        starts = firsts(cells[order])
        return cls(raster, cells[order][starts], np.add.reduceat(rows[order], starts))

    @classmethod
    def among(cls, raster: Raster, counts: Ints) -> Occupied:
        """From the counts of all cells."""
        cells = np.flatnonzero(counts)
        return cls(raster, cells, counts[cells])

    @classmethod
    def together(cls, raster: Raster, pieces: Sequence[Occupied]) -> Occupied:
        """The cells of all pieces. A table may come in none: an empty file has no row group."""
        if len(pieces) == 1:
            return pieces[0]
        none = np.empty(0, dtype=np.int64)
        cells = np.concatenate([none, *(piece.cells for piece in pieces)])
        return cls.of(raster, cells, np.concatenate([none, *(piece.rows for piece in pieces)]))

    @cached_property
    def slices(self) -> Ints:
        """The slice of each cell on every axis: cells x axes."""
        return np.stack(np.unravel_index(self.cells, self.raster.shape), axis=1)

    def sorted_along(self, axis: int) -> SortedAlong:
        """The cells in the order of their slices on an axis; on the first, they come so."""
        if axis not in self._sorted:
            slices = np.ascontiguousarray(self.slices[:, axis])
            order = argsort_slices(slices, self.raster.shape[axis]) if axis else None
            self._sorted[axis] = (
                SortedAlong(None, slices, self.rows)
                if order is None
                else SortedAlong(order, slices[order], self.rows[order])
            )
        return self._sorted[axis]

    @cached_property
    def _sorted(self) -> dict[int, SortedAlong]:
        return {}

    def parts_of(self, boxes: Boxes) -> Ints:
        """The box of each cell. Boxes that cut those of the last question further are looked for
        inside of these: a tree that grows is walked through one level at a time."""
        if self._last and self._last[0][0] is boxes:
            return self._last[0][1]
        found = boxes.parts_below(*self._last[0], self.slices) if self._last else None
        if found is None:
            found = boxes.parts_of_slices(self.slices)
        self._last[:] = [(boxes, found)]
        return found

    def sum_boxes(self, boxes: Boxes) -> Ints:
        """The rows in each box."""
        found = np.zeros(boxes.size, dtype=np.int64)
        np.add.at(found, self.parts_of(boxes), self.rows)
        return found


def argsort_slices(slices: Ints, size: int) -> Ints:
    """The order of slices below a size; up to 16 bits are sorted by their digits: O(n)."""
    short = slices.astype(np.uint16) if size <= 1 << 16 else slices
    return np.argsort(short, kind="stable")


def firsts(ordered: Ints) -> Ints:
    """Where each new value starts in a sorted array."""
    new = np.append(True, ordered[1:] != ordered[:-1]) if len(ordered) else np.empty(0, bool)
    return np.flatnonzero(new)
