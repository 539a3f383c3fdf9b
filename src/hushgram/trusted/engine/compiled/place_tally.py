"""Counts of the nodes of one depth, from which larger boxes are added up. Private."""

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
"""Upper bits of a place that make a node: the cache holds a low byte of a count for each of them,
or an entry of `FinerNodes`, next to a batch."""

DROP_BITS = 5
"""Bits of an entry of `FinerNodes.entries` that say how many lower bits of a place are dropped."""

MOST_FINER = 1 << 22
"""Finer nodes that are counted together, at most."""


def node_bits(raster: Raster) -> tuple[int, int]:
    """How many upper bits of a place make a node, and how many lower ones are left. A node is in
    one tree of halves."""
    halving = Halving.of(raster)
    bits = min(halving.length, max(NODE_BITS, len(halving.others)))
    return bits, halving.length - bits


@dataclass(frozen=True, eq=False)
class PlaceTally:
    """How many rows each node has, and where in it they are.

    Boxes that nodes fill are sums of their counts. For those that cut through nodes, the rows'
    places are counted once more, node by node as finely as the cuts need.
    """

    raster: Raster
    before: Ints
    """The rows before each node, and last all rows."""
    places: Sequence[Places] | None
    """The place of each row, in any order and in pieces; None if they were too many to be kept."""

    @classmethod
    def of(cls, raster: Raster, rows: Ints, places: Sequence[Places] | None) -> PlaceTally:
        """From the rows in each node."""
        return cls(raster, np.concatenate([[0], np.cumsum(rows)]), places)

    def sum_roots(self) -> Ints:
        """The rows in each tree of halves: in all, or with "other" values, of every combination."""
        trees = 1 << len(Halving.of(self.raster).others)
        return np.diff(self.before[:: (len(self.before) - 1) // trees])

    def row_places(self) -> RowPlaces | None:
        """The places of all rows in order; None if they were not kept."""
        if self.places is None:
            return None
        every = [np.empty(0, dtype=np.uint32), *self.places]
        return RowPlaces.of(self.raster, np.concatenate(every))

    def sum_boxes(self, boxes: Boxes) -> Ints | None:
        """The rows in each box. None if some box is not a stretch of places, or if nodes are cut
        and the places were not kept. O(boxes), and O(rows) where nodes are cut"""
        found = Halving.of(self.raster).first_and_last(boxes)
        if found is None:
            return None
        shift = node_bits(self.raster)[1]
        edges = np.append(found[0], (len(self.before) - 1) << shift)  # nothing is between boxes
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
    """Nodes that are cut, in parts as large as the cuts allow."""

    entries: npt.NDArray[np.uint32]
    """For each node, the number of its first part, and in the last bits how many lower bits of a
    place are dropped to tell its parts apart. Nodes that are not cut share part 0."""
    shift: int
    size: int

    @classmethod
    def at(cls, cut: Ints, shift: int, nodes: int) -> FinerNodes | None:
        """For cuts at these places, in rising order. None if the parts would be too many."""
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
        """The rows from the start of a node to a place in it: O(rows)."""
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
    """The rows in each box: O(rows log boxes)."""
    from hushgram.trusted.engine.compiled import kernels

    counters, found = Counters.zeros(boxes.size), np.zeros(boxes.size, dtype=np.int64)
    stretches = StretchLayout.of(boxes)
    for piece in places:
        kernels.tally_places(piece, stretches, counters)
    counters.add_to(found)
    return found
