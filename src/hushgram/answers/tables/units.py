"""Conversion of positions along an axis's indices to numbers, days and dates."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np

from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.declare.axis.date import EPOCH, MICROSECOND
from hushgram.errors import NotAnswerable

SECOND = dt.timedelta(seconds=1)
DAY = dt.timedelta(days=1)

MAX_VALUE = 1e100
"""The largest value for which squares and sums of squares are computed."""


def places(axis: Axis, positions: Any) -> Floats:
    """Positions as numbers whose differences are lengths: real numbers unchanged, dates in days
    since 1970. An integer has length 1, from itself to the next, and so has a category.

    >>> from hushgram.declare.axis import Regular
    >>> places(Regular(4, 0, 2), [0, 1.5, 4]), places(Date("1970-01-01", "1970-12-31", "1mo"), [1])
    (array([0.  , 0.75, 2.  ]), array([31.]))
    """
    whole = axis.whole
    at = np.asarray(positions, dtype=np.float64) + axis.offset
    if isinstance(whole, Category):
        return at
    below = np.clip(np.floor(at), 0, whole.bins - 1).astype(np.int64)
    low, high = (as_numbers(whole, edges) for edges in (below, below + 1))
    return np.asarray(low + (at - below) * (high - low))


def check_moderate(axis: Axis, name: str) -> None:
    """Raise for an axis with values whose squares, or sums of them, could overflow a double.

    >>> from hushgram.declare.axis import Interval
    >>> check_moderate(Interval(0, 1e200), "x")
    Traceback (most recent call last):
    hushgram.errors.NotAnswerable: Axis 'x' has values up to 1e+200, but arithmetic is limited to \
1e+100. Use count(), or release.slice(x=(lo, hi)) first.
    """
    if isinstance(axis.whole, Category | Date) or not axis.declared:
        return
    farthest = max(abs(axis.edge(0)), abs(axis.edge(axis.declared)))
    if farthest > MAX_VALUE:
        raise NotAnswerable(
            f"Axis {name!r} has values up to {farthest:g}, but arithmetic is limited to "
            f"{MAX_VALUE:g}. Use count(), or release.slice({name}=(lo, hi)) first."
        )


def as_numbers(axis: Axis, indices: Any) -> Floats:
    edges = axis.edges_at(indices)
    if isinstance(axis, Date):
        edges = [(moment - EPOCH) / DAY for moment in edges]
    return np.asarray(edges, dtype=np.float64)


def value_at(axis: Axis, position: float, *, ends: bool) -> Any:
    """The value at a position along the indices: a number, a day or a time.

    Integers and days cover an interval of positions. Where one ends and the next starts, ``ends``
    chooses the first of the two. Times are rounded to the second, unless steps are whole days.

    >>> [value_at(Integer(10, 20), 3.0, ends=ends) for ends in (True, False)]
    [12, 13]
    >>> value_at(Date("2024-01-01", "2024-12-31", "1mo"), 0.5, ends=True)
    datetime.date(2024, 1, 16)
    """
    within = min(max(position, 0.0), float(axis.declared))
    if isinstance(axis.whole, Integer):
        index = math.ceil(within) - 1 if ends else math.floor(within)
        return axis.edge(min(max(index, 0), axis.declared - 1))
    index = min(int(within), axis.declared - 1)
    low, high = axis.edge(index), axis.edge(index + 1)
    found = low + (within - index) * (high - low)
    if not isinstance(axis.whole, Date):
        return float(found)
    if not axis.whole.whole_days:
        return EPOCH + round((found - EPOCH) / SECOND) * SECOND
    if (ends or found >= axis.edge(axis.declared)) and found > axis.edge(0):  # the year 1 is first
        found -= MICROSECOND
    return found.date()
