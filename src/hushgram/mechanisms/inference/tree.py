"""Least squares on a tree of counts: every node measured, parents equal to their children's sums.

The best linear unbiased estimate takes two passes (Hay et al. 2010, with weights as in Honaker
2015). Upwards, a node's own measurement is averaged with the sum of its children's estimates,
each by the inverse of its variance; downwards, what the parent knows better is shared among the
children in proportion to their variances. O(nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxed, Grid, Ints, Partition, Refined, is_nested, same_parts
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement

QUIETEST = 1e-100
"""No variance is taken for less. At an absurd ε it is too small for a double, and nothing must be
divided by zero."""


@dataclass(frozen=True, eq=False)
class Tree:
    """The inference of nested measurements, the coarsest first, down to the estimate's parts."""

    kind: ClassVar[str] = "tree"
    levels: tuple[Boxed, ...]
    noise: tuple[float, ...]
    """The variance of each level's noise."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Tree:
        levels = tuple(m.partition for m in measurements if isinstance(m.partition, Boxed))
        if len(levels) < len(measurements):
            raise BadInput("the levels of a tree are boxes.")
        return cls(levels, tuple(max(m.variance, QUIETEST) for m in measurements))

    @cached_property
    def parents(self) -> list[Ints]:
        """For each level but the first, the part of the level above that holds each part."""
        return [parents_of(below, above) for above, below in zip(
            self.levels, self.levels[1:], strict=False
        )]  # fmt: skip

    @cached_property
    def spreads(self) -> tuple[list[Floats], list[Floats]]:
        """Per level: the variance of each node's estimate from its own subtree, and of the sum
        of its children's (zero on the last level, which has none)."""
        own: list[Floats] = [np.broadcast_to(self.noise[-1], self.levels[-1].size)]
        sums: list[Floats] = [np.zeros(self.levels[-1].size)]
        for level in reversed(range(len(self.levels) - 1)):
            below = self._sums(level, own[0])
            sums.insert(0, below)
            own.insert(0, 1 / (1 / self.noise[level] + 1 / below))
        return own, sums

    def _sums(self, level: int, children: Floats) -> Floats:
        """For each node of a level, the sum over its children on the next."""
        size = self.levels[level].size
        return np.asarray(np.bincount(self.parents[level], children, size), dtype=np.float64)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        """The estimates of the last level's parts."""
        own, sums = self.spreads
        estimates = [measurements[-1].values.astype(np.float64)]
        totals: list[Floats] = []
        for level in reversed(range(len(self.levels) - 1)):
            total = self._sums(level, estimates[0])
            weight = own[level] / self.noise[level]
            totals.insert(0, total)
            estimates.insert(0, weight * measurements[level].values + (1 - weight) * total)
        known = estimates[0]
        for level, parent in enumerate(self.parents):
            missing = (known - totals[level]) / sums[level]
            known = missing[parent]
            known *= own[level + 1]
            known += estimates[level + 1]
        return known

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """The transpose of `push`: its steps in reverse, each transposed."""
        own, sums = self.spreads
        reached = [np.asarray(weights, dtype=np.float64)]
        for level in reversed(range(len(self.parents))):
            shared = self._sums(level, reached[0] * own[level + 1])
            reached.insert(0, shared / sums[level])
        pulled: list[Floats] = []
        owed = reached[0]
        for level in range(len(self.levels) - 1):
            weight = own[level] / self.noise[level]
            pulled.append(weight * owed)
            passed = (1 - weight) * owed - reached[level]
            owed = reached[level + 1] + passed[self.parents[level]]
        return [*pulled, owed]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each part's estimate, from the root downwards."""
        own, sums = self.spreads
        known = own[0]
        for level, parent in enumerate(self.parents):
            less = own[level + 1] / sums[level][parent]
            less *= less
            less *= (sums[level] - known)[parent]
            known = np.maximum(np.subtract(own[level + 1], less, out=less), 0, out=less)  # rounding
        return known

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if not self.levels or not same_parts(partition, self.levels[-1]):
            raise BadInput("the parts of a tree are those of its last level.")
        if not all(map(is_nested, self.levels[1:], self.levels)):
            raise BadInput("each level of a tree cuts the parts of the level above it.")

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


def reconciled(measurements: Sequence[Measurement]) -> Estimate:
    """The estimate of the last level's parts; a single level is what was measured."""
    if len(measurements) == 1:
        return Estimate.direct(measurements[0])
    tree = Tree.of(measurements)
    return Estimate.infer(tree.levels[-1], measurements, tree)


def parents_of(below: Boxed, above: Boxed) -> Ints:
    """The part of ``above`` in which each part of ``below`` lies. The same grids come again and
    again, and are remembered; cuts follow from one answer and never come again."""
    if isinstance(below, Refined) and below.grid == above:
        return below.cells
    lasting = isinstance(below, Grid) and isinstance(above, Grid)
    return grid_parents(below, above) if lasting else found_parents(below, above)


def found_parents(below: Boxed, above: Boxed) -> Ints:
    """By the lowest corner of each part."""
    corners = below.boxes()[0]
    return above.parts([corners[:, axis] for axis in range(corners.shape[1])])


grid_parents = lru_cache(maxsize=64)(found_parents)
