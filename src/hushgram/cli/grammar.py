"""How axes and questions are written on the command line.

================================  ============================================
``lon=-180:180``                  continuous, from -180 to 180
``lon=-180:180/256``              256 equal bins
``age=17..90``                    whole numbers, both ends included
``age=[0,18,65,120]``             bins between these edges
``sex=F,M``                       categories
``day=2024-01-01..2024-12-31/1d`` days (or 1h, 1w, 1mo, …), both ends included
================================  ============================================

Questions use the same signs: ``lon=-74.3:-73.7`` is half-open, ``age=17..29`` includes both
ends, ``sex=F`` and ``sex=F,M`` are choices.
"""

from __future__ import annotations

import re
from typing import Any

from hushgram.axis import (
    Axis,
    Category,
    Date,
    Integer,
    Interval,
    Outside,
    Regular,
    Variable,
    Window,
)
from hushgram.axis.date import to_moment
from hushgram.domain import Domain
from hushgram.errors import DomainError, QuestionError

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = re.compile(rf"^({NUMBER}):({NUMBER})(?:/(.*))?$")
WHOLE = re.compile(r"^([+-]?\d+)\.\.([+-]?\d+)$")
DATES = re.compile(r"^(\d{4}-\d\d-\d\d[^/]*?)\.\.(\d{4}-\d\d-\d\d[^/]*?)(?:/(\w+))?$")
EDGES = re.compile(r"^\[(.*)\]$")

FORMS = "lo:hi, lo:hi/bins, first..last, [edge,edge,…], value,value,… or date..date/step"


def parse_domain(axes: list[str], outside: list[str]) -> Domain:
    """The domain of ``--axis`` and ``--outside`` options.

    >>> parse_domain(["age=17..90", "sex=F,M"], ["sex=other"])["sex"]
    Category(outside='other', values=('F', 'M'))
    """
    policies = dict(named(text, "--outside") for text in outside)
    named_axes = [named(text, "--axis") for text in axes]
    names = [name for name, _ in named_axes]
    for name in policies:
        if name not in names:
            raise DomainError(f"--outside names {name!r}, which is no axis.")
    if len(set(names)) < len(names):
        raise DomainError("an axis is declared twice.")
    return Domain(
        {name: parse_axis(name, text, policies.get(name, "drop")) for name, text in named_axes}
    )


def named(text: str, option: str) -> tuple[str, str]:
    name, equals, rest = text.partition("=")
    if not equals or not name or not rest:
        raise DomainError(f"{option} {text!r} lacks its bounds: write name={FORMS}.")
    return name.strip(), rest.strip()


def parse_axis(name: str, text: str, outside: Any = "drop") -> Axis:
    """One axis.

    >>> parse_axis("lon", "-180:180/256")
    Regular(256, -180.0, 180.0)
    """
    policy: Outside = outside
    if match := RANGE.match(text):
        lo, hi = float(match[1]), float(match[2])
        if match[3] is None:
            return Interval(lo, hi, outside=policy)
        if not match[3].isdigit():
            raise DomainError(f"{name}={text}: {match[3]!r} is no number of bins.")
        return Regular(int(match[3]), lo, hi, outside=policy)
    if match := WHOLE.match(text):
        return Integer(int(match[1]), int(match[2]), outside=policy)
    if match := DATES.match(text):
        return Date(match[1], match[2], match[3] or "1d", outside=policy)  # type: ignore[arg-type]
    if match := EDGES.match(text):
        return Variable(tuple(number(name, edge) for edge in match[1].split(",")), outside=policy)
    if ":" in text or ".." in text:
        raise DomainError(f"{name}={text} is no axis. Write {name}={FORMS}.")
    return Category(tuple(value.strip() for value in text.split(",")), outside=policy)


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DomainError(f"{name}: {text.strip()!r} is no number.") from None


def parse_question(domain: Domain, texts: list[str]) -> dict[str, Any]:
    """A question such as ``lon=-74.3:-73.7 sex=F``, in the terms of the domain.

    >>> parse_question(Domain(age=Integer(0, 99)), ["age=17..29"])
    {'age': (17.0, 30.0)}
    """
    question = {}
    for text in texts:
        name, equals, asked = text.partition("=")
        if not equals or not asked:
            raise QuestionError(f"{text!r} is no question. Write axis=lo:hi or axis=value.")
        if name not in domain:
            raise QuestionError(
                f"the release has no axis {name!r}. It has {', '.join(map(repr, domain))}."
            )
        question[name] = parse_asked(name, domain[name], asked)
    return question


def parse_asked(name: str, axis: Axis, asked: str) -> Any:
    whole = axis.axis if isinstance(axis, Window) else axis
    if asked == "other":
        return asked
    if isinstance(whole, Category):
        return [typed(whole, value) for value in asked.split(",")]
    if isinstance(whole, Date):
        return parse_dates(name, whole, asked)
    low, colon, high = asked.partition(":")
    if colon:
        return tuple(float_or_none(name, end) for end in (low, high))
    first, dots, last = asked.partition("..")
    if dots:
        ends = float_or_none(name, first), float_or_none(name, last)
        step = 1 if isinstance(whole, Integer) else 0
        return ends[0], None if ends[1] is None else ends[1] + step
    return [float_or_none(name, value) for value in asked.split(",")]


def typed(axis: Category, text: str) -> Any:
    """The category that a text stands for."""
    return next((v for v in axis.values if str(v).lower() == text.lower() and str(v) == text), text)


def parse_dates(name: str, axis: Date, asked: str) -> Any:
    first, dots, last = asked.partition("..")
    for text in (first, last):
        if text and to_moment(text) is None:
            raise QuestionError(f"{name}: {text!r} is no date. Write it like 2024-12-31.")
    if not dots:
        return [first]
    if not last:
        return first, None
    step = axis.index(last)
    return first or None, None if step is None else axis.edge(step + 1)


def float_or_none(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise QuestionError(f"{name}: {text!r} is no number.") from None
