"""Nested levels of counts: every part of a level is within one part of the level above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxed, Boxes, Grid, Ints, Refined
from hushgram.queries import Measurement

MIN_VARIANCE = 1e-100
"""A lower limit for variances, which avoids division by zero: at an absurdly large ε, the true
variance is too small for a double."""


@dataclass(frozen=True, eq=False)
class NestedLevels:
    """The measured levels, from the coarsest to the estimate's parts."""

    levels: tuple[Boxed, ...]
    noise: tuple[float, ...]
    """The variance of each level's noise."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Self:
        levels = tuple(m.partition for m in measurements if isinstance(m.partition, Boxed))
        if len(levels) < len(measurements):
            raise BadInput("The levels of a tree must be boxes.")
        return cls(levels, tuple(max(m.variance, MIN_VARIANCE) for m in measurements))

    @cached_property
    def parents(self) -> list[Ints]:
        """For each level except the first, the part of the level above that contains each part."""
        return [parents_of(below, above) for above, below in zip(
            self.levels, self.levels[1:], strict=False
        )]  # fmt: skip

    @cached_property
    def spreads(self) -> tuple[list[Floats], list[Floats]]:
        """For each level, the variance of each node's estimate from its own subtree, and that of
        the sum of its children's (zero on the last level, which has none)."""
        own: list[Floats] = [np.broadcast_to(self.noise[-1], self.levels[-1].size)]
        sums: list[Floats] = [np.zeros(self.levels[-1].size)]
        for level in reversed(range(len(self.levels) - 1)):
            below = self.sum_children(level, own[0])
            sums.insert(0, below)
            own.insert(0, 1 / (1 / self.noise[level] + 1 / below))
        return own, sums

    def sum_children(self, level: int, children: Floats) -> Floats:
        """The sum over the children of each node of a level."""
        size = self.levels[level].size
        return np.asarray(np.bincount(self.parents[level], children, size), dtype=np.float64)


def parents_of(below: Boxed, above: Boxed) -> Ints:
    """The part of ``above`` that contains each part of ``below``. Cached for grids, which occur
    repeatedly; cuts depend on a noisy answer and never occur again."""
    if isinstance(below, Refined) and below.grid == above:
        return below.cells
    if isinstance(below, Boxes) and isinstance(above, Boxes):
        inside = below.count_inside(above)
        if inside is not None:
            return np.repeat(np.arange(above.size), inside)
    are_grids = isinstance(below, Grid) and isinstance(above, Grid)
    return cached_parents(below, above) if are_grids else find_parents(below, above)


def find_parents(below: Boxed, above: Boxed) -> Ints:
    """The part of ``above`` that contains the lowest corner of each part of ``below``."""
    corners = below.boxes()[0]
    return above.parts([corners[:, axis] for axis in range(corners.shape[1])])


cached_parents = lru_cache(maxsize=64)(find_parents)
