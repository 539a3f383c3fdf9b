"""Counts of the nodes of one depth, which add up to the counts of larger boxes. Private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hushgram.geometry.partition import Boxes, Halving, Ints, Raster
from hushgram.trusted.engine.compiled.layout import Counters, StretchLayout
from hushgram.trusted.engine.compiled.places import Places, RowPlaces

NODE_BITS = 18
"""The number of upper bits of a place that identify a node: few enough for the cache to hold a byte
per node, or an entry of `FinerNodes`, in addition to a batch."""

DROP_BITS = 5
"""The number of bits in `FinerNodes.entries` that store how many lower bits of a place are
dropped."""

MOST_FINER = 1 << 22
"""The maximum number of finer nodes that are counted together."""


def node_bits(raster: Raster) -> tuple[int, int]:
    """Return how many upper bits of a place identify a node, and how many lower bits are left. A
    node belongs to one tree of halves."""
    halving = Halving.of(raster)
    bits = min(halving.length, max(NODE_BITS, len(halving.others)))
    return bits, halving.length - bits


@dataclass(frozen=True, eq=False)
class PlaceTally:
    """The number of rows in each node, and their places.

    Boxes made of whole nodes are sums of their counts. If boxes cut through nodes, the rows' places
    are counted again, with each node divided as finely as its cuts need.
    """

    raster: Raster
    before: Ints
    """The number of rows before each node, then of all rows."""
    places: Sequence[Places] | None
    """The places of all rows, in pieces and in any order; None if there were too many to keep."""

    @classmethod
    def of(cls, raster: Raster, rows: Ints, places: Sequence[Places] | None) -> PlaceTally:
        """Create a tally from the number of rows in each node."""
        return cls(raster, np.concatenate([[0], np.cumsum(rows)]), places)

    def sum_roots(self) -> Ints:
        """Return the number of rows in each tree of halves: one tree, or one per combination of
        "other" values."""
        trees = 1 << len(Halving.of(self.raster).others)
        return np.diff(self.before[:: (len(self.before) - 1) // trees])

    def row_places(self) -> RowPlaces | None:
        """Return the places of all rows in order; None if they were not kept."""
        if self.places is None:
            return None
        every = [np.empty(0, dtype=np.uint32), *self.places]
        return RowPlaces.of(self.raster, np.concatenate(every))

    def sum_boxes(self, boxes: Boxes) -> Ints | None:
        """Return the number of rows in each box; None if a box is not a contiguous stretch of
        places, or if nodes are cut and the places were not kept. O(boxes), or O(rows) if nodes are
        cut."""
        found = Halving.of(self.raster).first_and_last(boxes)
        if found is None:
            return None
        shift = node_bits(self.raster)[1]
        edges = np.append(found[0], (len(self.before) - 1) << shift)  # boxes leave no gaps
        cut = edges[edges & ((1 << shift) - 1) > 0]
        before: Ints = self.before[edges >> shift]
        if not len(cut):
            return np.diff(before)
        if self.places is None:
            return None
        finer = FinerNodes.at(cut, shift, len(self.before) - 1)
        if finer is None:
            return search_boxes(boxes, self.places)
        return np.diff(before + finer.count_before(edges, self.places))


class FinerNodes(NamedTuple):
    """Nodes that boxes cut, divided into parts as large as the cuts allow."""

    entries: npt.NDArray[np.uint32]
    """For each node, the number of its first part and, in the last bits, the number of lower bits
    of a place that are dropped to get a part. Nodes that are not cut share part 0."""
    shift: int
    size: int

    @classmethod
    def at(cls, cut: Ints, shift: int, nodes: int) -> FinerNodes | None:
        """Divide nodes at these places, which are in ascending order; None if there would be too
        many parts."""
        owners = cut >> shift
        drops = np.bitwise_count((cut & -cut) - 1).astype(np.int64)
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        lowest = np.minimum.reduceat(drops, first)
        parts = np.int64(1) << (shift - lowest)
        size = 1 + int(parts.sum())
        if size > MOST_FINER:
            return None
        entries = np.full(nodes, shift, dtype=np.uint32)
        starts = 1 + np.cumsum(parts) - parts
        entries[owners[first]] = starts << DROP_BITS | lowest
        return cls(entries, shift, size)

    def count_before(self, edges: Ints, places: Sequence[Places]) -> Ints:
        """Return the number of rows from the start of a node to an edge in it. O(rows)."""
        from hushgram.trusted.engine.compiled import place_kernels

        counters, rows = Counters.zeros(self.size), np.zeros(self.size + 1, dtype=np.int64)
        for piece in places:
            place_kernels.tally_finer(piece, self.entries, self.shift, DROP_BITS, counters)
        counters.add_to(rows[1:])
        before = np.cumsum(rows)
        inside = edges & ((1 << self.shift) - 1)
        nodes = np.minimum(edges >> self.shift, len(self.entries) - 1)
        entries = self.entries[nodes].astype(np.int64)
        first, drops = entries >> DROP_BITS, entries & ((1 << DROP_BITS) - 1)
        found: Ints = before[first + (inside >> drops)] - before[first]
        return found


def search_boxes(boxes: Boxes, places: Sequence[Places]) -> Ints:
    """Count the rows in each box by binary search. O(rows log boxes)."""
    from hushgram.trusted.engine.compiled import kernels

    counters, found = Counters.zeros(boxes.size), np.zeros(boxes.size, dtype=np.int64)
    stretches = StretchLayout.of(boxes)
    for piece in places:
        kernels.tally_places(piece, stretches, counters)
    counters.add_to(found)
    return found
