"""Sorted rows: the number of rows below each position of an axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

CENTRE = 0.5
"""A row with index i is in the middle of its cell, which starts at ``i - CENTRE``."""


class RankCurve(NamedTuple):
    """The number of rows below a position, as a piecewise linear curve with ascending coordinates.
    Two points at the same position are a jump: the rows in between are exactly there."""

    positions: Floats
    ranks: Floats

    def rows_below(self, places: Floats) -> Floats:
        """The number of rows below each place."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_rows_below

        found = np.empty(len(places))
        fill_rows_below(self, places, found)
        return found


class SortedParts(NamedTuple):
    """A sorted list with known means of groups, and the parts into which it was divided."""

    order: Ints
    """The number of each part, in the order of the list."""
    groups: Ints
    """The group at the end of each part except the last."""
    longest: int
    """The number of rows in the largest group."""
    rows: int
    """The number of all rows."""


class SortedPoints(NamedTuple):
    """The rows of a sorted list, as distinct points with many rows each."""

    positions: Floats
    """The positions of the points along the indices, points x axes. Cell i covers i to i + 1."""
    rows: Ints
    """The number of rows at each point."""


class Reconstruction(NamedTuple):
    """The rows along a single axis, as groups with one position each."""

    positions: Floats
    """The positions of the groups along the indices, in order."""
    lengths: Ints
    """The number of rows in each group."""
    deviations: Floats
    """The standard deviation of each position."""
    curve: RankCurve
    """The number of rows below each position."""
    total_variance: float
    """The variance of the number of all rows."""

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return int(self.lengths.sum())
