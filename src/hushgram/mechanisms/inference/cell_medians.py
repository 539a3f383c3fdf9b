"""Cuts of boxes at the median of their cells' values."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Boxes, Ints
from hushgram.geometry.partition.arranged import Arranged, PackedCells


class CellMedians:
    """The cells with positive values; all others count as empty."""

    def __init__(self, cells: PackedCells) -> None:
        axes = range(len(cells.raster.domain))
        self._arranged = [Arranged(cells, axis) for axis in axes]

    def cut(self, boxes: Boxes, axes: Ints) -> Boxes:
        """Cut every box with an axis other than -1 at the first place where the sums on both sides
        differ the least. O(cells in these boxes)"""
        places = np.zeros(boxes.size, dtype=np.int64)
        lower, upper = boxes.corners
        for axis, cells in enumerate(self._arranged):
            chosen = np.flatnonzero(axes == axis)
            if len(chosen):
                ends = lower[chosen, axis], upper[chosen, axis]
                found = np.empty(len(chosen), dtype=np.int64)
                _find(cells.within(boxes), cells.shift, cells.mask, chosen, *ends, found)
                places[chosen] = found
        return boxes.cut(axes, places)


@compiled()
def _find(
    segments: Any, shift: int, mask: int, chosen: Any, lower: Any, upper: Any, found: Any
) -> None:
    """Find the best cut of each chosen box among those above a slice with values, and the very
    first cut, below which there may be none. The sum below increases, so no cut is better than the
    first with at least half of the total below it."""
    for number in range(len(chosen)):
        start, stop = segments.starts[chosen[number]], segments.starts[chosen[number] + 1]
        total = segments.rows[start:stop].sum()
        below, least, cut = 0.0, np.inf, lower[number] + 1
        for cell in range(start, stop):
            place = (segments.slices[cell] >> shift) & mask
            if place >= cut:
                if abs(2 * below - total) < least:
                    least, found[number] = abs(2 * below - total), cut
                if 2 * below >= total:
                    break
            below += segments.rows[cell]
            cut = place + 1
        if cut < upper[number] and abs(2 * below - total) < least:
            found[number] = cut
