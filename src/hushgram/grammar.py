"""How axes are written, on the command line and in plans.

================================  ============================================
``lon=-180:180``                  continuous, from -180 to 180
``lon=-180:180/256``              256 equal bins
``age=17..90``                    whole numbers, both ends included
``age=[0,18,65,120]``             bins between these edges
``sex=F,M``                       categories (a single one: ``sex=F,``)
``day=2024-01-01..2024-12-31/1d`` days (or 1h, 1w, 1mo, …), both ends included
================================  ============================================
"""

from __future__ import annotations

import re
from typing import Any

from hushgram.answers.question import shortened
from hushgram.axis import Axis, Category, Date, Integer, Interval, Outside, Regular, Variable
from hushgram.domain import Domain
from hushgram.errors import DomainError

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
    Category(['F', 'M'], outside='other')
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
    if "," not in text:
        raise DomainError(
            f"{name}={shortened(text)} is no axis. Write {name}={FORMS}; a single category has a "
            "comma behind it."
        )
    values = tuple(value.strip() for value in text.split(","))
    if len(values) == 2 and not values[1]:
        values = values[:1]
    if "" in values:
        raise DomainError(f"{name}={shortened(text)} has an empty category: a comma too much.")
    return Category(values, outside=policy)


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DomainError(f"{name}: {shortened(text.strip())!r} is no number.") from None
