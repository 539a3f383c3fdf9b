"""Instructions for querying a release, with its own names and values."""

from __future__ import annotations

import keyword
import math
import shlex
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hushgram.answers.counting.along import along_axis
from hushgram.answers.counting.quantiles import check_some_rows
from hushgram.declare.axis import OTHER, Axis, Category, Date, Integer, Interval
from hushgram.errors import NotAnswerable
from hushgram.show.charts.matrix import MAX_AXES
from hushgram.show.report.html import Html, join_html, scrolling, tag

if TYPE_CHECKING:
    from hushgram.release.release import Release

TAKEN = ("confidence", "self", "table")
"""Names that have another meaning as arguments."""

AXES = 2
"""The most axes in an example."""


class ExampleRange(NamedTuple):
    """A range or a value of one axis, for Python and for the command line."""

    name: str
    value: Any
    text: str | None
    """None if it cannot be written on the command line."""


def how_to_ask(release: Release, file: str) -> Html:
    return join_html(
        [
            tag("p", "Queries cost nothing, no matter how many you ask. You only need the release "
                "file; the table is not accessed."),
            tag("h3", "On the command line"),
            scrolling("pre", tag("code", "\n".join(commands(release, file))), label="Commands"),
            tag("h3", "In Python"),
            scrolling("pre", tag("code", "\n".join(lines(release, file))), label="Python"),
        ]
    )  # fmt: skip


def commands(release: Release, file: str) -> list[str]:
    """Commands with this release's names and values, quoted for a shell."""
    ranges = [f"{one.name}={one.text}" for one in examples(release) if one.text is not None]
    found = [command("show", file), command("count", file, *ranges)]
    ordered = ordered_axis(release)
    if ordered is not None:
        found.append(command("quantile", file, ordered, "0.25", "0.5", "0.75"))
    found.append(command("marginal", file, release.domain.names[0]))
    found += [command(kind, file, column) for kind, column in measured_examples(release)]
    return found


def measured_examples(release: Release) -> list[tuple[str, str]]:
    """The sum or the mean of each measured column."""
    return [
        ("mean" if one.measure.kind == "mean" else "sum", one.measure.column)
        for one in release.measured
    ]


def command(verb: str, file: str, *words: str) -> str:
    """A command, with ``--`` before arguments that start with a dash."""
    path = f"./{file}" if file.startswith("-") else file
    marked = ("--", *words) if any(word.startswith("-") for word in words) else words
    return shlex.join(["hushgram", verb, path, *marked])


def lines(release: Release, file: str) -> list[str]:
    """Lines of Python with this release's names and values, and their answers."""
    question = {one.name: one.value for one in examples(release)}
    found = [
        "import hushgram as hg",
        f"release = hg.load({file!r})",
        f"print(release.count({arguments(question)}))  # {release.count(question)}",
    ]
    ordered = ordered_axis(release)
    if ordered is not None:
        found.append(f"print(release.median({ordered!r}))  # {release.median(ordered)}")
    for kind, column in measured_examples(release):
        answer = answer_of(partial(getattr(release, kind), column))
        found.append(f"print(release.{kind}({column!r}))  # {answer}")
    found += [
        f"table = release.group_by({release.domain.names[0]!r})  # a data frame with error bars",
        f"figure = release.plot({drawn_axes(release)})",
    ]
    return found


def answer_of(ask: Callable[[], object]) -> str:
    """The answer to a query, or a note that there is none."""
    try:
        return str(ask())
    except NotAnswerable:
        return "an error: too few rows to say"


def drawn_axes(release: Release) -> str:
    """The arguments of ``plot``: empty, unless there are too many axes."""
    names = release.domain.names
    return "" if len(names) <= MAX_AXES else f"axes={list(names[:3])!r}"


def arguments(question: dict[str, Any]) -> str:
    """The arguments of ``count``.

    >>> arguments({"age": (20, 30)}), arguments({"odd name": "x"})
    ('age=(20, 30)', "{'odd name': 'x'}")
    """
    if all(is_word(name) for name in question):
        return ", ".join(f"{name}={value!r}" for name, value in question.items())
    return repr(question)


def is_word(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name not in TAKEN


def examples(release: Release) -> list[ExampleRange]:
    """Examples for the first axes that both Python and the command line can name, or else the
    first."""
    found = [example(name, axis) for name, axis in release.domain.items()]
    return ([one for one in found if one.text is not None] or found)[:AXES]


def example(name: str, axis: Axis) -> ExampleRange:
    value, text = middle_of(axis)
    can_be_written = text is not None and "=" not in name and name == name.strip()
    return ExampleRange(name, value, text if can_be_written else None)


def middle_of(axis: Axis) -> tuple[Any, str | None]:
    """The middle third of an axis, or the first of its categories."""
    whole, bins = axis.whole, axis.declared
    if bins <= 0:
        return OTHER, OTHER
    if isinstance(whole, Category):
        value = axis.edge(0)
        text = str(value)
        return value, text if text and text == text.strip() and "," not in text else None
    low = bins // 3
    high = max(2 * bins // 3, low + 1)
    if isinstance(whole, Integer):
        first, last = axis.edge(low), axis.edge(high - 1)
        return (first, last + 1), f"{first}..{last}"
    if isinstance(whole, Date):
        first, last, stop = (moment(whole, axis.edge(place)) for place in (low, high - 1, high))
        return (first, stop), f"{first}..{last}" if high < whole.bins - axis.offset else None
    first, last = numbers(axis, low, high)
    return (first, last), f"{short(first)}:{short(last)}"


def moment(axis: Date, value: datetime) -> str:
    return value.date().isoformat() if axis.whole_days else value.isoformat()


def numbers(axis: Axis, low: int, high: int) -> tuple[float, float]:
    """Two edges, rounded on a continuous axis so that they are short."""
    first, last = float(axis.edge(low)), float(axis.edge(high))
    if not isinstance(axis.whole, Interval):
        return first, last
    digits = 2 - math.floor(math.log10(last - first))
    rounded = round(first, digits), round(last, digits)
    return rounded if rounded[0] < rounded[1] else (first, last)


def short(value: float) -> str:
    """A number as text, without an unnecessary decimal point.

    >>> short(-60.0), short(0.1), short(1e300)
    ('-60', '0.1', '1e+300')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def ordered_axis(release: Release) -> str | None:
    """The first ordered axis along which the release counts rows, or None."""
    for name, axis in release.domain.items():
        if axis.ordered:
            try:
                check_some_rows(along_axis(release.estimate, name, None), name)
            except NotAnswerable:
                continue
            return name
    return None
