"""The occupied slices of boxes, each along an axis of its own. Private."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Boxes, Ints
from hushgram.trusted.engine.occupied import Occupied


class Projection(NamedTuple):
    """The occupied slices of some boxes: box k's are those from ``starts[k]`` to ``stops[k]``, in
    order, and the rows that each has."""

    starts: Ints
    stops: Ints
    slices: Ints
    rows: Ints


def project_slices(boxes: Boxes, axes: Ints, exact: Occupied) -> Projection:
    """The occupied slices of each box that has an axis, and not -1, along it. O(cells + boxes) for
    each axis, once the cells are sorted along it.

    Cells are met in the order of their slices, so that of the cells of a box those of one slice
    come one after the other. A box has as many slices as cells at the most.
    """
    parts = exact.parts_of(boxes)
    starts = np.zeros(boxes.size + 1, dtype=np.int64)
    np.cumsum(np.where(axes >= 0, np.bincount(parts, minlength=boxes.size), 0), out=starts[1:])
    slices, rows = np.zeros((2, starts[-1]), dtype=np.int64)
    stops = starts[:-1].copy()
    for axis in range(len(boxes.domain)):
        if (axes == axis).any():
            along = exact.sorted_along(axis)
            inside = parts if along.order is None else parts[along.order]
            _fill(along.slices, along.rows, inside, axes == axis, starts, stops, slices, rows)
    cut = np.flatnonzero(axes >= 0)
    return Projection(starts[cut], stops[cut], slices, rows)


@compiled()
def _fill(
    places: Any, cell_rows: Any, parts: Any, cut: Any, starts: Any, stops: Any, slices: Any,
    rows: Any,
) -> None:  # fmt: skip
    """Write down the slices and the rows of the boxes that are cut along an axis."""
    for cell in range(len(places)):
        part = parts[cell]
        if not cut[part]:
            continue
        stop = stops[part]
        if stop == starts[part] or slices[stop - 1] != places[cell]:
            slices[stop] = places[cell]
            stops[part] = stop = stop + 1
        rows[stop - 1] += cell_rows[cell]
