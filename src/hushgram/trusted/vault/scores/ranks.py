"""How far cuts are from the medians of boxes, in integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Ints


def rank_scores(
    first: Ints, last: Ints, starts: Ints, slices: Ints, rows: Ints
) -> tuple[Ints, Ints]:
    """The scores of all cuts of all boxes, and how many cuts in a row have each.

    Box k reaches from slice ``first[k]`` to slice ``last[k]``, and its occupied slices with their
    rows are those from ``starts[k]`` to ``starts[k + 1]``, in order. A cut before slice t has the
    score -|rows before t - other rows|, which changes only where there are rows: m occupied slices
    make m + 1 scores. O(boxes + occupied slices).

    >>> ends = np.array([0]), np.array([9])
    >>> rank_scores(*ends, np.array([0, 2]), np.array([2, 6]), np.array([5, 3]))
    (array([-8, -2, -8]), array([2, 4, 3]))
    """
    scores, many = np.empty((2, len(slices) + len(first)), dtype=np.int64)
    _fill(first, last, starts, slices, rows, scores, many)
    return scores, many


@compiled()
def _fill(
    first: Any, last: Any, starts: Any, slices: Any, rows: Any, scores: Any, many: Any
) -> None:
    place = 0
    for box in range(len(first)):
        start, stop = starts[box], starts[box + 1]
        above, below, before = rows[start:stop].sum(), 0, first[box]
        for found in range(start, stop):
            scores[place] = -abs(below - above)
            many[place] = slices[found] - before
            before = slices[found]
            below += rows[found]
            above -= rows[found]
            place += 1
        scores[place] = -below
        many[place] = last[box] - before
        place += 1
