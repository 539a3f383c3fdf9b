"""A view as a linear map: which share of each of an estimate's parts each of its own parts takes.

A view has fewer, cut or coarser axes. A part that it cuts through is divided in proportion, as if
its rows lay evenly. Here x is rolled up in pairs and y is gone::

        x
      ┌─┬─┬─┬─┐   add up along x    ┌───┬───┐   along y
    y │a│b│c│d│    by  1 1 · ·      │a+b│c+d│   by  1 1    ┌───────┬───────┐
      ├─┼─┼─┼─┤ ──     · · 1 1 ──>  ├───┼───┤ ──────────>  │a+b+e+f│c+d+g+h│
      │e│f│g│h│                     │e+f│g+h│              └───────┴───────┘
      └─┴─┴─┴─┘                     └───┴───┘

Where the source has slices along each axis (`Lattice`), the shares are a product, one factor for
each axis, and are applied axis by axis. Other sources consist of boxes of any size: there the view
cuts every box into pieces, and the shares are one sparse matrix with an entry for each piece.
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

MOST_PIECES = 1 << 26
"""The maximum number of pieces that boxes are cut into: a gigabyte."""


@dataclass(frozen=True, eq=False)
class View:
    """The shares that a view takes of the parts ``source``."""

    source: Boxed
    sides: tuple[Stretches, ...]
    """One for each axis of the source."""
    order: tuple[int, ...]
    """The axes that are kept, in the view's order; the others have one slice."""
    below: View | None = None
    """The view whose parts the source's are, where this is a view of a view."""

    @cached_property
    def depth(self) -> int:
        """How many views lie between this and what was published, itself included."""
        return 1 + (self.below.depth if self.below else 0)

    @property
    def chain(self) -> list[View]:
        """This view, the one below it, and so on."""
        return [self, *(self.below.chain if self.below else [])]

    @property
    def keeps_boxes(self) -> bool:
        """Whether a box of the view's parts is a box of the source's: nothing is left out between,
        joined or put in another order."""
        return all(
            (side.upper[:-1] == side.lower[1:]).all() and (np.diff(side.slices) >= 0).all()
            for side in self.sides
        )

    def locate_boxes(
        self, cuts: Sequence[Ints], starts: Floats, stops: Floats
    ) -> tuple[Floats, Floats]:
        """Where boxes of the view start and stop in the source, if it keeps boxes. ``cuts`` are
        where the view's slices start along each of its axes, and last where they stop."""
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
        """The values of the view's parts, from those of the source's: O(parts)."""
        values = np.asarray(values, dtype=np.float64)
        if self.along is None:
            return np.asarray(self.matrix @ values, dtype=np.float64)
        table = values.reshape([along.shape[1] for along in self.along])
        for axis in self._by_gain:
            table = apply_along(self.along[axis], table, axis)
        return np.ascontiguousarray(table.transpose(self._kept_first)).reshape(-1)

    def spread_out(self, weights: Floats) -> Floats:
        """The weights on the source's parts, from those on the view's: the transpose."""
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
        """The shares along each axis, if the source has slices along each axis."""
        if not isinstance(self.source, Lattice):
            return None
        cuts = [self.source.cuts(axis) for axis in range(len(self.sides))]
        both = zip(self.sides, cuts, strict=True)
        return tuple(side.shares(cut[:-1], cut[1:]) for side, cut in both)

    @cached_property
    def _kept_first(self) -> tuple[int, ...]:
        """All axes, those that are kept first."""
        gone = (axis for axis in range(len(self.sides)) if axis not in self.order)
        return (*self.order, *gone)

    @cached_property
    def _by_gain(self) -> list[int]:
        """The axes, those first along which the most is added up."""
        assert self.along is not None
        gains = [along.shape[0] / along.shape[1] for along in self.along]
        return sorted(range(len(gains)), key=gains.__getitem__)

    @cached_property
    def matrix(self) -> Matrix:
        """The share of each of the source's parts that each of the view's parts takes."""
        if self.along is None:
            return cut_boxes(self.source, self.sides, self._kept_first)
        from scipy.sparse import csr_array, kron

        sizes = [side.size for side in self.sides]
        rows = np.arange(np.prod(sizes)).reshape(sizes).transpose(self._kept_first).reshape(-1)
        return reduce(lambda a, b: csr_array(kron(a, b, format="csr")), self.along)[rows]

    @cached_property
    def rows(self) -> Matrix:
        """The same for the parts of what is viewed in the end, below all views."""
        return self.matrix @ self.below.rows if self.below else self.matrix

    def fold_shares(self, fold: Callable[[Matrix], Floats]) -> Floats:
        """One number for each of the view's parts, from its shares of what is viewed in the end.

        ``fold`` takes each row of a matrix to a number, such as its sum of squares; for a product
        of shares it must give the product of its numbers for each axis.
        """
        if self.along is None or self.below:
            return fold(self.rows)
        return self.multiply([fold(along) for along in self.along])

    def multiply(self, factors: Sequence[Floats]) -> Floats:
        """For each part the product of its slices' factors."""
        table = reduce(np.multiply.outer, factors)
        return np.ascontiguousarray(table.transpose(self._kept_first)).reshape(-1)


def cut_boxes(source: Boxed, sides: Sequence[Stretches], order: Sequence[int]) -> Matrix:
    """The shares of boxes, one entry for each piece that the sides cut from a box: O(pieces).

    The pieces of a box are numbered like the cells of a small grid, the last axis in ``order``
    fastest. Axis by axis, a piece's place there is divided off its number, and the view's part
    that it lies in is composed in the same order.
    """
    lower, upper = source.boxes()
    spans = [side.overlaps(lower[:, axis], upper[:, axis]) for axis, side in enumerate(sides)]
    expected = np.prod([span.many.astype(np.float64) for span in spans], axis=0).sum()
    if expected > MOST_PIECES:
        raise NotAnswerable(
            f"{source.size:,} parts would be split into {expected:,.0f} pieces, more than "
            f"{MOST_PIECES:,}. Use fewer bins."
        )
    many = np.prod([span.many for span in spans], axis=0)
    boxes = np.repeat(np.arange(len(lower)), many)
    number = concatenate_ranges(many)
    shares, parts, size = np.ones(len(boxes)), np.zeros(len(boxes), dtype=np.int64), 1
    for axis in reversed(order):
        side, (first, count) = sides[axis], spans[axis]
        if side.upper[0] - side.lower[0] == source.domain.shape[axis]:
            continue  # one stretch takes the whole axis, and cuts nothing
        number, place = np.divmod(number, count[boxes])
        stretch = first[boxes] + place
        shares *= side.share_inside(lower[boxes, axis], upper[boxes, axis], stretch)
        parts += size * side.slices[stretch]
        size *= side.size
    return matrix_by_column(shares, parts, many, size)
