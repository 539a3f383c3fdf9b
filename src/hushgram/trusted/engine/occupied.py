"""The cells of a raster that have rows. Private: even the set of such cells must not be
published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.geometry.partition import Boxes, Ints, Raster
from hushgram.geometry.partition.arranged import Arranged, PackedCells


@dataclass(frozen=True, eq=False)
class Occupied:
    """The occupied cells in ascending order, and the number of rows in each."""

    raster: Raster
    cells: Ints
    rows: Ints

    @classmethod
    def of(cls, raster: Raster, cells: Ints, rows: Ints | None = None) -> Occupied:
        """Create from cells in any order, possibly repeated, each with one row or ``rows``. O(n)
        for each digit of the cells."""
        from hushgram.base.sorting import sort_digits

        carried = cells[:0] if rows is None else rows
        ordered, carried = sort_digits(cells, carried, 0, int(cells.max(initial=0)).bit_length())
        starts = firsts(ordered)
        if rows is None:
            return cls(raster, ordered[starts], np.diff(np.append(starts, len(ordered))))
        return cls(raster, ordered[starts], np.add.reduceat(carried, starts))

    @classmethod
    def among(cls, raster: Raster, counts: Ints) -> Occupied:
        """Create from the counts of all cells."""
        cells = np.flatnonzero(counts)
        return cls(raster, cells, counts[cells])

    @classmethod
    def together(cls, raster: Raster, pieces: Sequence[Occupied]) -> Occupied:
        """Merge the cells of all pieces. There may be none: an empty file has no row group."""
        if len(pieces) == 1:
            return pieces[0]
        none = np.empty(0, dtype=np.int64)
        cells = np.concatenate([none, *(piece.cells for piece in pieces)])
        return cls.of(raster, cells, np.concatenate([none, *(piece.rows for piece in pieces)]))

    @cached_property
    def _packed(self) -> PackedCells:
        return PackedCells.of(self.raster, self.cells, self.rows)

    @cached_property
    def _arranged(self) -> dict[int, Arranged]:
        return {}

    def arranged_along(self, axis: int) -> Arranged:
        """Return the cells arranged by boxes and their slices on an axis."""
        if axis not in self._arranged:
            self._arranged[axis] = Arranged(self._packed, axis)
        return self._arranged[axis]

    def sum_boxes(self, boxes: Boxes) -> Ints:
        """Return the number of rows in each box."""
        return self.arranged_along(next(iter(self._arranged), 0)).sum_boxes(boxes)


def firsts(ordered: Ints) -> Ints:
    """Return where each new value starts in a sorted array."""
    new = np.append(True, ordered[1:] != ordered[:-1]) if len(ordered) else np.empty(0, bool)
    return np.flatnonzero(new)
