"""No inference: the values are the measured ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Partition, same_parts
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.levels import NestedLevels
from hushgram.mechanisms.inference.weights import Matrix, sum_powers
from hushgram.queries import Measurement


@dataclass(frozen=True)
class Direct(Inference):
    """The values of a single measurement."""

    kind: ClassVar[str] = "direct"
    is_direct: ClassVar[bool] = True

    def push(self, measurements: Sequence[Measurement]) -> Ints:
        return measurements[0].values

    def pull(self, weights: Floats) -> Sequence[Floats]:
        return [weights]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return np.full(measurements[0].partition.size, measurements[0].variance)

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """Parts are independent: O(entries)."""
        return measurements[0].variance * sum_powers(rows, 2)

    def slice_norms(self, along: Sequence[Matrix]) -> list[Floats]:
        return [sum_powers(shares, 2) for shares in along]

    def nested_levels(self, measurements: Sequence[Measurement]) -> NestedLevels:
        """A single level."""
        return NestedLevels.of(measurements)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if len(measurements) != 1 or not same_parts(partition, measurements[0].partition):
            raise BadInput("The parts of a direct estimate must be the measured ones.")

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Direct:
        if len(measurements) != 1:
            raise BadInput(f"A direct estimate needs one measurement. Found {len(measurements)}.")
        return cls()
