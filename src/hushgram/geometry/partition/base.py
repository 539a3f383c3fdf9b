"""Base classes of everything that can be measured and of all partitions of a domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hushgram.declare.domain import Domain

if TYPE_CHECKING:
    from hushgram.geometry.partition.lattice import Grid
    from hushgram.geometry.partition.refined import Refined

Ints = npt.NDArray[np.int64]

MAX_PARTS = 10**8
"""Every part gets noise, empty or not, so every part must fit in memory."""


class Measurable(ABC):
    """Public questions about a domain, numbered from 0, that get one noisy integer each."""

    kind: ClassVar[str]
    domain: Domain

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of questions."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The description for a release, without the domain."""


class Partition(Measurable):
    """Disjoint parts of a domain: how many rows are in each?

    Engines only count grids and refined grids. Any other partition names one of these as its
    ``base`` and adds up the counts of the base's parts, each of which is within one of its parts.
    """

    @abstractmethod
    def parts(self, indices: Sequence[Ints]) -> Ints:
        """The part of each row, from its index on every axis: the definition engines follow."""

    @property
    @abstractmethod
    def base(self) -> Grid | Refined:
        """The grid or refined grid that engines count."""

    @abstractmethod
    def sums(self, counts: Ints) -> Ints:
        """The rows in each part, as integer sums of those in each part of the base."""


class Boxed(Partition):
    """A partition whose parts are boxes of indices."""

    @abstractmethod
    def boxes(self) -> tuple[Ints, Ints]:
        """The lowest index of each part on each axis, and one past the highest: parts x axes."""

    def boxes_between(self, first: int, last: int) -> tuple[Ints, Ints]:
        """The boxes of the parts from ``first`` up to ``last``."""
        lower, upper = self.boxes()
        return lower[first:last], upper[first:last]


def too_many(parts: int) -> str:
    return (
        f"{parts:,} parts are too many: each gets noise, so at most {MAX_PARTS:,} can be "
        "published. Declare fewer or coarser bins, for example lon=-180:180/256."
    )
