"""Sums and means of measured columns: of all rows, as a picture, and by the first axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_digits
from hushgram.answers.tables.magnitudes import found_parts, need_measured
from hushgram.base.text import shorten
from hushgram.declare.measure import Sum, Weighted
from hushgram.errors import NotAnswerable
from hushgram.mechanisms.measured import Measured
from hushgram.show.report.html import Html, join_html, table, tag
from hushgram.show.report.numbers import MAX_ROWS
from hushgram.show.report.slices import SliceTable, coarse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

Picture = Callable[[Callable[..., "Figure"], str, str], Html]
"""A function from a plot, a description and a caption to a figure of the page."""

TOO_FEW = "too few rows to say"


def magnitudes_section(release: Release, picture: Picture) -> Html:
    return join_html(
        part for one in release.measured for part in magnitude_parts(release, one, picture)
    )


def magnitude_parts(release: Release, measured: Measured, picture: Picture) -> Iterator[Html]:
    measure, name = measured.measure, shorten(measured.measure.column, 60)
    yield tag("h3", f"{kind_text(measure)} of {name}")
    yield tag("p", whole_text(release, measure.column))
    plane = len(release.domain) == 2 and all(axis.ordered for axis in release.domain.axes)
    names = release.domain.names[: 2 if plane else 1]
    kind = asked_kind(measure)
    words = f"{kind_text(measure)} of {name} by {' and '.join(shorten(n, 60) for n in names)}."
    column = measure.column
    asked = {"mean": partial(release.plot, mean=column), "sum": partial(release.plot, sum=column)}
    plot = partial(asked[kind], axes=list(names))
    yield picture(plot, f"Picture: {words} The numbers are in the table below.", words)
    yield axis_table(release, measured, kind)
    yield tag("p", declared_text(measure), class_="note")


def kind_text(measure: Sum) -> str:
    """The kind of a measure, for headings."""
    return {"mean": "Mean", "sum": "Sum"}.get(measure.kind, "Weighted number of rows: sum")


def asked_kind(measure: Sum) -> str:
    return "mean" if measure.kind == "mean" else "sum"


def whole_text(release: Release, column: str) -> str:
    """The mean and the sum of all rows with their margins, as text."""
    try:
        mean = f"{release.mean(column)}"
    except NotAnswerable:
        mean = TOO_FEW
    return f"All rows: mean {mean}, sum {release.sum(column)}."


def axis_table(release: Release, measured: Measured, kind: str) -> Html:
    """A row for each slice of the first axis, or for those with the most rows. In the latter case,
    margins hold for all slices together, since noise influences the selection."""
    first, column = release.domain.names[0], measured.measure.column
    slices = SliceTable.of(release, [first], MAX_ROWS)
    count = len(slices.values)
    chosen = count > MAX_ROWS
    places = slices.largest(MAX_ROWS) if chosen else list(range(count))
    view = coarse(release.project([first]), MAX_ROWS)
    level = 1 - 0.05 / count if chosen else 0.95
    found = found_parts(view, need_measured(view, column), level, kind)
    rows = [(slices.texts[place][0], *cells_of(found, place)) for place in places]
    selection = f", the {MAX_ROWS} with the most rows of {count:,}" if chosen else ""
    name = shorten(first, 40)
    caption = f"{kind_text(measured.measure)} of {shorten(column, 40)} by {name}{selection}"
    return table((name, kind.capitalize(), "95 % margin"), rows, caption=caption, numbers=2)


def cells_of(found: Any, place: int) -> tuple[str, str]:
    """A value and its interval, as text."""
    value, lower, upper = (float(one[place]) for one in found[:3])
    ends = f"{format_digits(lower, 5)} to {format_digits(upper, 5)}"
    return (TOO_FEW if np.isnan(value) else format_digits(value, 5)), ends


def declared_text(measure: Sum) -> str:
    """The declared bounds of a column, and the treatment of values that do not fit."""
    low, high = (format_digits(end, 12) for end in measure.ends(exact=True))
    outside = "count as the nearest bound" if measure.outside == "clamp" else "are left out"
    missing = (
        "are left out of this release"
        if measure.missing == "drop"
        else f"count as {measure.missing}"
    )
    weights = " The column holds weights." if isinstance(measure, Weighted) else ""
    return (
        f"Values outside {low} to {high} {outside}; rows without a value {missing}. Values are "
        f"rounded to multiples of {measure.amount.step}. All of this was declared beforehand."
        f"{weights}"
    )
