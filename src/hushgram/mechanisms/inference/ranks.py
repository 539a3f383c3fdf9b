"""Rows in order: how many lie below each position of an axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

CENTRE = 0.5
"""A row of index i lies in the middle of its cell, which begins at ``i - CENTRE``."""


class RankCurve(NamedTuple):
    """The number of rows below a position: straight lines from point to point, both coordinates
    ascending. Two points at one position are a jump: that many rows are just there."""

    positions: Floats
    ranks: Floats

    def rows_below(self, places: Floats) -> Floats:
        """The number of rows below each place."""
        from hushgram.mechanisms.inference.linearisation_kernels import fill_rows_below

        found = np.empty(len(places))
        fill_rows_below(self, places, found)
        return found


class SortedParts(NamedTuple):
    """A sorted list of which the mean of each group is known, and the parts it was divided into."""

    order: Ints
    """The number of each part, in the order of the list."""
    groups: Ints
    """The group that lies where each part ends, but the last."""
    longest: int
    """How many rows the largest group has."""
    rows: int
    """How many there are in all."""


class SortedPoints(NamedTuple):
    """The rows of a sorted list, as distinct points with many rows each."""

    positions: Floats
    """Where each point lies along the axes' indices: points x axes. Cell i reaches from i to
    i + 1."""
    rows: Ints
    """How many rows each point stands for."""


class Reconstruction(NamedTuple):
    """The rows along a single axis, as groups that lie at one position each."""

    positions: Floats
    """Where each group lies along the indices, in order."""
    lengths: Ints
    """How many rows each group stands for."""
    deviations: Floats
    """The standard deviation of each position."""
    curve: RankCurve
    """The number of rows below each position."""
    total_variance: float
    """The variance of the number of all rows."""

    @property
    def rows(self) -> int:
        """How many there are in all."""
        return int(self.lengths.sum())
