"""The ranges of indices that a view takes from one axis."""

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
    """The consecutive stretches that overlap each of some intervals."""

    first: Ints
    """The number of the first one."""
    counts: Ints
    """The number of stretches, which may be 0."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Ranges of an axis's indices, disjoint and in order, and the slice of the view to which each
    belongs.

    Below, the axis has the indices 0 to 7. The view has two slices: 0 is the upper stretch, 1 the
    lower one. Two thirds of the interval [0, 3) are in slice 1, four fifths of [3, 8) in slice 0::

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
    """The number of slices of the view."""

    @classmethod
    def between(cls, cuts: Ints) -> Stretches:
        """One slice between each cut and the next."""
        return cls(cuts[:-1], cuts[1:], np.arange(len(cuts) - 1), len(cuts) - 1)

    def overlaps(self, lower: Ints, upper: Ints) -> Overlaps:
        """The stretches that overlap each of some intervals."""
        first = np.searchsorted(self.upper, lower, side="right")
        last = np.searchsorted(self.lower, upper, side="left")
        return Overlaps(first, np.maximum(last - first, 0))

    def share_inside(self, lower: Ints, upper: Ints, numbers: Ints) -> Floats:
        """The share of each interval that is in the stretch with the given number."""
        stop = np.minimum(upper, self.upper[numbers])
        start = np.maximum(lower, self.lower[numbers])
        return np.asarray((stop - start) / (upper - lower), dtype=np.float64)

    def shares(self, lower: Ints, upper: Ints) -> Matrix:
        """The share of each interval that is in each slice: slices x intervals."""
        first, counts = self.overlaps(lower, upper)
        source = np.repeat(np.arange(len(lower)), counts)
        numbers = first[source] + concatenate_ranges(counts)
        shares = self.share_inside(lower[source], upper[source], numbers)
        return matrix_by_column(shares, self.slices[numbers], counts, self.size)

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
        size, count = whole_number(data["size"]), whole_number(data["stretches"])
        if not 1 <= size <= count <= MAX_PARTS:
            raise BadInput("A view needs at least one stretch for each slice.")
        lower, upper, slices = (unpack(data[key], count) for key in ("lower", "upper", "slices"))
        rising = (lower >= 0).all() and (lower < upper).all() and (upper[:-1] <= lower[1:]).all()
        if not rising or slices.min() < 0 or slices.max() >= size:
            raise BadInput("The stretches of a view must be disjoint and in order.")
        return cls(lower, upper, slices, size)


def concatenate_ranges(lengths: Ints) -> Ints:
    """For each length n in turn, the numbers 0, 1, …, n - 1.

    >>> concatenate_ranges(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) - np.repeat(starts, lengths)
