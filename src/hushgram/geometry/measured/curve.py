"""One order for the cells of a domain: along its only axis, or along a Hilbert curve. Public.

The curve passes through a cube of ``2^bits`` places per side, on which index i of an axis of n bins
lies at ``i * 2^bits // n``. A short axis leaves some places of the cube without an index: no row
lies there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Boxes, Grid, Halving, Ints, Raster

FINEST = 16
"""Bits per side of the cube, at the most."""

LONGEST = 48
"""Bits of a place on the curve, at the most: sums of 32,768 places fit in 64 bits."""


@dataclass(frozen=True)
class Curve:
    """The order of a domain's cells.

    >>> from hushgram.declare.axis import Integer
    >>> square = Curve(Domain(x=Integer(0, 1), y=Integer(0, 1)))
    >>> square.span, square.places(np.arange(4)).tolist()
    (3, [0, 1, 3, 2])
    """

    domain: Domain

    def __post_init__(self) -> None:
        for name, axis in self.domain.items():
            if axis.other:
                raise DomainError(
                    f'axis {name!r} keeps "other" values, which have no place in a sorted list. '
                    'Declare it with outside="clamp" or outside="drop".'
                )
        if len(self.domain) == 1 and not self.domain.axes[0].ordered:
            raise DomainError(
                "rows are sorted along one axis with an order, or along a curve through several "
                f"axes, and axis {self.domain.names[0]!r} has no order. Choose another mechanism, "
                "for example ahp or hb."
            )
        if len(self.domain) > 1:
            Halving.of(self.raster, self.bits)

    @property
    def bits(self) -> int:
        """Bits per side of the cube."""
        longest = max(axis.bins for axis in self.domain.axes)
        return max(1, min(FINEST, LONGEST // len(self.domain), (longest - 1).bit_length()))

    @property
    def raster(self) -> Raster:
        """The cells that have places."""
        if len(self.domain) == 1:
            return Grid.of_cells(self.domain)
        return Raster(self.domain, tuple(min(a.bins, 1 << self.bits) for a in self.domain.axes))

    @property
    def span(self) -> int:
        """The last place; the first is 0."""
        if len(self.domain) == 1:
            return self.domain.cells - 1
        return (1 << (self.bits * len(self.domain))) - 1

    def places(self, cells: Ints) -> Ints:
        """The place of each cell, given by its number in the raster."""
        if len(self.domain) == 1:
            return cells
        from hushgram.geometry.hilbert import places

        at = np.unravel_index(cells, self.raster.shape)
        sides = zip(at, self.raster.slices, strict=True)
        return places(np.stack([(i << self.bits) // m for i, m in sides], axis=1), self.bits)

    def positions_at(self, places: Floats) -> Floats:
        """From places on the curve back to points, by their positions along the axes' indices, of
        which i reaches from i to i + 1. On several axes that is the middle of a cell of the raster;
        on an only axis a place may lie between two indices.

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
        slice_ = ((found + 1) * slices - 1) >> self.bits  # the last that lies there or before
        return np.asarray((slice_ + 0.5) * (bins / slices))

    def boxes_around(self, positions: Floats) -> tuple[Boxes, Ints, Ints]:
        """Cubes that the curve passes through without a break, small where positions are: no cube
        but a single cell has two. Also their first places on the curve, in its order, and the
        number of the box that starts there.

        All that the curve passes from one box on to the next counts as the first's.
        """
        from hushgram.geometry.hilbert import places

        halving = Halving.of(self.raster, self.bits)
        keys, firsts = [], []
        nodes = halving.roots
        while len(nodes):
            open_bits = (self.bits - nodes.depth) * len(self.domain)
            corners = nodes.prefixes << (self.bits - nodes.depth)
            first = places(corners, self.bits) >> open_bits << open_bits
            ends = np.stack([first, first + (1 << open_bits)])
            held = np.diff(np.searchsorted(positions, ends), axis=0)[0]
            split = (held > 1) & ~nodes.single
            keys.append(halving.starts(nodes)[~split])
            firsts.append(first[~split])
            nodes = halving.children(nodes.some(split))
        starts, along = np.concatenate(keys), np.concatenate(firsts)
        order = np.argsort(starts)
        numbers = np.argsort(along[order])
        return halving.leaves(starts[order]), along[order][numbers], numbers
