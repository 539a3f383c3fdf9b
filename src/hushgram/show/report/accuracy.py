"""Typical intervals: of a part, of ranges of several sizes, and of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import Answer, around, format_rows
from hushgram.base.text import shorten
from hushgram.declare.axis import Axis
from hushgram.show.report.html import Html, join_html, table, tag

if TYPE_CHECKING:
    from hushgram.release.release import Release

SHARES = (0.001, 0.01, 0.1, 0.5)
"""The shares of the domain covered by sample ranges."""

PLACES = 5
"""The number of sample ranges per size, from one corner of the domain to the other."""


class Typical(NamedTuple):
    """The medians of the values and of the error bars of answers to queries of one size."""

    what: str
    value: float
    width: float


def accuracy_section(release: Release) -> Html:
    rows = [(one.what, count(one.value), f"± {count(one.width)}") for one in typical(release)]
    return join_html(
        [
            table(
                ("Question", "Typical answer", "95 % margin"),
                rows,
                caption="Typical answers and their margins",
                numbers=2,
            ),
            tag(
                "p",
                "Medians over sample questions of each size. Negative counts come from "
                "noise. They are not hidden, so that errors cancel out in sums. Every "
                "answer has its own margin.",
            ),
            tag("p", tag("strong", "What the margins cover. "), interval_text()),
        ]
    )


def count(value: float) -> str:
    """A count as text, with a suitable number of digits.

    >>> count(1234567.8), count(3.25), count(-0.0)
    ('1,234,568', '3.2', '0')
    """
    if not math.isfinite(value) or abs(value) >= 10 or value == round(value):
        return format_rows(value)
    return f"{value:,.2g}"


def interval_text() -> str:
    return (
        "They contain the true answer as often as they say. They account for the added "
        "noise, and for unevenly spread rows: a question that cuts through parts has a "
        "wider margin than one along the edges of parts, because nothing is counted "
        "inside a part."
    )


def typical(release: Release) -> Iterator[Typical]:
    """Typical answers for one part, ranges of increasing size, and all rows."""
    parts = release.estimate.partition.size
    yield middle(f"one of the {parts:,} parts", list(single_parts(release)))
    seen: set[tuple[int, ...]] = set()
    for share in SHARES:
        sides = sides_of(release, share)
        shape = tuple(width for _, _, width in sides)
        if not sides or shape in seen:
            continue
        seen.add(shape)
        yield middle(range_text(sides), list(ranges(release, sides)))
    yield middle("all rows", [release.count({})])


def middle(what: str, answers: list[Answer]) -> Typical:
    values = [answer.value for answer in answers]
    widths = [(answer.interval[1] - answer.interval[0]) / 2 for answer in answers]
    return Typical(what, float(np.median(values)), float(np.median(widths)))


def single_parts(release: Release) -> Iterator[Answer]:
    """The answers for a sample of parts, evenly spread over the release's table."""
    from hushgram.answers.counting.counts import spread_of
    from hushgram.answers.tables.olap import uneven_widths
    from hushgram.answers.unevenness.widths import noise_width, truth_width

    estimate = release.estimate
    size = estimate.partition.size
    parts = np.unique(np.linspace(0, size - 1, PLACES).astype(np.int64))
    for part, uneven in zip(parts.tolist(), uneven_widths(estimate, 0.95, parts), strict=True):
        spread = spread_of(estimate, np.eye(1, size, part)[0])
        value, noise = float(estimate.values[part]), float(noise_width(estimate, spread, 0.95))
        width = float(truth_width(noise, uneven))
        yield Answer(value, around(value, width), noise_interval=around(value, noise))


def ordered_axes(release: Release) -> list[tuple[str, Axis]]:
    return [
        (name, axis) for name, axis in release.domain.items() if axis.ordered and axis.declared > 1
    ]


def sides_of(release: Release, share: float) -> list[tuple[str, Axis, int]]:
    """The width in bins, along each ordered axis, of a range that covers a share of the domain."""
    axes = ordered_axes(release)
    return [
        (name, axis, max(round(axis.declared * share ** (1 / len(axes))), 1)) for name, axis in axes
    ]


def ranges(release: Release, sides: list[tuple[str, Axis, int]]) -> Iterator[Answer]:
    for place in range(PLACES):
        question: dict[str, Any] = {}
        for name, axis, width in sides:
            start = round((axis.declared - width) * place / (PLACES - 1))
            question[name] = (axis.edge(start), axis.edge(start + width))
        yield release.count(question)


def range_text(sides: list[tuple[str, Axis, int]]) -> str:
    """The share of the axes that a range covers, as text; exact, since bins are not cut.

    >>> from hushgram.declare.axis import Integer
    >>> range_text([("age", Integer(0, 120), 1)])
    'a range over about 0.83 % of age'
    """
    share = math.prod(width / axis.declared for _, axis, width in sides)
    names = " and ".join(shorten(name, 40) for name, _, _ in sides)
    return f"{'a range' if len(sides) == 1 else 'a box'} over about {100 * share:.2g} % of {names}"
