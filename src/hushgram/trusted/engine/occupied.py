"""The cells of a raster that have rows. Private: which ones there are is not to be published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.geometry.partition import Boxes, Ints, Raster


@dataclass(frozen=True, eq=False)
class Occupied:
    """The occupied cells' numbers, in rising order, and how many rows each has."""

    raster: Raster
    cells: Ints
    rows: Ints

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

    def sum_boxes(self, boxes: Boxes) -> Ints:
        """The rows in each box."""
        return boxes.sum_slices(self.slices, self.rows)


def firsts(ordered: Ints) -> Ints:
    """Where each new value starts in a sorted array."""
    new = np.append(True, ordered[1:] != ordered[:-1]) if len(ordered) else np.empty(0, bool)
    return np.flatnonzero(new)
