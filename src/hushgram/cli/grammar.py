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
from datetime import datetime
from typing import Any

from hushgram.answers.question import shortened
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

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
RANGE = re.compile(rf"({NUMBER}):({NUMBER})(?:/(.*))?")
WHOLE = re.compile(r"([+-]?[0-9]{1,30})\.\.([+-]?[0-9]{1,30})")
DATES = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*?)\.\.([0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*?)(?:/(\w+))?"
)
EDGES = re.compile(r"\[(.*)\]")
BINS = re.compile(r"[0-9]{1,30}")

FORMS = "lo:hi, lo:hi/bins, first..last, [edge,edge,…], value,value,… or date..date/step"


def parse_domain(axes: list[str], outside: list[str]) -> Domain:
    """The domain of ``--axis`` and ``--outside`` options.

    >>> parse_domain(["age=17..90", "sex=F,M"], ["sex=other"])["sex"]
    Category(outside='other', values=('F', 'M'))
    """
    declared = pairs(axes, "--axis", FORMS)
    policies = pairs(outside, "--outside", "drop, clamp or other")
    for name in policies:
        if name not in declared:
            raise DomainError(f"--outside names {name!r}, which is no --axis.")
    return Domain(
        {
            name: parse_axis(name, text, policies.get(name, "drop"))
            for name, text in declared.items()
        }
    )


def pairs(texts: list[str], option: str, forms: str) -> dict[str, str]:
    """The names and what they are given, each name once."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, rest = (part.strip() for part in text.partition("="))
        if not name or not rest:
            raise DomainError(
                f"{option} {shortened(text)!r} lacks a name or a value: write name={forms}."
            )
        if name in found:
            raise DomainError(f"{option} names {name!r} twice.")
        found[name] = rest
    return found


def parse_axis(name: str, text: str, outside: Any = "drop") -> Axis:
    """One axis.

    >>> parse_axis("lon", "-180:180/256")
    Regular(256, -180.0, 180.0)
    """
    policy: Outside = outside
    if match := RANGE.fullmatch(text):
        lo, hi = float(match[1]), float(match[2])
        if match[3] is None:
            return Interval(lo, hi, outside=policy)
        if not BINS.fullmatch(match[3]):
            raise DomainError(f"{name}: {shortened(match[3])!r} is no number of bins.")
        return Regular(int(match[3]), lo, hi, outside=policy)
    if match := WHOLE.fullmatch(text):
        return Integer(int(match[1]), int(match[2]), outside=policy)
    if match := DATES.fullmatch(text):
        return Date(match[1], match[2], match[3] or "1d", outside=policy)  # type: ignore[arg-type]
    if match := EDGES.fullmatch(text):
        return Variable(tuple(number(name, edge) for edge in match[1].split(",")), outside=policy)
    if ":" in text or ".." in text:
        raise DomainError(f"{name}={shortened(text)} is no axis. Write {name}={FORMS}.")
    values = tuple(value.strip() for value in text.split(","))
    if "" in values:
        raise DomainError(f"{name}={shortened(text)} has an empty category: a comma too much.")
    return Category(values, outside=policy)


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DomainError(f"{name}: {shortened(text.strip())!r} is no number.") from None


def parse_question(domain: Domain, texts: list[str]) -> dict[str, Any]:
    """A question such as ``lon=-74.3:-73.7 sex=F``, in the terms of the domain.

    >>> parse_question(Domain(age=Integer(0, 99)), ["age=17..29"])
    {'age': (17.0, 30.0)}
    """
    question: dict[str, Any] = {}
    for text in texts:
        name, _, asked = (part.strip() for part in text.partition("="))
        if not name or not asked:
            raise QuestionError(
                f"{shortened(text)!r} is no question. Write axis=lo:hi or axis=value."
            )
        if name in question:
            raise QuestionError(f"the axis {name!r} is asked for twice. Write one range or list.")
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
        return [value.strip() for value in asked.split(",")]
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


def parse_dates(name: str, axis: Date, asked: str) -> Any:
    first, dots, last = (part.strip() for part in asked.partition(".."))
    if not dots:
        return [moment(name, text.strip()) for text in asked.split(",")]
    start = moment(name, first) if first else None
    if not last:
        return start, None
    return start, after_step(axis, moment(name, last))


def moment(name: str, text: str) -> datetime:
    found = to_moment(text)
    if found is None:
        raise QuestionError(f"{name}: {shortened(text)!r} is no date. Write it like 2024-12-31.")
    return found


def after_step(axis: Date, last: datetime) -> datetime | None:
    """Where a range stops that includes the step of its last date; None is the axis's end."""
    if last < axis.start:
        return last
    step = int(axis.positions([last])[0])
    return axis.edge(step + 1) if step + 1 < axis.bins else None


def float_or_none(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise QuestionError(f"{name}: {shortened(text)!r} is no number.") from None
