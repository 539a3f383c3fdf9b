"""Groups of cells with the same value, from two counts: of the group, and a first one of each
cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Merged
from hushgram.mechanisms.inference.levels import MIN_VARIANCE
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Averaged(Pooled):
    """Pooled cells whose group sum is the average of both counts, weighted by inverse variances.

    Only for mild selection: if a cell became a separate group because its first count was large,
    that count is too large on average.
    """

    kind: ClassVar[str] = "averaged"
    noise: tuple[float, float] = (1.0, 1.0)
    """The variances of the count of a group and of the first count of a cell."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement], labels: Ints) -> Averaged:
        measured = measurements[0].partition
        if len(measurements) != 2 or not isinstance(measured, Merged):
            raise BadInput(
                "Averaging needs two measurements: one of groups and an earlier one of cells."
            )
        sums, first = (max(one.variance, MIN_VARIANCE) for one in measurements)
        return cls(measured, labels, has_first_counts=True, noise=(sums, first))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the first counts in each group's sum."""
        sums, first = self.noise[0] * np.bincount(self.labels), self.noise[1] * self.sizes
        return np.asarray(sums / (sums + first), dtype=np.float64)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        sums = np.bincount(self.labels, measurements[0].values.astype(np.float64))
        first = np.bincount(self.cells, measurements[1].values.astype(np.float64))
        both = (1 - self.weight) * sums + self.weight * first
        return np.asarray((both / self.sizes)[self.cells], dtype=np.float64)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        shares = np.bincount(self.cells, weights) / self.sizes
        sums, first = (1 - self.weight) * shares, self.weight * shares
        return [np.asarray(sums[self.labels]), np.asarray(first[self.cells])]

    def sum_variances(self, measurements: Sequence[Measurement]) -> Floats:
        sums = super().sum_variances(measurements)
        first = measurements[1].variance * self.sizes
        return np.asarray((1 - self.weight) ** 2 * sums + self.weight**2 * first)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Averaged:
        return cls.of(measurements, Pooled.from_json(data, measurements).labels)
