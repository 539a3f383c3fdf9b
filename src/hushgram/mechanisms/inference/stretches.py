"""What a view takes from one axis: stretches of its indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import MAX_PARTS, Ints, pack, unpack, whole_number
from hushgram.mechanisms.inference.weights import Matrix, matrix_by_column


class Overlaps(NamedTuple):
    """The stretches that each of some intervals meets; they are next to each other."""

    first: Ints
    """The number of the first."""
    many: Ints
    """How many there are, perhaps none."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of an axis's indices, disjoint and in order, and the slice of the view that each
    belongs to.

    Below, the axis has the indices 0 to 7. The view has two slices: 0 is the upper stretch, 1 the
    lower one. Of the interval [0, 3) two thirds lie in slice 1, of [3, 8) four fifths in slice 0::

        indices     0 1 2 3 4 5 6 7
        stretches   [1 )    [  0   )
        intervals   [    )[        )

    >>> taken = Stretches(np.array([0, 4]), np.array([2, 8]), np.array([1, 0]), 2)
    >>> taken.shares(np.array([0, 3]), np.array([3, 8])).toarray().round(3).tolist()
    [[0.0, 0.8], [0.667, 0.0]]
    """

    lower: Ints
    upper: Ints
    slices: Ints
    size: int
    """How many slices the view has."""

    @classmethod
    def between(cls, cuts: Ints) -> Stretches:
        """A slice between each cut and the next."""
        return cls(cuts[:-1], cuts[1:], np.arange(len(cuts) - 1), len(cuts) - 1)

    def overlaps(self, lower: Ints, upper: Ints) -> Overlaps:
        """The stretches that each of some intervals meets."""
        first = np.searchsorted(self.upper, lower, side="right")
        last = np.searchsorted(self.lower, upper, side="left")
        return Overlaps(first, np.maximum(last - first, 0))

    def share_inside(self, lower: Ints, upper: Ints, numbers: Ints) -> Floats:
        """The share of each of some intervals that lies in the stretch of that number."""
        stop = np.minimum(upper, self.upper[numbers])
        start = np.maximum(lower, self.lower[numbers])
        return np.asarray((stop - start) / (upper - lower), dtype=np.float64)

    def shares(self, lower: Ints, upper: Ints) -> Matrix:
        """The share of each of some intervals that each slice takes: slices x intervals."""
        first, many = self.overlaps(lower, upper)
        source = np.repeat(np.arange(len(lower)), many)
        numbers = first[source] + concatenate_ranges(many)
        shares = self.share_inside(lower[source], upper[source], numbers)
        return matrix_by_column(shares, self.slices[numbers], many, self.size)

    def to_json(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "stretches": len(self.lower),
            "lower": pack(self.lower),
            "upper": pack(self.upper),
            "slices": pack(self.slices),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Stretches:
        size, many = whole_number(data["size"]), whole_number(data["stretches"])
        if not 1 <= size <= many <= MAX_PARTS:
            raise BadInput("A view needs at least one stretch for each slice.")
        lower, upper, slices = (unpack(data[key], many) for key in ("lower", "upper", "slices"))
        rising = (lower >= 0).all() and (lower < upper).all() and (upper[:-1] <= lower[1:]).all()
        if not rising or slices.min() < 0 or slices.max() >= size:
            raise BadInput("The stretches of a view must be disjoint and in order.")
        return cls(lower, upper, slices, size)


def concatenate_ranges(many: Ints) -> Ints:
    """For each of ``many`` in turn, 0, 1, … up to it.

    >>> concatenate_ranges(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(many) - many
    return np.arange(many.sum()) - np.repeat(starts, many)
