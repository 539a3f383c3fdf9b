"""Quantiles, ranks and shares along one axis, with intervals.

The number of rows below a position is a weighted sum of parts, so its noise is known. For the
q-quantile, consider the rows below a position minus q times all rows, which is zero at the true
quantile. This is a weighted sum, too, and includes the noise of the number of all rows. A cut of
the layout is in the interval unless that difference is farther from zero than noise and
`unevenness` explain. The position of rows within a part is unknown, so the interval extends to the
cuts around it; the quantile itself assumes that rows are evenly spread.

For the inversion, isotonic regression makes the numbers of rows below the cuts increase, which
brings them nearer to the truth. The interval's ends are found by bisection, as if the difference
plus its noise increased, too: the noise changes slowly, and measured coverage agrees.

A release of sorted rows contains the quantiles themselves, which are read directly. The shares 0
and 1 are the smallest and the largest value, which need another method: see `extremes`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.answers.answer import Answer, format_confidence
from hushgram.answers.counting.along import (
    NOTHING,
    Along,
    OrderedRows,
    SortedRows,
    Where,
    along_axis,
    check_where,
    ordered_axis,
)
from hushgram.answers.counting.counts import counts_of
from hushgram.answers.counting.extremes import ExtremeRows
from hushgram.answers.counting.intervals import Spread, as_confidence, half_width
from hushgram.answers.notebook import answer_html
from hushgram.answers.tables.units import DAY, value_at
from hushgram.answers.unevenness.widths import truth_width
from hushgram.base.text import shorten
from hushgram.declare.axis import Axis, Date, Integer
from hushgram.declare.axis.date import is_day, to_moment
from hushgram.declare.axis.numeric import as_numbers
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.mechanisms.estimate import Estimate


@dataclass(frozen=True)
class Quantile:
    """A value of an axis with an error bar: a number, a day or a time."""

    value: Any
    interval: tuple[Any, Any]
    q: float
    confidence: float = 0.95

    def __str__(self) -> str:
        value, low, high = (format_value(x) for x in (self.value, *self.interval))
        return f"{value} ({low} to {high}, {format_confidence(self.confidence)})"

    def _repr_html_(self) -> str:
        return answer_html(str(self))


def format_value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Share(Answer):
    """A share of all rows, from 0 to 1, with an error bar."""

    def __str__(self) -> str:
        value, low, high = (f"{100 * x:.1f} %" for x in (self.value, *self.interval))
        return f"{value} ({low} to {high}, {format_confidence(self.confidence)})"


def quantiles(
    estimate: Estimate,
    name: str,
    shares: Iterable[float],
    *,
    where: Where = None,
    confidence: float = 0.95,
) -> list[Quantile]:
    """The values that these shares of the rows do not exceed.

    O(parts log parts) for the first, and O(parts log cuts) for each, because of the bisection.
    """
    qs, level = [as_share(q) for q in shares], as_confidence(confidence)
    along = along_axis(estimate, name, where)
    check_some_rows(along, name)
    reconstruction = estimate.inference.reconstruction()
    line: OrderedRows = SortedRows(reconstruction) if reconstruction else along
    ends = ExtremeRows(along)
    return [quantile_of(line if 0 < q < 1 else ends, along.axis, q, level) for q in qs]


def quantile_of(line: OrderedRows, axis: Axis, q: float, confidence: float) -> Quantile:
    low, middle, high = line.quantile(q, confidence)
    value = value_at(axis, middle, ends=q > 0)
    # The ends are edges of parts: the first value after one, and the last before the other.
    first, last = value_at(axis, low, ends=False), value_at(axis, high, ends=True)
    return Quantile(value, (min(first, value), max(last, value)), q, confidence)


def rank(
    estimate: Estimate, name: str, x: Any, *, where: Where = None, confidence: float = 0.95
) -> Answer:
    """The number of rows up to a value; whole numbers and days are included themselves."""
    axis = ordered_axis(estimate, name)
    check_where(name, where)
    stop = beyond(axis, x)
    nothing = (axis.edge(0), axis.edge(0))
    asked = (None, stop) if axis.positions([stop])[0] > 0 else nothing
    question = {**(where or {}), name: asked}
    return counts_of(estimate).one(question, confidence)


def cdf(
    estimate: Estimate, name: str, x: Any, *, where: Where = None, confidence: float = 0.95
) -> Share:
    """The share of rows up to a value; whole numbers and days are included themselves.

    The interval is Fieller's: all shares p for which the rows up to x minus p times all rows are
    zero up to their noise. If the number of rows cannot be distinguished from zero, that is any
    share.
    """
    level = as_confidence(confidence)
    along = along_axis(estimate, name, where)
    check_some_rows(along, name)
    position = float(along.axis.positions([beyond(along.axis, x)])[0])
    rows, total = along.below(position), along.total
    share = min(max(rows / total, 0.0), 1.0)
    up_to, everything = along.share(position), along.share(along.axis.declared)
    squared = factor(along.spread(up_to - share * everything), level) ** 2
    noise, noise_of_all, rest = (
        float(along.spread(w).variance) for w in (up_to, everything, up_to - everything)
    )
    joint = (noise + noise_of_all - rest) / 2
    a, b, c = (
        total**2 - squared * noise_of_all, rows * total - squared * joint, rows**2 - squared * noise
    )  # fmt: skip
    if a <= 0:
        return Share(share, (0.0, 1.0), level)
    root = math.sqrt(max(b**2 - a * c, 0.0))
    low, high = min((b - root) / a, share), max((b + root) / a, share)
    uneven = along.uneven_width(position, level) / total
    below, above = (float(truth_width(d, uneven)) for d in (share - low, high - share))
    return Share(
        share, within_one(share - below, share + above), level, noise_interval=within_one(low, high)
    )


def within_one(low: float, high: float) -> tuple[float, float]:
    return max(low, 0.0), min(high, 1.0)


def factor(spread: Spread, confidence: float) -> float:
    """Half the width of an interval, in standard deviations."""
    variance = float(spread.variance)
    return float(half_width(spread, confidence)) / math.sqrt(variance) if variance > 0 else 0.0


def as_share(q: Any) -> float:
    if isinstance(q, int | float | np.number) and 0 <= q <= 1:
        return float(q)
    raise QuestionError(
        "A quantile must be a share from 0 to 1, such as 0.5 for the median. Found "
        f"{shorten(repr(q))}."
    )


def check_some_rows(along: Along, name: str) -> None:
    if not along.total > NOTHING:
        raise NotAnswerable(
            f"The release counts {along.total:,.6g} rows along {name!r}, too few to stand "
            "out from the noise. Use fewer restrictions, or publish with a larger "
            "epsilon."
        )


def beyond(axis: Axis, x: Any) -> Any:
    """The end of the range up to a value, which includes whole numbers and days themselves."""
    if isinstance(axis.whole, Integer):
        return np.floor(as_numbers([x])[0]) + 1
    if isinstance(axis.whole, Date) and is_day(x):
        moment = to_moment(x)
        if moment is None or moment > dt.datetime.max - DAY:
            return x
        return moment + DAY
    return x
