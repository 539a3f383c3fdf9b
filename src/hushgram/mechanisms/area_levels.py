"""Larger areas above the areas of an axis, as levels of a tree of counts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hushgram.declare.axis import Areas, Axis
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Cuts, Ints


@lru_cache(maxsize=64)
def area_levels(domain: Domain) -> tuple[Cuts, ...]:
    """The levels above the cells of a domain, the largest areas first; none if no axis has any.

    The areas of an axis are in such an order that those of a larger one follow each other, so that
    larger areas are slices. Other axes keep their cells.
    """
    starts = [level_starts(axis) for axis in domain.axes]
    depth = max(map(len, starts)) - 1
    return tuple(
        Cuts(domain, tuple(one[max(0, len(one) - 1 - above)] for one in starts))
        for above in range(depth, 0, -1)
    )


def level_starts(axis: Axis) -> list[Ints]:
    """Where slices start on each level of an axis, the largest areas first, the cells last."""
    cells = np.arange(axis.bins)
    if not isinstance(axis, Areas):
        return [cells]
    return [*(level.starts for level in reversed(axis.levels)), cells]
