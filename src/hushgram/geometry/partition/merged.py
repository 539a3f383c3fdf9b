"""A partition whose parts are unions of the parts of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.base.packing import pack
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition.base import Ints, Partition
from hushgram.geometry.partition.lattice import Grid, Lattice
from hushgram.geometry.partition.refined import Refined


@dataclass(frozen=True, eq=False)
class Merged(Partition):
    """Merge parts of a grid or of cuts: each has the number of its new part as its label.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.geometry.partition.lattice import Grid
    >>> merged = Merged(Grid.of_cells(Domain(x=Integer(0, 4))), np.array([0, 1, 1, 0, 2]))
    >>> merged.size, merged.parts([np.array([0, 2, 4])]).tolist()
    (3, [0, 1, 2])
    """

    kind = "merged"
    grid: Lattice
    labels: Ints

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64).reshape(-1)
        if len(labels) != self.grid.size:
            raise DomainError(
                f"{self.grid.size} cells need {self.grid.size} labels. Found {len(labels)}."
            )
        present = np.unique(labels)
        if not np.array_equal(present, np.arange(len(present))):
            raise DomainError("Labels must be 0, 1, 2, … without gaps.")
        labels.flags.writeable = False
        object.__setattr__(self, "labels", labels)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.grid.domain

    @cached_property
    def sizes(self) -> Ints:
        """The number of cells in each part."""
        return np.bincount(self.labels)

    @property
    def size(self) -> int:
        return len(self.sizes)

    def parts(self, indices: Sequence[Ints]) -> Ints:
        return self.labels[self.grid.parts(indices)]

    @property
    def base(self) -> Grid | Refined:
        return self.grid.base

    def sums(self, counts: Ints) -> Ints:
        found = np.zeros(self.size, dtype=np.int64)
        np.add.at(found, self.labels, self.grid.sums(counts))
        return found

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "grid": self.grid.to_json(), "labels": pack(self.labels)}
