"""Axes: how one column of a table becomes a public integer index.

An axis is declared, never learnt from the data. It quantises each value once; from there on
everything is integer arithmetic, so parts are disjoint, engines agree and edges are exact.

=====================  =========================================  ==========================
axis                   holds                                      cells
=====================  =========================================  ==========================
``Interval(lo, hi)``   real numbers, continuous                   chosen by the mechanism
``Regular(n, lo, hi)`` real numbers in n equal bins               n
``Variable(edges)``    real numbers between given edges           ``len(edges) - 1``
``Integer(lo, hi)``    whole numbers, both ends included          ``hi - lo + 1``
``Category(values)``   the listed texts, numbers or truth values  ``len(values)``
``Date(a, b, step)``   days or times, both ends included          one per step
``Areas(polygons)``    points, in two columns, by named areas     one per area
=====================  =========================================  ==========================

A value that does not fit (out of bounds, NULL, NaN, infinite, unparsable text) follows the
axis's policy ``outside``: ``"drop"`` leaves the row out, ``"clamp"`` moves it to the nearest
bin (what has no order goes to the first), ``"other"`` gives it a public index of its own, the
last one. No value is ever an error: a neighbouring table would not have had it.
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
    """The axis that `Axis.to_json` described.

    >>> axis_from_json(Regular(4, 0, 2).to_json())
    Regular(4, 0.0, 2.0)
    """
    if not isinstance(data, Mapping):
        raise DomainError(f"an axis in JSON is an object with a kind, not {data!r}.")
    fields = dict(data)
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise DomainError(f"no axis is of kind {kind!r}. Known: {', '.join(KINDS)}.")
    if kind == "window":
        fields["axis"] = read_window_axis(fields.get("axis"))
    if kind == "areas":
        return areas_from_json(fields)
    try:
        return KINDS[kind](**fields)
    except TypeError as error:
        raise DomainError(f"an axis of kind {kind!r} cannot be read: {error}.") from None


def read_window_axis(data: Any) -> Axis:
    """The axis behind a window. Never another window: no file can nest them without end."""
    if isinstance(data, Mapping) and data.get("kind") == "window":
        raise DomainError("a window in JSON is a window of an axis, not of another window.")
    return axis_from_json(data)
