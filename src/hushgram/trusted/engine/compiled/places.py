"""Every row's place in the tree of halves of a raster. Private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hushgram.geometry.partition import Boxes, Halving, Ints, Raster

BITS = 32
"""Bits of a place, at the most."""

UPPER = 16
"""Bits of its upper half."""

Places = npt.NDArray[np.uint32]


def fits(raster: Raster) -> bool:
    """Whether the places of a raster are small enough."""
    return Halving.of(raster).length <= BITS


@dataclass(frozen=True, eq=False)
class RowPlaces:
    """The places of all rows, in rising order, each as often as it has rows.

    A row takes two bytes, the lower half of its place, where an occupied cell and its number of
    rows take sixteen: rows with the same upper half lie together, and it is known where.
    """

    raster: Raster
    lows: npt.NDArray[np.uint16]
    offsets: Ints
    """The first row of each upper half, and last the number of all rows."""

    @classmethod
    def of(cls, raster: Raster, places: Places) -> RowPlaces:
        """From places in any order, which are overwritten: O(n log n)."""
        from hushgram.trusted.engine.compiled.kernels import keep_lows

        places.sort()
        uppers = np.arange(1 << UPPER, dtype=np.uint32) << UPPER
        offsets = np.append(np.searchsorted(places, uppers), len(places)).astype(np.int64)
        keep_lows(places, places.view(np.uint16))
        size = len(places)
        places.resize(-(-size // 2), refcheck=False)  # gives the other half back
        return cls(raster, places.view(np.uint16)[:size], offsets)

    def between(self, starts: Ints, stops: Ints) -> Ints:
        """The rows at each stretch of places: O(log n) each."""
        found = self._before(stops)
        found -= self._before(starts)
        return found

    def sum_boxes(self, boxes: Boxes) -> Ints | None:
        """The rows in each box: O(log n) each. None if some box is no stretch of places.

        Of the places in a box the least is that of its lowest corner and the greatest that of its
        highest, so boxes whose stretches from the one to the other do not meet are told apart.
        """
        lower, upper = boxes.corners
        first, last = self._places_at(lower), self._places_at(upper - 1)
        if (first[1:] <= last[:-1]).any():
            return None
        last += 1
        return self.between(first, last)

    def _places_at(self, slices: Ints) -> Ints:
        """The place of each cell, given by its slice on every axis."""
        found = np.zeros(len(slices), dtype=np.int64)
        for axis, added in enumerate(Halving.of(self.raster).slice_places):
            found += added[slices[:, axis]]
        return found

    def _before(self, places: Ints) -> Ints:
        from hushgram.trusted.engine.compiled.kernels import rows_before

        found = np.empty(len(places), dtype=np.int64)
        rows_before(self.lows, self.offsets, places, found)
        return found
