"""Least squares on a tree of counts: every node is measured, and parents equal the sums of their
children.

The best linear unbiased estimate takes two passes (Hay et al. 2010, with weights as in Honaker
2015). Upwards, a node's own measurement is averaged with the sum of its children's estimates,
weighted by inverse variances; downwards, the correction of a parent is distributed among its
children in proportion to their variances. O(nodes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Partition, is_nested, same_parts
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.levels import NestedLevels
from hushgram.mechanisms.inference.weights import Matrix, membership
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Tree(NestedLevels, Inference):
    """The inference of nested measurements, from the coarsest to the estimate's parts."""

    kind: ClassVar[str] = "tree"
    has_moments_only: ClassVar[bool] = True
    """True because indexes of trees, which answer many queries at once, only compute moments."""

    def nested_levels(self, measurements: Sequence[Measurement]) -> NestedLevels:
        return self

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        """The estimates of the parts of the last level."""
        own, sums = self.spreads
        estimates = [measurements[-1].values.astype(np.float64)]
        totals: list[Floats] = []
        for level in reversed(range(len(self.levels) - 1)):
            total = self.sum_children(level, estimates[0])
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
            shared = self.sum_children(level, reached[0] * own[level + 1])
            reached.insert(0, shared / sums[level])
        pulled: list[Floats] = []
        rest = reached[0]
        for level in range(len(self.levels) - 1):
            weight = own[level] / self.noise[level]
            pulled.append(weight * rest)
            passed = (1 - weight) * rest - reached[level]
            rest = reached[level + 1] + passed[self.parents[level]]
        return [*pulled, rest]

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

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """The variances by the rule of `hushgram.answers.counting.boxes_index`, for all rows at
        once from the leaves upwards: a node's weight is the average of its children's, weighted by
        their variances. O(levels x entries)"""
        own, sums = self.spreads
        found = np.asarray((rows**2) @ own[-1], dtype=np.float64)
        for level in reversed(range(len(self.parents))):
            parents = self.parents[level]
            rows = rows @ membership(parents, own[level + 1] / sums[level][parents])
            found -= (rows**2) @ (sums[level] - own[level])
        return np.maximum(found, 0)  # rounding, if one level has far less noise than another

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if not self.levels or not same_parts(partition, self.levels[-1]):
            raise BadInput("The parts of a tree must be those of its last level.")
        if not all(map(is_nested, self.levels[1:], self.levels)):
            raise BadInput("Each level of a tree must split the parts of the level above.")

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Tree:
        return cls.of(measurements)


def reconcile(measurements: Sequence[Measurement]) -> Estimate:
    """The least squares estimate of the last level's parts, or the measurement of a single
    level."""
    if len(measurements) == 1:
        return Estimate.direct(measurements[0])
    tree = Tree.of(measurements)
    return Estimate.infer(tree.levels[-1], measurements, tree)
