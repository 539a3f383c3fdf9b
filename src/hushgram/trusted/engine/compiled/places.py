"""The position of every row in the tree of halves of a raster. Private."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

from hushgram.geometry.partition import Boxes, Halving, Ints, Raster

BITS = 32
"""The maximum number of bits of a place."""

UPPER = 16
"""The number of bits of its upper half."""

Places = npt.NDArray[np.uint32]


def fits(raster: Raster) -> bool:
    """Return whether the places of a raster fit into `BITS` bits."""
    return Halving.of(raster).length <= BITS


def are_stretches(boxes: Boxes) -> bool:
    """Return whether each box is a contiguous stretch of places."""
    return Halving.of(boxes.raster).first_and_last(boxes) is not None


class PlaceList:
    """Places of rows in any order, which several threads append to."""

    def __init__(self) -> None:
        self._places = np.empty(0, dtype=np.uint32)
        self._filled = 0
        self._lock = Lock()

    def add(self, places: Places) -> None:
        with self._lock:
            stop = self._filled + len(places)
            if stop > len(self._places):  # grows in place, where the system can
                self._places.resize(stop + self._filled // 8, refcheck=False)
            self._places[self._filled : stop] = places
            self._filled = stop

    def all(self) -> Places:
        """Return all places. Nothing may be added afterwards."""
        self._places.resize(self._filled, refcheck=False)
        return self._places


class PlacePieces:
    """The same, kept as separate pieces. If they exceed a number of bytes, none are kept."""

    def __init__(self, most: int) -> None:
        self.kept: list[Places] | None = []
        self._left = most
        self._lock = Lock()

    def add(self, places: Places) -> None:
        """Add a piece, which must not be written to afterwards."""
        whole = places if places.base is None else places.base
        if 2 * len(places) < len(whole):
            places = whole = places.copy()
        with self._lock:
            self._left -= whole.nbytes
            if self._left < 0:
                self.kept = None
            elif self.kept is not None:
                self.kept.append(places)


@dataclass(frozen=True, eq=False)
class RowPlaces:
    """The places of all rows, in ascending order.

    A row takes two bytes, for the lower half of its place; an occupied cell and its number of rows
    would take sixteen. Rows with the same upper half are contiguous, and ``offsets`` says where.
    """

    raster: Raster
    lows: npt.NDArray[np.uint16]
    offsets: Ints
    """The first row of each upper half, then the number of all rows."""

    @classmethod
    def of(cls, raster: Raster, places: Places) -> RowPlaces:
        """Create from places in any order, which are overwritten. O(n log n)."""
        from hushgram.trusted.engine.compiled.kernels import keep_lows

        places.sort()
        uppers = np.arange(1 << UPPER, dtype=np.uint32) << UPPER
        offsets = np.append(np.searchsorted(places, uppers), len(places)).astype(np.int64)
        keep_lows(places, places.view(np.uint16))
        size = len(places)
        places.resize(-(-size // 2), refcheck=False)  # gives the other half back
        return cls(raster, places.view(np.uint16)[:size], offsets)

    def between(self, starts: Ints, stops: Ints) -> Ints:
        """Return the number of rows in each stretch of places. O(log n) each."""
        found = self._before(stops)
        found -= self._before(starts)
        return found

    def sum_boxes(self, boxes: Boxes) -> Ints | None:
        """Return the number of rows in each box, or None if a box is not a contiguous stretch of
        places. O(log n) each."""
        found = Halving.of(self.raster).first_and_last(boxes)
        return None if found is None else self.between(found[0], found[1] + 1)

    def _before(self, places: Ints) -> Ints:
        from hushgram.trusted.engine.compiled.kernels import rows_before

        found = np.empty(len(places), dtype=np.int64)
        rows_before(self.lows, self.offsets, places, found)
        return found
