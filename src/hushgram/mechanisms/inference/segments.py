"""Segments: a noisy sequence cut where its level changes, their number chosen by a penalty."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.backtrack import trace_starts
from hushgram.mechanisms.inference.isotonic import as_finite_row

UPPER, MEAN, FLOOR, SIZE, START = range(5)
"""A piece: the levels up to UPPER (from where the piece before ends), at which the last segment
does best to begin at START; its cost there is ``FLOOR + SIZE * (level - MEAN) ** 2``."""


def best_segments(values: ArrayLike, penalty: float) -> NDArray[np.int64]:
    """The start of each segment, at least of SSE + ``penalty`` x (number of segments).

    The exact minimum over all ways to cut, by functional pruning (FPOP): for every level that the
    last segment may have, remember only the best place for it to begin. Those are parabolas on a
    few intervals of levels, a dozen of them in noise and fewer where the level changes; a value
    added costs O(intervals), which makes the whole about linear. (A long slope without noise keeps
    hundreds, and takes a hundred times as long.)
    Parabolas are kept by mean and least value, so sums of squares never cancel.

    Maidstone, Hocking, Rigaill & Fearnhead, *On optimal multiple changepoint algorithms for large
    data*, Statistics and Computing 27, 2017. With a penalty it chooses the number of segments for
    NoiseFirst (Xu et al., ICDE 2012): 2σ² there, 2σ² ln n to keep flat data whole.

    >>> best_segments([0, 1, 0, 9, 8, 9], penalty=2.0)
    array([0, 3])
    """
    row = as_finite_row(values)
    if not 0 <= penalty < np.inf:
        raise BadInput(f"The penalty of a segment must not be negative. Found {penalty}.")
    centred = row - np.median(row)  # most values become small, and their means precise
    starts: NDArray[np.int64] = trace_starts(_last_starts(centred, float(penalty)))
    return starts


@compiled()
def _last_starts(values: Any, penalty: float) -> Any:
    """For each prefix, where its last segment begins in the best way to cut it."""
    starts = np.empty(len(values), np.int64)
    pieces = np.empty((32, 5))
    spare = np.empty((32, 5))
    lowest = values.min()
    pieces[0] = (values.max(), 0.0, penalty, 0.0, 0.0)
    count = 1
    best = 0.0
    for place in range(len(values)):
        if place:
            if 2 * count + 1 > len(spare):
                spare = np.empty((4 * count, 5))
            count = cap_pieces(pieces, count, lowest, best + penalty, place, spare)
            pieces, spare = spare, pieces
        best, starts[place] = add_value(pieces, count, values[place])
    return starts


@compiled()
def cap_pieces(pieces: Any, count: int, lowest: float, cap: float, place: int, into: Any) -> int:
    """Where a piece costs more than the cap, it is better to begin a new segment: at ``place``.

    What remains of a piece is one interval, for a parabola below a constant is one.
    """
    written = 0
    lower = lowest
    covered = lowest  # what was written reaches up to here
    for index in range(count):
        upper = pieces[index, UPPER]
        room = cap - pieces[index, FLOOR]
        if room > 0:
            reach = sqrt(room / pieces[index, SIZE])
            left = max(lower, pieces[index, MEAN] - reach)
            right = min(upper, pieces[index, MEAN] + reach)
            if left <= right:  # one level is enough: there may be no double next to it
                if left > covered:
                    into[written] = (left, 0.0, cap, 0.0, float(place))
                    written += 1
                into[written] = pieces[index]
                into[written, UPPER] = right
                written += 1
                covered = right
        lower = upper
    if covered < lower:
        into[written] = (lower, 0.0, cap, 0.0, float(place))
        written += 1
    return written


@compiled()
def add_value(pieces: Any, count: int, value: float) -> tuple[float, int]:
    """Add the value to every piece (Welford's update); the smallest cost now, and its start.

    A floor may lie outside its piece; it is still what a segment from that start costs, and so the
    least floor is the smallest cost.
    """
    best, start = np.inf, 0
    for index in range(count):
        size = pieces[index, SIZE] + 1.0
        apart = value - pieces[index, MEAN]
        mean = pieces[index, MEAN] + apart / size
        floor = pieces[index, FLOOR] + apart * (value - mean)
        pieces[index, SIZE] = size
        pieces[index, MEAN] = mean
        pieces[index, FLOOR] = floor
        if floor < best:
            best, start = floor, int(pieces[index, START])
    return best, start
