"""How far an answer can be from the truth because rows do not lie evenly.

A question takes a value g from each place of a domain: 1 inside a range and 0 outside for a count,
the place itself for a sum. An answer takes the mean of g over a part for each of its rows; what g
is where they really lie, nobody counted. With c rows in a part, and t the variance of g over it,

    variance of the sum of g over the rows  =  t (ρ c² + (1 - ρ) c),

ρ being how clumped rows are (`clumping`). For a count of a share f of the part, t is f (1 - f).

Cells to which a mechanism gave one value together are a group, and a question that takes some of
its cells is off by how these differ from the others. Where the cells were counted before they were
put into groups (`Inference.first_look`), that look tells: its own difference is taken as it is,
and its noise is added.

All of this is post-processing of the release.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.counting.clumping import Clumping, clumping_of
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.view import View
from hushgram.queries import Measurement

ROUNDING = 1e-12
"""How far from 1 the share of a part may be and still be all of it."""

MARGIN = 1.1
"""How many times as wide as it seems to be right an interval for the truth is made: what it is made
of are estimates, and it has to hold no less often than it says."""

SURE = 2.0
"""Standard deviations by which the rows of a part may be more than they seem."""

SURPRISING = 2.5
"""Standard deviations from which on a difference is not put down to noise."""

TINY = 1e-9
"""What a number is at least divided by."""

LEAST = 1e-300
"""What the square of a variance is at least divided by."""

CHUNK = 1 << 14
"""Questions that are looked at together."""


class Uneven(NamedTuple):
    """What rows that do not lie evenly can do to sums: numbers, or arrays with one per sum."""

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


def uneven_width(uneven: Uneven, confidence: float, values: Any = np.inf) -> Floats:
    """Half the width of an interval for it, for counts of these values.

    Many parts make a normal deviation. The rows of a single part, all at one place, are in or out,
    and only the largest deviation is sure to hold.

    People ask where rows are. Among the places where a row lies, the mean of a count is larger than
    among all places, by its variance over its mean; half of that is allowed for.
    """
    both, one = (NormalDist().inv_cdf(level) for level in ((1 + confidence) / 2, confidence))
    variance = np.maximum(uneven.variance, 0)
    deviation = np.sqrt(variance)
    sought = np.minimum(variance / (2 * np.maximum(np.abs(values), TINY)), uneven.most)
    shifted = np.abs(uneven.seen) + sought + one * deviation
    width = np.maximum(both * deviation, shifted)
    most = np.where(np.isfinite(uneven.most), np.maximum(uneven.most, 0), np.inf)
    surest = np.where(np.isfinite(most), most, width)
    mixed = width + uneven.alone * (surest - width)
    return np.asarray(np.minimum(mixed, most), dtype=np.float64)


def noise_width(estimate: Estimate, spread: Spread, confidence: float) -> Floats:
    """Half the width of an interval for the noise of sums of an estimate's values."""
    return np.asarray(estimate.inference.noise_margin * half_width(spread, confidence))


def truth_width(noise: Any, uneven: Any) -> Floats:
    """Half the width of an interval for the truth, from those for the noise and for rows that do
    not lie evenly. They are independent, and add up like the sides of a right-angled triangle."""
    return np.asarray(MARGIN * np.hypot(noise, uneven))


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
    """What can be said about how rows lie in the parts of an estimate."""

    @abstractmethod
    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        """For counts of boxes that start and stop there on each axis, in units of indices."""

    @abstractmethod
    def of_weights(self, weights: Any) -> Uneven:
        """For counts of a share of each part: questions x parts, an array or a sparse matrix."""

    @abstractmethod
    def of_values(self, values: PartValues) -> Uneven:
        """For one sum of any g."""


@dataclass(frozen=True, eq=False)
class PartUnevenness(Unevenness):
    """The inside of parts that are boxes, each counted by itself."""

    layout: Boxed
    rows: Floats
    noise: Floats
    """The variance of each part's rows."""
    measured: bool = True
    """Whether noise had no say in where the parts lie, so that neighbours can be compared."""

    @cached_property
    def clumping(self) -> Clumping:
        if not self.measured:
            return Clumping.largest(len(self.layout.domain))
        return clumping_of(self.layout, self.rows, self.noise)

    @cached_property
    def squares(self) -> Floats:
        """The square of each part's rows, less the noise in it."""
        return np.asarray(self.rows**2 - self.noise)

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        found = Uneven.none(len(starts))
        cutting = np.flatnonzero(self.may_cut(starts, stops))
        for first in range(0, len(cutting), CHUNK):
            some = cutting[first : first + CHUNK]
            for column, numbers in zip(
                found, self._of_some(starts[some], stops[some]), strict=True
            ):
                column[some] = numbers
        return found

    def may_cut(self, starts: Floats, stops: Floats) -> Any:
        """Which boxes do not end where slices do, so that they may cut parts."""
        if not isinstance(self.layout, Lattice):
            return np.ones(len(starts), dtype=bool)
        found = np.zeros(len(starts), dtype=bool)
        for axis in range(starts.shape[1]):
            cuts = self.layout.cuts(axis)
            for places in (starts[:, axis], stops[:, axis]):
                after = np.minimum(np.searchsorted(cuts, places), len(cuts) - 1)
                found |= cuts[after] != places
        return found

    def _of_some(self, starts: Floats, stops: Floats) -> Uneven:
        from hushgram.answers.counting.cut_walk import (
            FOURTHS,
            PARTS,
            PLAIN,
            ROOTS,
            ROWS,
            SQUARES,
        )

        sums, reach = self._cut_sums(starts, stops)
        variance, fourths = np.zeros((2, len(starts)))
        for axis, share in enumerate(self.clumping.shares):
            for side in (0, 1):
                here = sums[:, axis, side].T
                kappa = self.clumping.coherence_of(axis, here[PARTS])
                together = np.maximum(here[ROOTS] ** 2 - here[PLAIN], 0)
                own = share * here[SQUARES] + (1 - share) * np.maximum(here[ROWS], 0)
                variance += np.maximum(own, 0) + kappa * together
                fourths += share**4 * here[FOURTHS]
        alone = np.minimum(fourths / np.maximum(variance, 1e-9) ** 2, 1)
        most = reach[:, :2].max(axis=1) + SURE * np.sqrt(reach[:, 2])
        return Uneven(variance, alone, most, np.zeros(len(starts)))

    @cached_property
    def _cut_sums(self) -> Callable[[Floats, Floats], tuple[Floats, Floats]]:
        """What finds the parts that boxes cut."""
        from hushgram.answers.counting.boxes_index import along_curve
        from hushgram.answers.counting.cut_walk import (
            cut_boxes,
            cut_slice_sums,
            cut_slices,
            cut_sums,
        )

        if isinstance(self.layout, Lattice):
            cuts = [self.layout.cuts(axis) for axis in range(len(self.layout.domain))]
            return partial(cut_slice_sums, cut_slices(cuts, self.rows, self.noise))
        order = np.argsort(along_curve(self.layout), kind="stable")
        boxes = cut_boxes(*self.layout.boxes(), order, self.rows, self.noise)
        return partial(cut_sums, boxes)

    def of_weights(self, weights: Any) -> Uneven:
        shares = as_rows(weights)
        return self._of_spread(clean(shares - shares**2), farther_end(shares))

    def of_values(self, values: PartValues) -> Uneven:
        return self._of_spread(values.variance[None], values.reach[None])

    def _of_spread(self, spread: Any, reach: Any) -> Uneven:
        """By the variance of g over each part, and by how far it can be from its mean. Which side
        of a question cuts a part is not known here: the largest clumping serves, and all parts are
        taken to be cut by one side."""
        if not spread.max():
            return Uneven.none(spread.shape[0])
        share = float(self.clumping.shares.max())
        own = share * (spread @ self.squares) + (1 - share) * (spread @ self.rows)
        plain, roots = spread @ self.rows**2, root(spread) @ self.rows
        kappa = self.clumping.coherence.max(axis=0)
        places = np.log2(np.maximum(count_entries(spread), 2)) - 1
        together = np.maximum(roots**2 - plain, 0) * np.interp(places, np.arange(len(kappa)), kappa)
        variance = np.maximum(own, 0) + together
        fourths = share**4 * (spread**2 @ np.maximum(self.squares, 0) ** 2)
        alone = np.minimum(fourths, variance**2) / np.maximum(variance**2, LEAST)
        most = farthest(reach, self.rows, self.noise)
        return Uneven(variance, alone, most, np.zeros(len(variance)))


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
    """Cells that share one value, counted one by one at a first look.

    By the first look alone, the truth is what it counted, give or take its noise s²: the answer is
    seen to be off by their difference D. By the groups alone it is off by some V. Both together, by
    Bayes' rule for normal deviations: by k D, give or take k s², with k = V / (V + s²). A
    difference that noise hardly explains is believed as it is.
    """

    cells: PartUnevenness
    groups: BlindGroups
    look: Measurement

    @cached_property
    def difference(self) -> Floats:
        """The value of each cell, less its count at the first look."""
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
        """Counts of some cells, or of all but some: the fewer are asked of the first look."""
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


@dataclass(frozen=True, eq=False)
class ViewUnevenness(Unevenness):
    """The parts of a view: sums of those of what it views."""

    view: View
    below: Unevenness
    layout: Boxed

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        layout: Boxed = self.layout
        ends = starts, stops
        for view in self.view.chain:
            if not (view.keeps_boxes and isinstance(layout, Lattice)):
                return of_each(self.of_weights, cell_weights(self.layout, starts, stops))
            cuts = [layout.cuts(axis) for axis in range(len(layout.domain))]
            ends, layout = view.locate_boxes(cuts, *ends), view.source
        return self.below.of_boxes(*ends)

    def of_weights(self, weights: Any) -> Uneven:
        """A part of the view that is cut, as if what it views were cut alike."""
        return self.below.of_weights(as_rows(weights) @ self.view.rows)

    def of_values(self, values: PartValues) -> Uneven:
        """What is viewed has a share of each part of the view; none of it where g is 0."""
        entries = self.view.rows.tocoo()
        shares, parts, own = entries.data, entries.row, entries.col
        below = PartialSums(own, entries.shape[1])
        mean = below.add(shares * values.mean[parts])
        square = values.variance[parts] + (values.mean[parts] - mean[own]) ** 2
        outside = np.maximum(1 - below.add(shares), 0)
        nothing = np.where(outside > ROUNDING, 0.0, np.inf)
        return self.below.of_values(
            PartValues(
                mean,
                below.add(shares * square) + outside * mean**2,
                below.least(values.lowest[parts], nothing),
                -below.least(-values.highest[parts], nothing),
            )
        )


class PartialSums(NamedTuple):
    """Entries that belong to parts."""

    parts: Ints
    size: int

    def add(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.parts, values, self.size), dtype=np.float64)

    def least(self, values: Floats, start: Floats) -> Floats:
        found = start.copy()
        np.minimum.at(found, self.parts, values)
        return found


def unevenness_of(estimate: Estimate) -> Unevenness:
    """What an estimate tells about how rows lie in its parts."""
    view = estimate.inference.view
    if view is not None:
        viewed = estimate.inference.viewed
        values = viewed.push(estimate.measurements)
        source = Estimate(view.chain[-1].source, values, estimate.measurements, viewed)
        assert isinstance(estimate.partition, Boxed)
        return ViewUnevenness(view, unevenness_of(source), estimate.partition)
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    groups = estimate.inference.groups()
    values = np.asarray(estimate.values, dtype=np.float64)
    if groups is None:
        linear = estimate.inference.is_linear
        return PartUnevenness(layout, values, estimate.variances(), measured=linear)
    # The cells of a group have one value and one error: those of their sum, over their number.
    labels = groups.labels
    sums = np.asarray(np.bincount(labels, values), dtype=np.float64)
    noise = np.asarray(np.bincount(labels) * np.bincount(labels, estimate.variances()))
    boxes = PartUnevenness(groups.boxes, sums, noise) if groups.boxes else None
    blind = BlindGroups(layout, labels, boxes, sums, noise)
    look = estimate.inference.first_look(estimate.measurements)
    if look is None:
        return blind
    looked = np.full(layout.size, look.variance)
    cells = PartUnevenness(layout, look.values.astype(np.float64), looked)
    return GroupUnevenness(cells, blind, look)


def cell_weights(layout: Boxed, starts: Floats, stops: Floats) -> Iterator[Floats]:
    """The share of each part that each box takes."""
    lower, upper = (side.T for side in layout.boxes())
    for start, stop in zip(starts[:, :, None], stops[:, :, None], strict=True):
        inside = np.minimum(upper, stop) - np.maximum(lower, start)
        yield np.prod(np.maximum(inside, 0) / (upper - lower), axis=0)


def farthest(reach: Any, rows: Floats, noise: Floats) -> Floats:
    """All rows of the parts as far as they can reach, and as many as there may be of them."""
    rows_reach = as_rows(reach)
    sure = SURE * np.sqrt(rows_reach**2 @ noise)
    return np.asarray(rows_reach @ np.maximum(rows, 0) + sure, dtype=np.float64)


def of_each(ask: Callable[[Floats], Uneven], weights: Iterator[Floats]) -> Uneven:
    """One question after the other: O(parts) each."""
    found = [ask(row[None]) for row in weights]
    if not found:
        return Uneven.none(0)
    return Uneven(*(np.concatenate(column) for column in zip(*found, strict=True)))


# Rows of numbers, as arrays or as sparse matrices --------------------------------------------


def as_rows(rows: Any) -> Any:
    """At least two axes: a question is a row."""
    return np.atleast_2d(rows) if isinstance(rows, np.ndarray) else rows


def farther_end(shares: Any) -> Any:
    """How far 0 and 1 are at most from the shares of parts that are cut."""
    if isinstance(shares, np.ndarray):
        cut = (shares > ROUNDING) & (shares < 1 - ROUNDING)
        return np.where(cut, np.maximum(shares, 1 - shares), 0.0)
    found = shares.tocsr(copy=True)
    found.data[:] = farther_end(found.data)
    found.eliminate_zeros()
    return found


def clean(rows: Any) -> Any:
    """Without what is zero but for rounding."""
    if isinstance(rows, np.ndarray):
        return np.where(rows > ROUNDING, rows, 0.0)
    found = rows.tocsr(copy=True)
    found.data[found.data <= ROUNDING] = 0.0
    found.eliminate_zeros()
    return found


def root(rows: Any) -> Any:
    return np.sqrt(rows) if isinstance(rows, np.ndarray) else rows.sqrt()


def count_entries(rows: Any) -> Any:
    if isinstance(rows, np.ndarray):
        return np.count_nonzero(rows, axis=1)
    return np.diff(rows.tocsr().indptr)


def row_sums(rows: Any) -> Floats:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).reshape(-1)
