"""The whole page."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.base.text import shorten
from hushgram.show.charts.canvas import render
from hushgram.show.charts.matrix import MOST_AXES
from hushgram.show.report.accuracy import accuracy_section
from hushgram.show.report.asking import how_to_ask, ordered_axis
from hushgram.show.report.facts import facts_section
from hushgram.show.report.html import Html, join_html, tag
from hushgram.show.report.privacy import privacy_section

if TYPE_CHECKING:
    from hushgram.release.release import Release

STYLE = Path(__file__).with_name("style.css")

BAND = "The shaded band or bar holds the true number with a confidence of 95 %."


def report(
    release: Release,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    file: str = "release.hush.parquet",
    overwrite: bool = False,
) -> str:
    """The page, saved if a path is given; the same release gives the same page."""
    from hushgram.base.files import check_format, check_writable, write_new

    if path is not None:
        check_format(Path(path), "the page", ".html")
        check_writable(Path(path), overwrite=overwrite)
    text = page(release, title, file)
    if path is not None:
        write_new(Path(path), text.encode("utf-8", "replace"), overwrite=overwrite)
    return text


def page(release: Release, title: str | None, file: str) -> str:
    names = ", ".join(shorten(name, 60) for name in release.domain)
    heading = title or f"A release of {names}"
    sections = {
        "What was published": facts_section(release),
        "How private it is": privacy_section(release),
        "How accurate it is": accuracy_section(release),
        "Pictures": join_html(pictures(release)),
        "How to ask it": how_to_ask(release, file),
    }
    body = [
        tag("h1", heading),
        tag(
            "p",
            f"Noisy counts of a private table by {names}, published with {release.mechanism} and "
            f"ε = {format_number(release.epsilon)}. All on this page comes from the release alone.",
            class_="lead",
        ),
        *(tag("section", tag("h2", name), content) for name, content in sections.items()),
        tag("footer", "Made by Hushgram from the release file alone."),
    ]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", heading),
        tag("style", Html(STYLE.read_text(encoding="utf-8"))),
    ]
    whole = tag(
        "html", tag("head", join_html(head)), tag("body", tag("main", join_html(body))), lang="en"
    )
    return f"<!DOCTYPE html>\n{whole}\n"


def pictures(release: Release) -> Iterator[Html]:
    names = release.domain.names[:MOST_AXES]
    shown = ", ".join(shorten(name, 60) for name in names)
    view = release if len(names) == len(release.domain) else release.project(list(names))
    figure = view.plot()
    rest = len(release.domain) - len(names)
    more = f" The other {rest} are added up." if rest else ""
    yield picture(figure, f"Noisy counts by {shown}.", BAND * (len(names) != 2) + more)
    ordered = ordered_axis(release)
    if len(names) == 1 and ordered is not None:
        figure = release.plot(kind="quantiles")
        words = f"The values of {shown} that shares of the rows do not exceed."
        yield picture(figure, words, BAND)


def picture(figure: Any, words: str, more: str) -> Html:
    """A figure as an image that is a part of the page, and what it shows."""
    data = base64.b64encode(render(figure, ".svg", texts=True)).decode()
    image = tag("img", src=f"data:image/svg+xml;base64,{data}", alt=words)
    return tag("figure", image, tag("figcaption", f"{words} {more}".strip()))
