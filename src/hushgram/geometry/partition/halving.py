"""The tree of halves of a raster: all axes are halved at once, repeatedly.

A node is halved along every axis on which it has two slices or more, so a square has four
children and a cube eight. An axis of m slices has, at depth k, the nodes ``ceil(m j / 2^k)`` to
``ceil(m (j + 1) / 2^k)``, whose widths differ by at most one for any m. An "other" slice is never
in the same node as the rest of its axis: there is one tree for the declared slices, and one for
every combination of axes that are at "other".

The numbers of the children that contain a cell, depth by depth, form the cell's *place*. In the
order of places, every node is a range without gaps, and a subtree is determined by the places
where its leaves start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from hushgram.errors import DomainError
from hushgram.geometry.partition.base import Ints
from hushgram.geometry.partition.boxes import Boxes
from hushgram.geometry.partition.lattice import Cuts, Raster

MAX_AXES = 10
"""The most axes that can be halved at once: a node then has 1,024 children."""

MAX_BITS = 62
"""Bits of a place, so that it fits into a positive 64-bit integer."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of one depth, in the order of their places."""

    depth: int
    paths: Ints
    """The upper bits that all places of a node share."""
    prefixes: Ints
    """The number j of each node on each axis: nodes x axes."""
    single: npt.NDArray[np.bool_]
    """Whether a node is a single cell, which cannot be halved."""

    def __len__(self) -> int:
        return len(self.paths)

    def subset(self, chosen: npt.NDArray[np.bool_]) -> Nodes:
        return Nodes(self.depth, self.paths[chosen], self.prefixes[chosen], self.single[chosen])


@dataclass(frozen=True)
class Halving:
    """The tree of halves of a raster.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> halving = Halving(Raster.of_cells(Domain(x=Integer(0, 2), y=Integer(0, 1))))
    >>> halving.places(np.arange(6)).tolist()
    [0, 2, 1, 3, 4, 6]
    >>> halving.leaves(np.array([0, 4])).boxes()[0].tolist()
    [[0, 0], [2, 0]]
    """

    raster: Raster
    turns: int | None = None
    """How many times every axis is halved; None halves each axis as often as possible. One half of
    a single slice is empty and not a node."""

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, raster: Raster, turns: int | None = None) -> Halving:
        """The tree of a raster; equal arguments get the same object, with its cached properties."""
        return cls(raster, turns)

    def __post_init__(self) -> None:
        halved = sum(bits > 0 for bits in self.bits)
        if halved > MAX_AXES:
            raise DomainError(
                f"At most {MAX_AXES} axes can be halved at once. Found {halved}. Publish "
                "fewer axes."
            )
        if self.length > MAX_BITS:
            raise DomainError(
                "A raster with so many slices gives too deep a tree. Use fewer slices."
            )

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """How many times each axis is halved."""
        if self.turns is not None:
            return (self.turns,) * len(self.raster.slices)
        return tuple((slices - 1).bit_length() for slices in self.raster.slices)

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The axes that have an "other" slice."""
        return tuple(n for n, axis in enumerate(self.raster.domain.axes) if axis.other)

    @cached_property
    def length(self) -> int:
        """The bits of a place: one per "other" slice, and one per halving of an axis."""
        return len(self.others) + sum(self.bits)

    def fan_out(self, depth: int) -> int:
        """The largest number of children of a node at this depth or below, at least two."""
        return max(2, 1 << len(self.halved_axes(depth)))

    def halved_axes(self, depth: int) -> tuple[int, ...]:
        """The axes along which nodes of a depth are halved if they have two slices or more."""
        return tuple(axis for axis, bits in enumerate(self.bits) if bits > depth)

    def below(self, depth: int) -> int:
        """The number of bits of a place that a node of this depth does not determine."""
        return sum(max(bits - depth, 0) for bits in self.bits)

    @cached_property
    def _public(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The shape, slices, bits and "other" axes, for compiled code."""
        given = self.raster.shape, self.raster.slices, self.bits, self.others
        shape, slices, bits, others = (np.array(one, dtype=np.int64) for one in given)
        return shape, slices, bits, others

    def places(self, cells: Ints) -> Ints:
        """The place of each cell, given by its number in the raster: O(bits) each."""
        from hushgram.geometry.partition.halving_kernels import fill_places

        found = np.empty(len(cells), dtype=np.int64)
        fill_places(np.ascontiguousarray(cells), *self._public, found)
        return found

    @cached_property
    def slice_places(self) -> tuple[Ints, ...]:
        """The contribution of each slice of each axis; a place is the sum over its cell's slices.

        >>> from hushgram.declare.axis import Integer
        >>> from hushgram.declare.domain import Domain
        >>> raster = Raster.of_cells(Domain(x=Integer(0, 3), y=Integer(0, 1)))
        >>> [part.tolist() for part in Halving.of(raster).slice_places]
        [[0, 1, 4, 5], [0, 2]]
        """
        shape = self.raster.shape
        steps = np.append(np.cumprod(shape[:0:-1], dtype=np.int64)[::-1], 1)
        each = zip(shape, steps, strict=True)
        return tuple(self.places(np.arange(length) * step) for length, step in each)

    def places_at(self, slices: Ints) -> Ints:
        """The place of each cell, given by its slice on every axis."""
        found = np.zeros(len(slices), dtype=np.int64)
        for axis, added in enumerate(self.slice_places):
            found += added[slices[:, axis]]
        return found

    def first_and_last(self, boxes: Boxes) -> tuple[Ints, Ints] | None:
        """The first and the last place of each box. None if some box is not a range of places.

        The first place in a box is that of its lowest corner and the last that of its highest
        corner, so every box is a range if the ranges between these corners do not overlap.
        """
        lower, upper = boxes.corners
        first, last = self.places_at(lower), self.places_at(upper - 1)
        return None if (first[1:] <= last[:-1]).any() else (first, last)

    def starts(self, nodes: Nodes) -> Ints:
        """The first place in each node."""
        return nodes.paths << self.below(nodes.depth)

    def stops(self, nodes: Nodes) -> Ints:
        """One past the last place in each node."""
        return (nodes.paths + 1) << self.below(nodes.depth)

    @cached_property
    def roots(self) -> Nodes:
        """The root, or one root per combination of "other" axes if there are "other" slices."""
        from hushgram.geometry.partition.halving_kernels import fill_single

        paths = np.arange(1 << len(self.others), dtype=np.int64)
        prefixes = np.zeros((len(paths), len(self.bits)), dtype=np.int64)
        single = np.empty(len(paths), dtype=np.bool_)
        fill_single(*self._public[1:], single)
        return Nodes(0, paths, prefixes, single)

    def max_nodes(self, depth: int) -> int:
        """The number of nodes at a depth if all above are halved."""
        each = zip(self.raster.slices, self.raster.domain.axes, strict=True)
        return math.prod(
            min(slices, 1 << min(depth, MAX_BITS)) + axis.other for slices, axis in each
        )

    def nodes_at(self, depth: int) -> Nodes:
        """All nodes of a depth, and the single cells further up."""
        nodes = self.roots
        for _ in range(min(depth, max(self.bits))):
            nodes = self.children(nodes)
        return nodes

    def children(self, nodes: Nodes) -> Nodes:
        """The children of each node: two or more, or the cell itself for a single cell."""
        from hushgram.geometry.partition.halving_kernels import fill_children

        halved = np.array(self.halved_axes(nodes.depth), dtype=np.int64)
        most = len(nodes) << len(halved)
        paths = np.empty(most, dtype=np.int64)
        prefixes = np.empty((most, len(self.bits)), dtype=np.int64)
        single = np.empty(most, dtype=np.bool_)
        used = sum(self.bits) - self.below(nodes.depth)
        size = fill_children(
            nodes.paths, nodes.prefixes, nodes.depth, used, halved, *self._public[1:],
            paths, prefixes, single,
        )  # fmt: skip
        return Nodes(nodes.depth + 1, paths[:size], prefixes[:size], single[:size])

    def leaves(self, starts: Ints) -> Boxes:
        """The boxes with these first places, in order: O(bits) each."""
        axes, cuts = self.trees(starts, np.array([0, len(starts)]))
        axes.flags.writeable = cuts.flags.writeable = False
        return Boxes(self.raster, axes, cuts)

    def trees(self, starts: Ints, offsets: Ints) -> tuple[Ints, Ints]:
        """The axes and cuts of many trees, one after the other. Tree k has the leaves from
        ``offsets[k]`` up to ``offsets[k + 1]``: 2 n - 1 nodes for n leaves."""
        from hushgram.geometry.partition.halving_kernels import nested_cuts_each

        axes, cuts = np.empty((2, 2 * len(starts) - len(offsets) + 1), dtype=np.int64)
        if not nested_cuts_each(starts, offsets, *self._public[1:], axes, cuts):
            raise DomainError("The leaves of a tree cannot start at these positions.")
        return axes, cuts

    def intervals(self, starts: Ints) -> Cuts:
        """The intervals with these first places, on one axis."""
        slices, bits = self.raster.slices[0], self.bits[0]
        first = -(-starts[starts >> bits == 0] * slices >> bits)
        return Cuts(self.raster.domain, (self.raster.cuts(0)[first],))
