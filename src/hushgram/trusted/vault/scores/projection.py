"""The occupied slices of boxes, each along its own axis. Private."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Boxes, Ints
from hushgram.trusted.engine.occupied import Occupied


class Projection(NamedTuple):
    """The occupied slices of some boxes, and the number of rows in each. Those of box k are from
    ``starts[k]`` to ``stops[k]``, in order."""

    starts: Ints
    stops: Ints
    slices: Ints
    rows: Ints


def project_slices(boxes: Boxes, axes: Ints, exact: Occupied) -> Projection:
    """Return the occupied slices of each box along its axis, for boxes with an axis (not -1).
    O(cells in these boxes), once the cells are arranged by boxes.

    Cells are in the order of their slices, so the cells of a slice are consecutive within a box. A
    box has at most as many slices as cells.
    """
    cut = np.flatnonzero(axes >= 0)
    whose = [axis for axis in range(len(boxes.domain)) if (axes == axis).any()]
    along = {axis: exact.arranged_along(axis) for axis in whose}
    inside = {axis: arranged.within(boxes) for axis, arranged in along.items()}
    lengths = np.zeros(len(cut), dtype=np.int64)
    for segments in inside.values():  # any of them: all have the same cells
        lengths = np.diff(segments.starts)[cut]
    stops = np.cumsum(lengths)
    starts = stops - lengths
    slices, rows = np.empty((2, lengths.sum()), dtype=np.int64)
    for axis, segments in inside.items():
        chosen = np.flatnonzero(axes[cut] == axis)
        bits = along[axis].shift, along[axis].mask
        _fill(segments, cut, chosen, *bits, starts, stops, slices, rows)
    return Projection(starts, stops, slices, rows)


@compiled()
def _fill(
    segments: Any, boxes: Any, chosen: Any, shift: int, mask: int, starts: Any, stops: Any,
    slices: Any, rows: Any,
) -> None:  # fmt: skip
    """Write the slices and the rows of the chosen boxes, whose cells are in order. A slice is
    overwritten for each of its cells, so that the loop has no branch."""
    for number in chosen:
        box = boxes[number]
        own = slice(segments.starts[box], segments.starts[box + 1])
        cells, cell_rows = segments.slices[own], segments.rows[own]
        last, before, total = starts[number] - 1, np.int64(-1), np.int64(0)
        for cell in range(len(cells)):
            place = (cells[cell] >> shift) & mask
            is_next = place != before
            last += is_next
            total = cell_rows[cell] + (np.int64(0) if is_next else total)
            slices[last], rows[last] = place, total
            before = place
        stops[number] = last + 1
