"""HTML elements, with all text escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

VOID = ("img", "meta", "source")
"""Elements without content and without an end tag."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape_html(child: Any) -> Html:
    """
    >>> escape_html("a < b"), escape_html(Html("<b>"))
    ('a &lt; b', '<b>')
    """
    return child if isinstance(child, Html) else Html(html.escape(str(child)))


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """An element. The argument ``class_`` is the attribute ``class``, ``aria_label``
    ``aria-label``.

    >>> tag("p", "1 < 2", tag("b", "!"), class_="note")
    '<p class="note">1 &lt; 2<b>!</b></p>'
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_html(value)}"'
        for key, value in attributes.items()
    )
    opened = Html(f"<{name}{listed}>")
    return (
        opened if name in VOID else Html(f"{opened}{''.join(map(escape_html, children))}</{name}>")
    )


def join_html(children: Iterable[Any]) -> Html:
    return Html("\n".join(map(escape_html, children)))


def table(
    heads: Sequence[Any], rows: Iterable[Sequence[Any]], *, caption: str, numbers: int = 0
) -> Html:
    """A table that scrolls on small screens, also with the keyboard. The first cell of a row is its
    header, and the last ``numbers`` cells are numbers."""
    listed = [list(row) for row in rows]
    first = len(listed[0]) - numbers if listed else 0
    top = tag("thead", row_of("col", heads, first))
    body = tag("tbody", join_html(row_of("row", cells, first) for cells in listed))
    whole = tag("table", tag("caption", caption), top if heads else "", body)
    return scrolling("div", whole, label=caption)


def row_of(scope: str, cells: Sequence[Any], first_number: int) -> Html:
    """A row of headers (``col``), or a row whose first cell is its header (``row``)."""
    return tag(
        "tr",
        *(
            tag(
                "th" if scope == "col" or place == 0 else "td",
                cell,
                **({"scope": scope} if scope == "col" or place == 0 else {}),
                **({"class_": "number"} if place >= max(first_number, 1) else {}),
            )
            for place, cell in enumerate(cells)
        ),
    )


def scrolling(name: str, *children: Any, label: str) -> Html:
    """An element that scrolls sideways if it is too wide, also with the keyboard."""
    return tag(name, *children, class_="scroll", role="region", tabindex="0", aria_label=label)


def link(text: str) -> Html:
    """A web or email address as a link; any other text unchanged.

    >>> link("CC BY 4.0"), link("me@example.org")
    ('CC BY 4.0', '<a href="mailto:me@example.org">me@example.org</a>')
    """
    if re.fullmatch(r"https?://[^\s\"<>]+", text):
        return tag("a", text, href=text)
    if re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", text, re.ASCII):
        return tag("a", text, href=f"mailto:{text}")
    return escape_html(text)


def listing(items: Iterable[Any]) -> Html:
    return tag("ul", join_html(tag("li", item) for item in items))
