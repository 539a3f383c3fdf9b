"""The syntax of axes on the command line and in plans.

================================  ============================================
``lon=-180:180``                  continuous, from -180 to 180
``lon=-180:180/256``              256 equal bins
``age=17..90``                    whole numbers, both ends included
``age=[0,18,65,120]``             bins between these edges
``sex=F,M``                       categories (a single one: ``sex=F,``)
``day=2024-01-01..2024-12-31/1d`` days (or 1h, 1w, 1mo, …), both ends included
``area=towns.geojson:name``       areas of a file, named by a property
``area=towns.gpkg:id@x,y``        the same, for points in the columns x and y
``area=towns.json:id/city/state`` areas within larger ones
``hex=h3:8[9.9,53.5,10.1,53.6]``  H3 hexagons in a box; larger ones above: h3:8/6[…]
================================  ============================================

Points of areas are in the columns lon and lat, unless others are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from hushgram.base.text import did_you_mean, lower_first, shorten
from hushgram.declare.axis import (
    Areas,
    Axis,
    Category,
    Date,
    Integer,
    Interval,
    Outside,
    Regular,
    Variable,
)
from hushgram.declare.axis.date import to_moment
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
RANGE = re.compile(rf"({NUMBER}):({NUMBER})(?:/(.*))?")
WHOLE = re.compile(r"([+-]?[0-9]{1,30})\.\.([+-]?[0-9]{1,30})")
DATES = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*?)\.\.([0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*?)(?:/(\w+))?"
)
DATES_AS_RANGE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}):([0-9]{4}-[0-9]{2}-[0-9]{2})(?:/(\w+))?")
EDGES = re.compile(r"\[(.*)\]")
BINS = re.compile(r"[0-9]{1,30}")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")

AREAS = re.compile(
    r"(?P<file>[^,]+\.(?:geojson|json|gpkg|shp|parquet|geoparquet|fgb|kml))(?::(?P<names>[^@]+))?"
    r"(?:@(?P<x>[^@,]+),(?P<y>[^@,]+))?",
    re.IGNORECASE,
)
HEXAGONS = re.compile(
    rf"h3:(?P<sizes>[0-9]{{1,2}}(?:/[0-9]{{1,2}})*)\[(?P<box>{NUMBER}(?:,{NUMBER}){{3}})\]"
    r"(?:@(?P<x>[^@,]+),(?P<y>[^@,]+))?"
)

FORMS = (
    "lo:hi, lo:hi/bins, first..last, [edge,edge,…], value,value,…, date..date/step or "
    "FILE.geojson:NAME@X,Y"
)


def parse_domain(axes: list[str], outside: list[str]) -> Domain:
    """The domain declared by ``--axis`` and ``--outside`` options.

    >>> parse_domain(["age=17..90", "sex=F,M"], ["sex=other"])["sex"]
    Category(['F', 'M'], outside='other')
    """
    declared = pairs(axes, "--axis", FORMS)
    policies = pairs(outside, "--outside", "drop, clamp or other")
    for name in policies:
        if name not in declared:
            raise DomainError(
                f"--outside names {name!r}, but there is no --axis with that "
                f"name.{did_you_mean(name, declared)}"
            )
    return Domain(
        {
            name: parse_axis(name, text, policies.get(name, "drop"))
            for name, text in declared.items()
        }
    )


def pairs(texts: list[str], option: str, forms: str) -> dict[str, str]:
    """Split ``name=value`` texts. Each name may occur once."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, rest = (part.strip() for part in text.partition("="))
        if not name or not rest:
            raise DomainError(
                f"Cannot read {option} {shorten(text)!r}: it needs a name and a value. "
                f"Write name={forms}."
            )
        if name in found:
            raise DomainError(f"{option} is given twice for {name!r}. Remove one of them.")
        found[name] = rest
    return found


def parse_axis(name: str, text: str, outside: Any = "drop") -> Axis:
    """The axis declared by a text. Error messages start with its name.

    >>> parse_axis("lon", "-180:180/256")
    Regular(256, -180.0, 180.0)
    """
    try:
        return read_axis(name, text, outside)
    except DomainError as error:
        raise DomainError(f"Axis {name}: {lower_first(str(error))}") from None


def read_axis(name: str, text: str, policy: Outside) -> Axis:
    if match := RANGE.fullmatch(text):
        refuse_reversed(name, text, match, ":", float)
        return range_axis(float(match[1]), float(match[2]), match[3], policy)
    if match := WHOLE.fullmatch(text):
        refuse_reversed(name, text, match, "..", int)
        return Integer(int(match[1]), int(match[2]), outside=policy)
    if match := DATES.fullmatch(text):
        refuse_reversed(name, text, match, "..", day_of)
        return Date(match[1], match[2], match[3] or "1d", outside=policy)
    if match := EDGES.fullmatch(text):
        return Variable(tuple(map(number, match[1].split(","))), outside=policy)
    if match := AREAS.fullmatch(text):
        return file_areas(match, policy)
    if match := HEXAGONS.fullmatch(text):
        return hexagons(match, policy)
    if text.startswith("[") or text.endswith("]"):
        raise unreadable(name, text, f"Edges go in brackets: {name}=[0,18,65].")
    if match := DATES_AS_RANGE.fullmatch(text):
        step = match[3] or "1d"
        raise unreadable(name, text, f"For dates: {name}={match[1]}..{match[2]}/{step}")
    if ":" in text or ".." in text:
        raise unreadable(name, text)
    return categories(name, text, policy)


def range_axis(lo: float, hi: float, bins: str | None, outside: Outside) -> Axis:
    if bins is None:
        return Interval(lo, hi, outside=outside)
    if not BINS.fullmatch(bins):
        raise DomainError(f"The number of bins must be a whole number. Found {shorten(bins)!r}.")
    return Regular(int(bins), lo, hi, outside=outside)


def file_areas(match: re.Match[str], outside: Outside) -> Areas:
    """The areas of a file. The first name is the property with their names, further ones are those
    of larger areas."""
    name, *within = (match["names"] or "name").split("/")
    return Areas.read(match["file"], name, *columns(match), within=within, outside=outside)


def hexagons(match: re.Match[str], outside: Outside) -> Areas:
    size, *parents = map(int, match["sizes"].split("/"))
    west, south, east, north = map(float, match["box"].split(","))
    box = (west, south, east, north)
    return Areas.h3(size, box, columns(match), parents=parents, outside=outside)


def columns(match: re.Match[str]) -> tuple[str, str]:
    return (match["x"] or "lon").strip(), (match["y"] or "lat").strip()


def refuse_reversed(
    name: str, text: str, ends: re.Match[str], sign: str, order: Callable[[str], Any]
) -> None:
    """Suggest the right order of reversed bounds. The axis checks everything else."""
    first, last, rest = ends[1], ends[2], text[ends.end(2) :]
    low, high = order(first), order(last)
    if low is not None and high is not None and high < low:
        raise DomainError(f"Bounds are reversed. Did you mean {name}={last}{sign}{first}{rest}?")


def categories(name: str, text: str, outside: Outside) -> Category:
    """Values separated by commas. A trailing comma marks them as categories."""
    if "," not in text:
        raise unreadable(name, text, "A single category needs a trailing comma.")
    values = tuple(value.strip() for value in text.split(","))
    if not values[-1]:
        values = values[:-1]
    elif is_mistyped_range(values):
        low, high = values
        raise DomainError(
            f"{low},{high} means two categories, {low} and {high}. For all whole numbers "
            f"from {low} to {high}, write {name}={low}..{high}. For just the two "
            f"categories, end with a comma: '{name}={low},{high},'."
        )
    if "" in values:
        raise DomainError(f"Empty category in {shorten(text)!r} (extra comma?).")
    return Category(values, outside=outside)


def is_mistyped_range(values: tuple[str, ...]) -> bool:
    """Whether the categories are two whole numbers that are not neighbours.

    >>> is_mistyped_range(("0", "23")), is_mistyped_range(("1", "2")), is_mistyped_range(("a", "z"))
    (True, False, False)
    """
    whole = len(values) == 2 and all(WHOLE_NUMBER.fullmatch(value) for value in values)
    return whole and int(values[1]) - int(values[0]) > 1


def unreadable(name: str, text: str, hint: str = "") -> DomainError:
    message = f"Cannot read {shorten(text)!r}. Write {name}={FORMS}."
    return DomainError(f"{message} {hint}" if hint else message)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DomainError(f"An edge must be a number. Found {shorten(text.strip())!r}.") from None


def day_of(text: str) -> date | None:
    """The day of a date, or None: the axis reports text that is not a date."""
    moment = to_moment(text)
    return None if moment is None else moment.date()
