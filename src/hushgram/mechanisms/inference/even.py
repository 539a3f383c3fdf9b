"""Leaves of a tree of cuts whose cells all have one value.

A leaf's value follows from its noisy count, and also from the noisy counts of its cells if there
are any. It may also have been counted in pieces, by finer boxes whose cuts were then undone. By
weighted least squares each count speaks for the leaf's sum by the share of its cells, and by the
inverse of its variance: a leaf that was counted in one piece has the average of its own count and
of the sum of its cells. Given the leaves this is the best linear unbiased estimate if cells of a
leaf are alike; where leaves were chosen on the very noise that is averaged, the stated error is
somewhat too small.
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
from hushgram.mechanisms.inference.levels import QUIETEST, parents_of
from hushgram.mechanisms.inference.weights import Matrix, membership
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class EvenLeaves(Inference):
    """Each cell of a leaf gets an equal part of the leaf's sum.

    The measurements are those of the ``counted`` boxes, which are the leaves or cut finer, then
    perhaps those of the cells; ``noise`` holds their variances.
    """

    kind: ClassVar[str] = "even"
    leaves: Boxes
    noise: tuple[float, ...]
    counted: Boxes

    @classmethod
    def of(cls, measurements: Sequence[Measurement], leaves: Boxes | None = None) -> EvenLeaves:
        counted = measurements[0].partition if measurements else None
        if not isinstance(counted, Boxes):
            raise BadInput("Even cells need boxes.")
        noise = tuple(max(m.variance, QUIETEST) for m in measurements)
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
        """The slices of which the leaves consist."""
        return Grid(self.leaves.domain, self.leaves.raster.slices)

    @cached_property
    def inside(self) -> Ints:
        """The leaf of each cell."""
        return parents_of(self.cells, self.leaves)

    @cached_property
    def sizes(self) -> Ints:
        """How many cells each leaf has."""
        return np.bincount(self.inside)

    @cached_property
    def shares(self) -> Floats:
        """The share of its leaf's cells that each counted box has."""
        lower, upper = self.counted.corners
        return np.asarray((upper - lower).prod(axis=1) / self.sizes[self.leaf_of])

    @cached_property
    def precision(self) -> Floats:
        """One over the variance of each leaf's sum."""
        own = np.bincount(self.leaf_of, self.shares**2) / self.noise[0]
        return own + 1 / (self.sizes * self.noise[1]) if self.noise[1:] else own

    @property
    def spreads(self) -> Floats:
        """The variance of each leaf's value."""
        return np.asarray(1 / self.precision / self.sizes**2, dtype=np.float64)

    def values(self, measurements: Sequence[Measurement]) -> Floats:
        """The value that all cells of a leaf have, for each leaf."""
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

    def first_look(self, measurements: Sequence[Measurement]) -> Measurement | None:
        return measurements[1] if len(measurements) > 1 else None

    def groups(self) -> Groups:
        return Groups(self.inside, self.leaves)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if partition != self.cells:
            raise BadInput("Even cells need the raster from which the boxes were made.")

    def to_json(self) -> dict[str, Any]:
        leaves = {} if self.leaves is self.counted else {"leaves": self.leaves.to_json()}
        return {"kind": self.kind, **leaves}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> EvenLeaves:
        if len(measurements) not in (1, 2):
            raise BadInput(f"Even cells need one or two measurements. Found {len(measurements)}.")
        if "leaves" not in data:
            return cls.of(measurements)
        leaves = partition_from_json(measurements[0].partition.domain, data["leaves"])
        if not isinstance(leaves, Boxes):
            raise BadInput("Even cells need boxes.")
        return cls.of(measurements, leaves)
