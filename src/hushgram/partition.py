"""Partitions: disjoint parts that cover a domain's indices. Integer arithmetic only.

``Grid``      equal slices of each axis's indices
``Refined``   a grid whose cells are cut again, each by its own sub-grid
``Merged``    a grid whose cells are joined, each with its label

All are public values: built from the domain and from noisy numbers, never from the table.
"""

from __future__ import annotations

import base64
import math
import operator
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hushgram.domain import Domain
from hushgram.errors import DomainError

Ints = npt.NDArray[np.int64]

MAX_PARTS = 10**8
"""Every part gets noise, empty or not, so every part must fit in memory."""


class Partition(ABC):
    """Disjoint parts of a domain, numbered from 0."""

    kind: ClassVar[str]
    domain: Domain

    @property
    @abstractmethod
    def size(self) -> int:
        """How many parts there are."""

    @abstractmethod
    def parts(self, indices: Sequence[Ints]) -> Ints:
        """The part of each row, from its index on every axis: the definition engines follow."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything but the domain."""


@dataclass(frozen=True)
class Grid(Partition):
    """Slice each axis into equal parts: index i of n lies in slice ``i * m // n`` of m.

    An "other" index is a slice of its own. Parts are numbered in row-major order.

    >>> from hushgram.axis import Integer
    >>> grid = Grid(Domain(x=Integer(0, 9), y=Integer(0, 4)), (3, 5))
    >>> grid.shape, grid.size, grid.cuts(0).tolist()
    ((3, 5), 15, [0, 4, 7, 10])
    >>> grid.parts([np.array([3, 4]), np.array([0, 2])]).tolist()
    [0, 7]
    """

    kind = "grid"
    domain: Domain
    slices: tuple[int, ...]

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "slices", tuple(operator.index(m) for m in self.slices))
        except TypeError:
            raise DomainError(f"slices are whole numbers, not {self.slices!r}.") from None
        if len(self.slices) != len(self.domain):
            raise DomainError(
                f"a grid needs slices for {len(self.domain)} axes, not {len(self.slices)}."
            )
        for (name, axis), slices in zip(self.domain.items(), self.slices, strict=True):
            if not 1 <= slices <= axis.bins:
                raise DomainError(
                    f"axis {name!r} can be cut in 1 to {axis.bins} slices, not {slices}."
                )
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @classmethod
    def of_cells(cls, domain: Domain) -> Grid:
        """Every declared cell by itself."""
        return cls(domain, tuple(axis.bins for axis in domain.axes))

    @property
    def shape(self) -> tuple[int, ...]:
        """Slices per axis, "other" included."""
        return tuple(m + axis.other for m, axis in zip(self.slices, self.domain.axes, strict=True))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def cuts(self, axis: int) -> Ints:
        """Where each slice of an axis starts; the last entry is the axis's size."""
        bins, slices = self.domain.axes[axis].bins, self.slices[axis]
        starts = -(-np.arange(slices + 1, dtype=np.int64) * bins // slices)
        return np.append(starts, bins + 1) if self.domain.axes[axis].other else starts

    def slice_of(self, axis: int, indices: Ints) -> Ints:
        """The slice that each index of one axis lies in."""
        bins, slices = self.domain.axes[axis].bins, self.slices[axis]
        if slices == bins:
            return indices
        found = indices * slices // bins
        return np.where(indices == bins, slices, found) if self.domain.axes[axis].other else found

    def parts(self, indices: Sequence[Ints]) -> Ints:
        found = np.zeros(len(indices[0]), dtype=np.int64)
        for axis, (values, length) in enumerate(zip(indices, self.shape, strict=True)):
            found = found * length + self.slice_of(axis, values)
        return found

    def boxes(self) -> tuple[Ints, Ints]:
        """The lowest index of each part on each axis, and one past the highest: parts x axes."""
        places = np.unravel_index(np.arange(self.size), self.shape)
        cuts = [self.cuts(axis) for axis in range(len(self.domain))]
        lower = np.stack([cut[place] for cut, place in zip(cuts, places, strict=True)], axis=1)
        upper = np.stack([cut[place + 1] for cut, place in zip(cuts, places, strict=True)], axis=1)
        return lower, upper

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "slices": list(self.slices)}


@dataclass(frozen=True, eq=False)
class Refined(Partition):
    """Cut every cell of a grid again, each by its own number of slices per axis.

    ``sizes`` holds, for each cell in order, the slices along each axis; within a cell, index i
    of width w lies in slice ``(i - start) * m // w``. Parts are numbered cell by cell.

    >>> from hushgram.axis import Integer
    >>> grid = Grid(Domain(x=Integer(0, 9)), (2,))
    >>> fine = Refined(grid, np.array([[1], [5]]))
    >>> fine.size, fine.parts([np.array([0, 4, 5, 9])]).tolist()
    (6, [0, 0, 1, 5])
    """

    kind = "refined"
    grid: Grid
    sizes: Ints

    def __post_init__(self) -> None:
        sizes = np.array(self.sizes, dtype=np.int64)
        if sizes.shape != (self.grid.size, len(self.grid.domain)):
            raise DomainError(
                f"a refined grid of {self.grid.size} cells and {len(self.grid.domain)} axes needs "
                f"that many sizes, not {sizes.shape}."
            )
        lower, upper = self.grid.boxes()
        if (sizes < 1).any() or (sizes > upper - lower).any():
            raise DomainError("a cell can be cut in 1 to as many slices as it has indices.")
        sizes.flags.writeable = False
        object.__setattr__(self, "sizes", sizes)
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.grid.domain

    @cached_property
    def offsets(self) -> Ints:
        """The number of each cell's first part, and last the number of all parts."""
        rough = self.sizes.prod(axis=1, dtype=np.float64).sum()  # integers might overflow
        if rough > 2 * MAX_PARTS:
            raise DomainError(too_many(int(rough)))
        return np.concatenate([[0], np.cumsum(self.sizes.prod(axis=1))])

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    def parts(self, indices: Sequence[Ints]) -> Ints:
        cells = self.grid.parts(indices)
        lower, upper = self.grid.boxes()
        inside = np.zeros(len(cells), dtype=np.int64)
        for axis, values in enumerate(indices):
            start, slices = lower[cells, axis], self.sizes[cells, axis]
            width = upper[cells, axis] - start
            inside = inside * slices + (values - start) * slices // width
        return self.offsets[cells] + inside

    def boxes(self) -> tuple[Ints, Ints]:
        """The lowest index of each part on each axis, and one past the highest: parts x axes."""
        lower, upper = self.grid.boxes()
        cells = np.repeat(np.arange(self.grid.size), np.diff(self.offsets))
        rest = np.arange(self.size) - self.offsets[cells]
        starts, stops = np.empty((2, self.size, len(self.domain)), dtype=np.int64)
        for axis in reversed(range(len(self.domain))):
            slices = self.sizes[cells, axis]
            rest, place = np.divmod(rest, slices)
            start = lower[cells, axis]
            width = upper[cells, axis] - start
            starts[:, axis] = start - (-place * width // slices)
            stops[:, axis] = start - (-(place + 1) * width // slices)
        return starts, stops

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "grid": self.grid.to_json(), "sizes": pack(self.sizes)}


@dataclass(frozen=True, eq=False)
class Merged(Partition):
    """Join cells of a grid: every cell carries the label of its part.

    >>> from hushgram.axis import Integer
    >>> merged = Merged(Grid.of_cells(Domain(x=Integer(0, 4))), np.array([0, 1, 1, 0, 2]))
    >>> merged.size, merged.parts([np.array([0, 2, 4])]).tolist()
    (3, [0, 1, 2])
    """

    kind = "merged"
    grid: Grid
    labels: Ints

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64).reshape(-1)
        if len(labels) != self.grid.size:
            raise DomainError(f"{self.grid.size} cells need as many labels, not {len(labels)}.")
        present = np.unique(labels)
        if not np.array_equal(present, np.arange(len(present))):
            raise DomainError("labels are 0, 1, 2, … without gaps.")
        labels.flags.writeable = False
        object.__setattr__(self, "labels", labels)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.grid.domain

    @cached_property
    def sizes(self) -> Ints:
        """How many cells each part has."""
        return np.bincount(self.labels)

    @property
    def size(self) -> int:
        return len(self.sizes)

    def parts(self, indices: Sequence[Ints]) -> Ints:
        return self.labels[self.grid.parts(indices)]

    def sums(self, cells: Ints) -> Ints:
        """The cells' counts added up part by part, in integers."""
        found = np.zeros(self.size, dtype=np.int64)
        np.add.at(found, self.labels, cells)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "grid": self.grid.to_json(), "labels": pack(self.labels)}


def partition_from_json(domain: Domain, data: Mapping[str, Any]) -> Partition:
    """The partition of a domain that `Partition.to_json` described."""
    try:
        if data["kind"] == "grid":
            return Grid(domain, tuple(data["slices"]))
        grid = Grid(domain, tuple(data["grid"]["slices"]))
        if data["kind"] == "refined":
            sizes = unpack(data["sizes"], grid.size * len(domain))
            return Refined(grid, sizes.reshape(grid.size, len(domain)))
        if data["kind"] == "merged":
            return Merged(grid, unpack(data["labels"], grid.size))
        raise DomainError(f"no partition is of kind {data['kind']!r}.")
    except (KeyError, OverflowError, TypeError, ValueError, zlib.error) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"a partition cannot be read: {error}.") from None


def pack(values: Ints) -> str:
    """Integers as compressed text for JSON."""
    return base64.b85encode(zlib.compress(values.astype("<i8").tobytes(), 6)).decode()


def unpack(text: str, count: int) -> Ints:
    """What `pack` packed; never more than ``count`` integers, whatever the text unpacks to."""
    stream = zlib.decompressobj()
    raw = stream.decompress(base64.b85decode(text), count * 8 + 1)
    if len(raw) != count * 8:
        raise DomainError(f"{count} packed integers were expected.")
    return np.frombuffer(raw, dtype="<i8").astype(np.int64)


def too_many(parts: int) -> str:
    return (
        f"{parts:,} parts are too many: each gets noise, so at most {MAX_PARTS:,} can be "
        "published. Declare fewer or coarser bins, for example lon=-180:180/256."
    )
