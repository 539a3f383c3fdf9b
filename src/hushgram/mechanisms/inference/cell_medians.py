"""Where boxes are cut, so that about as much lies on either side of their cells' values."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Boxes, Ints
from hushgram.geometry.partition.arranged import Arranged, PackedCells


class CellMedians:
    """Cells with positive values, of which all others are taken for empty."""

    def __init__(self, cells: PackedCells) -> None:
        axes = range(len(cells.raster.domain))
        self._arranged = [Arranged(cells, axis) for axis in axes]

    def cut(self, boxes: Boxes, axes: Ints) -> Boxes:
        """Cut every box with an axis, and not -1, where the sums on both sides differ the least; of
        several places, at the first. O(cells in these boxes)"""
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
    """A cut above a slice with values, or the first cut of all, below which there may be none. What
    lies below grows, so that no cut beyond the first with half of all below it is better."""
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
