"""Groups of cells with the same value: the mean over the group's measured parts.

Most one-dimensional methods trade detail for noise by grouping: a count of a group, or an average
over it, has its noise divided by the group's size. Given the groups, the estimate is linear. If
they were chosen by the same noise that is averaged, its stated error is too small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Lattice, Merged, Partition, pack, same_parts, unpack
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.groups import Groups
from hushgram.mechanisms.inference.weights import Matrix, membership
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Pooled(Inference):
    """Each cell of a grid gets its group's sum divided by its group's number of cells.

    ``measured`` are the parts with noisy counts, which are cells or unions of cells, and ``labels``
    has the group of each part. If ``has_first_counts``, the second measurement has the counts of
    the cells from before they were grouped. It does not influence the values, but shows how the
    cells of a group differ.
    """

    kind: ClassVar[str] = "pooled"
    measured: Lattice | Merged
    labels: Ints
    has_first_counts: bool = False

    @cached_property
    def cells(self) -> Ints:
        """The group of every cell."""
        if isinstance(self.measured, Merged):
            return self.labels[self.measured.labels]
        return self.labels

    @cached_property
    def sizes(self) -> Ints:
        """The number of cells in each group."""
        return np.bincount(self.cells)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        sums = np.bincount(self.labels, measurements[0].values.astype(np.float64))
        return np.asarray((sums / self.sizes)[self.cells], dtype=np.float64)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        shares = np.bincount(self.cells, weights) / self.sizes
        unused = [np.zeros(len(self.cells))] if self.has_first_counts else []
        return [np.asarray(shares[self.labels], dtype=np.float64), *unused]

    def sum_variances(self, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each group's sum."""
        return np.asarray(measurements[0].variance * np.bincount(self.labels), dtype=np.float64)

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return np.asarray((self.sum_variances(measurements) / self.sizes**2)[self.cells])

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """Groups are independent: O(entries)."""
        groups = rows @ membership(self.cells, (1 / self.sizes)[self.cells])
        return np.asarray((groups**2) @ self.sum_variances(measurements), dtype=np.float64)

    def first_counts(self, measurements: Sequence[Measurement]) -> Measurement | None:
        if isinstance(self.measured, Lattice):
            return measurements[0]
        return measurements[1] if len(measurements) > 1 else None

    def groups(self) -> Groups:
        return Groups(self.cells)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        cells = self.measured.grid if isinstance(self.measured, Merged) else self.measured
        first = measurements[1:]
        if len(first) != self.has_first_counts or not same_parts(partition, cells):
            raise BadInput("Pooled cells must be the measured ones.")
        if any(one.partition != partition for one in first):
            raise BadInput("The first counts of pooled cells must include each of them.")

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "groups": pack(self.labels)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Pooled:
        if len(measurements) not in (1, 2):
            raise BadInput(f"Pooled cells need one or two measurements. Found {len(measurements)}.")
        measured = measurements[0].partition
        if not isinstance(measured, Lattice | Merged):
            raise BadInput(
                "Pooled parts must be those of a grid, of cuts or of a merged partition."
            )
        labels = unpack(data["groups"], measured.size)
        if not 0 <= labels.min() <= labels.max() < measured.size or 0 in np.bincount(labels):
            raise BadInput("Groups must be numbered from 0, and each must have a part.")
        return cls(measured, labels, has_first_counts=len(measurements) == 2)
