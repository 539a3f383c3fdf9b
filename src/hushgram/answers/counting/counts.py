"""Range counts with intervals, one or many at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import COARSE, CUT, SHARED, Answer, Answers, Widths
from hushgram.answers.counting.cutting import Cutting
from hushgram.answers.counting.intervals import Spread, as_confidence, kurtosis_of
from hushgram.answers.counting.question import Question, box_of, covers
from hushgram.answers.tables.tables import RangeTable, boxes_of
from hushgram.answers.unevenness.base import Uneven, Unevenness
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Floats
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.levels import MIN_VARIANCE

if TYPE_CHECKING:
    from hushgram.answers.counting.index import Index

ROUNDING = 1e-9
"""The largest distance of a weight from 0 or 1 that counts as a rounding error."""


class Found(NamedTuple):
    """The result of one query."""

    value: float
    partial: float
    """The part of the value that comes from parts that the query cuts."""
    spread: Spread


class FoundMany(NamedTuple):
    """The results of many queries: their values, and functions that compute the rest on demand."""

    values: Floats
    find_partial: Callable[[], Floats]
    find_spread: Callable[[], Spread]


class RangeCounts(ABC):
    """Counts from an estimate whose parts are boxes. Parts that are cut count in proportion.

    A query has a range, a value or a list of values per axis (`one`); many at once are boxes, a row
    each (`many`). Both are computed in the fastest way for the layout and its noise:

    ==============================  ========================  ====================
    layout, inference               values                    noise
    ==============================  ========================  ====================
    grid, measured once             summed-area table: O(1)   `_even_spreads`: O(1)
    grid, nested counts             summed-area table: O(1)   index: O(border)
    grid, any other                 summed-area table: O(1)   weights: O(cells)
    boxes, measured once or nested  index: O(border)          index: O(border)
    boxes, any other                weights: O(parts)         weights: O(parts)
    ==============================  ========================  ====================
    """

    def __init__(self, estimate: Estimate, layout: Boxed) -> None:
        self.estimate = estimate
        self.layout = layout

    def one(self, question: Question, confidence: float = 0.95) -> Answer:
        """One count, for a range, a value or a list of values on each named axis."""
        value, partial, spread = self._find_one(question)
        noise = float(noise_width(self.estimate, spread, confidence))
        uneven = uneven_width(self.uneven(question), confidence, value)
        widths = noise, float(truth_width(noise, uneven)[0])
        return Answer.of(value, widths, confidence, partial, self._why_wide)

    def many(self, table: RangeTable, confidence: float = 0.95) -> Answers:
        """A count per row of a table of ranges (see `bounds_of`).

        For nested counts combined by least squares (`Tree`), variances are exact, but the shape of
        the noise is not computed: intervals are as wide as the worst shape requires, up to 8 % more
        than those of `one` at 95 % confidence.
        """
        return self.of_boxes(*boxes_of(table, self.layout.domain), confidence)

    def of_boxes(self, starts: Floats, stops: Floats, confidence: float = 0.95) -> Answers:
        """A count per box with these starts and stops on each axis, in units of indices."""
        found = self._find_many(starts, stops)
        values = found.values

        def find_widths() -> Widths:
            noise = noise_width(self.estimate, found.find_spread(), confidence)
            uneven = uneven_width(self._unevenness.of_boxes(starts, stops), confidence, values)
            return Widths(noise, truth_width(noise, uneven))

        as_confidence(confidence)
        return Answers(values, confidence, found.find_partial, find_widths, self._why_wide)

    def find(self, question: Question) -> Found:
        """The value of one query, the part of it that comes from cut parts, and its noise."""
        return self._find_one(question)

    def uneven(self, question: Question) -> Uneven:
        """The effect of unevenly spread rows on one count."""
        box = box_of(self.layout.domain, question)
        if box is not None:
            return self._unevenness.of_boxes(box[0][None], box[1][None])
        return self._unevenness.of_weights(self._question_weights(question)[None])

    @property
    def _why_wide(self) -> str:
        if self.estimate.inference.viewed.groups() is not None:
            return SHARED
        return CUT if self._parts_are_cells else COARSE

    @property
    def _parts_are_cells(self) -> bool:
        """Whether the parts are the declared cells, whose edges people know."""
        layout, domain = self.layout, self.layout.domain
        return isinstance(layout, Lattice) and layout.shape == domain.shape

    @cached_property
    def _unevenness(self) -> Unevenness:
        return unevenness_of(self.estimate)

    @abstractmethod
    def _question_weights(self, question: Question) -> Floats:
        """The share of each part that a query covers."""

    @abstractmethod
    def _find_one(self, question: Question) -> Found: ...

    @abstractmethod
    def _find_many(self, starts: Floats, stops: Floats) -> FoundMany:
        """The results for boxes with these starts and stops on each axis, in units of indices."""

    @abstractmethod
    def _weights(self, starts: Floats, stops: Floats) -> Iterator[Floats]:
        """The weights on the parts for each box, one after the other."""

    def _cut_parts(self, cutting: Cutting, starts: Floats, stops: Floats) -> Floats:
        """The part of each box's sum that comes from parts that it cuts: O(parts) each."""
        found = [cutting.partial(weights) for weights in self._weights(starts, stops)]
        return np.array(found, dtype=np.float64)

    @cached_property
    def _index(self) -> Index | None:
        from hushgram.answers.counting.index import index_of

        return index_of(self.estimate)

    @cached_property
    def _noise(self) -> float:
        """The variance of a part's noise if each was measured once, independently."""
        return self.estimate.measurements[0].variance

    @cached_property
    def _cutting(self) -> Cutting | None:
        """The parts behind the estimate's parts, if they differ."""
        found = Cutting(self.estimate)
        return found if found.needed else None

    @property
    def _is_direct(self) -> bool:
        return self.estimate.inference.is_direct


class GridCounts(RangeCounts):
    """Counts of a grid's cells: values from a summed-area table."""

    def __init__(self, estimate: Estimate, grid: Lattice) -> None:
        super().__init__(estimate, grid)
        self.grid = grid
        self.values = estimate.values.reshape(grid.shape)

    def _shares(self, question: Question) -> list[Floats]:
        """For each axis, the share of each slice that a query covers."""
        cuts = [self.grid.cuts(place) for place in range(len(self.grid.domain))]
        lower, upper = [cut[:-1] for cut in cuts], [cut[1:] for cut in cuts]
        return covers(self.grid.domain, lower, upper, question)

    def _question_weights(self, question: Question) -> Floats:
        return outer(self._shares(question))

    def _find_one(self, question: Question) -> Found:
        shares = self._shares(question)
        value = contract(self.values, shares)
        if self._cutting:
            partial = self._cutting.partial(outer(shares))
        else:
            partial = value - contract(self.values, [np.floor(share) for share in shares])
        return Found(value, partial, self._spread(shares))

    def _spread(self, shares: list[Floats]) -> Spread:
        if self._is_direct:
            squares, fourths = (np.prod([(share**n).sum() for share in shares]) for n in (2, 4))
            largest = np.prod([share.max() for share in shares])
            whole = all(((share == 0) | (share == 1)).all() for share in shares)
            return equal_noise_spread(self._noise, squares, fourths, largest, whole)
        return spread_of(self.estimate, outer(shares))

    def _find_many(self, starts: Floats, stops: Floats) -> FoundMany:
        from hushgram.answers.counting.summed import box_sums

        first, last = self._in_slices(starts), self._in_slices(stops)
        values = box_sums(self._summed, first, last)

        def find_partial() -> Floats:
            if self._cutting:
                return self._cut_parts(self._cutting, first, last)
            return np.asarray(values - self._uncut(first, last, values))

        def find_spread() -> Spread:
            if self._is_direct:
                return self._even_spreads(first, last)
            if self._index:
                return Spread(self._index.ask(starts, stops).variance, None)
            return spreads_of(self.estimate, self._weights(first, last))

        return FoundMany(values, find_partial, find_spread)

    def _in_slices(self, places: Floats) -> Floats:
        """Positions on each axis in units of slices, from units of indices."""
        if self.grid.shape == self.grid.domain.shape:
            return places
        cuts = [self.grid.cuts(axis) for axis in range(len(self.grid.shape))]
        columns = [
            np.interp(place, cut, np.arange(len(cut)))
            for place, cut in zip(places.T, cuts, strict=True)
        ]
        return np.stack(columns, axis=1)

    def _uncut(self, starts: Floats, stops: Floats, values: Floats) -> Floats:
        """The part of each box's sum that comes from cells that it covers entirely."""
        from hushgram.answers.counting.summed import box_sums

        first = np.ceil(starts)
        if (first == starts).all() and (np.floor(stops) == stops).all():
            return values
        return box_sums(self._summed, first, np.maximum(np.floor(stops), first))

    @cached_property
    def _summed(self) -> Any:
        from hushgram.answers.counting.summed import cumulative_sums

        return cumulative_sums(self.values)

    def _even_spreads(self, starts: Floats, stops: Floats) -> Spread:
        first, last = np.floor(starts), np.floor(stops)
        inner = last - first - 1
        head, tail = first + 1 - starts, stops - last
        within = stops - starts

        def powers(n: int) -> Any:
            return np.where(inner < 0, within**n, head**n + inner + tail**n).prod(axis=1)

        across = np.maximum(np.maximum(head, tail), inner > 0)
        largest = np.where(inner < 0, within, across).prod(axis=1)
        whole = ((starts == first) & (stops == last)).all(axis=1)
        return equal_noise_spread(self._noise, powers(2), powers(4), largest, whole)

    def _weights(self, starts: Floats, stops: Floats) -> Iterator[Floats]:
        slices = [np.arange(length) for length in self.grid.shape]
        for start, stop in zip(starts, stops, strict=True):
            yield outer(
                [np.clip(np.minimum(b - n, 1) - np.maximum(a - n, 0), 0, 1)
                 for n, a, b in zip(slices, start, stop, strict=True)]
            )  # fmt: skip


class BoxCounts(RangeCounts):
    """Counts of parts that are boxes of any size, through an index of them."""

    @cached_property
    def _corners(self) -> tuple[Ints, Ints]:
        """Lower and upper corners: axes x parts each."""
        lower, upper = self.layout.boxes()
        return lower.T, upper.T

    def _find_one(self, question: Question) -> Found:
        weights = self._question_weights(question)
        return Found(*self._sum_parts(weights), spread_of(self.estimate, weights))

    def _question_weights(self, question: Question) -> Floats:
        return np.asarray(np.prod(covers(self.layout.domain, *self._corners, question), axis=0))

    def _sum_parts(self, weights: Floats) -> tuple[float, float]:
        """A weighted sum of the parts, and the part of it that comes from cut parts."""
        parts = weights * self.estimate.values
        if self._cutting:
            return float(parts.sum()), self._cutting.partial(weights)
        return float(parts.sum()), float(parts[weights < 1].sum())

    def _find_many(self, starts: Floats, stops: Floats) -> FoundMany:
        if self._index is None:
            return self._by_weights(starts, stops)
        return self._by_index(self._index, starts, stops)

    def _by_index(self, index: Index, starts: Floats, stops: Floats) -> FoundMany:
        found = index.ask(starts, stops)

        def find_spread() -> Spread:
            if not self._is_direct:
                return Spread(found.variance, None)
            unit = max(self._noise, MIN_VARIANCE)  # as in the index
            squares, fourths = found.variance / unit, found.fourths / unit
            # Squares and fourth powers of weights are equal only if all weights are 0 or 1.
            whole = fourths >= squares * (1 - 1e-12)
            return equal_noise_spread(self._noise, squares, fourths, found.largest, whole)

        return FoundMany(found.value, lambda: found.partial, find_spread)

    def _by_weights(self, starts: Floats, stops: Floats) -> FoundMany:
        sums = [self._sum_parts(weights) for weights in self._weights(starts, stops)]
        values, partial = np.array(sums, dtype=np.float64).reshape(-1, 2).T

        def find_spread() -> Spread:
            return spreads_of(self.estimate, self._weights(starts, stops))

        return FoundMany(values, lambda: partial, find_spread)

    def _weights(self, starts: Floats, stops: Floats) -> Iterator[Floats]:
        lower, upper = self._corners
        for start, stop in zip(starts[:, :, None], stops[:, :, None], strict=True):
            inside = np.minimum(upper, stop) - np.maximum(lower, start)
            yield np.prod(np.maximum(inside, 0) / (upper - lower), axis=0)


def equal_noise_spread(
    noise: float, squares: Any, fourths: Any, largest: Any, whole: Any
) -> Spread:
    """The spread of sums of noise with the same variance, from sums of powers of their weights."""
    return Spread(squares * noise, kurtosis_of(squares, fourths), largest, whole)


def spread_of(estimate: Estimate, weights: Floats) -> Spread:
    """The spread of one set of weights, for any inference: O(parts). The noise of a single
    measurement is discrete and identical, so more than its moments is known."""
    if len(estimate.measurements) > 1 or estimate.inference.viewed.has_moments_only:
        return Spread(*estimate.moments(weights))
    pulled = np.abs(estimate.inference.pull(weights)[0])
    squares, fourths = ((pulled**n).sum() for n in (2, 4))
    whole = (np.minimum(pulled, np.abs(pulled - 1)) < ROUNDING).all()
    return equal_noise_spread(
        estimate.measurements[0].variance, squares, fourths, pulled.max(), whole
    )


def spreads_of(estimate: Estimate, weights: Iterable[Floats]) -> Spread:
    """The spreads of several sets of weights, for any inference: O(parts) each."""
    found = [spread_of(estimate, one) for one in weights]
    variance, kurtosis, largest, whole = np.array(found, dtype=np.float64).reshape(-1, 4).T
    return Spread(variance, kurtosis, largest, whole == 1)


def outer(shares: list[Floats]) -> Floats:
    """The weight of every cell, which is the product of its shares on each axis."""
    product = shares[0]
    for share in shares[1:]:
        product = np.multiply.outer(product, share)
    return product.ravel()


def contract(values: Any, shares: list[Floats]) -> float:
    """The sum of values weighted by a product of shares per axis, over the cells with weights."""
    touched = [np.flatnonzero(share) for share in shares]
    if any(len(t) == 0 for t in touched):
        return 0.0
    inside = values[tuple(slice(t[0], t[-1] + 1) for t in touched)]
    for share, t in zip(reversed(shares), reversed(touched), strict=True):
        inside = inside @ share[t[0] : t[-1] + 1]
    return float(inside)


def counts_of(estimate: Estimate) -> RangeCounts:
    """The object that answers counts for the estimate's layout."""
    partition = estimate.partition
    if isinstance(partition, Lattice):
        return GridCounts(estimate, partition)
    if isinstance(partition, Boxed):
        return BoxCounts(estimate, partition)
    raise QuestionError(f"Counts are not supported for a {partition.kind} layout.")
