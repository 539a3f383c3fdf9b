"""Partitions by slices of every axis, of equal or any widths."""

from __future__ import annotations

import math
import operator
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hushgram.base.packing import pack
from hushgram.declare.axis import Axis
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition.base import MAX_PARTS, Boxed, Ints, too_many


class Lattice(Boxed):
    """Slices along each axis; the parts are their products, numbered in row-major order.

    An "other" index is a slice of its own, the last.
    """

    slices: tuple[int, ...]
    """Slices per axis, "other" not counted."""

    @abstractmethod
    def cuts(self, axis: int) -> Ints:
        """Where each slice of an axis starts; the last entry is the axis's size."""

    @abstractmethod
    def slice_of(self, axis: int, indices: Ints) -> Ints:
        """The slice that contains each index of one axis."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Slices per axis, "other" included."""
        return tuple(m + axis.other for m, axis in zip(self.slices, self.domain.axes, strict=True))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def parts(self, indices: Sequence[Ints]) -> Ints:
        found = np.zeros(len(indices[0]), dtype=np.int64)
        for axis, (values, length) in enumerate(zip(indices, self.shape, strict=True)):
            found = found * length + self.slice_of(axis, values)
        return found

    def boxes(self) -> tuple[Ints, Ints]:
        places = np.unravel_index(np.arange(self.size), self.shape)
        cuts = [self.cuts(axis) for axis in range(len(self.domain))]
        lower = np.stack([cut[place] for cut, place in zip(cuts, places, strict=True)], axis=1)
        upper = np.stack([cut[place + 1] for cut, place in zip(cuts, places, strict=True)], axis=1)
        return lower, upper

    def sum_cells(self, cells: Ints) -> Ints:
        """The rows in each part, from those in each cell of the domain: O(cells)."""
        found = cells.reshape(self.domain.shape)
        for axis in range(found.ndim):
            if self.shape[axis] < found.shape[axis]:
                found = np.add.reduceat(found, self.cuts(axis)[:-1], axis=axis)
        return found.reshape(-1)


@dataclass(frozen=True)
class Raster(Lattice):
    """Slice each axis into equal parts: index i of n is in slice ``i * m // n`` of m.

    A raster may have more cells than can be published, up to 2^50, because trees cut it into few
    boxes. See `Grid`.
    """

    kind = "raster"
    domain: Domain
    slices: tuple[int, ...]
    max_cells: ClassVar[int] = 1 << 50
    """The largest number of cells: engines number them in doubles."""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "slices", tuple(operator.index(m) for m in self.slices))
        except TypeError:
            raise DomainError(f"Slices must be whole numbers. Found {self.slices!r}.") from None
        if len(self.slices) != len(self.domain):
            raise DomainError(
                f"A grid needs slices for {len(self.domain)} axes. Found {len(self.slices)}."
            )
        for (name, axis), slices in zip(self.domain.items(), self.slices, strict=True):
            if not 1 <= slices <= axis.bins:
                raise DomainError(
                    f"Axis {name!r} can be split into 1 to {axis.bins} slices. Found {slices}."
                )
        if self.size > self.max_cells:
            raise DomainError(too_many(self.size))

    @classmethod
    def of_cells(cls, domain: Domain) -> Self:
        """Every declared cell separately."""
        return cls(domain, tuple(axis.bins for axis in domain.axes))

    def cuts(self, axis: int) -> Ints:
        bins, slices = self.domain.axes[axis].bins, self.slices[axis]
        starts = -(-np.arange(slices + 1, dtype=np.int64) * bins // slices)
        return np.append(starts, bins + 1) if self.domain.axes[axis].other else starts

    def slice_of(self, axis: int, indices: Ints) -> Ints:
        bins, slices = self.domain.axes[axis].bins, self.slices[axis]
        if slices == bins:
            return indices
        found = indices * slices // bins
        return np.where(indices == bins, slices, found) if self.domain.axes[axis].other else found

    @property
    def base(self) -> Grid:
        return Grid(self.domain, self.slices)

    def sums(self, counts: Ints) -> Ints:
        return counts

    def with_axis(self, place: int, name: str, axis: Axis) -> Self:
        """The same cells in a domain with one more axis, which is a single slice.

        >>> from hushgram.declare.axis import Integer
        >>> grid = Grid(Domain(x=Integer(0, 9)), (5,))
        >>> grid.with_axis(0, "y", Integer(3, 3)).slices
        (1, 5)
        """
        axes = list(self.domain.items())
        axes.insert(place, (name, axis))
        slices = (*self.slices[:place], 1, *self.slices[place:])
        return type(self)(Domain(dict(axes)), slices)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "slices": list(self.slices)}


@dataclass(frozen=True)
class Grid(Raster):
    """A raster that can be published: every cell gets noise, so all must fit in memory.

    >>> from hushgram.declare.axis import Integer
    >>> grid = Grid(Domain(x=Integer(0, 9), y=Integer(0, 4)), (3, 5))
    >>> grid.shape, grid.size, grid.cuts(0).tolist()
    ((3, 5), 15, [0, 4, 7, 10])
    >>> grid.parts([np.array([3, 4]), np.array([0, 2])]).tolist()
    [0, 7]
    """

    kind = "grid"
    max_cells: ClassVar[int] = MAX_PARTS

    @property
    def base(self) -> Grid:
        return self


@dataclass(frozen=True, eq=False)
class Cuts(Lattice):
    """Slice each axis anywhere, given the starts of the slices in order, the first at 0.

    >>> from hushgram.declare.axis import Integer
    >>> cuts = Cuts(Domain(x=Integer(0, 9)), (np.array([0, 1, 5]),))
    >>> cuts.size, cuts.cuts(0).tolist(), cuts.parts([np.array([0, 4, 5, 9])]).tolist()
    (3, [0, 1, 5, 10], [0, 1, 2, 2])
    >>> cuts.sums(np.arange(10)).tolist()
    [0, 10, 35]
    """

    kind = "cuts"
    domain: Domain
    starts: tuple[Ints, ...]
    """For each axis, the starts of its slices, without "other"."""

    def __post_init__(self) -> None:
        starts = tuple(np.array(one, dtype=np.int64).reshape(-1) for one in self.starts)
        if len(starts) != len(self.domain):
            raise DomainError(
                f"{len(self.domain)} axes need {len(self.domain)} lists of starts. Found "
                f"{len(starts)}."
            )
        for (name, axis), one in zip(self.domain.items(), starts, strict=True):
            rising = len(one) > 0 and one[0] == 0 and (one[:-1] < one[1:]).all()  # diff may wrap
            if not rising or one[-1] >= axis.bins:
                raise DomainError(
                    f"Slices of axis {name!r} must start at 0, in increasing order, below "
                    f"{axis.bins}."
                )
            one.flags.writeable = False
        object.__setattr__(self, "starts", starts)
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @cached_property
    def slices(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(len(one) for one in self.starts)

    def cuts(self, axis: int) -> Ints:
        ends = range(self.domain.axes[axis].bins, self.domain.axes[axis].size + 1)
        return np.append(self.starts[axis], list(ends))

    def slice_of(self, axis: int, indices: Ints) -> Ints:
        return np.searchsorted(self.cuts(axis), indices, side="right") - 1

    @property
    def base(self) -> Grid:
        return Grid.of_cells(self.domain)

    def sums(self, counts: Ints) -> Ints:
        return self.sum_cells(counts)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "slices": list(self.slices),
            "widths": [pack(np.diff(one)) for one in self.starts],
        }
