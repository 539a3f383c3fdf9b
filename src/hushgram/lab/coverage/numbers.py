"""Values of axes as numbers: dates as seconds since 1970, categories as their index."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.declare.axis.date import EPOCH, to_moment

DAY = 86_400.0
"""Seconds of a day."""


def to_number(axis: Axis, value: Any) -> float:
    """Return a value of an ordered axis as a number."""
    if not isinstance(axis, Date):
        return float(value)
    moment = to_moment(value)
    assert moment is not None
    return (moment - EPOCH).total_seconds()


def to_value(axis: Axis, number: float) -> Any:
    """Return the value of an axis for a number."""
    if isinstance(axis, Category):
        return axis.values[int(number)]
    if isinstance(axis, Date):
        return EPOCH + dt.timedelta(seconds=number)
    return int(number) if isinstance(axis, Integer) and float(number).is_integer() else number


def to_single(axis: Axis, number: float) -> Any:
    """Return the single value of an axis for a number: a whole number, a day."""
    if isinstance(axis, Integer):
        return int(np.floor(number))
    value = to_value(axis, number)
    return value.date() if isinstance(axis, Date) and axis.whole_days else value


def axis_bounds(axis: Axis, stop: int | None = None) -> tuple[float, float]:
    """Return the lower end of an ordered axis, and its upper end or the edge at ``stop``."""
    last = axis.bins if stop is None else stop
    return to_number(axis, axis.edge(0)), to_number(axis, axis.edge(last))


def edge_number(axis: Axis, index: int) -> float:
    return to_number(axis, axis.edge(index))


def positions_of(axis: Axis, numbers: Floats) -> Floats:
    """Return the positions of numbers on an ordered axis, in units of indices."""
    if not isinstance(axis, Date):
        return axis.positions(numbers)
    edges = np.array([edge_number(axis, index) for index in range(axis.bins + 1)])
    return np.interp(numbers, edges, np.arange(axis.bins + 1))


def cuts_values(axis: Axis) -> bool:
    """Return whether a bin of an axis can contain different values, so that a range may end between
    them."""
    if isinstance(axis, Date):
        return axis.monthly or axis.microseconds > DAY * 1_000_000
    return not isinstance(axis, Category | Integer)
