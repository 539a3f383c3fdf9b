"""Conversion of queries to the share of each slice of an axis that they cover."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from hushgram.base.text import did_you_mean, shorten
from hushgram.declare.axis import OTHER, Areas, Axis, Category, Date, Floats, axis_from_json
from hushgram.declare.axis.date import EPOCH, to_moment
from hushgram.declare.axis.text import axis_text, ends_of
from hushgram.declare.domain import Domain
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Ints

Value = str | int | float | dt.date | np.generic
"""A value of an axis: a category, a number, a day or a time."""

Bound = Value | None
"""An end of a range; None leaves it open."""

Range = tuple[Bound, Bound] | Value | Collection[Value]
"""A query on one axis: a half-open range, a value, or several values."""

Question = Mapping[str, Range]
"""A query: a range per axis. Axes that are not named are not restricted."""


def check_names(domain: Domain, names: Iterable[str]) -> None:
    for name in names:
        if name not in domain:
            raise QuestionError(
                f"The release has no axis {name!r}. Its axes: "
                f"{', '.join(map(repr, domain))}.{did_you_mean(name, domain)}"
            )


def covers(
    domain: Domain, lower: Iterable[Ints], upper: Iterable[Ints], question: Question
) -> list[Floats]:
    """For each axis, the share of each slice that the query covers, from 0 to 1. Slices are given
    by their lower and upper indices."""
    check_names(domain, question)
    return [
        cover(axis, low, high, name, question[name]) if name in question else np.ones(len(low))
        for (name, axis), low, high in zip(domain.items(), lower, upper, strict=True)
    ]


def box_of(domain: Domain, question: Question) -> tuple[Floats, Floats] | None:
    """The start and stop of a query on each axis, in units of indices, if it is a box of ranges and
    single values. None if it has several values of an axis."""
    found = []
    for name, axis in domain.items():
        asked = question.get(name)
        if name not in question:
            found.append((0.0, float(axis.size)))
        elif isinstance(asked, tuple) and axis.ordered:
            start, stop = ends(axis, name, [asked[0]], [asked[1]])
            found.append((float(start[0]), float(stop[0])))
        else:
            places = {place_of(axis, name, value) for value in values_of(axis, asked)}
            if len(places) != 1:
                return None
            place = places.pop()
            found.append((float(place), place + 1.0))
    starts, stops = np.array(found, dtype=np.float64).reshape(-1, 2).T
    return starts, stops


def cover(axis: Axis, lower: Ints, upper: Ints, name: str, asked: Any) -> Floats:
    """The shares of one axis's slices, for a range, a value or a list of values."""
    if isinstance(asked, tuple) and axis.ordered:
        return cover_range(axis, lower, upper, name, asked)
    values = values_of(axis, asked)
    if axis.continuous and not all(isinstance(value, str) and value == OTHER for value in values):
        raise QuestionError(f"Axis {name!r} is continuous. Ask for a range, {name}=(lo, hi).")
    indices = sorted({place_of(axis, name, value) for value in values})
    first, last = (np.searchsorted(indices, side) for side in (lower, upper))
    return np.asarray((last - first) / (upper - lower))


def values_of(axis: Axis, asked: Any) -> list[Any]:
    """The values of a query; a larger area is replaced by the areas within it."""
    values, whole = as_list(asked), axis.whole
    if isinstance(whole, Areas):
        return [member for value in values for member in whole.members(value)]
    return values


def as_list(asked: Any) -> list[Any]:
    """A single value, or the values of a list or array, as a list."""
    if is_array(asked):
        return list(np.atleast_1d(asked))
    return [asked] if isinstance(asked, str) or not isinstance(asked, Iterable) else list(asked)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__")


def place_of(axis: Axis, name: str, value: Any) -> int:
    """The index of a value in a query. Raises if it is not on the axis."""
    found = found_at(axis, value)
    if found is not None:
        return found
    close = did_you_mean(value, axis.whole.values) if isinstance(axis.whole, Category) else ""
    raise QuestionError(
        f"{shorten(repr(value))} is not on the axis {name!r}, which has "
        f"{shorten(axis_text(axis))}.{close}"
    )


def found_at(axis: Axis, value: Any) -> int | None:
    """The index of a value or of "other"; None if it is not on the axis."""
    whole = axis.whole
    found = strict(whole).index(value)
    if found is None and whole.other and isinstance(value, str) and value == OTHER:
        found = whole.bins
    if found is None:
        return None
    place = found - axis.offset
    return place if 0 <= place < axis.size else None


def strict(axis: Axis) -> Axis:
    """The axis without its policy: values in queries are not clamped, unlike those of rows."""
    if axis.outside == "drop":
        return axis
    if isinstance(axis, Category):
        return Category(axis.values)
    return axis_from_json({**axis.to_json(), "outside": "drop"})


def cover_range(axis: Axis, lower: Ints, upper: Ints, name: str, asked: tuple[Any, ...]) -> Floats:
    if len(asked) != 2:
        raise QuestionError(
            f"A range needs two ends, {name}=(lo, hi). Found {shorten(repr(asked))}."
        )
    start, stop = ends(axis, name, [asked[0]], [asked[1]])
    inside = np.minimum(upper, stop[0]) - np.maximum(lower, start[0])
    return np.asarray(np.clip(inside / (upper - lower), 0.0, 1.0))


def ends(axis: Axis, name: str, lows: Any, highs: Any) -> tuple[Floats, Floats]:
    """The starts and stops of ranges, in units of indices. An open end is None.

    Ranges are half-open, like slices; the axis's upper bound belongs to its last bin. No range
    includes an "other" index, which comes after that.
    """
    lows, highs = fill_open_ends(lows, -np.inf), fill_open_ends(highs, np.inf)
    start, stop = axis.positions(lows), axis.positions(highs)
    # Positions are clipped to the axis, so the order must be checked on the bounds themselves.
    low, high = bounds_as_numbers(axis, lows), bounds_as_numbers(axis, highs)
    if (low > high).any():
        first = int(np.argmax(low > high))
        raise QuestionError(
            f"{range_text(name, lows, highs, first)} ends before it starts. Did you mean "
            f"({format_bound(highs[first])}, {format_bound(lows[first])})?"
        )
    lowest, highest = bounds_as_numbers(axis, ends_of(axis))
    unknown = ((low >= highest) | (high <= lowest)) & (low < high)
    if unknown.any():
        first = int(np.argmax(unknown))
        raise QuestionError(
            f"{range_text(name, lows, highs, first)} is outside the axis, which has "
            f"{shorten(axis_text(axis))}. {WHERE_OUTSIDE[axis.outside]}"
        )
    return start, stop


WHERE_OUTSIDE = {
    "drop": "The release does not know how many rows are there; it may not be zero.",
    "clamp": "Rows from there are counted in the nearest bin. Ask about that bin.",
    "other": 'Rows from there are counted as "other". Ask about that instead.',
}
"""What happened to rows outside an axis, by its policy."""


def range_text(name: str, lows: Any, highs: Any, place: int) -> str:
    """One of many ranges as text, with the number of its row if there are several."""
    row = f"Row {place:,}: the range" if len(lows) > 1 else "The range"
    return f"{row} {name}=({format_bound(lows[place])}, {format_bound(highs[place])})"


def format_bound(bound: Any) -> str:
    """A bound as text, with "None" for an open end."""
    return str(None if isinstance(bound, float) and np.isinf(bound) else bound)


def fill_open_ends(bounds: Any, end: float) -> Any:
    """Bounds with infinities for open ends. Arrays of numbers are returned unchanged."""
    values = np.asarray(bounds) if is_array(bounds) else bounds
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuf":
            return values
        if values.dtype.kind == "M":
            if np.isnat(values).any():
                raise QuestionError("A range cannot end at NaT. Use None to leave an end open.")
            values = values.astype("datetime64[us]")
        values = values.tolist()
    if any(isinstance(value, Iterable) and not isinstance(value, str) for value in values):
        raise QuestionError("Each end of a range must be a single number or date.")
    if any(value is not None and value != value for value in values):
        raise QuestionError("A range cannot end at NaN. Use None to leave an end open.")
    return [end if value is None else value for value in values]


def bounds_as_numbers(axis: Axis, bounds: Any) -> Floats:
    """Bounds as numbers; dates as seconds."""
    if not isinstance(axis.whole, Date):
        return np.asarray(bounds, dtype=np.float64)
    return np.array([seconds(bound) for bound in bounds])


def seconds(bound: Any) -> float:
    moment = to_moment(bound)
    return float(bound) if moment is None else (moment - EPOCH).total_seconds()
