"""The values of the rows in each part, for sums over a numeric axis.

Rows are assumed to be evenly spread in a part. So each row of a part within the query contributes
the middle of the part's values; for a part that is cut, the share inside contributes the middle of
the values there, and the rest nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.counting.counts import outer
from hushgram.answers.counting.question import (
    Question,
    as_list,
    check_names,
    covers,
    ends,
    place_of,
)
from hushgram.answers.tables.units import check_moderate, places
from hushgram.answers.tables.views import boxed_layout, is_other
from hushgram.answers.unevenness.base import PartValues
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer, Variable
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Ints, Lattice

if TYPE_CHECKING:
    from hushgram.release import Release


class Middles(NamedTuple):
    """The contribution of each part to a sum over an axis."""

    rows: Floats
    """The share of the part's rows in the query."""
    middle: Floats
    """The mean of their values."""
    variance: Floats
    lowest: Floats
    highest: Floats

    @property
    def totals(self) -> Floats:
        return self.rows * self.middle

    def around(self, centre: float) -> PartValues:
        """The distances from a centre of the rows in the query; 0 for the others."""
        middle = self.middle - centre
        is_cut, is_inside = self.rows < 1, self.rows > 0
        lowest, highest = self.lowest - centre, self.highest - centre
        return PartValues(
            self.rows * middle,
            self.rows * (self.variance + (1 - self.rows) * middle**2),
            np.where(is_inside, np.where(is_cut, np.minimum(lowest, 0), lowest), 0),
            np.where(is_inside, np.where(is_cut, np.maximum(highest, 0), highest), 0),
        )


def middles(release: Release, name: str, question: Question) -> Middles:
    """The contribution of each part to a sum over an axis, without "other", which has no number."""
    layout = boxed_layout(release)
    domain = layout.domain
    check_names(domain, [name, *question])
    axis, place = domain[name], domain.names.index(name)
    if not is_numeric(axis):
        numeric = [repr(other) for other, one in domain.items() if is_numeric(one)]
        raise NotAnswerable(
            f"Axis {name!r} has no numbers to add up. "
            + (
                f"Numeric axes: {', '.join(numeric)}."
                if numeric
                else "Use group_by() for its counts."
            )
        )
    check_moderate(axis, name)
    asked = question.get(name, (None, None))
    shares = shares_of(layout, {**question, name: asked})
    lower, upper = (side[place] for side in sides_of(layout))
    if isinstance(asked, tuple):
        start, stop = ends(axis, name, [asked[0]], [asked[1]])
        values = values_between(axis, np.maximum(lower, start[0]), np.minimum(upper, stop[0]))
    else:
        shares[place], values = listed_values(axis, name, lower, upper, as_list(asked))

    def for_parts(along: Floats) -> Floats:
        """One number per part, from one per slice of the axis."""
        return product(layout, [along if n == place else np.ones(len(shares[n])) for n in whole])

    whole = range(len(domain))
    return Middles(product(layout, shares), *map(for_parts, values))


def is_numeric(axis: Axis) -> bool:
    return not isinstance(axis.whole, Category | Date)


def shares_of(layout: Boxed, question: Question) -> list[Floats]:
    """For each axis, the share of each slice, or of each box, that a query covers."""
    return covers(layout.domain, *sides_of(layout), question)


def sides_of(layout: Boxed) -> tuple[list[Ints], list[Ints]]:
    """For each axis, the lower and the upper indices of each slice, or of each box."""
    if isinstance(layout, Lattice):
        cuts = [layout.cuts(place) for place in range(len(layout.domain))]
        return [cut[:-1] for cut in cuts], [cut[1:] for cut in cuts]
    lower, upper = layout.boxes()
    return list(lower.T), list(upper.T)


def product(layout: Boxed, factors: list[Floats]) -> Floats:
    """The product of the factors over all axes, for each part."""
    if isinstance(layout, Lattice):
        return outer(factors)
    return np.asarray(np.prod(factors, axis=0), dtype=np.float64)


class Values(NamedTuple):
    """The values in intervals of an axis, if rows are evenly spread along its indices."""

    middle: Floats
    variance: Floats
    lowest: Floats
    highest: Floats


def values_between(axis: Axis, start: Any, stop: Any) -> Values:
    """The values between two positions of an axis; all 0 for empty intervals."""
    empty = ~(stop > start)
    start, stop = np.where(empty, 0, start), np.where(empty, 1, stop)
    low, high = places(axis, start), places(axis, stop)
    middle, variance = (low + high) / 2, (high - low) ** 2 / 12
    if isinstance(axis.whole, Integer):
        high = high - 1
        middle, variance = (low + high) / 2, (np.maximum(stop - start, 1) ** 2 - 1) / 12
    elif isinstance(axis.whole, Variable):
        middle, variance = uneven_bins(np.array(axis.whole.edges), start, stop, axis.offset)
    return Values(*(np.where(empty, 0, found) for found in (middle, variance, low, high)))


def uneven_bins(edges: Floats, start: Floats, stop: Floats, offset: int) -> tuple[Floats, Floats]:
    """The mean and the variance of the values between positions along the indices, for bins with
    these edges and equally many values in each."""
    centre = (edges[0] + edges[-1]) / 2
    moments = []
    for power in (1, 2):
        before, after = (integral(edges - centre, at + offset, power) for at in (start, stop))
        moments.append((after - before) / (stop - start))
    mean, square = moments
    return centre + mean, np.maximum(square - mean**2, 0)


def integral(edges: Floats, at: Floats, power: int) -> Floats:
    """The integral of a power of the line through an axis's edges, up to positions along its
    indices."""

    def within(index: Ints, beyond: Any) -> Floats:
        """The integral over the share ``beyond`` of a bin from its start."""
        low, width = edges[index], beyond * (edges[index + 1] - edges[index])
        if power == 1:
            return np.asarray(beyond * (low + width / 2))
        return np.asarray(beyond * (low**2 + low * width + width**2 / 3))

    bins = np.arange(len(edges) - 1)
    below = np.concatenate([[0.0], np.cumsum(within(bins, 1.0))])
    index = np.minimum(at.astype(np.int64), len(edges) - 2)
    return np.asarray(below[index] + within(index, at - index))


def listed_values(
    axis: Axis, name: str, lower: Ints, upper: Ints, asked: list[Any]
) -> tuple[Floats, Values]:
    """For each slice, the share of its indices that are listed, and the values there."""
    numbers = [value for value in asked if not is_other(value)]
    indices = np.array(sorted({place_of(axis, name, value) for value in numbers}), dtype=np.int64)
    first, last = (np.searchsorted(indices, side) for side in (lower, upper))
    counts = last - first
    each = values_between(axis, indices, indices + 1)

    def mean_of(values: Floats) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(values)])
        return np.asarray((sums[last] - sums[first]) / np.maximum(counts, 1))

    def end_of(values: Floats, at: Ints) -> Floats:
        return np.where(counts > 0, np.append(values, 0.0)[at], 0.0)

    centre = float(each.middle.mean()) if len(indices) else 0.0
    offsets = each.middle - centre
    variance = mean_of(each.variance + offsets**2) - mean_of(offsets) ** 2
    middle = np.where(counts > 0, centre + mean_of(offsets), 0.0)
    values = Values(
        middle,
        np.maximum(variance, 0),
        end_of(each.lowest, first),
        end_of(each.highest, last - 1),
    )
    return counts / (upper - lower), values
