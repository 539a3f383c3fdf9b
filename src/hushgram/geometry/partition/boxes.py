"""The leaves of a tree of cuts through a raster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.base.packing import pack
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition.base import MAX_PARTS, Boxed, Ints, too_many
from hushgram.geometry.partition.lattice import Grid, Raster


@dataclass(frozen=True, eq=False)
class Boxes(Boxed):
    """The boxes that remain when a raster is cut in two along an axis, then each half, and so on.

    The tree's nodes are in preorder, the lower half before the upper one: ``axes`` holds the axis
    along which a node is cut, -1 for a leaf, and ``cuts`` the first slice of the upper half. The
    leaves are the parts, numbered in this order.

    >>> from hushgram.declare.axis import Integer
    >>> raster = Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 4)))
    >>> boxes = Boxes(raster, np.array([0, -1, 1, -1, -1]), np.array([6, 0, 2, 0, 0]))
    >>> boxes.size, boxes.parts([np.array([5, 6, 6]), np.array([4, 1, 2])]).tolist()
    (3, [0, 1, 2])
    >>> boxes.boxes()[1].tolist()
    [[6, 5], [10, 2], [10, 5]]
    """

    kind = "boxes"
    raster: Raster
    axes: Ints
    cuts: Ints

    def __post_init__(self) -> None:
        for name in ("axes", "cuts"):
            values = np.asarray(getattr(self, name), dtype=np.int64).reshape(-1)
            if values.flags.writeable:  # the caller may still write to it
                values = values.copy()
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if len(self.axes) != len(self.cuts) or len(self.axes) > 2 * MAX_PARTS:
            raise DomainError(too_many(len(self.axes)))
        self.corners  # noqa: B018 - raises for an invalid tree

    @classmethod
    def whole(cls, raster: Raster) -> Boxes:
        """A single box: the whole raster."""
        return cls(raster, np.array([-1]), np.array([0]))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.raster.domain

    @cached_property
    def size(self) -> int:
        return int(np.count_nonzero(self.axes < 0))

    @cached_property
    def corners(self) -> tuple[Ints, Ints]:
        """The first slice of each part on each axis, and one past the last."""
        from hushgram.geometry.partition.cutting import leaf_corners

        shape = np.array(self.raster.shape, dtype=np.int64)
        lower, upper = np.zeros((2, self.size, len(shape)), dtype=np.int64)
        if not leaf_corners(self.axes, self.cuts, shape, lower, upper):
            raise DomainError("The cuts must form a tree, each inside the box that it cuts.")
        return lower, upper

    def cut(self, axes: Ints, places: Ints) -> Boxes:
        """Finer boxes: every part with an axis other than -1 is cut along it at its place.

        >>> from hushgram.declare.axis import Integer
        >>> whole = Boxes.whole(Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 4))))
        >>> halves = whole.cut(np.array([0]), np.array([6]))
        >>> halves.cut(np.array([-1, 1]), np.array([0, 2])).axes.tolist()
        [0, -1, 1, -1, -1]
        """
        leaves = np.flatnonzero(self.axes < 0)[axes >= 0]
        repeats = np.ones(len(self.axes), dtype=np.int64)
        repeats[leaves] = 3
        starts = (np.cumsum(repeats) - repeats)[leaves]
        finer, cuts = np.repeat(self.axes, repeats), np.repeat(self.cuts, repeats)
        finer[starts], cuts[starts] = axes[axes >= 0], places[axes >= 0]
        finer.flags.writeable = cuts.flags.writeable = False
        return Boxes(self.raster, finer, cuts)

    def boxes(self) -> tuple[Ints, Ints]:
        return self.boxes_between(0, self.size)

    def boxes_between(self, first: int, last: int) -> tuple[Ints, Ints]:
        edges = [self.raster.cuts(axis) for axis in range(len(self.domain))]
        corners = (corner[first:last].T for corner in self.corners)
        lower, upper = (
            np.stack([edge[column] for edge, column in zip(edges, corner, strict=True)], axis=1)
            for corner in corners
        )
        return lower, upper

    def parts(self, indices: Sequence[Ints]) -> Ints:
        slices = [self.raster.slice_of(axis, values) for axis, values in enumerate(indices)]
        return self.parts_of_slices(np.stack(slices, axis=1))

    def parts_of_slices(self, slices: Ints) -> Ints:
        """The part of each cell of the raster, given by its slice on every axis: O(depth) each."""
        from hushgram.geometry.partition.cutting import find_leaves

        found = np.empty(len(slices), dtype=np.int64)
        find_leaves(self.axes, self.cuts, np.ascontiguousarray(slices), found)
        return found

    def count_inside(self, above: Boxes) -> Ints | None:
        """The number of parts in each of the boxes ``above``; None unless this tree is that one
        with further cuts. O(nodes)

        >>> from hushgram.declare.axis import Integer
        >>> whole = Boxes.whole(Raster.of_cells(Domain(x=Integer(0, 9))))
        >>> halves = whole.cut(np.array([0]), np.array([4]))
        >>> halves.count_inside(whole), whole.count_inside(halves)
        (array([2]), None)
        """
        from hushgram.geometry.partition.cutting import leaves_inside

        if above.raster != self.raster:
            return None
        found = np.empty(above.size, dtype=np.int64)
        is_cut_further = leaves_inside(self.axes, self.cuts, above.axes, above.cuts, found)
        return found if is_cut_further else None

    @property
    def base(self) -> Grid:
        """All cells of the raster. If there may be too many, engines call `sum_slices` with the
        occupied cells instead."""
        return self.raster.base

    def sums(self, counts: Ints) -> Ints:
        return self.sum_slices(
            np.stack(np.unravel_index(np.arange(len(counts)), self.raster.shape), axis=1), counts
        )

    def sum_slices(self, slices: Ints, rows: Ints) -> Ints:
        """The rows in each part, from all occupied cells of the raster and the rows in each."""
        found = np.zeros(self.size, dtype=np.int64)
        np.add.at(found, self.parts_of_slices(slices), rows)
        return found

    def join(self, most: int) -> Boxes:
        """Coarser boxes: the largest nodes of the tree with no more than ``most`` parts each.
        O(parts)

        >>> from hushgram.declare.axis import Integer
        >>> raster = Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 4)))
        >>> boxes = Boxes(raster, np.array([0, -1, 1, -1, -1]), np.array([6, 0, 2, 0, 0]))
        >>> [boxes.join(most).axes.tolist() for most in (1, 2, 3)]
        [[0, -1, 1, -1, -1], [0, -1, -1], [-1]]
        """
        from hushgram.geometry.partition.cutting import keep_inner, leaves_below

        axes, cuts = np.empty((2, len(self.axes)), dtype=np.int64)
        size = keep_inner(self.axes, self.cuts, leaves_below(self.axes) > most, axes, cuts)
        return Boxes(self.raster, axes[:size], cuts[:size])

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "raster": self.raster.to_json(),
            "nodes": len(self.axes),
            **self._packed,
        }

    @cached_property
    def _packed(self) -> dict[str, str]:
        """The packed tree, cached because a release describes the last boxes twice."""
        return {"axes": pack(self.axes), "cuts": pack(self.cuts)}
