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
"""The columns of a piece: an interval of levels up to UPPER, from the end of the piece before, for
which the best start of the last segment is START, with cost ``FLOOR + SIZE * (level - MEAN) ** 2``.
"""


def best_segments(values: ArrayLike, penalty: float) -> NDArray[np.int64]:
    """The starts of the segments that minimise SSE + ``penalty`` x (number of segments).

    This is the exact minimum over all divisions, by functional pruning (FPOP): for every level of
    the last segment, remember only its best start. The costs are parabolas on a few intervals of
    levels, about a dozen in noise and fewer where the level changes. Adding a value takes
    O(intervals), so the total time is about linear. (A long slope without noise keeps hundreds of
    intervals, and takes a hundred times as long.)

    Parabolas are stored by mean and minimum, so sums of squares never cancel.

    Maidstone, Hocking, Rigaill & Fearnhead, *On optimal multiple changepoint algorithms for large
    data*, Statistics and Computing 27, 2017. The penalty determines the number of segments for
    NoiseFirst (Xu et al., ICDE 2012): 2σ² there; 2σ² ln n keeps flat data in one segment.

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
    """The start of the last segment in the best division of each prefix."""
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
    """Replace the parts of pieces that cost more than the cap by a new segment that starts at
    ``place``. Returns the number of pieces.

    The rest of a piece is one interval, because a parabola is below a constant on one interval.
    """
    written = 0
    lower = lowest
    covered = lowest  # the end of the last piece that was written
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
    """Add the value to every piece (Welford's update), and return the minimum cost and its start.

    A minimum may be outside its piece, but it is still the cost of a segment from that start, so
    the smallest one is the minimum cost.
    """
    best, start = np.inf, 0
    for index in range(count):
        size = pieces[index, SIZE] + 1.0
        difference = value - pieces[index, MEAN]
        mean = pieces[index, MEAN] + difference / size
        floor = pieces[index, FLOOR] + difference * (value - mean)
        pieces[index, SIZE] = size
        pieces[index, MEAN] = mean
        pieces[index, FLOOR] = floor
        if floor < best:
            best, start = floor, int(pieces[index, START])
    return best, start
