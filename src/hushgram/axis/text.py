"""An axis in words."""

from __future__ import annotations

from hushgram.axis.base import Axis

SHOWN = 8
"""Categories that are listed."""


def axis_text(axis: Axis) -> str:
    """What lies on an axis.

    >>> from hushgram.axis import Category, Integer
    >>> axis_text(Integer(0, 120))
    '0 to 120, 121 bins'
    >>> axis_text(Category(("F", "M"), outside="other"))
    'F, M, outside: other'
    """
    policy = "" if axis.outside == "drop" else f", outside: {axis.outside}"
    if hasattr(axis, "values"):
        listed = ", ".join(map(str, axis.values[:SHOWN]))
        more = f", … ({axis.bins} in all)" if axis.bins > SHOWN else ""
        return listed + more + policy
    last = axis.edge(axis.bins - 1) if axis.kind == "integer" else axis.edge(axis.bins)
    cells = "continuous" if axis.continuous else f"{axis.bins:,} bins"
    return f"{axis.edge(0)} to {last}, {cells}{policy}"
