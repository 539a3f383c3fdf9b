"""A release in a notebook: a small picture and the key facts."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from hushgram.base.text import shorten
from hushgram.errors import HushgramError
from hushgram.show.charts.canvas import render
from hushgram.show.charts.matrix import MAX_AXES
from hushgram.show.charts.words import privacy_of
from hushgram.show.report.facts import values
from hushgram.show.report.html import Html, join_html, tag

if TYPE_CHECKING:
    from hushgram.release.release import Release

DPI = 72
"""The resolution of the small picture in notebooks."""

LISTED = 8
"""The most axes to list."""


def release_html(release: Release) -> str:
    """A summary of a release for notebooks."""
    return tag("div", picture_html(release), facts_html(release), style="max-width:46em")


def picture_html(release: Release) -> Html:
    """A picture of the first axes; empty if it cannot be drawn."""
    names = release.domain.names[:MAX_AXES]
    try:
        figure = release.plot(axes=list(names), title="")
    except HushgramError:
        return Html("")
    data = base64.b64encode(render(figure, ".png", dpi=DPI)).decode()
    described = f"Noisy counts by {', '.join(shorten(name, 40) for name in names)}"
    return tag("img", src=f"data:image/png;base64,{data}", alt=described, style="max-width:100%")


def facts_html(release: Release) -> Html:
    named = list(release.domain.items())
    axes = [
        tag("li", tag("code", shorten(name, 40)), f": {values(axis)}")
        for name, axis in named[:LISTED]
    ]
    if len(named) > LISTED:
        axes.append(tag("li", f"and {len(named) - LISTED} more"))
    parts = release.estimate.partition.size
    lines = [
        tag("p", tag("strong", f"{release.count()} rows"), f" in {parts:,} parts, published with ",
            tag("code", release.mechanism)),
        tag("ul", join_html(axes)),
        tag("p", privacy_of(release)),
    ]  # fmt: skip
    return join_html(lines)
