"""Integer scores of how far cuts are from the medians of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Ints
from hushgram.trusted.vault.scores.projection import Projection


def rank_scores(first: Ints, last: Ints, inside: Projection) -> tuple[Ints, Ints]:
    """Return the scores of all cuts of all boxes, and the number of consecutive cuts with each
    score.

    Box k is from slice ``first[k]`` to slice ``last[k]``; ``inside`` has its occupied slices and
    their rows. A cut before slice t has the score -|rows before t - other rows|, which only changes
    where there are rows, so m occupied slices give m + 1 scores. O(boxes + occupied slices).

    >>> ends = np.array([0]), np.array([9])
    >>> inside = Projection(*map(np.array, ([0], [2], [2, 6], [5, 3])))
    >>> rank_scores(*ends, inside)
    (array([-8, -2, -8]), array([2, 4, 3]))
    """
    size = int((inside.stops - inside.starts).sum()) + len(first)
    scores, many = np.empty((2, size), dtype=np.int64)
    _fill(first, last, *inside, scores, many)
    return scores, many


@compiled()
def _fill(
    first: Any, last: Any, starts: Any, stops: Any, slices: Any, rows: Any, scores: Any, many: Any
) -> None:
    place = 0
    for box in range(len(first)):
        own = slice(starts[box], stops[box])
        occupied, held = slices[own], rows[own]
        above, below, before = held.sum(), 0, first[box]
        own_scores, own_many = scores[place:], many[place:]
        for found in range(len(held)):
            own_scores[found] = -abs(below - above)
            own_many[found] = occupied[found] - before
            before = occupied[found]
            below += held[found]
            above -= held[found]
        place += len(held)
        scores[place] = -below
        many[place] = last[box] - before
        place += 1
