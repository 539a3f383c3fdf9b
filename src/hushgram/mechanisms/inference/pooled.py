"""Cells that share one value: the mean of the group of measured parts that they belong to.

Grouping is how most one-dimensional methods trade detail for noise: what is measured for a group,
or averaged over it, has its noise divided by the group's size. Given the groups, the estimate is
linear; where they were chosen on the very noise that is averaged, its stated error is too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints, Lattice, Merged, Partition, pack, same_parts, unpack
from hushgram.queries import Measurement


@dataclass(frozen=True, eq=False)
class Pooled:
    """Each cell of a grid gets its group's sum divided by its group's number of cells.

    ``measured`` are the parts with noisy counts, the cells themselves or unions of them;
    ``groups`` labels each part with its group.
    """

    kind: ClassVar[str] = "pooled"
    measured: Lattice | Merged
    groups: Ints

    @cached_property
    def cells(self) -> Ints:
        """The group of every cell."""
        if isinstance(self.measured, Merged):
            return self.groups[self.measured.labels]
        return self.groups

    @cached_property
    def sizes(self) -> Ints:
        """How many cells each group has."""
        return np.bincount(self.cells)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        sums = np.bincount(self.groups, measurements[0].values.astype(np.float64))
        return np.asarray((sums / self.sizes)[self.cells], dtype=np.float64)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        shares = np.bincount(self.cells, weights) / self.sizes
        return [np.asarray(shares[self.groups], dtype=np.float64)]

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        parts = np.bincount(self.groups)
        return np.asarray((measurements[0].variance * parts / self.sizes**2)[self.cells])

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        cells = self.measured.grid if isinstance(self.measured, Merged) else self.measured
        if len(measurements) != 1 or not same_parts(partition, cells):
            raise BadInput("pooled cells are those of what was measured.")

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "groups": pack(self.groups)}

    @classmethod
    def from_json(cls, data: Any, measurements: Sequence[Measurement]) -> Pooled:
        measured = measurements[0].partition
        if not isinstance(measured, Lattice | Merged):
            raise BadInput("pooled parts are those of a grid, of cuts or of a merged partition.")
        groups = unpack(data["groups"], measured.size)
        if not 0 <= groups.min() <= groups.max() < measured.size or 0 in np.bincount(groups):
            raise BadInput("groups are numbered from 0 on, and each has a part.")
        return cls(measured, groups)
