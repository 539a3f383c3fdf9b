"""Grids and counters for the compiled loops: records of plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hushgram.declare.axis import Floats
from hushgram.declare.axis.numeric import Even
from hushgram.geometry.partition import Boxes, Halving, Ints, Raster, Refined

POLICIES = {"drop": 0, "clamp": 1, "other": 2}

LOOKED_UP = 18
"""Boxes are looked up by this many upper bits of a place: a table of 1 MB, which fits into the
cache."""


class GridLayout(NamedTuple):
    """A grid or a raster as plain arrays."""

    sides: Floats
    """A row of numbers for each axis: see `kernels`."""
    lengths: Ints
    """Slices of each axis, "other" counted."""

    @classmethod
    def of(cls, grid: Raster) -> GridLayout:
        sides = [side_of(grid, place) for place in range(len(grid.domain))]
        return cls(np.array(sides), np.array(grid.shape, dtype=np.int64))


class RefinedLayout(NamedTuple):
    """The additional arrays of a refined grid."""

    starts: tuple[Floats, ...]
    """For each axis, the first index of each slice, and one past the last."""
    plan: npt.NDArray[np.int32]
    """For each cell, its slices on each axis and the number of its first part. They are stored
    together, because a cell is often not in the cache."""
    frames: Floats
    """The start and the width of each cell on each axis."""

    @classmethod
    def of(cls, refined: Refined) -> RefinedLayout:
        grid = refined.grid
        lower, upper = grid.boxes()
        return cls(
            tuple(grid.cuts(place).astype(np.float64) for place in range(len(grid.domain))),
            np.column_stack([refined.sizes, refined.offsets[:-1]]).astype(np.int32),
            np.stack([lower, upper - lower], axis=2).astype(np.float64),
        )


class StretchLayout(NamedTuple):
    """Boxes that are contiguous stretches of places in the tree of halves of their raster."""

    added: tuple[npt.NDArray[np.uint32], ...]
    """For each axis, the number that each slice adds to a place."""
    firsts: npt.NDArray[np.uint32]
    """The first place of each box."""
    shift: int
    boxes: npt.NDArray[np.int32]
    """For each value of the upper bits, the box that contains the first place with these bits; then
    the last box. They limit the binary search."""

    @classmethod
    def of(cls, boxes: Boxes) -> StretchLayout:
        halving = Halving.of(boxes.raster)
        found = halving.first_and_last(boxes)
        assert found is not None, "boxes are stretches: see `are_stretches`"
        shift = max(halving.length - LOOKED_UP, 0)
        uppers = np.arange(1 << (halving.length - shift), dtype=np.int64) << shift
        holders = np.searchsorted(found[0], uppers, side="right") - 1
        return cls(
            tuple(part.astype(np.uint32) for part in halving.slice_places),
            found[0].astype(np.uint32),
            shift,
            np.append(holders, boxes.size - 1).astype(np.int32),
        )


class Counters(NamedTuple):
    """One core's counts, each up to 2^40: the low bytes, of which millions fit into the cache, and
    the number of times that each overflowed."""

    lows: npt.NDArray[np.uint8]
    carries: npt.NDArray[np.uint32]

    @classmethod
    def zeros(cls, parts: int) -> Counters:
        return cls(np.zeros(parts, dtype=np.uint8), np.zeros(parts, dtype=np.uint32))

    def add_to(self, totals: Ints) -> None:
        totals += self.lows
        carried = self.carries.nonzero()[0]
        totals[carried] += self.carries[carried].astype(np.int64) << 8


def side_of(grid: Raster, place: int) -> list[float]:
    """Return an axis of a grid as a row of numbers (see `kernels`).

    Slices are guessed like indices. If a slice is not a whole number of indices, its cut is up to
    one index above its even share, so the guess is shifted down by one index and trusted only if it
    is at least two indices below the next cut. Every guess, trusted or not, is a valid slice,
    because it is looked up before it is checked.
    """
    axis, slices = grid.domain.axes[place], grid.slices[place]
    bins = float(axis.bins)
    if not isinstance(axis, Even):  # its column holds indices already
        shape = [0.0, bins - 1, bins, bins]
        guess = [-0.25, 1.0, 0.5, -0.25, slices / bins, 0.5 if slices == bins else -1.0]
        return [*shape, *guess, slices, POLICIES["other" if axis.other else "drop"]]
    base, rate = axis.guess
    index = 0.0 if axis.bins % slices == 0 else axis.span / bins
    step = slices / axis.span
    shape = [axis.lo, axis.hi, axis.span, bins]
    guess = [base, rate, axis.clear, base + index, step, 1 - (2 * index + axis.doubt) * step]
    return [*shape, *guess, slices, POLICIES[axis.outside]]
