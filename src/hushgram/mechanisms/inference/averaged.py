"""Cells that share one value, by two counts: of their group, and of each cell at a first pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Merged
from hushgram.mechanisms.inference.levels import QUIETEST
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Averaged(Pooled):
    """Pooled, with both counts of a group's sum averaged by the inverse of their variances.

    Only where grouping chose little: cells that were singled out because they stood out at the
    first pass have counts there that are too large by that choice.
    """

    kind: ClassVar[str] = "averaged"
    noise: tuple[float, float] = (1.0, 1.0)
    """The variances of a group's count and of a cell's."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement], labels: Ints) -> Averaged:
        measured = measurements[0].partition
        if len(measurements) != 2 or not isinstance(measured, Merged):
            raise BadInput(
                "Averaging needs two measurements: of groups, and before that of each cell."
            )
        sums, look = (max(one.variance, QUIETEST) for one in measurements)
        return cls(measured, labels, looked=True, noise=(sums, look))

    @cached_property
    def weight(self) -> Floats:
        """That of the first pass in each group's sum."""
        sums, look = self.noise[0] * np.bincount(self.labels), self.noise[1] * self.sizes
        return np.asarray(sums / (sums + look), dtype=np.float64)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        sums = np.bincount(self.labels, measurements[0].values.astype(np.float64))
        look = np.bincount(self.cells, measurements[1].values.astype(np.float64))
        both = (1 - self.weight) * sums + self.weight * look
        return np.asarray((both / self.sizes)[self.cells], dtype=np.float64)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        shares = np.bincount(self.cells, weights) / self.sizes
        sums, look = (1 - self.weight) * shares, self.weight * shares
        return [np.asarray(sums[self.labels]), np.asarray(look[self.cells])]

    def sum_variances(self, measurements: Sequence[Measurement]) -> Floats:
        sums = super().sum_variances(measurements)
        look = measurements[1].variance * self.sizes
        return np.asarray((1 - self.weight) ** 2 * sums + self.weight**2 * look)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Averaged:
        return cls.of(measurements, Pooled.from_json(data, measurements).labels)
