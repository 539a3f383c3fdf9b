"""The area of each cell of a raster: scan lines in integer arithmetic.

Corners are points of a lattice with `FINE` steps per side of a cell. A cell belongs to an area if
its centre does. A ray to the right of the centre crosses the rings of a polygon an odd number of
times if the centre is inside, so holes work whichever way their rings turn. A centre on a border
belongs to the area to the right or above: of two areas that share a border, exactly one contains
it. All arithmetic is on integers, so the result does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hushgram.declare.axis.base import Ints

FINE = 256
"""Steps of the lattice per side of a cell."""

NOWHERE = -1
"""The label of cells in no area."""

Rings = Sequence[Ints]
"""One polygon: its outer ring and its holes, each corners x 2, on the lattice."""


def paint(areas: Sequence[Sequence[Rings]], width: int, height: int) -> npt.NDArray[np.int32]:
    """The area of each cell, row by row from the lowest: O(cells in areas + corners x rows).

    Areas are painted in reverse order, so that where they overlap, the first one wins.

    >>> square = np.array([[0, 0], [2, 0], [2, 1], [0, 1]]) * FINE
    >>> paint([[[square]], [[square + FINE]]], 3, 2).reshape(2, 3).tolist()
    [[0, 0, -1], [-1, 1, 1]]
    """
    labels = np.full(width * height, NOWHERE, dtype=np.int32)
    for place in reversed(range(len(areas))):
        for rings in areas[place]:
            starts, stops = spans(rings, width, height)
            labels[cells_between(starts, stops)] = place
    return labels


def spans(rings: Rings, width: int, height: int) -> tuple[Ints, Ints]:
    """The first and the last cell of each run of cells inside a polygon, row by row."""
    rows, columns = crossings(rings, height)
    order = np.lexsort((columns, rows))
    places = rows[order] * width + np.clip(columns[order], 0, width)
    starts, stops = places[0::2], places[1::2]  # rings are closed: a row crosses them in pairs
    nonempty = starts < stops
    return starts[nonempty], stops[nonempty]


def crossings(rings: Rings, height: int) -> tuple[Ints, Ints]:
    """The rows whose middle each side crosses, and the first cell there with its centre on the
    side or to the right of it."""
    lower = np.concatenate(list(rings))
    upper = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    down = lower[:, 1] > upper[:, 1]
    lower[down], upper[down] = upper[down], lower[down]
    first = np.clip(cells_up_to(lower[:, 1]), 0, height)
    counts = np.clip(cells_up_to(upper[:, 1]), 0, height) - first
    side = np.repeat(np.arange(len(lower)), counts)
    rows = np.arange(len(side)) - np.repeat(np.cumsum(counts) - counts, counts) + first[side]
    x, y = lower[side].T
    dx, dy = (upper - lower)[side].T
    up = rows * FINE + FINE // 2 - y
    return rows, -(-((x - FINE // 2) * dy + up * dx) // (FINE * dy))


def cells_up_to(places: Ints) -> Ints:
    """The first cell whose centre is at or beyond a position of the lattice."""
    return -((FINE // 2 - places) // FINE)


def cells_between(starts: Ints, stops: Ints) -> Ints:
    """All numbers in several ranges."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(lengths.sum()) + np.repeat(starts - before, lengths))
