"""Answers in a notebook: the number, and a small picture of its interval."""

from __future__ import annotations

import html
import math

WIDE, HIGH = 180, 14
"""The size of a picture in pixels."""

ROWS = 10
"""The most rows of a table that are shown."""


def answer_html(text: str, ends: tuple[float, float, float] | None = None) -> str:
    """A text with its number in bold, and a picture of the lower end, the value and the upper end
    if they can be drawn.

    >>> answer_html("12 ± 3 (95 %)")
    '<span><b>12</b> ± 3 (95 %)</span>'
    """
    number, space, rest = text.partition(" ")
    drawn = "" if ends is None else interval_svg(*ends)
    return f"<span><b>{html.escape(number)}</b>{space}{html.escape(rest)}{drawn}</span>"


def interval_svg(low: float, value: float, high: float) -> str:
    """A line from the lower to the upper end with a dot at the value and a mark at zero."""
    first, last = min(low, 0.0), max(high, 0.0)
    if not all(map(math.isfinite, (first, last))) or not first < last:
        return ""
    places = [6 + (WIDE - 12) * (end - first) / (last - first) for end in (0.0, low, value, high)]
    zero, left, dot, right = (f"{place:.1f}" for place in places)
    middle = HIGH / 2
    return (
        f'<svg width="{WIDE}" height="{HIGH}" role="img" aria-label="interval" '
        'style="margin-left:1em;vertical-align:middle" stroke="currentColor" fill="currentColor">'
        f'<line x1="6" x2="{WIDE - 6}" y1="{middle:g}" y2="{middle:g}" stroke-opacity="0.25"/>'
        f'<line x1="{zero}" x2="{zero}" y1="2" y2="{HIGH - 2}" stroke-opacity="0.5"/>'
        f'<line x1="{left}" x2="{right}" y1="{middle:g}" y2="{middle:g}" stroke="#d9730d" '
        'stroke-width="5"/>'
        f'<circle cx="{dot}" cy="{middle:g}" r="3.5"/></svg>'
    )


def table_html(frame: object, rows: int, what: str) -> str:
    """The first rows of a data frame and the number of all rows, as HTML."""
    more = f"<p>{rows:,} {what}, the first {ROWS} shown</p>" if rows > ROWS else ""
    shown = frame.head(ROWS).to_html(index=False, border=0, float_format=format_cell)  # type: ignore[attr-defined]
    return f"{shown}{more}"


def format_cell(value: float) -> str:
    """A number of a table, rounded for people.

    >>> format_cell(1234.56), format_cell(0.1234567)
    ('1,235', '0.123')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
