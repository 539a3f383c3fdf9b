"""What unevenly spread rows can do to answers, and what shows it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed

WIDE = 8
"""Indices along an axis from which on a part is wide. Parts end between indices, which are a little
off the values that people ask for. A cut in the last index of a wide part may be meant for its
edge, and many rows may share the very value asked for: any of them can be on either side."""


class Uneven(NamedTuple):
    """What unevenly spread rows can do to sums: numbers, or arrays with one per sum."""

    variance: Any
    alone: Any
    """How much of it comes from a single part with its rows at one place: 0 to 1."""
    most: Any
    """The largest that it can be: all rows of the parts that are cut on one side."""
    seen: Any = 0.0
    """The difference that was seen, noise included."""

    @classmethod
    def none(cls, many: int) -> Uneven:
        return cls(np.zeros(many), np.zeros(many), np.zeros(many), np.zeros(many))

    def plus(self, other: Uneven) -> Uneven:
        """Both together, as far as they are independent."""
        variance = self.variance + other.variance
        squares = (self.alone * self.variance**2) + (other.alone * other.variance**2)
        return Uneven(
            variance,
            squares / np.maximum(variance**2, 1e-300),
            self.most + other.most,
            self.seen + other.seen,
        )


class PartValues(NamedTuple):
    """What a sum takes from the rows of each part: how g is distributed there, were they to lie
    evenly."""

    mean: Floats
    variance: Floats
    lowest: Floats
    highest: Floats

    @property
    def reach(self) -> Floats:
        """How far g can be from its mean."""
        return np.maximum(self.highest - self.mean, self.mean - self.lowest)


class Unevenness(ABC):
    """What can be said about how rows are in the parts of an estimate."""

    @abstractmethod
    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        """For counts of boxes that start and stop there on each axis, in units of indices."""

    @abstractmethod
    def of_weights(self, weights: Any) -> Uneven:
        """For counts of a share of each part: questions x parts, an array or a sparse matrix."""

    @abstractmethod
    def of_values(self, values: PartValues) -> Uneven:
        """For one sum of any g."""


def of_each(ask: Callable[[Floats], Uneven], weights: Iterator[Floats]) -> Uneven:
    """One question after the other: O(parts) each."""
    found = [ask(row[None]) for row in weights]
    if not found:
        return Uneven.none(0)
    return Uneven(*(np.concatenate(column) for column in zip(*found, strict=True)))


def cell_weights(layout: Boxed, starts: Floats, stops: Floats) -> Iterator[Floats]:
    """The share of each part that each box takes."""
    lower, upper = (side.T for side in layout.boxes())
    for start, stop in zip(starts[:, :, None], stops[:, :, None], strict=True):
        inside = np.minimum(upper, stop) - np.maximum(lower, start)
        yield np.prod(np.maximum(inside, 0) / (upper - lower), axis=0)
