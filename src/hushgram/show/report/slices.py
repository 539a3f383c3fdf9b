"""A release in a few readable slices, with round bounds, plain text, and counts with margins."""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_digits
from hushgram.answers.tables.olap import counts_and_widths
from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Date, Floats, Integer
from hushgram.declare.degrees import is_latitude, is_longitude
from hushgram.geometry.labels import axis_labels

if TYPE_CHECKING:
    from hushgram.release.release import Release

STEPS = (1.0, 2.0, 5.0)
"""Round steps in each power of ten."""

TRIED = 6
"""The number of round steps to try before using equal numbers of bins."""

LARGEST_POWER = sys.float_info.max_10_exp
"""Lower powers of ten and their round multiples are finite floats."""

MAX_DATES = 100_000
"""The most dates that are searched for the first of a month or a year."""


@dataclass(frozen=True)
class SliceTable:
    """The slices of one or more axes, in the order of the release."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    texts: list[tuple[str, ...]]
    """The name of each slice: a text for each axis."""
    values: Floats
    widths: Floats
    """Half the width of each 95 % interval."""
    widths_together: Floats
    """Half the widths of intervals that hold for all slices together."""

    @classmethod
    def of(cls, release: Release, names: Sequence[str], most: int) -> SliceTable:
        """The slices of some axes of a release, at most ``most`` per ordered axis."""
        view = coarse(release.project(list(names)), most)
        estimate = view.estimate
        values, widths = counts_and_widths(estimate, 0.95)
        together = counts_and_widths(estimate, 1 - 0.05 / len(values))[1]
        labels = zip(names, axis_labels(estimate.partition), strict=True)
        texts = [slice_texts(name, view.domain[name], each) for name, each in labels]
        columns = list(zip(*texts, strict=True))
        return cls(tuple(names), view.grid.shape, columns, values, widths.truth, together.truth)

    @property
    def unsure(self) -> Any:
        """Which slices may be empty, because their margin includes zero."""
        return np.abs(self.values) <= self.widths

    def largest(self, count: int) -> list[int]:
        """The positions of the largest slices, in descending order."""
        return [int(place) for place in np.argsort(-self.values, kind="stable")[:count]]


def coarse(view: Release, most: int) -> Release:
    """A view with round bounds and at most ``most`` slices per ordered axis. Axes with fewer slices
    are unchanged, since nothing is known within them."""
    long_axes = [
        (name, axis)
        for (name, axis), slices in zip(view.domain.items(), view.grid.shape, strict=True)
        if axis.ordered and slices > most + axis.other
    ]
    return view.rollup({name: round_bounds(axis, most) for name, axis in long_axes})


def round_bounds(axis: Axis, most: int) -> list[Any]:
    """Round bounds that are edges of bins; if there are too few, bounds after equal numbers of
    bins."""
    if isinstance(axis.whole, Date):
        return round_dates(axis, most)
    low, high = float(axis.edge(0)), float(axis.edge(axis.declared))
    for step in steps_from((high - low) / most):
        if isinstance(axis.whole, Integer) and step < 1:
            continue
        bounds = np.arange(math.ceil(low / step), math.ceil(high / step)) * step
        places = axis.positions(bounds)
        on_edges = axis.continuous or bool(np.all(np.abs(places - np.rint(places)) < 1e-6))
        if on_edges and len(bounds) >= most // 4:
            return [int(one) if isinstance(axis.whole, Integer) else float(one) for one in bounds]
    return counted_bounds(axis, most)


def steps_from(least: float) -> Iterator[float]:
    """Round steps that are at least ``least``.

    >>> [round(step, 2) for step in steps_from(0.3)]
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    power = math.floor(math.log10(least))
    powers = range(power, min(power + 4, LARGEST_POWER))
    steps = (step * 10.0**n for n in powers for step in STEPS)
    found = [step for step in steps if step >= least * (1 - 1e-9)]
    yield from found[:TRIED]


def counted_bounds(axis: Axis, most: int) -> list[Any]:
    """Bounds after equal numbers of bins."""
    every = -(-axis.declared // most)
    return [axis.edge(place) for place in range(0, axis.declared, every)]


def round_dates(axis: Axis, most: int) -> list[Any]:
    """The first days of weeks, months, quarters or years, with at most ``most`` slices."""
    if axis.declared > MAX_DATES:
        return counted_bounds(axis, most)
    assert isinstance(axis.whole, Date)
    monthly = axis.whole.monthly
    starts = [axis.edge(place) for place in range(axis.declared)]
    kinds: tuple[Callable[[dt.datetime], bool], ...] = (
        lambda at: at.hour == 0,
        lambda at: at.hour == 0 and at.weekday() == 0 and not monthly,
        lambda at: at.hour == 0 and at.day == 1,
        lambda at: at.hour == 0 and at.day == 1 and at.month % 3 == 1,
        lambda at: at.hour == 0 and at.day == 1 and at.month == 1,
    )
    for is_round in kinds:
        found = [start for start in starts if start.minute == 0 and is_round(start)]
        if 2 <= len(found) < most:
            return found
    return counted_bounds(axis, most)


def slice_texts(name: str, axis: Axis, labels: dict[str, Any]) -> list[str]:
    """The name of each slice of an axis, as plain text."""
    columns = [column.to_pylist() for column in labels.values()]
    pairs = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    known = {pair: slice_text(name, axis, pair) for pair in set(pairs)}
    return [known[pair] for pair in pairs]


def slice_text(name: str, axis: Axis, label: Any) -> str:
    """A value, or the bounds of a range, as text.

    >>> from hushgram.declare.axis import Category, Interval
    >>> slice_text("age", Integer(0, 99), (30, 40)), slice_text("sex", Category(["F"]), "F")
    ('30 to 39', 'F')
    >>> slice_text("lon", Interval(-180, 180), (-93.5, 10.0))
    '93.5°W to 10°E'
    """
    if label is None or label == (None, None):
        return OTHER
    if not isinstance(label, tuple):
        return shorten(str(label), 60)
    low, high = label
    if isinstance(axis.whole, Integer):
        return f"{low}" if high == low + 1 else f"{low} to {high - 1}"
    if isinstance(axis.whole, Date):
        return dates_text(low, high)
    low, high = bound_of(axis, low), bound_of(axis, high)
    for sides, is_kind in (("EW", is_longitude), ("NS", is_latitude)):
        if is_kind(name, axis):
            return f"{degrees(low, sides)} to {degrees(high, sides)}"
    return f"{format_digits(low, 6)} to {format_digits(high, 6)}"


def bound_of(axis: Axis, bound: float) -> float:
    """The round bound that was intended: a bound on a continuous axis differs from it by a
    millionth of the axis."""
    if not axis.continuous:
        return bound
    span = axis.edge(axis.declared) - axis.edge(0)
    return round(bound, 4 - math.floor(math.log10(span)))


def degrees(angle: float, sides: str) -> str:
    """An angle as text.

    >>> degrees(-93.25, "EW"), degrees(0.0, "NS")
    ('93.25°W', '0°')
    """
    side = "" if round(angle, 6) == 0 else sides[angle < 0]
    return f"{abs(round(angle, 4)):g}°{side}"


def dates_text(low: dt.date, high: dt.date) -> str:
    """A range of dates as text.

    >>> dates_text(dt.date(2024, 2, 1), dt.date(2024, 3, 1))
    'February 2024'
    >>> dates_text(dt.date(2024, 2, 1), dt.date(2024, 2, 8))
    '2024-02-01 to 2024-02-07'
    """
    if isinstance(low, dt.datetime):
        return f"{low:%Y-%m-%d %H:%M} to {high:%Y-%m-%d %H:%M}"
    months = 12 * (high.year - low.year) + high.month - low.month
    if low.day == high.day == 1 and months == 1:
        return f"{low:%B %Y}"
    if low.day == high.day == 1 and months == 12 and low.month == 1:
        return str(low.year)
    last = high - dt.timedelta(days=1)
    return str(low) if last == low else f"{low} to {last}"
