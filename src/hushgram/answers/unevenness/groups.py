"""Cells that share one value."""

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
"""Standard deviations from which on a difference is not put down to noise."""

TINY = 1e-9
"""The least variance of noise."""


@dataclass(frozen=True, eq=False)
class BlindGroups(Unevenness):
    """Cells that share one value, each group taken for one part: a box of which the neighbours
    tell or, scattered, one whose rows can all be in one cell."""

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
        """Cells x groups: what each cell adds to a mean over its group."""
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
        """A group as one part, which consists of its cells."""
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
    """Cells that share one value, counted one by one at a first pass.

    By the first pass alone, the truth is what it counted, give or take its noise s²: the answer is
    seen to be off by their difference D. By the groups alone it is off by some V. Both together, by
    Bayes' rule for normal deviations: by k D, give or take k s², with k = V / (V + s²). A
    difference that noise hardly explains is believed as it is.
    """

    cells: PartUnevenness
    groups: BlindGroups
    look: Measurement

    @cached_property
    def difference(self) -> Floats:
        """The value of each cell, less its count at the first pass."""
        groups = self.groups
        return np.asarray((groups.sums / groups.sizes)[groups.labels] - self.look.values)

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        expected = self.groups.of_boxes(starts, stops)
        seen = of_each(self._counts, cell_weights(self.cells.layout, starts, stops))
        return believe(expected, seen).plus(self.cells.of_boxes(starts, stops))

    def of_weights(self, weights: Any) -> Uneven:
        rows = as_rows(weights)
        found = believe(self.groups.of_weights(rows), self._counts(rows))
        return found.plus(self.cells.of_weights(rows))

    def of_values(self, values: PartValues) -> Uneven:
        squares = np.array([float((values.mean**2).sum())])
        seen = self._look_at(np.array([values.mean @ self.difference]), squares)
        return believe(self.groups.of_values(values), seen).plus(self.cells.of_values(values))

    def _counts(self, rows: Any) -> Uneven:
        """Counts of some cells, or of all but some: the smaller number is looked up in the first
        pass."""
        differences, squares = rows @ self.difference, row_sums(rows**2)
        others = len(self.difference) - 2 * row_sums(rows) + squares
        rest = self.difference.sum() - differences
        return self._look_at(
            np.where(others < squares, rest, differences), np.minimum(others, squares)
        )

    def _look_at(self, differences: Floats, squares: Floats) -> Uneven:
        zero = np.zeros(len(squares))
        return Uneven(self.look.variance * squares, zero, zero, differences)


def believe(expected: Uneven, seen: Uneven) -> Uneven:
    """What to make of a difference that was seen where another size was expected."""
    noise = np.maximum(seen.variance, TINY)
    trust = expected.variance / (expected.variance + noise)
    surprising = np.abs(seen.seen) > SURPRISING * np.sqrt(noise)
    trust = np.where(surprising, 1.0, trust)
    # A look that saw all cells would have seen a single one that has all rows.
    return Uneven(trust * noise, np.zeros(len(trust)), expected.most, trust * seen.seen)
