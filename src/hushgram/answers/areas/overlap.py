"""The share of each part of a release that polygons cover, by exact area in units of indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.view import MAX_PIECES
from hushgram.mechanisms.inference.weights import Matrix


class Rings(NamedTuple):
    """The outlines of polygons, one after the other."""

    points: Floats
    """Coordinates on both axes, in units of indices."""
    offsets: Ints
    """The start of each ring, followed by the end of the last; rings are not closed."""
    signs: Floats
    """1 for an outline, -1 for a hole."""
    owners: Ints
    """The area to which each ring belongs."""


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Boxes of indices on two axes, in a tree of bounding boxes."""

    order: Ints
    bounds: Floats
    levels: Ints

    @classmethod
    def of(cls, lower: Ints, upper: Ints) -> BoxTree:
        """The tree of some boxes: O(n log n) for n boxes."""
        from hushgram.answers.counting.boxes_index import places_along_curve
        from hushgram.answers.unevenness.cut_walk import box_levels

        order = np.argsort(places_along_curve(lower, upper), kind="stable")
        return cls(order, *box_levels(lower[order], upper[order]))

    def cover(self, rings: Rings, areas: int) -> Matrix:
        """The matrix areas x boxes of the share of each box that each area covers. O(covered boxes
        + points x levels)"""
        from scipy.sparse import csr_array

        from hushgram.answers.areas.overlap_kernel import ROUNDING, cover_boxes

        found, boxes, shares, is_all = cover_boxes(
            self.bounds, self.levels, rings.points, rings.offsets, rings.signs, MAX_PIECES
        )
        if not is_all:
            raise NotAnswerable(
                f"{areas:,} areas cover more than {MAX_PIECES:,} parts in total. Ask "
                "about fewer areas at once."
            )
        places = rings.owners[found], self.order[boxes]
        matrix = csr_array((shares, places), shape=(areas, len(self.order)))  # adds up
        matrix.data[matrix.data < ROUNDING] = 0.0
        matrix.data[matrix.data > 1 - ROUNDING] = 1.0
        matrix.eliminate_zeros()
        return matrix
