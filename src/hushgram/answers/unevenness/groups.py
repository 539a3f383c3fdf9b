"""Groups of cells with the same value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.answers.unevenness.base import (
    PartValues,
    Uneven,
    Unevenness,
    cell_weights,
    of_each,
)
from hushgram.answers.unevenness.parts import LEAST, PartUnevenness
from hushgram.answers.unevenness.rows import as_rows, clean, farther_end, farthest, row_sums
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Ints
from hushgram.queries import Measurement

SURPRISING = 2.5
"""The number of standard deviations from which on a difference is not attributed to noise."""

TINY = 1e-9
"""The smallest variance of noise."""


@dataclass(frozen=True, eq=False)
class BlindGroups(Unevenness):
    """Groups of cells with the same value, each treated as one part: if it is a box, its clumping
    is estimated from neighbours; if it is scattered, all of its rows can be in one cell."""

    layout: Boxed
    labels: Ints
    groups: PartUnevenness | None
    """The groups, if they are boxes."""
    sums: Floats
    """The rows of each group."""
    noise: Floats
    """Their variances."""

    @cached_property
    def sizes(self) -> Ints:
        return np.bincount(self.labels)

    @cached_property
    def member(self) -> Any:
        """The matrix cells x groups of the contribution of each cell to its group's mean."""
        from hushgram.mechanisms.inference.weights import membership

        return membership(self.labels, (1 / self.sizes)[self.labels])

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        if self.groups is not None:
            return self.groups.of_boxes(starts, stops)
        return of_each(self.of_weights, cell_weights(self.layout, starts, stops))

    def of_weights(self, weights: Any) -> Uneven:
        shares = as_rows(weights) @ self.member
        if self.groups is not None:
            return self.groups.of_weights(shares)
        return self._of_spread(clean(shares - shares**2), farther_end(shares))

    def of_values(self, values: PartValues) -> Uneven:
        """The effect on one sum of any g, with groups as parts that consist of cells."""
        mean = np.bincount(self.labels, values.mean) / self.sizes
        square = values.variance + (values.mean - mean[self.labels]) ** 2
        variance = np.bincount(self.labels, square) / self.sizes
        lowest, highest = np.full((2, len(mean)), [[np.inf], [-np.inf]])
        np.minimum.at(lowest, self.labels, values.lowest)
        np.maximum.at(highest, self.labels, values.highest)
        each = PartValues(mean, variance, lowest, highest)
        if self.groups is not None:
            return self.groups.of_values(each)
        return self._of_spread(each.variance[None], each.reach[None])

    def _of_spread(self, spread: Any, reach: Any) -> Uneven:
        rows = np.maximum(self.sums, 0)
        variance = spread @ rows**2
        alone = (spread**2) @ rows**4 / np.maximum(variance**2, LEAST)
        most = farthest(reach, self.sums, self.noise)
        return Uneven(variance, np.minimum(alone, 1), most, np.zeros(len(variance)))


@dataclass(frozen=True, eq=False)
class GroupUnevenness(Unevenness):
    """Groups of cells with the same value and first counts of single cells.

    According to the first counts, the error of the answer is their difference D from it, with a
    variance of s², their noise. According to the groups, it has the variance V. By Bayes' rule for
    normal deviations, the error is k D with variance k s², where k = V / (V + s²). A difference
    that noise can hardly explain is used unchanged.
    """

    cells: PartUnevenness
    groups: BlindGroups
    first: Measurement

    @cached_property
    def difference(self) -> Floats:
        """The value of each cell minus its first count."""
        groups = self.groups
        return np.asarray((groups.sums / groups.sizes)[groups.labels] - self.first.values)

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        expected = self.groups.of_boxes(starts, stops)
        seen = of_each(self._counts, cell_weights(self.cells.layout, starts, stops))
        return combine(expected, seen).plus(self.cells.of_boxes(starts, stops))

    def of_weights(self, weights: Any) -> Uneven:
        rows = as_rows(weights)
        found = combine(self.groups.of_weights(rows), self._counts(rows))
        return found.plus(self.cells.of_weights(rows))

    def of_values(self, values: PartValues) -> Uneven:
        squares = np.array([float((values.mean**2).sum())])
        seen = self._observed(np.array([values.mean @ self.difference]), squares)
        return combine(self.groups.of_values(values), seen).plus(self.cells.of_values(values))

    def _counts(self, rows: Any) -> Uneven:
        """The observed differences of counts of cells, from the first counts of these cells or, if
        that has less noise, from those of all others."""
        differences, squares = rows @ self.difference, row_sums(rows**2)
        others = len(self.difference) - 2 * row_sums(rows) + squares
        rest = self.difference.sum() - differences
        return self._observed(
            np.where(others < squares, rest, differences), np.minimum(others, squares)
        )

    def _observed(self, differences: Floats, squares: Floats) -> Uneven:
        zero = np.zeros(len(squares))
        return Uneven(self.first.variance * squares, zero, zero, differences)


def combine(expected: Uneven, seen: Uneven) -> Uneven:
    """The posterior of an observed difference, given its expected variance."""
    noise = np.maximum(seen.variance, TINY)
    trust = expected.variance / (expected.variance + noise)
    surprising = np.abs(seen.seen) > SURPRISING * np.sqrt(noise)
    trust = np.where(surprising, 1.0, trust)
    # The first counts of all cells would have shown a single cell with all rows.
    return Uneven(trust * noise, np.zeros(len(trust)), expected.most, trust * seen.seen)
