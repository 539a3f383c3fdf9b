"""Axes: how the values of a column become public integer indices.

An axis is declared, never learned from the data. It converts each value to an index once; from
there on everything is integer arithmetic, so parts are disjoint, engines agree and edges are exact.

=====================  =========================================  ==========================
axis                   holds                                      cells
=====================  =========================================  ==========================
``Interval(lo, hi)``   real numbers, continuous                   chosen by the mechanism
``Regular(n, lo, hi)`` real numbers in n equal bins               n
``Variable(edges)``    real numbers between given edges           ``len(edges) - 1``
``Integer(lo, hi)``    whole numbers, both ends included          ``hi - lo + 1``
``Category(values)``   the listed texts, numbers or booleans      ``len(values)``
``Date(a, b, step)``   days or times, both ends included          one per step
``Areas(polygons)``    points, from two columns, in named areas   one per area
=====================  =========================================  ==========================

For values that do not fit (out of bounds, NULL, NaN, infinite, unparsable text), the axis has a
policy ``outside``: ``"drop"`` leaves the row out, ``"clamp"`` moves it to the nearest bin (or to
the first one, if there is no nearest), ``"other"`` counts it in an extra bin, the last one. No
value ever causes an error, because that would reveal that the value is in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushgram.declare.axis.areas import Areas
from hushgram.declare.axis.areas.axis import areas_from_json
from hushgram.declare.axis.base import OTHER, Axis, Floats, Outside
from hushgram.declare.axis.category import Category
from hushgram.declare.axis.date import Date
from hushgram.declare.axis.numeric import (
    LONGEST_NUMBER,
    NUMBER,
    RESOLUTION,
    Integer,
    Interval,
    Regular,
    Variable,
)
from hushgram.declare.axis.window import Window
from hushgram.errors import DomainError

__all__ = [
    "Axis", "Areas", "Interval", "Regular", "Variable", "Integer", "Category", "Date", "Window",
    "Floats", "Outside", "OTHER", "LONGEST_NUMBER", "NUMBER", "RESOLUTION", "axis_from_json",
]  # fmt: skip

KINDS: dict[str, type[Axis]] = {
    cls.kind: cls for cls in (Interval, Regular, Variable, Integer, Category, Date, Window, Areas)
}


def axis_from_json(data: Mapping[str, Any]) -> Axis:
    """Create the axis that `Axis.to_json` described.

    >>> axis_from_json(Regular(4, 0, 2).to_json())
    Regular(4, 0.0, 2.0)
    """
    if not isinstance(data, Mapping):
        raise DomainError(f"An axis in JSON must be an object with a kind. Found {data!r}.")
    fields = dict(data)
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise DomainError(f"Unknown kind of axis {kind!r}. Known kinds: {', '.join(KINDS)}.")
    if kind == "window":
        fields["axis"] = read_window_axis(fields.get("axis"))
    if kind == "areas":
        return areas_from_json(fields)
    try:
        return KINDS[kind](**fields)
    except TypeError as error:
        raise DomainError(f"Cannot read an axis of kind {kind!r}: {error}.") from None


def read_window_axis(data: Any) -> Axis:
    """The axis behind a window. Never another window, so that files cannot nest them endlessly."""
    if isinstance(data, Mapping) and data.get("kind") == "window":
        raise DomainError("A window in JSON cannot contain another window.")
    return axis_from_json(data)
