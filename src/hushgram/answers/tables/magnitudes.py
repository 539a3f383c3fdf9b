"""Sums and means of measured columns, with intervals that contain the truth.

With steps of size s and a centre c, a sum is s (S + c N) and a mean s (c + S / N), where the noisy
S = Σ (v - c) and the number of rows N are over the rows of the query. The noise of S and that of N
are independent. A mean is a ratio: its interval is Fieller's, all r for which S - r N is within its
own error of 0. If N may be 0, there is no interval, because there are too few rows. With few rows,
N may only look large enough because of noise: see `fieller`.

A share f of the n rows of a part that is cut is assumed to be inside, with a share f of S. The
error of their number is that of counts (`unevenness`). The values of those inside can differ from
the rest, which changes S by at most f (1 - f) n (high - low); the interval allows for all of it.

Values are rounded to steps, so a mean is off by up to half a step, unless all values are whole
numbers of steps. Sums and means are those of the values between the bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import CUT, MARGIN, Widths
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.counting.intervals import as_confidence
from hushgram.answers.counting.question import Question, check_names
from hushgram.answers.tables.middles import product, shares_of
from hushgram.answers.tables.olap import (
    NumericAnswer,
    counts_and_widths,
    spreads,
    uneven_widths,
)
from hushgram.answers.tables.views import Bins, Names, boxed_layout, project
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.base.exact import format_number
from hushgram.base.text import did_you_mean
from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.measured import Measured

if TYPE_CHECKING:
    import pandas as pd

    from hushgram.release import Release


ROUNDING = 1e-9
"""The largest product of a share and its complement that counts as a rounding error."""


class RowsKnown(NamedTuple):
    """The known properties of the rows of a query: numbers, or arrays with one per query."""

    count: Any
    count_widths: Widths
    above: Any
    """The sum of their distances above the centre, in steps."""
    above_widths: Widths


class Magnitudes(NamedTuple):
    """Values with the ends of their intervals, for the truth and for the noise alone."""

    value: Any
    lower: Any
    upper: Any
    noise_lower: Any
    noise_upper: Any


def measured_column(release: Release, name: str) -> Measured | None:
    """The measured sums of a column, or None."""
    return next((one for one in release.measured if one.measure.column == name), None)


def is_measured(release: Release, name: str) -> bool:
    """Whether a name is that of a measured column, or at least not that of an axis."""
    known = measured_column(release, name) is not None
    return known or (bool(release.measured) and name not in release.domain)


def need_measured(release: Release, name: str) -> Measured:
    found = measured_column(release, name)
    if found is None:
        columns = [one.measure.column for one in release.measured]
        known = ", ".join(map(repr, columns)) or "none"
        raise QuestionError(
            f"Column {name!r} is not measured in this release.{did_you_mean(str(name), columns)} "
            f"Measured columns: {known}. "
            f'Publish it with measures=[Mean("{name}", lo, hi)].'
        )
    return found


def sum_measured(
    release: Release, name: str, question: Question, confidence: float = 0.95
) -> NumericAnswer:
    """The sum of a measured column over the rows in a range."""
    measured = need_measured(release, name)
    rows = rows_asked(release, measured, question, confidence)
    return as_answer(sums_of(measured, rows), confidence, why_wide(measured, rows))


def mean_measured(
    release: Release, name: str, question: Question, confidence: float = 0.95
) -> NumericAnswer:
    """The mean of a measured column over the rows in a range."""
    measured = need_measured(release, name)
    rows = rows_asked(release, measured, question, confidence)
    if not rows.count > rows.count_widths.truth:
        raise NotAnswerable(
            f"too few rows to say: about {rows.count:,.6g}, give or take "
            f"{rows.count_widths.truth:,.3g}. Ask about a larger range, or publish with a larger "
            "epsilon."
        )
    return as_answer(means_of(measured, rows), confidence, why_wide(measured, rows))


def as_answer(found: Magnitudes, confidence: float, why: str) -> NumericAnswer:
    value, lower, upper, *noise = map(float, found)
    return NumericAnswer(
        value, (lower, upper), confidence, noise_interval=(noise[0], noise[1]), why_wide=why
    )


def why_wide(measured: Measured, rows: RowsKnown) -> str:
    """Why an interval is wider than its noise: parts that are cut or, if there are none, steps."""
    widths = (rows.count_widths, rows.above_widths)
    is_cut = any(one.truth > MARGIN * one.noise * (1 + ROUNDING) for one in widths)
    step = format_number(measured.amount.step)
    return CUT if is_cut else f"mostly because values are rounded to steps of {step}"


def rows_asked(
    release: Release, measured: Measured, question: Question, confidence: float
) -> RowsKnown:
    """The known properties of the rows in a range."""
    level, layout = as_confidence(confidence), boxed_layout(release)
    check_names(layout.domain, question)
    counted, added = counts_of(release.estimate), counts_of(measured.estimate)
    count, _, spread = counted.find(question)
    noise = float(noise_width(release.estimate, spread, level))
    uneven = float(uneven_width(counted.uneven(question), level, count)[0])
    above, _, spread = added.find(question)
    own = float(noise_width(measured.estimate, spread, level))
    shares = product(layout, shares_of(layout, question))
    span, reach = measured.amount.high - measured.amount.low, measured.amount.reach(measured.centre)
    mixed = span * rows_mixed(release.estimate, shares * (1 - shares)) + reach * uneven
    return RowsKnown(
        count,
        Widths(np.asarray(noise), truth_width(noise, uneven)),
        above,
        Widths(np.asarray(own), truth_width(own, mixed)),
    )


def rows_mixed(estimate: Estimate, weights: Floats) -> float:
    """A weighted sum of counts, plus as much as noise can hide."""
    if not weights.any():
        return 0.0
    value = float(np.asarray(estimate.values, dtype=np.float64) @ weights)
    return max(value, 0.0) + 2 * float(np.sqrt(estimate.moments(weights)[0]))


def sums_of(measured: Measured, rows: RowsKnown) -> Magnitudes:
    """Sums in the column's own unit."""
    step, centre = float(measured.amount.step), measured.centre
    value = step * (rows.above + centre * rows.count)
    noise, truth = (
        step * np.hypot(above, centre * count)
        for above, count in zip(rows.above_widths, rows.count_widths, strict=True)
    )
    truth = truth + rounding(measured) * np.maximum(rows.count + rows.count_widths.truth, 0)
    return Magnitudes(value, value - truth, value + truth, value - noise, value + noise)


def means_of(measured: Measured, rows: RowsKnown) -> Magnitudes:
    """Means in the column's own unit. Intervals are within the bounds of the column, and equal to
    them if there are too few rows."""
    step, (low, high) = float(measured.amount.step), measured.ends
    enough = rows.count > rows.count_widths.truth
    count = np.where(enough, rows.count, 1.0)
    ends = []
    for above, width in zip(rows.above_widths, rows.count_widths, strict=True):
        ends.append(fieller(rows.above, above, count, np.where(enough, width, 0.0)))
    value = np.where(enough, step * (measured.centre + rows.above / count), np.nan)
    blur = rounding(measured)
    (noise_lower, noise_upper), (lower, upper) = (
        (step * (measured.centre + first), step * (measured.centre + last)) for first, last in ends
    )
    return Magnitudes(
        np.clip(value, low, high),
        np.where(enough, np.clip(lower - blur, low, high), low),
        np.where(enough, np.clip(upper + blur, low, high), high),
        np.where(enough, np.clip(noise_lower, low, high), low),
        np.where(enough, np.clip(noise_upper, low, high), high),
    )


def fieller(above: Any, width: Any, count: Any, count_width: Any) -> tuple[Any, Any]:
    """The ends of all ratios r with |above - r count| ≤ √(width² + r² count_width²), for a count
    that cannot be noise alone.

    A small count is only used if noise made it look larger. So for up to twice its width, the count
    may be anything from 0 on, and only one end is known, or none.

    >>> fieller(50.0, 0.0, 100.0, 0.0), fieller(0.0, 30.0, 50.0, 14.0)
    ((0.5, 0.5), (-0.625, 0.625))
    >>> fieller(90.0, 30.0, 50.0, 40.0)
    (0.6666666666666666, inf)
    """
    square = count**2 - count_width**2
    root = np.sqrt(np.maximum((above * count) ** 2 - square * (above**2 - width**2), 0))
    first, last = (above * count - root) / square, (above * count + root) / square
    near, most = count < 2 * count_width, count + count_width
    lower = np.where(above > width, (above - width) / most, -np.inf)
    upper = np.where(above < -width, (above + width) / most, np.inf)
    first, last = np.where(near, lower, first), np.where(near, upper, last)
    return (float(first), float(last)) if np.ndim(first) == 0 else (first, last)


def rounding(measured: Measured) -> float:
    """The largest rounding error of the value of a row."""
    return 0.0 if measured.exact else float(measured.amount.step / 2)


def group_measured(
    release: Release,
    names: Names,
    name: str,
    kind: str,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    bins: Bins = None,
    noise: bool = False,
) -> pd.DataFrame:
    """A table with the sum or the mean of a column for each combination of slices."""
    from hushgram.answers.tables.olap import label_frame

    need_measured(release, name)
    seen = project(release, names, bins)
    measured = need_measured(seen, name)
    level = as_confidence(confidence)
    if simultaneous:
        level = 1 - (1 - level) / len(seen.estimate.values)
    found = found_parts(seen, measured, level, kind)
    columns = {"value": found.value, "lower": found.lower, "upper": found.upper}
    if noise:
        columns |= {"noise_lower": found.noise_lower, "noise_upper": found.noise_upper}
    return label_frame(seen.estimate, columns)


def found_parts(release: Release, measured: Measured, confidence: float, kind: str) -> Magnitudes:
    """The sum or the mean of each part."""
    return (sums_of if kind == "sum" else means_of)(
        measured, rows_of_parts(release, measured, confidence)
    )


def rows_of_parts(release: Release, measured: Measured, confidence: float) -> RowsKnown:
    """The known properties of the rows in each part of a view."""
    count, widths = counts_and_widths(release.estimate, confidence)
    estimate, amount = measured.estimate, measured.amount
    own: Floats = noise_width(estimate, spreads(estimate), confidence)
    mixed = (amount.high - amount.low) * mixed_parts(release.estimate)
    mixed += amount.reach(measured.centre) * uneven_widths(release.estimate, confidence)
    values = np.asarray(estimate.values, dtype=np.float64)
    return RowsKnown(count, widths, values, Widths(own, truth_width(own, mixed)))


def mixed_parts(estimate: Estimate) -> Floats:
    """`rows_mixed` for each part of a view, from its shares of the counted parts."""
    view, viewed = estimate.inference.view, estimate.inference.viewed
    none = np.zeros(len(estimate.values))
    if view is None:
        return none
    shares = view.rows
    weights = shares - shares.power(2)
    if not (np.abs(weights.data) > ROUNDING).any():
        return none
    values = weights @ np.asarray(viewed.push(estimate.measurements), dtype=np.float64)
    noise = viewed.row_variances(weights, estimate.measurements)
    return np.asarray(np.maximum(values, 0) + 2 * np.sqrt(noise), dtype=np.float64)


def measured_columns(release: Release) -> dict[str, Floats]:
    """The columns for the table of a release: the sum of each measured column in each part, and the
    variance of its noise."""
    found: dict[str, Floats] = {}
    counts = np.asarray(release.estimate.values, dtype=np.float64)
    for one in release.measured:
        step, centre, name = float(one.amount.step), one.centre, f"sum_{one.measure.column}"
        found[name] = step * (one.estimate.values + centre * counts)
        noise = one.estimate.variances() + centre**2 * release.estimate.variances()
        found[f"{name}_variance"] = step**2 * noise
    return found
