"""The effect of unevenly spread rows on answers, and the interface of estimators for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed

WIDE = 8
"""The number of indices along an axis from which on a part is wide. Parts end between indices,
which differ slightly from the values in queries. A cut in the last index of a wide part may be
intended at its edge, and many rows may have exactly that value: all of them can be on either
side."""


class Uneven(NamedTuple):
    """The effect of unevenly spread rows on sums: numbers, or arrays with one per sum."""

    variance: Any
    alone: Any
    """The share that comes from a single part with all of its rows at one place: 0 to 1."""
    most: Any
    """The largest possible effect: all rows of the parts that are cut are on one side."""
    seen: Any = 0.0
    """The observed difference, including noise."""

    @classmethod
    def none(cls, size: int) -> Uneven:
        """No effect on ``size`` sums."""
        return cls(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size))

    def plus(self, other: Uneven) -> Uneven:
        """The sum of two independent effects."""
        variance = self.variance + other.variance
        squares = (self.alone * self.variance**2) + (other.alone * other.variance**2)
        return Uneven(
            variance,
            squares / np.maximum(variance**2, 1e-300),
            self.most + other.most,
            self.seen + other.seen,
        )


class PartValues(NamedTuple):
    """The distribution of g over the rows of each part, if they were evenly spread."""

    mean: Floats
    variance: Floats
    lowest: Floats
    highest: Floats

    @property
    def reach(self) -> Floats:
        """The largest distance of g from its mean."""
        return np.maximum(self.highest - self.mean, self.mean - self.lowest)


class Unevenness(ABC):
    """An estimator of the effect of unevenly spread rows within the parts of an estimate."""

    @abstractmethod
    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        """The effect on counts of boxes with these starts and stops, in units of indices."""

    @abstractmethod
    def of_weights(self, weights: Any) -> Uneven:
        """The effect on counts of a share of each part: queries x parts, an array or sparse
        matrix."""

    @abstractmethod
    def of_values(self, values: PartValues) -> Uneven:
        """The effect on one sum of any g."""


def of_each(ask: Callable[[Floats], Uneven], weights: Iterator[Floats]) -> Uneven:
    """The effects on several queries, one after the other: O(parts) each."""
    found = [ask(row[None]) for row in weights]
    if not found:
        return Uneven.none(0)
    return Uneven(*(np.concatenate(column) for column in zip(*found, strict=True)))


def cell_weights(layout: Boxed, starts: Floats, stops: Floats) -> Iterator[Floats]:
    """The share of each part in each box."""
    lower, upper = (side.T for side in layout.boxes())
    for start, stop in zip(starts[:, :, None], stops[:, :, None], strict=True):
        inside = np.minimum(upper, stop) - np.maximum(lower, start)
        yield np.prod(np.maximum(inside, 0) / (upper - lower), axis=0)
