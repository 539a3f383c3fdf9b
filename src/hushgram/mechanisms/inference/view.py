"""A view as a linear map: the share of each of an estimate's parts in each of the view's parts.

A view has fewer, restricted or coarser axes. A part that it cuts is divided in proportion, as if
its rows were evenly spread. Here x is rolled up in pairs and y is removed::

        x
      ┌─┬─┬─┬─┐   add up along x    ┌───┬───┐   along y
    y │a│b│c│d│    by  1 1 · ·      │a+b│c+d│   by  1 1    ┌───────┬───────┐
      ├─┼─┼─┼─┤ ──     · · 1 1 ──>  ├───┼───┤ ──────────>  │a+b+e+f│c+d+g+h│
      │e│f│g│h│                     │e+f│g+h│              └───────┴───────┘
      └─┴─┴─┴─┘                     └───┴───┘

If the source has slices along each axis (`Lattice`), the shares are a product with one factor per
axis, and are applied axis by axis. Other sources consist of boxes of any size. The view cuts every
box into pieces, and the shares are one sparse matrix with an entry for each piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.inference.stretches import Stretches, concatenate_ranges
from hushgram.mechanisms.inference.weights import Matrix, apply_along, matrix_by_column

MAX_PIECES = 1 << 26
"""The most pieces into which boxes are cut: they take a gigabyte."""


@dataclass(frozen=True, eq=False)
class View:
    """The shares of the parts ``source`` in a view."""

    source: Boxed
    sides: tuple[Stretches, ...]
    """The stretches of each axis of the source."""
    order: tuple[int, ...]
    """The axes that are kept, in the view's order; the others have one slice."""
    below: View | None = None
    """The view whose parts are the source, if this is a view of a view."""

    @cached_property
    def depth(self) -> int:
        """The number of views between this one and the published estimate, including itself."""
        return 1 + (self.below.depth if self.below else 0)

    @property
    def chain(self) -> list[View]:
        """This view, the one below it, and so on."""
        return [self, *(self.below.chain if self.below else [])]

    @property
    def keeps_boxes(self) -> bool:
        """Whether a box of the view's parts is a box of the source's parts: nothing in between is
        omitted, joined or rearranged."""
        return all(
            (side.upper[:-1] == side.lower[1:]).all() and (np.diff(side.slices) >= 0).all()
            for side in self.sides
        )

    def locate_boxes(
        self, cuts: Sequence[Ints], starts: Floats, stops: Floats
    ) -> tuple[Floats, Floats]:
        """The starts and stops of boxes of the view in the source, if it keeps boxes. ``cuts`` has
        the starts of the view's slices along each of its axes, followed by the stop of the last."""
        found = np.empty((2, len(starts), len(self.sides)))
        for axis, side in enumerate(self.sides):
            first = np.concatenate([[True], np.diff(side.slices) > 0])
            edges = np.append(side.lower[first], side.upper[-1])
            if axis not in self.order:
                found[:, :, axis] = edges[[0, -1], None]
                continue
            place = self.order.index(axis)
            for row, ends in enumerate((starts, stops)):
                found[row, :, axis] = np.interp(ends[:, place], cuts[place], edges)
        return found[0], found[1]

    def add_up(self, values: Any) -> Floats:
        """The values of the view's parts, from those of the source: O(parts)."""
        values = np.asarray(values, dtype=np.float64)
        if self.along is None:
            return np.asarray(self.matrix @ values, dtype=np.float64)
        table = values.reshape([along.shape[1] for along in self.along])
        for axis in self._by_gain:
            table = apply_along(self.along[axis], table, axis)
        return np.ascontiguousarray(table.transpose(self._kept_first)).reshape(-1)

    def spread_out(self, weights: Floats) -> Floats:
        """The weights on the source's parts, from those on the view's: the transpose of
        `add_up`."""
        weights = np.asarray(weights, dtype=np.float64)
        if self.along is None:
            return np.asarray(self.matrix.T @ weights, dtype=np.float64)
        table = weights.reshape([self.sides[axis].size for axis in self._kept_first])
        table = table.transpose(np.argsort(self._kept_first))
        for axis in reversed(self._by_gain):
            table = apply_along(self.along[axis].T, table, axis)
        return np.ascontiguousarray(table).reshape(-1)

    @cached_property
    def along(self) -> tuple[Matrix, ...] | None:
        """The shares along each axis, if the source is a lattice."""
        if not isinstance(self.source, Lattice):
            return None
        cuts = [self.source.cuts(axis) for axis in range(len(self.sides))]
        both = zip(self.sides, cuts, strict=True)
        return tuple(side.shares(cut[:-1], cut[1:]) for side, cut in both)

    @cached_property
    def _kept_first(self) -> tuple[int, ...]:
        """All axes, starting with those that are kept."""
        removed = (axis for axis in range(len(self.sides)) if axis not in self.order)
        return (*self.order, *removed)

    @cached_property
    def _by_gain(self) -> list[int]:
        """The axes, starting with those along which the most is added up."""
        assert self.along is not None
        gains = [along.shape[0] / along.shape[1] for along in self.along]
        return sorted(range(len(gains)), key=gains.__getitem__)

    @cached_property
    def matrix(self) -> Matrix:
        """The share of each of the source's parts in each of the view's parts."""
        if self.along is None:
            return cut_boxes(self.source, self.sides, self._kept_first)
        from scipy.sparse import csr_array, kron

        sizes = [side.size for side in self.sides]
        rows = np.arange(np.prod(sizes)).reshape(sizes).transpose(self._kept_first).reshape(-1)
        return reduce(lambda a, b: csr_array(kron(a, b, format="csr")), self.along)[rows]

    @cached_property
    def rows(self) -> Matrix:
        """The share of each part of the estimate below all views in each of the view's parts."""
        return self.matrix @ self.below.rows if self.below else self.matrix

    def fold_shares(self, fold: Callable[[Matrix], Floats]) -> Floats:
        """One number for each of the view's parts, from its shares of the estimate below all views.
        ``fold`` maps each row of a matrix to a number, such as its sum of squares. For a product of
        shares it must return the product of the numbers of each axis.
        """
        if self.along is None or self.below:
            return fold(self.rows)
        return self.multiply([fold(along) for along in self.along])

    def multiply(self, factors: Sequence[Floats]) -> Floats:
        """The product of its slices' factors for each part."""
        table = reduce(np.multiply.outer, factors)
        return np.ascontiguousarray(table.transpose(self._kept_first)).reshape(-1)


def cut_boxes(source: Boxed, sides: Sequence[Stretches], order: Sequence[int]) -> Matrix:
    """The shares of boxes, with one entry for each piece that the sides cut from a box: O(pieces).

    The pieces of a box are numbered like the cells of a small grid, the last axis in ``order``
    fastest. Axis by axis, a piece's position is divided off its number, and the number of the
    view's part that contains it is composed in the same order.
    """
    lower, upper = source.boxes()
    spans = [side.overlaps(lower[:, axis], upper[:, axis]) for axis, side in enumerate(sides)]
    expected = np.prod([span.counts.astype(np.float64) for span in spans], axis=0).sum()
    if expected > MAX_PIECES:
        raise NotAnswerable(
            f"{source.size:,} parts would be split into {expected:,.0f} pieces, more than "
            f"{MAX_PIECES:,}. Use fewer bins."
        )
    pieces = np.prod([span.counts for span in spans], axis=0)
    boxes = np.repeat(np.arange(len(lower)), pieces)
    number = concatenate_ranges(pieces)
    shares, parts, size = np.ones(len(boxes)), np.zeros(len(boxes), dtype=np.int64), 1
    for axis in reversed(order):
        side, (first, count) = sides[axis], spans[axis]
        if side.upper[0] - side.lower[0] == source.domain.shape[axis]:
            continue  # a single stretch covers the whole axis
        number, place = np.divmod(number, count[boxes])
        stretch = first[boxes] + place
        shares *= side.share_inside(lower[boxes, axis], upper[boxes, axis], stretch)
        parts += size * side.slices[stretch]
        size *= side.size
    return matrix_by_column(shares, parts, pieces, size)
