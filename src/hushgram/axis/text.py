"""An axis in words."""

from __future__ import annotations

from typing import Any

from hushgram.axis.base import Axis
from hushgram.axis.category import Category
from hushgram.axis.window import Window

SHOWN = 8
"""Categories that are listed."""


def axis_text(axis: Axis) -> str:
    """What lies on an axis.

    >>> from hushgram.axis import Integer
    >>> axis_text(Integer(0, 120))
    '0 to 120, 121 bins'
    >>> axis_text(Category(("F", "M"), outside="other"))
    'F, M, outside: other'
    >>> axis_text(Window(Category(("F", "M"), outside="other"), 1, 3))
    'M, other'
    """
    whole, start, stop = seen(axis)
    policy = "" if axis.outside == "drop" else f", outside: {axis.outside}"
    if isinstance(axis, Window) and axis.stop > whole.bins:
        policy = ", other"
    if start == stop:
        return "other"
    if isinstance(whole, Category):
        listed = ", ".join(map(str, whole.values[start : min(stop, start + SHOWN)]))
        more = f", … ({stop - start} in all)" if stop - start > SHOWN else ""
        return listed + more + policy
    last = whole.edge(stop - 1) if whole.kind == "integer" else whole.edge(stop)
    cells = "continuous" if axis.continuous else f"{stop - start:,} bins"
    return f"{whole.edge(start)} to {last}, {cells}{policy}"


def ends_of(axis: Axis) -> tuple[Any, Any]:
    """Where an axis with an order begins and ends."""
    whole, start, stop = seen(axis)
    return whole.edge(start), whole.edge(stop)


def seen(axis: Axis) -> tuple[Axis, int, int]:
    """The whole axis, and from where to where it is seen, without "other"."""
    if isinstance(axis, Window):
        return axis.axis, min(axis.start, axis.axis.bins), min(axis.stop, axis.axis.bins)
    return axis, 0, axis.bins
