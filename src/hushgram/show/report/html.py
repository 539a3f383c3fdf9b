"""Tags, with everything escaped that is not a tag already."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

VOID = ("img", "meta")
"""Elements that hold nothing and are not closed."""


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def escape_html(child: Any) -> Html:
    """
    >>> escape_html("a < b"), escape_html(Html("<b>"))
    ('a &lt; b', '<b>')
    """
    return child if isinstance(child, Html) else Html(html.escape(str(child)))


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """An element; an attribute ``class_`` is called ``class``, and ``name_`` ``name``.

    >>> tag("p", "1 < 2", tag("b", "!"), class_="note")
    '<p class="note">1 &lt; 2<b>!</b></p>'
    """
    said = "".join(
        f' {key.rstrip("_")}="{escape_html(value)}"' for key, value in attributes.items()
    )
    opened = Html(f"<{name}{said}>")
    return (
        opened if name in VOID else Html(f"{opened}{''.join(map(escape_html, children))}</{name}>")
    )


def join_html(children: Iterable[Any]) -> Html:
    return Html("\n".join(map(escape_html, children)))


def table(heads: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Html:
    """A table that a small screen can scroll; the first cell of a row names it."""
    top = tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads)))
    lines = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in rest))
        for first, *rest in rows
    ]
    whole = tag("table", top if heads else "", tag("tbody", join_html(lines)))
    return tag("div", whole, class_="scroll")


def listing(items: Iterable[Any]) -> Html:
    return tag("ul", join_html(tag("li", item) for item in items))
