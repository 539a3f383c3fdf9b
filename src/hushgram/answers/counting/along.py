"""The rows of an estimate along one axis, with the noise of any weighted sum of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from hushgram.answers.counting.counts import outer
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.counting.question import Question, check_names, cover
from hushgram.answers.unevenness.base import WIDE, Unevenness
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Axis, Floats
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.isotonic import isotonic
from hushgram.mechanisms.inference.ranks import CENTRE, Reconstruction

Where = Question | None
"""Restrictions on other axes, as in `Release.count`, or None."""

NEIGHBOURS = 1.5
"""The largest distance, in groups, between a row and the middles of the groups next to its own."""

ROUNDING = 1e-12
"""The relative error by which a sum may miss its share of all rows and still reach it."""

NOTHING = 1e-6
"""Rows up to which a number is rounding: errors of halves of one part cancel each other."""


class OrderedRows(ABC):
    """Rows in the order of one axis."""

    @abstractmethod
    def quantile(self, q: float, confidence: float) -> tuple[float, float, float]:
        """The lower end of the interval, the quantile, and the upper end, along the indices."""


class Along(OrderedRows):
    """The rows along one axis, from an estimate with any layout.

    ``lower`` and ``upper`` bound slices of the axis, or all parts, and ``values`` are their rows
    that satisfy ``where``.
    """

    def __init__(self, estimate: Estimate, axis: Axis, lower: Any, upper: Any) -> None:
        self.estimate = estimate
        self.axis = axis
        self.lower, self.upper = lower, upper

    @cached_property
    @abstractmethod
    def values(self) -> Floats: ...

    @cached_property
    @abstractmethod
    def knots(self) -> Floats:
        """The positions between which rows are assumed to be evenly spread, from 0 to the last."""

    @cached_property
    @abstractmethod
    def cumulative(self) -> Floats:
        """The number of rows below each knot."""

    @abstractmethod
    def spread(self, weights: Floats) -> Spread:
        """The noise of a weighted sum of the values."""

    @abstractmethod
    def on_parts(self, weights: Floats) -> Floats:
        """Weights on the values as weights on all parts of the estimate."""

    def uneven_width(self, position: float, confidence: float, *, above: bool = False) -> float:
        """The possible error of the number of rows below a position, or above it, because rows are
        not evenly spread in parts."""
        share, gap = self.share(position), self.upper - position
        if above:
            share = self.share(self.axis.declared) - share
        on_edge = (gap > 0) & (gap < 1) & (self.upper - self.lower >= WIDE)
        weights = self.on_parts(share)
        uneven = self._unevenness.of_weights(weights[None])
        if on_edge.any():
            middle = self._unevenness.of_weights(self.on_parts(np.where(on_edge, 0.5, share))[None])
            uneven = uneven._replace(variance=middle.variance, alone=middle.alone)
        return float(uneven_width(uneven, confidence)[0])

    @cached_property
    def _unevenness(self) -> Unevenness:
        return unevenness_of(self.estimate)

    def share(self, position: float) -> Floats:
        """The share of each slice or part that is below a position."""
        share = (position - self.lower) / (self.upper - self.lower)
        return np.asarray(np.clip(share, 0.0, 1.0))

    def below(self, position: float) -> float:
        """The number of rows below a position."""
        return float(np.interp(position, self.knots, self.cumulative))

    @property
    def total(self) -> float:
        """The number of rows with declared values on the axis."""
        return float(self.cumulative[-1])

    @cached_property
    def rising(self) -> Floats:
        """The number of rows below each knot after isotonic regression, from none to all."""
        return np.clip(isotonic(self.cumulative), 0.0, self.total)

    def quantile(self, q: float, confidence: float) -> tuple[float, float, float]:
        target = q * self.total * (1 - ROUNDING)
        over = self.rising - target

        @cache
        def width(knot: int) -> float:
            weights = self.share(self.knots[knot]) - q * self.share(self.axis.declared)
            noise = float(noise_width(self.estimate, self.spread(weights), confidence))
            uneven = self.uneven_width(self.knots[knot], confidence)
            both = float(truth_width(noise, uneven))
            return both if both > NOTHING else 0.0

        # The position of rows within a part is unknown, so intervals extend to the ends of parts.
        knots, last = self.knots, len(self.knots) - 1
        first = lowest(lambda knot: over[knot] + width(knot) >= 0, last)
        beyond = lowest(lambda knot: over[knot] - width(knot) > 0, last)
        low, high = knots[max(first - 1, 0)], knots[beyond]
        return float(low), self._middle(over, q), float(high)

    def _middle(self, over: Floats, q: float) -> float:
        """The position where the number of rows reaches its target; for q = 0, where rows start."""
        if q == 0:
            return float(self.knots[np.searchsorted(over, 0, side="right") - 1])
        reached = int(np.searchsorted(over, 0, side="left"))
        if reached == 0:
            return float(self.knots[0])
        return crossing(self.knots, reached, over[reached - 1], over[reached])


def lowest(holds: Callable[[int], bool], last: int) -> int:
    """The first number up to ``last`` from which on a condition holds, by bisection. It must hold
    for ``last``.

    >>> lowest(lambda n: n * n > 50, 100)
    8
    """
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def crossing(knots: Floats, after: int, before: float, here: float) -> float:
    """The zero of a line that is negative at one knot, but not at the next."""
    start, stop = knots[after - 1], knots[after]
    return float(start + (stop - start) * (-before / (here - before)))


class AlongGrid(Along):
    """The slices of a lattice: sums over its other axes."""

    def __init__(self, estimate: Estimate, grid: Lattice, name: str, shares: list[Floats]) -> None:
        self.place = grid.domain.names.index(name)
        self.shares = shares
        self.grid = grid
        cuts = grid.cuts(self.place)
        super().__init__(estimate, grid.domain[name], cuts[:-1], cuts[1:])

    @cached_property
    def values(self) -> Floats:
        found = np.moveaxis(self.estimate.values.reshape(self.grid.shape), self.place, 0)
        others = [share for place, share in enumerate(self.shares) if place != self.place]
        for share in reversed(others):
            found = found @ share
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def knots(self) -> Floats:
        cuts = self.grid.cuts(self.place)
        return np.asarray(cuts[cuts <= self.axis.declared], dtype=np.float64)

    @cached_property
    def cumulative(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.values)])[: len(self.knots)]

    def on_parts(self, weights: Floats) -> Floats:
        shares = [*self.shares]
        shares[self.place] = weights
        return outer(shares)

    def spread(self, weights: Floats) -> Spread:
        shares = [*self.shares]
        shares[self.place] = weights
        if not self.estimate.inference.is_direct:
            return Spread(*self.estimate.moments(outer(shares)))
        variance = self.estimate.measurements[0].variance
        squares = math.prod(float((share**2).sum()) for share in shares)
        largest = math.prod(float(np.abs(share).max()) for share in shares)
        kurtosis = 3 * math.prod(map(concentration, shares))
        return Spread(squares * variance, kurtosis, largest)


def concentration(weights: Floats) -> float:
    """The concentration of a sum's noise on its terms: 1 for a single term, 1/n for n equal
    ones."""
    squares = weights**2
    total = squares.sum()
    return float(((squares / total) ** 2).sum()) if total else 0.0


class AlongBoxes(Along):
    """Boxes of any size."""

    def __init__(self, estimate: Estimate, layout: Boxed, name: str, shares: list[Floats]) -> None:
        place = layout.domain.names.index(name)
        lower, upper = (corner[:, place] for corner in layout.boxes())
        super().__init__(estimate, layout.domain[name], lower, upper)
        self.weights = np.prod(shares, axis=0)

    @cached_property
    def values(self) -> Floats:
        return np.asarray(self.estimate.values * self.weights, dtype=np.float64)

    @cached_property
    def knots(self) -> Floats:
        cuts = np.unique(np.concatenate([self.lower, self.upper, [self.axis.declared]]))
        return np.asarray(cuts[cuts <= self.axis.declared], dtype=np.float64)

    @cached_property
    def cumulative(self) -> Floats:
        slopes = np.zeros(len(self.knots) + 1)
        each = self.values / (self.upper - self.lower)
        np.add.at(slopes, np.searchsorted(self.knots, self.lower), each)
        np.add.at(slopes, np.searchsorted(self.knots, self.upper), -each)
        steps = np.cumsum(slopes)[: len(self.knots) - 1] * np.diff(self.knots)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def on_parts(self, weights: Floats) -> Floats:
        return np.asarray(weights * self.weights)

    def spread(self, weights: Floats) -> Spread:
        return Spread(*self.estimate.moments(self.on_parts(weights)))


class SortedRows(OrderedRows):
    """The reconstructed rows of a `sorted` release: a quantile is the position of the row of its
    rank.

    Its error has three sources: the noise of the group around that row, with its standard deviation
    after isotonic regression; the noise of the number of rows, which affects the rank; and the
    position of the row in its group. The mean of a group is between those of its neighbours, so a
    row is at most one and a half groups away from their ranks.
    """

    def __init__(self, found: Reconstruction) -> None:
        self.found = found
        inner = found.deviations
        self.deviations = np.concatenate([inner[:1], inner, inner[-1:]])

    def quantile(self, q: float, confidence: float) -> tuple[float, float, float]:
        rank = q * self.found.rows
        noise = float(half_width(Spread(q**2 * self.found.total_variance, None), confidence))
        aside = noise + NEIGHBOURS * float(self.found.lengths.max())
        unit = float(half_width(Spread(1.0, None), confidence))
        low, middle, high = (self._at(rank + side) for side in (-aside, 0.0, aside))
        return low[0] - unit * low[1], middle[0], high[0] + unit * high[1]

    def _at(self, rank: float) -> tuple[float, float]:
        """The position of the row of a rank along the indices, and its standard deviation."""
        curve = self.found.curve
        position = np.interp(rank, curve.ranks, curve.positions) + CENTRE
        return float(position), float(np.interp(rank, curve.ranks, self.deviations))


def along_axis(estimate: Estimate, name: str, where: Where) -> Along:
    """The rows along one axis, according to the layout."""
    layout = estimate.partition
    axis = ordered_axis(estimate, name)
    check_where(name, where)
    check_names(layout.domain, where or {})
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"A {layout.kind} layout has no order along {axis.whole.kind} axes.")
    if isinstance(layout, Lattice):
        cuts = [layout.cuts(place) for place in range(len(layout.domain))]
        sides = [(cut[:-1], cut[1:]) for cut in cuts]
        return AlongGrid(estimate, layout, name, shares_of(layout, sides, where))
    lower, upper = layout.boxes()
    sides = list(zip(lower.T, upper.T, strict=True))
    return AlongBoxes(estimate, layout, name, shares_of(layout, sides, where))


def shares_of(layout: Boxed, sides: list[tuple[Any, Any]], where: Where) -> list[Floats]:
    """For each axis, the share of its slices or parts that satisfies ``where``."""
    restricted = where or {}
    return [
        cover(axis, low, high, name, restricted[name]) if name in restricted else np.ones(len(low))
        for (name, axis), (low, high) in zip(layout.domain.items(), sides, strict=True)
    ]


def ordered_axis(estimate: Estimate, name: str) -> Axis:
    domain = estimate.partition.domain
    check_names(domain, [name])
    if not domain[name].ordered:
        raise NotAnswerable(
            f"The categories of {name!r} have no order, so there are no quantiles or "
            "ranks. Use count() instead."
        )
    return domain[name]


def check_where(name: str, where: Where) -> None:
    if name in (where or {}):
        raise QuestionError(
            f"where must restrict other axes than {name!r}, the axis you ask about."
        )
