"""An axis as a form declares it: its object, and its words on the command line and in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from glob import escape
from pathlib import Path
from typing import Any

from hushgram.declare.axis import Areas, Axis, Category, Date, Integer, Interval, Regular, Variable
from hushgram.declare.axis.base import Outside
from hushgram.declare.grammar import AREAS, HEXAGONS, columns, parse_axis
from hushgram.errors import DomainError, HushgramError
from hushgram.web.studio.fields import (
    REAL,
    WHOLE,
    Form,
    check_number,
    exact_text,
    text_list,
    text_of,
)

KINDS = ("interval", "bins", "edges", "integer", "category", "date", "areas", "text")
"""What a form can declare; ``text`` is what the command line takes."""


@dataclass(frozen=True)
class DeclaredAxis:
    """An axis that was declared on the page."""

    name: str
    axis: Axis
    text: str | None
    """As after ``--axis NAME=``; None if the command line cannot express it."""

    @property
    def python(self) -> str:
        if isinstance(self.axis, Areas):
            return areas_python(self.text or "", self.axis.outside)
        return f"hg.{self.axis!r}"


def declare_axis(form: Form) -> DeclaredAxis:
    """The axis of a form."""
    name, kind = exact_text(form, "name"), text_of(form, "kind")
    if not name.strip():
        raise DomainError("The axis has no name. Choose a column, or name the axis.")
    if kind not in KINDS:
        raise DomainError(f"Axis {name}: choose the kind of its values.")
    outside: Outside = text_of(form, "outside") or "drop"  # type: ignore[assignment] # axes check it
    if kind == "category":
        return declare_categories(name, text_list(form, "values"), outside)
    for field, title in REQUIRED.get(kind, {}).items():
        if not text_of(form, field):
            raise DomainError(f"Axis {name}: {title} is missing. It is public: declare it.")
        if kind in NUMBERS:
            called = WHOLE if field == "bins" else NUMBERS[kind]
            check_number(f"Axis {name}: {title}", text_of(form, field), called)
    text = WRITERS[kind](form)
    if kind == "areas":
        stamp = stamp_of(text_of(form, "file"))
        return DeclaredAxis(name, read_areas(name, text, outside, stamp), text)
    return DeclaredAxis(name, parse_axis(name, text, outside), text)


Stamp = tuple[tuple[int, int, int, int], ...]


@lru_cache(maxsize=8)
def read_areas(name: str, text: str, outside: Outside, stamp: Stamp) -> Axis:
    """The areas of a file, which is read once in each version: a form is checked whenever something
    in it is typed."""
    return parse_axis(name, text, outside)


def stamp_of(file: str) -> Stamp:
    """What changes with a file, and with those beside it that a shapefile consists of."""
    path = Path(file)
    try:
        found = [one.stat() for one in sorted(path.parent.glob(f"{escape(path.stem)}.*"))]
    except (OSError, ValueError):
        return ()
    return tuple((one.st_mtime_ns, one.st_ctime_ns, one.st_size, one.st_ino) for one in found)


def declare_categories(name: str, values: list[str], outside: Outside) -> DeclaredAxis:
    """Categories may hold commas, which the command line cannot express."""
    if not values:
        raise DomainError(
            f"Axis {name}: the categories are missing. They are public: list them, one per line."
        )
    try:
        axis = Category(tuple(values), outside=outside)
    except DomainError as error:
        raise DomainError(f"Axis {name}: {error}") from None
    text = ",".join(values) + "," * (len(values) < 3)
    return DeclaredAxis(name, axis, text if reads_as(name, text, axis) else None)


def reads_as(name: str, text: str, axis: Axis) -> bool:
    try:
        return parse_axis(name, text, axis.outside) == axis
    except HushgramError:
        return False


def between(form: Form, sign: str) -> str:
    return f"{text_of(form, 'lo')}{sign}{text_of(form, 'hi')}"


def area_text(form: Form) -> str:
    text = text_of(form, "file")
    if names := text_of(form, "names"):
        text += f":{names}"
    x, y = text_of(form, "x"), text_of(form, "y")
    return f"{text}@{x},{y}" if x or y else text


WRITERS: dict[str, Callable[[Form], str]] = {
    "interval": lambda form: between(form, ":"),
    "bins": lambda form: f"{between(form, ':')}/{text_of(form, 'bins')}",
    "edges": lambda form: f"[{text_of(form, 'edges')}]",
    "integer": lambda form: between(form, ".."),
    "date": lambda form: f"{between(form, '..')}/{text_of(form, 'step') or '1d'}",
    "areas": area_text,
    "text": lambda form: text_of(form, "text"),
}


NUMBERS = {"interval": REAL, "bins": REAL, "integer": WHOLE}
"""Kinds whose fields hold numbers, and of which kind."""

BOUNDS = {"lo": "the lowest value", "hi": "the highest value"}
REQUIRED = {
    "interval": BOUNDS,
    "integer": BOUNDS,
    "bins": {**BOUNDS, "bins": "the number of bins"},
    "edges": {"edges": "the list of edges"},
    "date": {"lo": "the first day", "hi": "the last day"},
    "areas": {"file": "the file of areas"},
}
"""What each kind needs, and what that is called."""


def areas_python(text: str, outside: str) -> str:
    """The call that reads the areas of a file, or makes hexagons."""
    policy = "" if outside == "drop" else f", outside={outside!r}"
    if match := HEXAGONS.fullmatch(text):
        size, *parents = map(int, match["sizes"].split("/"))
        box = tuple(map(float, match["box"].split(",")))
        above = f", parents={parents!r}" if parents else ""
        return f"hg.Areas.h3({size}, {box}, {columns(match)!r}{above}{policy})"
    match = AREAS.fullmatch(text)
    assert match is not None  # as it was read as areas
    name, *within = (match["names"] or "name").split("/")
    inside = f", within={within!r}" if within else ""
    x, y = columns(match)
    return f"hg.Areas.read({match['file']!r}, {name!r}, {x!r}, {y!r}{inside}{policy})"


def form_of(name: str, axis: Axis, text: str) -> dict[str, Any]:
    """The form of an axis that was written as a text, so that it can be changed."""
    form: dict[str, Any] = {"name": name, "outside": axis.outside}
    if isinstance(axis, Category):
        return {**form, "kind": "category", "values": [str(value) for value in axis.values]}
    if isinstance(axis, Date):
        days, _, step = text.partition("/")
        lo, _, hi = days.partition("..")
        return {**form, "kind": "date", "lo": lo.strip(), "hi": hi.strip(), "step": step or "1d"}
    if isinstance(axis, Integer):
        return {**form, "kind": "integer", "lo": str(axis.lo), "hi": str(axis.hi)}
    if isinstance(axis, Variable):
        return {**form, "kind": "edges", "edges": text.strip("[]")}
    if isinstance(axis, Interval | Regular):
        bounds, _, bins = text.partition("/")
        lo, _, hi = bounds.partition(":")
        kind = "bins" if isinstance(axis, Regular) else "interval"
        return {**form, "kind": kind, "lo": lo, "hi": hi, "bins": bins}
    return {**form, "kind": "text", "text": text}
