"""Groups of the sorted rows of each cell: what the mechanism `hybrid` measures. Public."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.curve import MAX_PLACE_BITS, MAX_SIDE_BITS, Curve
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import (
    MAX_PARTS,
    Grid,
    Ints,
    Measurable,
    Raster,
    pack,
    unpack,
    whole_number,
)
from hushgram.geometry.partition.base import too_many


@dataclass(frozen=True)
class Inside:
    """A subdivision of the cells of a grid with the same numbers of slices per axis in each cell.

    An axis that the grid already cuts into single indices has one slice and is not part of the
    order.

    >>> inside = Inside.of(Grid(Domain(x=Integer(0, 99), y=Integer(0, 3)), (8, 4)))
    >>> inside.slices, inside.raster.slices, inside.cell.shape
    ((12, 1), (96, 4), (12,))
    """

    grid: Grid

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, grid: Grid) -> Inside:
        """The subdivision of a grid; an equal grid gets the same object, with its cached
        properties."""
        return cls(grid)

    @cached_property
    def slices(self) -> tuple[int, ...]:
        """Slices of a cell on each axis: one per index, or one per place of a curve where there are
        too many indices, and never more than a raster can have."""
        axes = self.grid.domain.axes
        whole = [axis.bins // m for axis, m in zip(axes, self.grid.slices, strict=True)]
        longer = max(1, sum(width > 1 for width in whole))
        for bits in reversed(range(min(MAX_SIDE_BITS, MAX_PLACE_BITS // longer) + 1)):
            slices = tuple(min(width, 1 << bits) for width in whole)
            each = zip(axes, self.grid.slices, slices, strict=True)
            if math.prod(m * k + axis.other for axis, m, k in each) <= Raster.max_cells:
                break
        return slices

    @cached_property
    def raster(self) -> Raster:
        """The slices of all cells."""
        both = zip(self.grid.slices, self.slices, strict=True)
        return Raster(self.grid.domain, tuple(m * k for m, k in both))

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The axes along which cells have more than one slice."""
        return tuple(axis for axis, slices in enumerate(self.slices) if slices > 1)

    @cached_property
    def cell(self) -> Domain:
        """A single cell as a domain with these axes, of which there must be at least one."""
        names = self.grid.domain.names
        return Domain({names[axis]: Integer(0, self.slices[axis] - 1) for axis in self.axes})

    @cached_property
    def curve(self) -> Curve:
        """The order of a cell's slices."""
        return Curve(self.cell)

    @cached_property
    def divided(self) -> Any:
        """Which cells are subdivided: not those that are "other" on one of these axes."""
        at = np.unravel_index(np.arange(self.grid.size), self.grid.shape)
        found = np.full(self.grid.size, bool(self.axes))
        for axis in self.axes:
            found &= at[axis] < self.grid.slices[axis]
        return found

    def places(self, cells: Ints) -> tuple[Ints, Ints]:
        """For each cell of the raster, the grid's cell that contains it, and its place in there."""
        at = np.unravel_index(cells, self.raster.shape)
        parts = [slices // k for slices, k in zip(at, self.slices, strict=True)]
        inner = [at[axis] % self.slices[axis] for axis in self.axes]
        return np.ravel_multi_index(parts, self.grid.shape), self.curve.places_at(inner)


class ListRows(NamedTuple):
    """The rows of each list, in order: the places of list k are those from ``starts[k]`` up to
    ``stops[k]``."""

    starts: Ints
    stops: Ints
    places: Ints
    rows: Ints
    """The number of rows at each place."""


@dataclass(frozen=True, eq=False)
class SortedCells(Measurable):
    """In some cells of a grid, sort the rows' places and divide them into groups: what is the sum
    of each group?

    ``rows`` holds the declared length of each cell's list, 0 for cells without one, and ``group``
    the largest number of places in a group: see `SortedGroups`. Lists are in the order of the
    cells.

    >>> from hushgram.declare.axis import Integer
    >>> grid = Grid(Domain(x=Integer(0, 9)), (2,))
    >>> cells = SortedCells(grid, np.array([0, 3]), np.array([0, 2]))
    >>> cells.size, cells.sums(np.array([1, 5, 8]), np.array([4, 1, 1])).tolist()   # 0 | 3 4
    (2, [0, 7])
    """

    kind = "sorted-cells"
    grid: Grid
    rows: Ints
    group: Ints

    def __post_init__(self) -> None:
        for name in ("rows", "group"):
            values = np.array(getattr(self, name), dtype=np.int64)
            if values.shape != (self.grid.size,):
                raise DomainError(
                    f"{name} must have one entry for each of {self.grid.size} cells. Found shape "
                    f"{values.shape}."
                )
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if (self.rows < 0).any() or not self.inside.divided[self.zoomed].all():
            raise DomainError("A cell that cannot be divided cannot have a sorted list.")
        self._check_lists()
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.grid.domain

    @property
    def inside(self) -> Inside:
        return Inside.of(self.grid)

    @property
    def span(self) -> int:
        """The last place in any cell; the first is 0."""
        return self.inside.curve.span if self.inside.axes else 0

    @cached_property
    def zoomed(self) -> Ints:
        """The cells that have lists."""
        return np.flatnonzero(self.rows)

    @cached_property
    def lists(self) -> list[SortedGroups]:
        """The list of each such cell."""
        both = zip(self.rows[self.zoomed].tolist(), self.group[self.zoomed].tolist(), strict=True)
        return [SortedGroups(self.inside.cell, rows, group) for rows, group in both]

    @cached_property
    def offsets(self) -> Ints:
        """Where the groups of each list start, followed by the number of all groups."""
        return np.cumsum([0, *-(-self.rows[self.zoomed] // self.group[self.zoomed])])

    def _check_lists(self) -> None:
        """Raise for invalid lists. The lists with the smallest and the largest groups stand for
        all."""
        largest = np.minimum(self.rows, self.group)[self.zoomed]
        for number in {int(np.argmin(largest)), int(np.argmax(largest))} if len(largest) else ():
            cell = self.zoomed[number]
            SortedGroups(self.inside.cell, self.rows[cell], self.group[cell])

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    def sums(self, cells: Ints, rows: Ints) -> Ints:
        """The exact sum of each group, from the occupied cells of the raster and their numbers of
        rows: O(n) for n cells and each digit of their places."""
        from hushgram.base.sorting import lexsort_digits
        from hushgram.geometry.measured.sorted_cells_kernel import sum_groups

        owners, places = self.inside.places(cells)
        order = lexsort_digits([places, owners])
        starts, stops = (np.searchsorted(owners[order], self.zoomed, side) for side in SIDES)
        held = ListRows(starts, stops, places[order], rows[order])
        found = np.empty(self.size, dtype=np.int64)
        sum_groups(held, self.rows[self.zoomed], self.offsets, self.span, found)
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "grid": self.grid.to_json(),
            "rows": pack(self.rows),
            "group": pack(self.group),
        }

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> SortedCells:
        grid = Grid(domain, tuple(map(whole_number, data["grid"]["slices"])))
        return cls(grid, unpack(data["rows"], grid.size), unpack(data["group"], grid.size))


SIDES: tuple[Any, Any] = ("left", "right")
