"""Neighbouring files, drawn by Hypothesis, and the commands that publish them. NONPRIVATE."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from assurance.replayed.cells import FileFormat, Row, formats
from hushgram.cli.grammar import parse_domain
from hushgram.errors import DomainError
from hushgram.mechanisms.base import Mechanism

AXES = (
    {"x": "0..6"},
    {"x": "0:8/5"},
    {"x": "[0,1,2.5,8]"},
    {"day": "2024-01-01..2024-01-09/3d"},
    {"kind": "F,M"},
    {"x": "0..4", "kind": "F,M"},
    {"x": "0:8/7", "y": "-1:1/3"},
    {"x": "0..3", "y": "-1:1/3", "kind": "F,M"},
)
"""Axes of every kind, as typed on the command line."""

WIDE = ({"x": "0:8"}, {"x": "0:8", "y": "-1:1"}, {"x": "0:8/4096", "y": "-1:1/4096"})
"""Axes for mechanisms that do not query every cell; the last uses row places."""

FAR_SIGHTED = ("auto", "uniform-grid", "adaptive-grid", "privtree", "privtree-hb", "bayes-tree",
               "kd-hybrid")  # fmt: skip

CONDITIONS = (
    "x >= 1",
    "x >= 0",
    "kind = 'F' OR x < 3",
    "NOT (y BETWEEN 0 AND 1)",
    "who IS NOT NULL AND kind IN ('F', 'M')",
    "day >= '2024-01-03'",
)

MEASURES = (
    "mean x -1:7",
    "sum x 0:1000000000000000000",
    "sum y -1:1 step=0.01 missing=0",
    "weighted-count y 0:0.3 outside=drop",
    "mean y -3:8 missing=1 outside=drop",
    "sum day 0:9",
)
"""Sums of columns of every type, with and without values outside and missing ones. Sums of days are
refused."""

OF_PEOPLE = ("sum x -2:9 per_person=7", "mean y -1:1 per_person=0.6 missing=0")
"""Sums with a bound per person; in a plan with keys, they are refused."""

SPOILT = (
    ("--epsilon", "0"),
    ("--epsilon", "nan"),
    ("--epsilon", "11"),
    ("--outside", "x=bogus"),
    ("--outside", "nobody=drop"),
    ("--axis", "nobody=0..3"),
    ("--where", "x >"),
    ("--where", "nobody = 1"),
    ("--max-rows", "0"),
    ("--neighbours", "next-door"),
    ("--mechanism", "magic"),
    ("--workload", "everything"),
)
"""Options that are refused. The last value of an option wins."""


@dataclass(frozen=True)
class FilePair:
    """Two neighbouring files and one command."""

    form: FileFormat
    first: tuple[Row | bytes, ...]
    second: tuple[Row | bytes, ...]
    words: tuple[str, ...]
    plan: str
    epsilon: Fraction
    kinds: frozenset[str]
    """What it is an example of, for summaries."""


def units(form: FileFormat, people: bool) -> st.SearchStrategy[list[Any]]:
    """Return a strategy for a row, or for all rows of a person."""
    if not people:
        return form.any_row.map(lambda row: [row])
    theirs = form.row.map(lambda cells: (*cells[:-1], form.stranger))
    return st.lists(theirs, min_size=1, max_size=5)


@st.composite
def neighbours(
    draw: st.DrawFn, form: FileFormat, relation: str, people: bool
) -> tuple[list[Row | bytes], list[Row | bytes]]:
    """Draw two tables that differ by one unit, anywhere. In some, all other rows are inside every
    axis."""
    row = form.tame_row if draw(one_in(3)) else form.any_row
    common = draw(st.lists(row, max_size=12))
    more, less = list(common), list(common)
    places = draw(st.lists(st.integers(0, len(common)), min_size=1, max_size=3))
    spread(more, draw(units(form, people)), places)
    if relation == "replace-one":
        spread(less, draw(units(form, people)), places)
    return (more, less) if draw(st.booleans()) else (less, more)


def spread(table: list[Any], rows: Sequence[Any], places: Sequence[int]) -> None:
    for number, row in enumerate(rows):
        table.insert(places[number % len(places)], row)


@st.composite
def pairs(draw: st.DrawFn, mechanism: Mechanism) -> FilePair:
    """Draw a command with this mechanism, and two files for it."""
    form = draw(formats())
    relation = draw(st.sampled_from(["add-remove", "replace-one"]))
    people = draw(one_in(4))
    first, second = draw(neighbours(form, relation, people))
    epsilon = draw(st.sampled_from(["1/3", "1", "5"]))
    max_rows = draw(st.integers(1, 3)) if people else None
    axes, outside = draw(st.sampled_from(fitting(mechanism)))
    kinds = {form.suffix, relation, "people" if people else "rows"}
    words = form.options(people)
    plan = ""
    measures = draw(measure_lists(people)) if draw(one_in(3)) else []
    kinds |= {"measures"} if measures else set()
    if draw(one_in(5)):
        kinds.add("plans")
        plan = toml(mechanism.name, axes, outside, epsilon, relation, max_rows, measures)
    else:
        words += [word for measure in measures for word in ("--measure", measure)]
        words += [word for item in axes.items() for word in ("--axis", "=".join(item))]
        words += [word for item in outside.items() for word in ("--outside", "=".join(item))]
        words += ["--epsilon", epsilon, "--neighbours", relation, "--mechanism", mechanism.name]
        words += [] if max_rows is None else ["--unit", "who", "--max-rows", str(max_rows)]
    if draw(one_in(4)):
        kinds.add("conditions")
        words += ["--where", draw(st.sampled_from(CONDITIONS))]
    if draw(one_in(10)):
        kinds.add("mutated")
        words += draw(st.sampled_from(SPOILT))
    if draw(one_in(5)):
        words.append("--json")
    return FilePair(
        form, tuple(first), tuple(second), tuple(words), plan,
        Fraction(epsilon), frozenset(kinds),
    )  # fmt: skip


def measure_lists(people: bool) -> st.SearchStrategy[list[str]]:
    """Return a strategy for one or two measures of different columns."""
    known = (*MEASURES, *OF_PEOPLE) if people else MEASURES
    return st.lists(
        st.sampled_from(known), min_size=1, max_size=2, unique_by=lambda text: text.split()[1]
    )


def one_in(number: int) -> st.SearchStrategy[bool]:
    """Return a strategy that is true once in ``number``. It avoids the smallest and the largest
    value, which Hypothesis prefers."""
    return st.integers(0, number - 1).map(lambda drawn: drawn == number // 2)


def fitting(mechanism: Mechanism) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Return axes and policies that the mechanism accepts."""
    found = []
    for axes in (*AXES, *WIDE) if mechanism.name in FAR_SIGHTED else AXES:
        for policy in ("drop", "clamp", "other"):
            outside = {name: policy for name in axes if name != "kind" or policy != "clamp"}
            try:
                mechanism.check(parse_domain(words_of(axes), words_of(outside)))
            except DomainError:
                continue
            found.append((axes, outside))
    return found


def words_of(options: dict[str, str]) -> list[str]:
    return ["=".join(item) for item in options.items()]


def toml(
    mechanism: str,
    axes: dict[str, str],
    outside: dict[str, str],
    epsilon: str,
    relation: str,
    max_rows: int | None,
    measures: Sequence[str],
) -> str:
    """Return a plan with two releases: the requested one for each value of a key, and a total of
    kinds."""
    key = next(name for name in ("kind", "day", "who") if name not in axes)
    keyed = {
        **axes,
        key: {"kind": "F,M", "day": "2024-01-01..2024-01-03/1d", "who": "ann,bob"}[key],
    }
    lines = [f'epsilon = "{epsilon}"', f'neighbours = "{relation}"']
    lines += [] if max_rows is None else ['unit = "who"', f"max_rows = {max_rows}"]
    lines += ["[[release]]", 'name = "keyed"', f"axes = {table(keyed)}", f"per = {json.dumps(key)}"]
    lines += [f"measures = {json.dumps(measures)}"] if measures else []
    lines += [f"outside = {table(outside)}", 'share = "3/4"', f'mechanism = "{mechanism}"']
    lines += ["[[release]]", 'name = "kinds"', 'axes = { kind = "F,M" }', 'share = "1/4"']
    return "\n".join(lines)


def table(options: dict[str, str]) -> str:
    """Return an inline table in TOML."""
    return "{ " + ", ".join(f"{name} = {json.dumps(text)}" for name, text in options.items()) + " }"
