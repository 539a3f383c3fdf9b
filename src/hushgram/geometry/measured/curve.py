"""A linear order of a domain's cells: along its only axis, or along a Hilbert curve. Public.

The curve passes through a cube of ``2^bits`` places per side. Index i of an axis of n bins has the
coordinate ``i * 2^bits // n``. A short axis leaves some places of the cube without an index, so
these never have rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Boxes, Grid, Halving, Ints, Raster
from hushgram.geometry.partition.halving import Nodes

MAX_SIDE_BITS = 16
"""The largest number of bits per side of the cube."""

MAX_PLACE_BITS = 48
"""The largest number of bits of a place on the curve: sums of 32,768 places fit in 64 bits."""

MAX_KEY_BITS = 62
"""The largest number of bits of a path in a tree and of its list's number, in one integer."""


class BoxesOnCurve(NamedTuple):
    """Boxes, and the order in which a curve passes through them."""

    boxes: Boxes
    starts: Ints
    """Where the boxes start on the curve, in the curve's order."""
    numbers: Ints
    """The number of the box that starts at each of these places."""


class LeavesOnCurve(NamedTuple):
    """The leaves of many trees: those of tree k start at ``offsets[k]``."""

    offsets: Ints
    places: Ints
    """The first place of each leaf in the tree of halves, tree by tree and in order."""
    starts: Ints
    """Where the leaves of each tree start on the curve, in the curve's order."""
    numbers: Ints
    """The number, in its tree, of the leaf that starts at each of these places."""


@dataclass(frozen=True)
class Curve:
    """The order of a domain's cells.

    >>> from hushgram.declare.axis import Integer
    >>> square = Curve(Domain(x=Integer(0, 1), y=Integer(0, 1)))
    >>> square.span, square.places(np.arange(4)).tolist()
    (3, [0, 1, 3, 2])
    """

    domain: Domain

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, domain: Domain) -> Curve:
        """The curve of a domain; an equal domain gets the same object, with its cached
        properties."""
        return cls(domain)

    def __post_init__(self) -> None:
        for name, axis in self.domain.items():
            if axis.other:
                raise DomainError(
                    f'Axis {name!r} keeps "other" values, which have no position in a '
                    'sorted list. Declare it with outside="clamp" or outside="drop".'
                )
        if len(self.domain) == 1 and not self.domain.axes[0].ordered:
            raise DomainError(
                "Rows can be sorted along one axis with an order, or along a curve "
                f"through several axes, but axis {self.domain.names[0]!r} has no order. "
                "Choose another mechanism, for example ahp or hb."
            )
        if len(self.domain) > 1:
            Halving.of(self.raster, self.bits)

    @cached_property
    def bits(self) -> int:
        """Bits per side of the cube."""
        longest = max(axis.bins for axis in self.domain.axes)
        return max(
            1, min(MAX_SIDE_BITS, MAX_PLACE_BITS // len(self.domain), (longest - 1).bit_length())
        )

    @cached_property
    def raster(self) -> Raster:
        """The cells that the curve orders."""
        if len(self.domain) == 1:
            return Grid.of_cells(self.domain)
        return Raster(self.domain, tuple(min(a.bins, 1 << self.bits) for a in self.domain.axes))

    @cached_property
    def span(self) -> int:
        """The last place; the first is 0."""
        if len(self.domain) == 1:
            return self.domain.cells - 1
        return (1 << (self.bits * len(self.domain))) - 1

    def places(self, cells: Ints) -> Ints:
        """The place of each cell, given by its number in the raster."""
        return self.places_at(np.unravel_index(cells, self.raster.shape))

    def places_at(self, slices: Sequence[Ints]) -> Ints:
        """The place of each cell, given by its slice of the raster on every axis."""
        if len(self.domain) == 1:
            return slices[0]
        from hushgram.geometry.hilbert import places

        sides = zip(slices, self.raster.slices, strict=True)
        return places(np.stack([(i << self.bits) // m for i, m in sides], axis=1), self.bits)

    def positions_at(self, places: Floats) -> Floats:
        """The point at each place on the curve, as a position along the indices of each axis, where
        index i covers i to i + 1. With several axes, this is the middle of a cell of the raster;
        with one axis, a place may be between two indices.

        >>> from hushgram.declare.axis import Integer
        >>> square = Curve(Domain(x=Integer(0, 1), y=Integer(0, 1)))
        >>> square.positions_at(np.array([0.0, 1.2, 3.0])).tolist()
        [[0.5, 0.5], [0.5, 1.5], [1.5, 0.5]]
        """
        if len(self.domain) == 1:
            return np.asarray(places + 0.5)[:, None]
        from hushgram.geometry.hilbert import cells

        found = cells(np.rint(places).astype(np.int64), len(self.domain), self.bits)
        slices = np.array(self.raster.slices)
        bins = np.array([axis.bins for axis in self.domain.axes])
        slice_ = ((found + 1) * slices - 1) >> self.bits  # the last slice that starts by there
        return np.asarray((slice_ + 0.5) * (bins / slices))

    def boxes_around(self, positions: Floats) -> BoxesOnCurve:
        """Cubes that the curve passes through in one go, small where there are many positions: only
        a single cell contains more than one.

        Everything on the curve from the start of one box to that of the next belongs to the first.
        """
        found = self.leaves_around_each([positions])
        boxes = Halving.of(self.raster, self.bits).leaves(found.places)
        return BoxesOnCurve(boxes, found.starts, found.numbers)

    def leaves_around_each(self, lists: Sequence[Floats]) -> LeavesOnCurve:
        """The leaves of `boxes_around` for each of many sorted lists of positions. All trees of a
        batch are cut together, depth by depth."""
        size = max(1, 1 << min(MAX_KEY_BITS - self.bits * len(self.domain), 12))
        batches = [lists[first : first + size] for first in range(0, len(lists), size)]
        found = [self._leaves_around_some(batch) for batch in batches]
        _, *columns = (np.concatenate(column) for column in zip(*found, strict=True))
        sizes = np.concatenate([np.diff(one.offsets) for one in found])
        return LeavesOnCurve(np.append(0, np.cumsum(sizes)), *columns)

    def _leaves_around_some(self, lists: Sequence[Floats]) -> LeavesOnCurve:
        """The leaves around few enough lists: a list's number and a path must fit in one key."""
        length = self.bits * len(self.domain)
        keys, along = self._leaves_around(lists)
        order = np.argsort(keys)
        keys, along = keys[order], along[order]
        owners = keys >> length
        offsets = np.searchsorted(owners, np.arange(len(lists) + 1))
        by_curve = np.lexsort((along, owners))
        places, numbers = keys & ((1 << length) - 1), by_curve - offsets[owners]
        return LeavesOnCurve(offsets, places, along[by_curve], numbers)

    def _leaves_around(self, lists: Sequence[Floats]) -> tuple[Ints, Ints]:
        """For each leaf of each list's tree: a key made of the list's number and the leaf's first
        place in the tree of halves; and the leaf's first place on the curve."""
        from hushgram.geometry.hilbert import places

        halving, length = Halving.of(self.raster, self.bits), self.bits * len(self.domain)
        owners = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
        held_at = owners << length | np.floor(np.concatenate(lists)).astype(np.int64)
        root, ones = halving.roots, np.ones(len(lists), dtype=np.int64)
        nodes = Nodes(0, np.arange(len(lists)), np.outer(ones, root.prefixes[0]),
                      np.repeat(root.single, len(lists)))  # fmt: skip
        keys, firsts = [], []
        while len(nodes):
            open_bits = (self.bits - nodes.depth) * len(self.domain)
            corners = nodes.prefixes << (self.bits - nodes.depth)
            first = places(corners, self.bits) >> open_bits << open_bits
            owner = nodes.paths >> (length - open_bits)
            ends = (owner << length) + np.stack([first, first + (1 << open_bits)])
            held = np.diff(np.searchsorted(held_at, ends), axis=0)[0]
            split = (held > 1) & ~nodes.single
            keys.append(halving.starts(nodes)[~split])
            firsts.append(first[~split])
            nodes = halving.children(nodes.subset(split))
        return np.concatenate(keys), np.concatenate(firsts)
