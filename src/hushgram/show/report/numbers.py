"""Tables of numbers: the slices of one axis, two axes crossed, or the largest of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushgram.answers.answer import Answer, format_rows
from hushgram.base.text import shorten
from hushgram.show.report.html import Html, join_html, table, tag
from hushgram.show.report.reading import amount, margin_text
from hushgram.show.report.slices import SliceTable

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_ROWS = 24
MAX_COLUMNS = 6
"""The most rows and columns of a table, without its headers."""

MARK = " *"
UNSURE = "* May be empty: the margin includes zero."

SEVERAL = 6
"""The most axes with a table each, if there are more than two."""


def slices_shown(release: Release) -> list[SliceTable]:
    """The tables on the page: one for one or two axes, or one for each of several."""
    names = release.domain.names
    if len(names) <= 2:
        return [SliceTable.of(release, names, MAX_ROWS)]
    return [SliceTable.of(release, [name], MAX_ROWS // 2) for name in names[:SEVERAL]]


def numbers_section(shown: list[SliceTable], total: Answer) -> Html:
    tables = [numbers_table(slices, total) for slices in shown]
    unsure = any(f"{MARK}</td>" in one for one in tables)
    more = "For other groups, see “How to query it” below."
    return join_html(
        [*tables, tag("p", UNSURE, class_="note") if unsure else "", tag("p", more, class_="note")]
    )


def numbers_table(slices: SliceTable, total: Answer) -> Html:
    if (
        len(slices.shape) == 2
        and min(slices.shape) <= MAX_COLUMNS
        and (max(slices.shape) <= MAX_ROWS)
    ):
        return cross_table(slices)
    return list_table(slices, total)


def list_table(slices: SliceTable, total: Answer) -> Html:
    """A row for each slice, or for the largest ones. In the latter case, margins hold for all
    slices together, since noise influences the selection."""
    count = len(slices.values)
    chosen = count > MAX_ROWS
    places = slices.largest(MAX_ROWS) if chosen else list(range(count))
    widths = slices.widths_together if chosen else slices.widths
    rows = [
        (
            *slices.texts[place],
            format_rows(slices.values[place])
            + MARK * bool(abs(slices.values[place]) <= widths[place]),
            f"± {margin_text(widths[place])}",
            share_text(slices.values[place], total),
        )
        for place in places
    ]
    selection = f", the {MAX_ROWS} largest of {count:,}" if chosen else ""
    heads = (*heads_of(slices), "Rows", "95 % margin", "Share of all")
    caption = f"Rows by {' and '.join(heads_of(slices))}{selection}"
    return table(heads, rows, caption=caption, numbers=3)


def heads_of(slices: SliceTable) -> list[str]:
    return [shorten(name, 40) for name in slices.names]


def share_text(value: float, total: Answer) -> str:
    """A share of the total, as text.

    >>> share_text(12.0, Answer(100.0, (90.0, 110.0))), share_text(-1.0, Answer(0.0, (-1.0, 1.0)))
    ('12.0 %', '–')
    """
    return f"{max(100 * value / total.value, 0):.1f} %" if total.value > 0 else "–"


def cross_table(slices: SliceTable) -> Html:
    """A table with a row for each slice of the longer axis and a column for each of the other."""
    places = np.arange(len(slices.values)).reshape(slices.shape)
    down, across = 0, 1
    if slices.shape[0] < slices.shape[1]:
        places, down, across = places.T, across, down
    heads = heads_of(slices)
    named = [f"{heads[across]}: {slices.texts[place][across]}" for place in places[0]]
    rows = [
        (slices.texts[row[0]][down], *(crossed_cell(slices, place) for place in row))
        for row in places.tolist()
    ]
    caption = f"Rows by {heads[down]} and {heads[across]}, with 95 % margins"
    return table((heads[down], *named), rows, caption=caption, numbers=len(named))


def crossed_cell(slices: SliceTable, place: int) -> str:
    return amount(slices.values[place], slices.widths[place]) + MARK * bool(slices.unsure[place])
