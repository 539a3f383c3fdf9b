"""Tables of groups, sums, averages and shares, computed from counts.

A sum over a numeric axis assumes every row at the middle of its part (`middles`), so it is a
weighted sum of parts with known noise. The possible distance of rows from the middles is added
(`unevenness`). Averages and shares are ratios of two weighted sums T / N; their error is, to first
order, that of (T - R N) / N for the ratio R (the delta method).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import BINNED, Answer, Widths, around, format_between
from hushgram.answers.counting.counts import counts_of, spreads_of
from hushgram.answers.counting.intervals import Spread, as_confidence, half_width, kurtosis_of
from hushgram.answers.counting.quantiles import Share, within_one
from hushgram.answers.counting.question import Question
from hushgram.answers.tables.middles import Middles, middles, product, shares_of
from hushgram.answers.tables.views import Bins, Names, boxed_layout, project
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import MAX_ROWS
from hushgram.mechanisms.inference.view import View
from hushgram.mechanisms.inference.weights import sum_powers
from hushgram.queries import Measurement

if TYPE_CHECKING:
    import pandas as pd

    from hushgram.release import Release

OWN = ("value", "lower", "upper", "noise_lower", "noise_upper")
"""The columns of a table of groups that are not labels."""

QUICK = 1 << 24
"""The number of weights on measurements that take about a second."""


@dataclass(frozen=True)
class NumericAnswer(Answer):
    """A sum or an average, with an error bar; see `Answer`."""

    def __str__(self) -> str:
        return format_between(self.value, self.interval, self._remark)


def group_by(
    release: Release,
    names: Names,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    share: bool = False,
    bins: Bins = None,
    noise: bool = False,
) -> pd.DataFrame:
    """A table with a row for each combination of slices: labels, ``value``, ``lower``, ``upper``;
    with ``noise`` also the interval for the noise alone: ``noise_lower``, ``noise_upper``.

    Intervals hold for each row separately or, if ``simultaneous``, for all together (Bonferroni).
    """
    estimate = project(release, names, bins).estimate
    level = as_confidence(confidence)
    if simultaneous:
        level = 1 - (1 - level) / len(estimate.values)
    values, widths = (
        shares_and_widths(estimate, level) if share else counts_and_widths(estimate, level)
    )
    columns = {"value": values, "lower": values - widths.truth, "upper": values + widths.truth}
    if noise:
        columns |= {"noise_lower": values - widths.noise, "noise_upper": values + widths.noise}
    return label_frame(estimate, columns)


def label_frame(estimate: Estimate, columns: dict[str, Floats]) -> pd.DataFrame:
    """A data frame of the labels of the parts and these columns."""
    import pandas as pd

    from hushgram.geometry.labels import label_columns

    labels = label_columns(estimate.partition).items()
    named = {free_name(column): labelled.to_pandas() for column, labelled in labels}
    return pd.DataFrame({**named, **columns})


def free_name(column: str) -> str:
    return f"{column}_axis" if column in OWN else column


def top(
    release: Release, k: int, names: Names, *, simultaneous: bool = True, **options: Any
) -> pd.DataFrame:
    """The k rows of `group_by` with the largest values, in descending order.

    The noise influences which rows these are, in favour of the winners. Intervals that hold for all
    rows together hold for any selection, so they are the default here.
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise QuestionError(f"The number of top rows must be a positive whole number. Found {k!r}.")
    table = release.group_by(*names, simultaneous=simultaneous, **options)
    return table.sort_values("value", ascending=False, kind="stable", ignore_index=True).head(k)


def counts_and_widths(estimate: Estimate, confidence: float) -> tuple[Floats, Widths]:
    """The value of each part, and half the widths of its intervals."""
    values = np.asarray(estimate.values, dtype=np.float64)
    noise = noise_width(estimate, spreads(estimate), confidence)
    return values, Widths(noise, truth_width(noise, uneven_widths(estimate, confidence)))


def uneven_widths(estimate: Estimate, confidence: float, parts: Any = slice(None)) -> Floats:
    """The possible errors of the counts of all or some parts, because rows are not evenly spread in
    the parts that they add up."""
    values = np.asarray(estimate.values, dtype=np.float64)[parts]
    if takes_whole_parts(estimate):
        return np.zeros(len(values))
    from scipy.sparse import eye_array

    each = eye_array(len(estimate.values), format="csr")[parts]
    return uneven_width(unevenness_of(estimate).of_weights(each), confidence, values)


def takes_whole_parts(estimate: Estimate) -> bool:
    """Whether the values are sums of whole parts that were measured separately: O(slices)."""
    inference = estimate.inference
    if inference.viewed.groups() is not None or inference.viewed.sorted_parts() is not None:
        return False
    views = inference.view.chain if inference.view else []
    return all(
        view.along is not None and all((along.data == 1).all() for along in view.along)
        for view in views
    )


def spreads(estimate: Estimate) -> Spread:
    """The noise of each part, and its shape if that is known or quickly computed."""
    inference, parts = estimate.inference, len(estimate.values)
    if inference.view and inference.viewed.is_direct:
        return spreads_of_sums(estimate.variances(), inference.view)
    if parts * max(parts, sum(m.partition.size for m in estimate.measurements)) <= QUICK:
        return spreads_of(estimate, np.eye(parts))
    return Spread(estimate.variances(), None)


def spreads_of_sums(variance: Floats, view: View) -> Spread:
    """The noise of sums of independent counts, from the powers of their weights."""
    ones, squares, fourths = (view.fold_shares(partial(sum_powers, power=n)) for n in (1, 2, 4))
    largest = view.fold_shares(lambda rows: rows.max(axis=1).toarray().reshape(-1))
    whole = squares >= ones * (1 - 1e-12)
    return Spread(variance, kurtosis_of(squares, fourths), largest, whole)


def shares_and_widths(estimate: Estimate, confidence: float) -> tuple[Floats, Widths]:
    """The share of each part in all rows, and half the widths of its intervals.

    A view can cut parts, so its total has an error due to uneven rows, too. The two errors are
    added, since they may be dependent."""
    everything = np.ones(len(estimate.values))
    total, variance = float(estimate.values.sum(dtype=np.float64)), estimate.moments(everything)[0]
    check_enough(total, variance, confidence)
    shares = np.asarray(estimate.values / total, dtype=np.float64)
    if estimate.inference.is_linear:
        with_all = covariances(estimate, everything)
        noise = estimate.variances() - 2 * shares * with_all + shares**2 * variance
    else:
        noise = one_by_one(estimate, shares)
    width = noise_width(estimate, Spread(noise, None), confidence)
    whole = uneven_width(unevenness_of(estimate).of_weights(everything), confidence)[0]
    uneven = uneven_widths(estimate, confidence) + np.abs(shares) * whole
    return shares, Widths(width / total, truth_width(width, uneven) / total)


def covariances(estimate: Estimate, weights: Floats) -> Floats:
    """The covariance of each part with a weighted sum of parts: the linear estimate of the sum's
    weights on the measurements, each multiplied by its variance."""
    pulled = zip(estimate.inference.pull(weights), estimate.measurements, strict=True)
    moved = [
        Measurement(m.partition, (weight * m.variance).reshape(-1), m.variance, m.scale)  # type: ignore[arg-type]
        for weight, m in pulled
    ]
    return np.asarray(estimate.inference.push(moved), dtype=np.float64)


def one_by_one(estimate: Estimate, shares: Floats) -> Floats:
    """The variance of each part minus its share of the total: O(parts²)."""
    if len(shares) > MAX_ROWS:
        raise NotAnswerable(
            f"The errors of {len(shares):,} shares take too long to compute for an "
            f"estimate of kind {estimate.inference.kind!r}. Use fewer bins, at most "
            f"{MAX_ROWS:,} shares."
        )
    found = np.empty(len(shares))
    for part, share in enumerate(shares):
        weights = np.full(len(shares), -share)
        weights[part] += 1
        found[part] = estimate.moments(weights)[0]
    return found


def share_of(release: Release, question: Question, confidence: float = 0.95) -> Share:
    """The share of all rows that are in a range."""
    layout, estimate = boxed_layout(release), release.estimate
    weights = product(layout, shares_of(layout, question))
    ratio, noise, count = ratio_of(estimate, weights, np.ones(len(weights)), confidence)
    uneven = uneven_width(counts_of(estimate).uneven(question), confidence, ratio * count)[0]
    width = float(truth_width(noise, uneven / count))
    interval, alone = (within_one(*around(ratio, half)) for half in (width, noise))
    return Share(ratio, interval, confidence, noise_interval=alone)


def sum_of(
    release: Release, name: str, question: Question, confidence: float = 0.95
) -> NumericAnswer:
    """The sum of a numeric axis over the rows in a range."""
    estimate, asked = release.estimate, middles(release, name, question)
    value = dot(estimate, asked.totals)
    noise = float(noise_width(estimate, Spread(*estimate.moments(asked.totals)), confidence))
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
    """The answer for a sum; with ``centre`` and ``count``, for an average around the centre."""
    uneven = unevenness_of(estimate).of_values(asked.around(centre))
    width = float(truth_width(noise, uneven_width(uneven, confidence)[0] / count))
    cut = dot(estimate, np.where(asked.rows < 1, asked.totals, 0)) / count
    return NumericAnswer.of(value, (noise, width), confidence, cut, BINNED)


def ratio_of(
    estimate: Estimate, above: Floats, below: Floats, confidence: float
) -> tuple[float, float, float]:
    """The ratio of two weighted sums, half the width of an interval for its noise, and the
    denominator."""
    count = dot(estimate, below)
    check_enough(count, estimate.moments(below)[0], confidence)
    ratio = dot(estimate, above) / count
    spread = Spread(*estimate.moments(above - ratio * below))
    return ratio, float(noise_width(estimate, spread, confidence)) / count, count


def check_enough(count: float, variance: float, confidence: float) -> None:
    """Raise if the denominator of a ratio could be noise alone."""
    if not count > float(half_width(Spread(variance, None), confidence)):
        raise NotAnswerable(
            f"There are too few rows to divide by: about {count:,.6g} ± "
            f"{variance**0.5:,.3g}. Ask about a larger range, or publish with a larger "
            "epsilon."
        )


def dot(estimate: Estimate, weights: Floats) -> float:
    return float(np.asarray(estimate.values, dtype=np.float64) @ weights)
