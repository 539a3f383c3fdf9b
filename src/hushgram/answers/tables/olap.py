"""Tables of groups, and sums, averages and shares: all that follows from counts.

A sum over a numeric axis takes every row of a part to lie at the part's middle: a weighted sum of
parts, whose noise is known. How far the middles can be off is told apart from the noise, since no
number of rows makes it smaller. Averages and shares are ratios of two weighted sums T / N; their
noise is, to first order, that of (T - R N) / N for the ratio R (the delta method).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import BINNED, Answer, around, format_digits
from hushgram.answers.counting.counts import outer, spreads_of
from hushgram.answers.counting.intervals import Spread, as_confidence, half_width, kurtosis_of
from hushgram.answers.counting.quantiles import Share
from hushgram.answers.counting.question import (
    Question,
    as_list,
    check_names,
    covers,
    ends,
    place_of,
)
from hushgram.answers.counting.unevenness import truth_width, uneven_width, unevenness_of
from hushgram.answers.tables.units import check_moderate, places
from hushgram.answers.tables.views import Bins, Names, boxed_layout, is_other, project
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer, Variable
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import MOST_PULLED
from hushgram.mechanisms.inference.view import View
from hushgram.mechanisms.inference.weights import sum_powers
from hushgram.queries import Measurement

if TYPE_CHECKING:
    import pandas as pd

    from hushgram.release import Release

OWN = ("value", "lower", "upper")
"""The columns of a table of groups that are no labels."""

QUICK = 1 << 24
"""Weights on measurements that are looked at in about a second."""


@dataclass(frozen=True)
class NumericAnswer(Answer):
    """A sum or an average, with an error bar; see `Answer`."""

    def __str__(self) -> str:
        return self._text(format_digits(self.value, 6), format_digits(self.half_width, 3))


def group_by(
    release: Release,
    names: Names,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    share: bool = False,
    bins: Bins = None,
) -> pd.DataFrame:
    """A table with a row for each combination of slices: labels, ``value``, ``lower``, ``upper``.

    Intervals hold for each row by itself or, if ``simultaneous``, for all together (Bonferroni).
    """
    import pandas as pd

    from hushgram.geometry.labels import label_columns

    estimate = project(release, names, bins).estimate
    level = as_confidence(confidence)
    if simultaneous:
        level = 1 - (1 - level) / len(estimate.values)
    values, width = (
        shares_and_widths(estimate, level) if share else counts_and_widths(estimate, level)
    )
    labels = label_columns(estimate.partition).items()
    columns = {free_name(column): labelled.to_pandas() for column, labelled in labels}
    return pd.DataFrame(
        {**columns, "value": values, "lower": values - width, "upper": values + width}
    )


def free_name(column: str) -> str:
    return f"{column}_axis" if column in OWN else column


def top(
    release: Release, k: int, names: Names, *, simultaneous: bool = True, **options: Any
) -> pd.DataFrame:
    """The k rows of `group_by` with the largest values, those first.

    The noise has a say in which these are, and in favour of the winners. Intervals that hold for
    all rows together hold for any choice of them, so they are the default here.
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise QuestionError(f"the top rows are 1 or more, not {k!r}.")
    table = group_by(release, names, simultaneous=simultaneous, **options)
    return table.sort_values("value", ascending=False, kind="stable", ignore_index=True).head(k)


def counts_and_widths(estimate: Estimate, confidence: float) -> tuple[Floats, Floats]:
    """The value of each part, and half the width of its interval."""
    values = np.asarray(estimate.values, dtype=np.float64)
    noise = half_width(spreads(estimate), confidence)
    return values, truth_width(estimate, noise, uneven_widths(estimate, confidence))


def uneven_widths(estimate: Estimate, confidence: float) -> Floats:
    """For each part, how far its count can be off since rows do not lie evenly in what it is a sum
    of."""
    if estimate.inference.view is None and estimate.inference.groups() is None:
        return np.zeros(len(estimate.values))
    from scipy.sparse import eye_array

    each = eye_array(len(estimate.values), format="csr")
    return uneven_width(unevenness_of(estimate).of_weights(each), confidence, estimate.values)


def spreads(estimate: Estimate) -> Spread:
    """The noise of each part; its shape too, if that is known or quickly found."""
    inference, parts = estimate.inference, len(estimate.values)
    if inference.view and inference.viewed.is_direct:
        return spreads_of_sums(estimate.variances(), inference.view)
    if parts * max(parts, sum(m.partition.size for m in estimate.measurements)) <= QUICK:
        return spreads_of(estimate, np.eye(parts))
    return Spread(estimate.variances(), None)


def spreads_of_sums(variance: Floats, view: View) -> Spread:
    """The noise of sums of independent counts, by the powers of their weights."""
    ones, squares, fourths = (view.fold_shares(partial(sum_powers, power=n)) for n in (1, 2, 4))
    largest = view.fold_shares(lambda rows: rows.max(axis=1).toarray().reshape(-1))
    whole = squares >= ones * (1 - 1e-12)
    return Spread(variance, kurtosis_of(squares, fourths), largest, whole)


def shares_and_widths(estimate: Estimate, confidence: float) -> tuple[Floats, Floats]:
    """Each part's share of all rows, and half the width of its interval."""
    everything = np.ones(len(estimate.values))
    total, variance = float(estimate.values.sum(dtype=np.float64)), estimate.moments(everything)[0]
    check_enough(total, variance, confidence)
    shares = np.asarray(estimate.values / total, dtype=np.float64)
    if estimate.inference.is_linear:
        with_all = covariances(estimate, everything)
        noise = estimate.variances() - 2 * shares * with_all + shares**2 * variance
    else:
        noise = one_by_one(estimate, shares)
    width = np.hypot(
        half_width(Spread(noise, None), confidence), uneven_widths(estimate, confidence)
    )
    return shares, width / total


def covariances(estimate: Estimate, weights: Floats) -> Floats:
    """The covariance of each part with a weighted sum of them: a linear estimate of the sum's own
    weights on the measurements, each times its variance."""
    pulled = zip(estimate.inference.pull(weights), estimate.measurements, strict=True)
    moved = [
        Measurement(m.partition, (weight * m.variance).reshape(-1), m.variance, m.scale)  # type: ignore[arg-type]
        for weight, m in pulled
    ]
    return np.asarray(estimate.inference.push(moved), dtype=np.float64)


def one_by_one(estimate: Estimate, shares: Floats) -> Floats:
    """The variance of each part less its share of all: O(parts²)."""
    if len(shares) > MOST_PULLED:
        raise NotAnswerable(
            f"the errors of {len(shares):,} shares at once take too long where the estimate is "
            f"{estimate.inference.kind!r}; of {MOST_PULLED:,} they do not. Ask for fewer bins."
        )
    found = np.empty(len(shares))
    for part, share in enumerate(shares):
        weights = np.full(len(shares), -share)
        weights[part] += 1
        found[part] = estimate.moments(weights)[0]
    return found


def share_of(release: Release, question: Question, confidence: float = 0.95) -> Share:
    """Which part of all rows lies in a range."""
    layout, estimate = boxed_layout(release), release.estimate
    weights = product(layout, shares_of(layout, question))
    ratio, noise, count = ratio_of(estimate, weights, np.ones(len(weights)), confidence)
    uneven = unevenness_of(estimate).of_weights(weights)
    width = float(truth_width(estimate, noise, uneven_width(uneven, confidence)[0] / count))
    return Share(ratio, around(ratio, width), confidence, noise_interval=around(ratio, noise))


def sum_of(
    release: Release, name: str, question: Question, confidence: float = 0.95
) -> NumericAnswer:
    """The sum of a numeric axis over the rows in a range."""
    estimate, asked = release.estimate, middles(release, name, question)
    value = dot(estimate, asked.totals)
    noise = float(half_width(Spread(*estimate.moments(asked.totals)), confidence))
    return numeric_answer(estimate, asked, value, noise, 0.0, 1.0, confidence)


def average_of(
    release: Release, name: str, question: Question, confidence: float = 0.95
) -> NumericAnswer:
    """The average of a numeric axis over the rows in a range."""
    estimate, asked = release.estimate, middles(release, name, question)
    value, noise, count = ratio_of(estimate, asked.totals, asked.rows, confidence)
    return numeric_answer(estimate, asked, value, noise, value, count, confidence)


def numeric_answer(
    estimate: Estimate,
    asked: Middles,
    value: float,
    noise: float,
    centre: float,
    count: float,
    confidence: float,
) -> NumericAnswer:
    """A sum or, with ``centre`` and ``count``, an average of how far rows are from the centre."""
    uneven = unevenness_of(estimate).of_moments(*asked.around(centre))
    width = float(truth_width(estimate, noise, uneven_width(uneven, confidence)[0] / count))
    cut = dot(estimate, np.where(asked.rows < 1, asked.totals, 0)) / count
    return NumericAnswer(
        value,
        around(value, width),
        confidence,
        cut,
        noise_interval=around(value, noise),
        why_wide=BINNED,
    )


def ratio_of(
    estimate: Estimate, above: Floats, below: Floats, confidence: float
) -> tuple[float, float, float]:
    """The ratio of two weighted sums, half the width of an interval for its noise, and the sum
    below the line."""
    count = dot(estimate, below)
    check_enough(count, estimate.moments(below)[0], confidence)
    ratio = dot(estimate, above) / count
    spread = Spread(*estimate.moments(above - ratio * below))
    return ratio, float(half_width(spread, confidence)) / count, count


def check_enough(count: float, variance: float, confidence: float) -> None:
    """A ratio wants rows below the line: more of them than the noise can make up."""
    if not count > float(half_width(Spread(variance, None), confidence)):
        raise NotAnswerable(
            f"about {count:,.6g} rows, give or take {variance**0.5:,.3g}, are too few to divide "
            "by. Ask about a larger range, or publish with a larger epsilon."
        )


def dot(estimate: Estimate, weights: Floats) -> float:
    return float(np.asarray(estimate.values, dtype=np.float64) @ weights)


def shares_of(layout: Boxed, question: Question) -> list[Floats]:
    """Per axis the share of each slice, or of each box, that a question covers."""
    return covers(layout.domain, *sides_of(layout), question)


def sides_of(layout: Boxed) -> tuple[list[Ints], list[Ints]]:
    """Per axis the lower and the upper indices of each slice, or of each box."""
    if isinstance(layout, Lattice):
        cuts = [layout.cuts(place) for place in range(len(layout.domain))]
        return [cut[:-1] for cut in cuts], [cut[1:] for cut in cuts]
    lower, upper = layout.boxes()
    return list(lower.T), list(upper.T)


def product(layout: Boxed, factors: list[Floats]) -> Floats:
    """The product over all axes for each part."""
    if isinstance(layout, Lattice):
        return outer(factors)
    return np.asarray(np.prod(factors, axis=0), dtype=np.float64)


class Middles(NamedTuple):
    """What a sum over an axis takes of each part."""

    rows: Floats
    """How much of it is asked for."""
    totals: Floats
    """That, times the middle of what is asked for."""
    squares: Floats
    """That, times the mean of the squares."""
    reach: Floats
    """How far its rows can be from the middle; 0 for parts that are not touched."""

    def around(self, centre: float) -> tuple[Floats, Floats, Floats]:
        """The means over each part of g, of its square, and how far g can be from its mean, for the
        distance from a centre inside of what is asked for and 0 outside."""
        means = self.totals - centre * self.rows
        squares = self.squares - 2 * centre * self.totals + centre**2 * self.rows
        middle = np.abs(means) / np.maximum(self.rows, 1e-300)
        outside = np.where(self.rows < 1, middle, 0.0)
        return means, squares, np.where(self.rows > 0, self.reach + outside, 0.0)


def middles(release: Release, name: str, question: Question) -> Middles:
    """What a sum over an axis takes of each part. An "other" index holds no number and is left
    out."""
    layout = boxed_layout(release)
    domain = layout.domain
    check_names(domain, [name, *question])
    axis, place = domain[name], domain.names.index(name)
    if not is_numeric(axis):
        numeric = [repr(other) for other, one in domain.items() if is_numeric(one)]
        raise NotAnswerable(
            f"{name!r} holds no numbers to add up. "
            + (f"These do: {', '.join(numeric)}." if numeric else "Ask group_by() for its counts.")
        )
    check_moderate(axis, name)
    asked = question.get(name, (None, None))
    shares = shares_of(layout, {**question, name: asked})
    lower, upper = (side[place] for side in sides_of(layout))
    if isinstance(asked, tuple):
        start, stop = ends(axis, name, [asked[0]], [asked[1]])
        means, reach = stretches(axis, np.maximum(lower, start[0]), np.minimum(upper, stop[0]))
    else:
        shares[place], means, reach = listed_slices(axis, name, lower, upper, as_list(asked))
    # Rows anywhere in a stretch: their variance is a third of the square of its half.
    squares = means**2 + reach**2 / 3

    def weigh(factor: Floats) -> Floats:
        own = shares[place] * factor
        return product(layout, [*shares[:place], own, *shares[place + 1 :]])

    everywhere = [np.ones(len(share)) for share in shares]
    everywhere[place] = reach
    return Middles(
        weigh(np.ones(len(means))), weigh(means), weigh(squares), product(layout, everywhere)
    )


def is_numeric(axis: Axis) -> bool:
    return not isinstance(axis.whole, Category | Date)


def stretches(axis: Axis, start: Any, stop: Any) -> tuple[Floats, Floats]:
    """The middle of stretches of an axis, and how far it is to their ends; 0 for empty ones."""
    empty = ~(stop > start)
    whole = axis.whole
    start, stop = np.where(empty, 0, start), np.where(empty, 1, stop)
    low, high = places(axis, start), places(axis, stop)
    if isinstance(whole, Integer):
        high = high - 1
    middle = (low + high) / 2
    if isinstance(whole, Variable):
        edges = np.array(whole.edges)
        below = np.concatenate([[0.0], np.cumsum((edges[:-1] + edges[1:]) / 2)])
        before, after = (area(edges, below, at + axis.offset) for at in (start, stop))
        middle = (after - before) / (stop - start)
    reach = np.maximum(high - middle, middle - low)
    return np.where(empty, 0, middle), np.where(empty, 0, reach)


def area(edges: Floats, below: Floats, places: Floats) -> Floats:
    """The area under the line through an axis's edges up to places along its indices."""
    index = np.minimum(places.astype(np.int64), len(edges) - 2)
    beyond = places - index
    width = edges[index + 1] - edges[index]
    return np.asarray(below[index] + beyond * (edges[index] + beyond * width / 2))


def listed_slices(
    axis: Axis, name: str, lower: Ints, upper: Ints, values: list[Any]
) -> tuple[Floats, Floats, Floats]:
    """For each slice the share of its indices that are listed, their mean, and their reach."""
    numbers = [value for value in values if not is_other(value)]
    indices = np.array(sorted({place_of(axis, name, value) for value in numbers}), dtype=np.int64)
    first, last = (np.searchsorted(indices, side) for side in (lower, upper))
    many = last - first
    centres, reaches = stretches(axis, indices, indices + 1)
    sums = np.concatenate([[0.0], np.cumsum(centres)])
    means = (sums[last] - sums[first]) / np.maximum(many, 1)
    lows, highs = (np.concatenate([centres + side * reaches, [0.0]]) for side in (-1, 1))
    reach = np.maximum(highs[last - 1] - means, means - lows[first])
    return many / (upper - lower), means, np.where(many > 0, reach, 0)
