"""Leaves of a tree of cuts whose cells all have one value.

A leaf's value follows from its noisy count, and also from the noisy counts of its cells if there
are any: by weighted least squares, the leaf's sum is the average of its own count and of the sum
of its cells, each by the inverse of its variance. Given the leaves this is the best linear
unbiased estimate if cells of a leaf are alike; where leaves were chosen on the very noise that is
averaged, the stated error is somewhat too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.axis import Floats
from hushgram.errors import BadInput
from hushgram.estimate import Measurement
from hushgram.inference.tree import parents_of
from hushgram.partition import Boxes, Grid, Ints


@dataclass(frozen=True, eq=False)
class Even:
    """Each cell of a leaf gets an equal part of the leaf's sum.

    The measurements are those of the leaves, then perhaps those of the cells; ``noise`` holds
    their variances.
    """

    kind: ClassVar[str] = "even"
    leaves: Boxes
    noise: tuple[float, ...]

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Even:
        leaves = measurements[0].partition if measurements else None
        if not isinstance(leaves, Boxes):
            raise BadInput("even cells are those of boxes.")
        made = cls(leaves, tuple(m.variance for m in measurements))
        if [m.partition for m in measurements[1:]] not in ([], [made.cells]):
            raise BadInput("the cells that were measured are not those of the boxes.")
        return made

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
    def precision(self) -> Floats:
        """One over the variance of each leaf's sum."""
        own = np.full(self.leaves.size, 1 / self.noise[0])
        return own + 1 / (self.sizes * self.noise[1]) if self.noise[1:] else own

    @property
    def own(self) -> Floats:
        """The weight of a leaf's own count in its sum."""
        return np.asarray(1 / self.noise[0] / self.precision, dtype=np.float64)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        sums = self.own * measurements[0].values
        for cells in measurements[1:]:
            sums += (1 - self.own) * np.bincount(self.inside, cells.values.astype(np.float64))
        return np.asarray((sums / self.sizes)[self.inside], dtype=np.float64)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        shares = np.bincount(self.inside, weights) / self.sizes
        return [
            self.own * shares,
            *(((1 - self.own) * shares)[self.inside] for _ in self.noise[1:]),
        ]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return np.asarray((1 / self.precision / self.sizes**2)[self.inside], dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}
