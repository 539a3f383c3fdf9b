"""A grid whose cells are divided further."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.base.packing import pack
from hushgram.declare.axis import Axis
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition.base import MAX_PARTS, Boxed, Ints, too_many
from hushgram.geometry.partition.lattice import Grid


@dataclass(frozen=True, eq=False)
class Refined(Boxed):
    """Cut every cell of a grid again, each into its own number of slices per axis.

    ``sizes`` holds the slices along each axis for each cell in order. In a cell of width w, index i
    is in slice ``(i - start) * m // w`` of m. Parts are numbered cell by cell.

    >>> from hushgram.declare.axis import Integer
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
                f"A refined grid of {self.grid.size} cells and {len(self.grid.domain)} axes needs "
                f"an array of sizes with that shape. Found shape {sizes.shape}."
            )
        lower, upper = self._frames
        if (sizes < 1).any() or (sizes > upper - lower).any():
            raise DomainError(
                "A cell must have at least 1 slice per axis, and at most one slice per index."
            )
        sizes.flags.writeable = False
        object.__setattr__(self, "sizes", sizes)
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.grid.domain

    @cached_property
    def _frames(self) -> tuple[Ints, Ints]:
        return self.grid.boxes()

    @cached_property
    def offsets(self) -> Ints:
        """The number of each cell's first part, followed by the total number of parts."""
        rough = self.sizes.prod(axis=1, dtype=np.float64).sum()  # integers might overflow
        if rough > 2 * MAX_PARTS:
            raise DomainError(too_many(int(rough)))
        return np.concatenate([[0], np.cumsum(self.sizes.prod(axis=1))])

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def cells(self) -> Ints:
        """The cell that contains each part."""
        return np.repeat(np.arange(self.grid.size), np.diff(self.offsets))

    @property
    def base(self) -> Refined:
        return self

    def sums(self, counts: Ints) -> Ints:
        return counts

    def with_axis(self, place: int, name: str, axis: Axis) -> Refined:
        """The same parts in a domain with one more axis, which is a single slice."""
        return Refined(
            self.grid.with_axis(place, name, axis), np.insert(self.sizes, place, 1, axis=1)
        )

    def sum_cells(self, cells: Ints) -> Ints:
        """The rows in each part, from those in each cell of the domain: O(cells)."""
        indices = np.unravel_index(np.arange(self.domain.cells), self.domain.shape)
        found = np.zeros(self.size, dtype=np.int64)
        np.add.at(found, self.parts([np.asarray(i, dtype=np.int64) for i in indices]), cells)
        return found

    def parts(self, indices: Sequence[Ints]) -> Ints:
        cells = self.grid.parts(indices)
        lower, upper = self._frames
        inside = np.zeros(len(cells), dtype=np.int64)
        for axis, values in enumerate(indices):
            start, slices = lower[cells, axis], self.sizes[cells, axis]
            width = upper[cells, axis] - start
            inside = inside * slices + (values - start) * slices // width
        return self.offsets[cells] + inside

    def boxes(self) -> tuple[Ints, Ints]:
        return self.boxes_between(0, self.size)

    def boxes_between(self, first: int, last: int) -> tuple[Ints, Ints]:
        """The boxes of the parts from ``first`` up to ``last``: O(parts of the cells involved)."""
        from hushgram.geometry.partition.refined_kernels import fill_boxes

        cells = slice(
            np.searchsorted(self.offsets, first, side="right") - 1,
            np.searchsorted(self.offsets, last),
        )
        before = self.offsets[cells.start]
        parts = self.offsets[cells.stop] - before
        starts, stops = np.empty((2, parts, len(self.domain)), dtype=np.int64)
        lower, upper = self._frames
        fill_boxes(lower[cells], upper[cells], self.sizes[cells], starts, stops)
        return starts[first - before : last - before], stops[first - before : last - before]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "grid": self.grid.to_json(), "sizes": pack(self.sizes)}
