"""An axis as text."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hushgram.declare.axis.areas import Areas
from hushgram.declare.axis.base import Axis
from hushgram.declare.axis.date import Date

SHOWN = 8
"""The most categories to list."""


def axis_text(axis: Axis) -> str:
    """The values, bins and policy of an axis, as text.

    >>> from hushgram.declare.axis import Category, Date, Integer, Window
    >>> axis_text(Integer(0, 120))
    '0 to 120, 121 bins'
    >>> axis_text(Category(("F", "M"), outside="other"))
    'F, M, outside: other'
    >>> axis_text(Window(Category(("F", "M"), outside="other"), 1, 3))
    'M, other'
    >>> axis_text(Date("2024-01-01", "2024-12-31", "1mo"))
    '2024-01-01 to 2024-12-31, 12 bins'
    """
    if not axis.declared:
        return "other"
    policy = "" if axis.outside == "drop" else f", outside: {axis.outside}"
    if axis.declared < axis.bins:
        policy = ", other"
    if not axis.ordered:
        listed = ", ".join(str(axis.edge(index)) for index in range(min(axis.declared, SHOWN)))
        more = f", … ({axis.declared} in all)" if axis.declared > SHOWN else ""
        return listed + more + policy
    cells = "continuous" if axis.continuous else f"{axis.declared:,} bins"
    return f"{range_text(axis)}, {cells}{policy}"


def range_text(axis: Axis) -> str:
    """The first and the last value of an ordered axis. Whole numbers and days are the last of their
    range; other ends are not in it."""
    first, end = ends_of(axis)
    whole = axis.whole
    if whole.kind == "integer":
        return f"{first} to {end - 1}"
    if isinstance(whole, Date) and whole.whole_days:
        return f"{first.date()} to {(end - timedelta(days=1)).date()}"
    return f"{first} to {end}"


def kind_text(axis: Axis) -> str:
    """The kind of an axis, as text.

    >>> from hushgram.declare.axis import Integer, Window
    >>> kind_text(Integer(0, 9)), kind_text(Window(Integer(0, 9), 2, 5))
    ('integer', 'part of integer')
    """
    whole = axis.whole
    kind = whole.kind
    if isinstance(whole, Areas):
        x, y = whole.columns
        kind = f"areas by {x} and {y}, borders exact to {whole.tolerance_text}"
    return kind if whole is axis else f"part of {kind}"


def ends_of(axis: Axis) -> tuple[Any, Any]:
    """The first and the last edge of an ordered axis."""
    return axis.edge(0), axis.edge(axis.declared)
