"""The larger areas that contain the areas of an axis, as levels of a tree of counts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hushgram.declare.axis import Areas, Axis
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Cuts, Ints


@lru_cache(maxsize=64)
def area_levels(domain: Domain) -> tuple[Cuts, ...]:
    """The levels above the cells of a domain, the largest areas first; empty if no axis has any.

    The areas of an axis are ordered so that those of a larger area are consecutive, and the larger
    area is a slice. Other axes keep their cells.
    """
    starts = [level_starts(axis) for axis in domain.axes]
    depth = max(map(len, starts)) - 1
    return tuple(
        Cuts(domain, tuple(one[max(0, len(one) - 1 - above)] for one in starts))
        for above in range(depth, 0, -1)
    )


def level_starts(axis: Axis) -> list[Ints]:
    """The starts of the slices on each level of an axis, from the largest areas to the cells."""
    cells = np.arange(axis.bins)
    if not isinstance(axis, Areas):
        return [cells]
    return [*(level.starts for level in reversed(axis.levels)), cells]
