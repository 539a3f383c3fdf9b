"""Leaves of a tree of cuts in which all cells have the same value.

A leaf's value is inferred from its noisy count and from the noisy counts of its cells, if there are
any. It may also have been counted in pieces, by finer boxes whose cuts were then undone. In
weighted least squares, each count contributes to the leaf's sum by the share of its cells and the
inverse of its variance: a leaf that was counted in one piece has the average of its own count and
of the sum of its cells. Given the leaves, this is the best linear unbiased estimate if the cells of
a leaf are equal. If leaves were chosen by the same noise that is averaged, the stated error is
slightly too small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Grid, Ints, Partition, is_nested, partition_from_json
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.groups import Groups
from hushgram.mechanisms.inference.levels import MIN_VARIANCE, parents_of
from hushgram.mechanisms.inference.weights import Matrix, membership
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class EvenLeaves(Inference):
    """Each cell of a leaf gets an equal part of the leaf's sum.

    The measurements are those of the ``counted`` boxes, which are the leaves or finer boxes, and
    optionally those of the cells; ``noise`` holds their variances.
    """

    kind: ClassVar[str] = "even"
    leaves: Boxes
    noise: tuple[float, ...]
    counted: Boxes

    @classmethod
    def of(cls, measurements: Sequence[Measurement], leaves: Boxes | None = None) -> EvenLeaves:
        counted = measurements[0].partition if measurements else None
        if not isinstance(counted, Boxes):
            raise BadInput("The measured parts of even leaves must be boxes.")
        noise = tuple(max(m.variance, MIN_VARIANCE) for m in measurements)
        made = cls(leaves or counted, noise, counted)
        if [m.partition for m in measurements[1:]] not in ([], [made.cells]):
            raise BadInput("The measured cells are not those of the boxes.")
        if made.leaves.raster.slices != counted.raster.slices or not is_nested(
            counted, made.leaves
        ):
            raise BadInput("The counted boxes are not pieces of the leaves.")
        return made

    @cached_property
    def leaf_of(self) -> Ints:
        """The leaf of each counted box."""
        return self.leaves.parts_of_slices(self.counted.corners[0])

    @cached_property
    def cells(self) -> Grid:
        """The cells that the leaves consist of."""
        return Grid(self.leaves.domain, self.leaves.raster.slices)

    @cached_property
    def inside(self) -> Ints:
        """The leaf of each cell."""
        return parents_of(self.cells, self.leaves)

    @cached_property
    def sizes(self) -> Ints:
        """The number of cells in each leaf."""
        return np.bincount(self.inside)

    @cached_property
    def shares(self) -> Floats:
        """The share of each counted box in its leaf's cells."""
        lower, upper = self.counted.corners
        return np.asarray((upper - lower).prod(axis=1) / self.sizes[self.leaf_of])

    @cached_property
    def precision(self) -> Floats:
        """The inverse variance of each leaf's sum."""
        own = np.bincount(self.leaf_of, self.shares**2) / self.noise[0]
        return own + 1 / (self.sizes * self.noise[1]) if self.noise[1:] else own

    @property
    def spreads(self) -> Floats:
        """The variance of each leaf's value."""
        return np.asarray(1 / self.precision / self.sizes**2, dtype=np.float64)

    def values(self, measurements: Sequence[Measurement]) -> Floats:
        """The value of the cells of each leaf."""
        sums = np.bincount(self.leaf_of, self.shares * measurements[0].values) / self.noise[0]
        for cells in measurements[1:]:
            inside = np.bincount(self.inside, cells.values.astype(np.float64))
            sums += inside / (self.sizes * self.noise[1])
        return np.asarray(sums / self.precision / self.sizes, dtype=np.float64)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        return self.values(measurements)[self.inside]

    def pull(self, weights: Floats) -> Sequence[Floats]:
        sums = np.bincount(self.inside, weights) / self.sizes / self.precision
        return [
            self.shares * sums[self.leaf_of] / self.noise[0],
            *((sums / (self.sizes * noise))[self.inside] for noise in self.noise[1:]),
        ]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return self.spreads[self.inside]

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """Leaves are independent: O(entries)."""
        leaves = rows @ membership(self.inside, (1 / self.sizes)[self.inside])
        return np.asarray((leaves**2) @ (1 / self.precision), dtype=np.float64)

    def first_counts(self, measurements: Sequence[Measurement]) -> Measurement | None:
        return measurements[1] if len(measurements) > 1 else None

    def groups(self) -> Groups:
        return Groups(self.inside, self.leaves)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if partition != self.cells:
            raise BadInput("The parts of even leaves must be the cells of the boxes' raster.")

    def to_json(self) -> dict[str, Any]:
        leaves = {} if self.leaves is self.counted else {"leaves": self.leaves.to_json()}
        return {"kind": self.kind, **leaves}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> EvenLeaves:
        if len(measurements) not in (1, 2):
            raise BadInput(f"Even leaves need one or two measurements. Found {len(measurements)}.")
        if "leaves" not in data:
            return cls.of(measurements)
        leaves = partition_from_json(measurements[0].partition.domain, data["leaves"])
        if not isinstance(leaves, Boxes):
            raise BadInput("Even leaves must be boxes.")
        return cls.of(measurements, leaves)
