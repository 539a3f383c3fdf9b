"""Plans as TOML files: see ``docs/guides/plans.md``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from hushgram.declare.domain import Domain
from hushgram.declare.grammar import parse_axis
from hushgram.declare.measure import Sum
from hushgram.declare.measure_grammar import parse_measure
from hushgram.declare.unit import Unit, User, as_unit
from hushgram.errors import BadInput
from hushgram.spending.plan import Plan, Planned, within

PLAN_KEYS = ("epsilon", "unit", "max_rows", "neighbours", "about", "release")
RELEASE_KEYS = (
    "name", "axes", "outside", "epsilon", "share", "per", "mechanism", "workload", "measures",
)  # fmt: skip


def parse_plan(text: str) -> Plan:
    """Read a plan from TOML text. Numbers are exact."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"Invalid TOML: {error}.") from None
    except (ArithmeticError, ValueError, RecursionError):  # bounds of Python and decimal
        raise BadInput(
            "A number has thousands of digits, or lists are nested too deeply."
        ) from None
    check_known(data, PLAN_KEYS, "a plan")
    listed = data.get("release", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise BadInput("Write releases as [[release]], each with a name and axes.")
    return Plan(
        [parse_release(one, number) for number, one in enumerate(listed, start=1)],
        data.get("epsilon"),
        parse_unit(data),
        data.get("neighbours", "add-remove"),
        data.get("about"),
    )


def parse_release(data: Mapping[str, Any], number: int) -> Planned:
    """Parse one ``[[release]]``."""
    with within(f"release {data.get('name', number)!r}"):
        check_known(data, RELEASE_KEYS, "a release of a plan")
        if "name" not in data or "axes" not in data:
            raise BadInput('It needs a name and axes, such as axes = { age = "0..120" }.')
        domain = parse_axes(data["axes"], data.get("outside", {}))
        measures = parse_measures(data.get("measures", []))
    own = ("name", "axes", "outside", "measures")
    rest = {key: data[key] for key in data if key not in own}
    return Planned(data["name"], domain, measures=measures, **rest)


def parse_measures(listed: Any) -> list[Sum]:
    if not isinstance(listed, list):
        raise BadInput('measures must be a list of strings, such as ["sum earnings 0:200000"].')
    return [parse_measure(one) for one in listed]


def parse_axes(axes: Any, outside: Any) -> Domain:
    for table, example in ((axes, 'axes = { age = "0..120" }'), (outside, '{ age = "clamp" }')):
        if not isinstance(table, dict) or not all(isinstance(one, str) for one in table.values()):
            raise BadInput(
                f"Axes and outside must be tables of names and strings, such as {example}."
            )
    for name in outside:
        if name not in axes:
            raise BadInput(f"outside names {name!r}, which is not one of its axes.")
    return Domain(
        {name: parse_axis(name, text, outside.get(name, "drop")) for name, text in axes.items()}
    )


def parse_unit(data: Mapping[str, Any]) -> Unit:
    """Parse ``unit`` and ``max_rows``, as on the command line."""
    if ("unit" in data) != ("max_rows" in data):
        raise BadInput(
            'unit = "COLUMN" and max_rows = N must be used together. Leave out both to '
            "protect rows."
        )
    return User(data["unit"], data["max_rows"]) if "unit" in data else as_unit("rows")


def check_known(data: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in data:
        if key not in known:
            nearest = get_close_matches(key, known, n=1, cutoff=0)[0]
            raise BadInput(
                f"Unknown key {key!r} in {what}. Did you mean {nearest!r}? Known keys: "
                f"{', '.join(known)}."
            )
