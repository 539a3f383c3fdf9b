"""The whole page, from the picture to the technical details."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.base.exact import format_number
from hushgram.base.text import shorten
from hushgram.declare.about import AboutOption
from hushgram.show.charts.canvas import render
from hushgram.show.charts.matrix import MAX_AXES
from hushgram.show.report.accuracy import accuracy_section
from hushgram.show.report.asking import how_to_ask, ordered_axis
from hushgram.show.report.credits import byline, credits_section
from hushgram.show.report.facts import technical_details
from hushgram.show.report.html import Html, join_html, tag
from hushgram.show.report.magnitudes import magnitudes_section
from hushgram.show.report.numbers import numbers_section, slices_shown
from hushgram.show.report.privacy import privacy_section
from hushgram.show.report.reading import reading_section, sentences_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

STYLE = Path(__file__).with_name("style.css")

DESCRIBING = 2
"""The number of findings in the description of the picture: the total, and the largest groups."""

BAND = "The shaded band or bar contains the true number with 95 % confidence."


def report(
    release: Release,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    file: str = "release.hush.parquet",
    about: AboutOption | None = None,
    overwrite: bool = False,
) -> str:
    """Create the page, and save it if a path is given. The same release gives the same page."""
    from hushgram.base.files import check_format, check_writable, write_new

    if path is not None:
        check_format(Path(path), "the page", ".html")
        check_writable(Path(path), overwrite=overwrite)
    text = page(release.with_about(about or {}), title, file)
    if path is not None:
        write_new(Path(path), text.encode("utf-8", "replace"), overwrite=overwrite)
    return text


def page(release: Release, title: str | None, file: str) -> str:
    names = names_text(release.domain.names)
    heading = title or f"Counts by {names}"
    total, shown = release.count({}), slices_shown(release)
    sentences = list(sentences_of(release, total, shown))
    sections = {
        "What it shows": join_html([reading_section(sentences), *quantiles(release)]),
        "The numbers": numbers_section(shown, total),
        **measured_section(release),
        "How private it is": privacy_section(release),
        "How accurate it is": accuracy_section(release),
        "How to query it": how_to_ask(release, file),
        "Source, licence and contact": credits_section(release.about),
        "Technical details": technical_details(release),
    }
    header = [
        tag("h1", heading),
        byline(release.about),
        main_picture(release, sentences[:DESCRIBING]),
        tag(
            "p",
            f"Counts of a private table by {names}. Random noise protects the people in it "
            f"(ε\u00a0=\u00a0{format_number(release.epsilon)}), and every number has a "
            "margin. Everything on this page comes from the published release alone.",
            class_="lead",
        ),
    ]
    body = [
        tag("header", join_html(header)),
        *(section(name, content) for name, content in sections.items()),
        tag("footer", "Made by Hushgram from the release file alone."),
    ]
    return document(heading, join_html(body))


def measured_section(release: Release) -> dict[str, Html]:
    """Sums and means, if there are any."""
    return {"Sums and means": magnitudes_section(release, picture)} if release.measured else {}


def names_text(names: tuple[str, ...]) -> str:
    """Names as a list in a sentence.

    >>> names_text(("age",)), names_text(("lon", "lat")), names_text(("a", "b", "c"))
    ('age', 'lon and lat', 'a, b and c')
    """
    *most, last = (shorten(name, 60) for name in names)
    return f"{', '.join(most)} and {last}" if most else last


def section(name: str, content: Html) -> Html:
    key = name.lower().replace(",", "").replace(" ", "-")
    return tag("section", tag("h2", name, id=key), content, aria_labelledby=key)


def document(heading: str, body: Html) -> str:
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", heading),
        tag("style", Html(STYLE.read_text(encoding="utf-8"))),
    ]
    skip = tag("a", "Skip to the numbers", href="#the-numbers", class_="skip")
    whole = tag(
        "html",
        tag("head", join_html(head)),
        tag("body", skip, tag("main", body)),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{whole}\n"


def main_picture(release: Release, sentences: Sequence[str]) -> Html:
    """A picture of the counts along as many axes as possible, with a description for screen
    readers."""
    names = release.domain.names[:MAX_AXES]
    view = release if len(names) == len(release.domain) else release.project(list(names))
    rest = len(release.domain) - len(names)
    more = f" The other {rest} are added up." if rest else ""
    words = f"Picture of the counts by {names_text(names)}."
    described = " ".join([words, *sentences, "The numbers are in the tables below."])
    return picture(view.plot, described, f"{words} {BAND * (len(names) != 2)}{more}")


def quantiles(release: Release) -> Iterator[Html]:
    """A picture of the quantiles of a single ordered axis, if there is one."""
    if len(release.domain) == 1 and ordered_axis(release) is not None:
        name = names_text(release.domain.names)
        described = f"Picture of the quantiles of {name}, with their margins."
        plot = partial(release.plot, kind="quantiles")
        yield picture(plot, described, f"Quantiles of {name}. {BAND}")


def picture(plot: Callable[..., Figure], described: str, caption: str) -> Html:
    """A figure with embedded images for light and dark background, and a description for screen
    readers. Printed pages use the light one."""
    light, dark = (svg_address(plot(dark=dark)) for dark in (False, True))
    on_dark = tag("source", media="screen and (prefers-color-scheme: dark)", srcset=dark)
    images = tag("picture", on_dark, tag("img", src=light, alt=described))
    return tag("figure", images, tag("figcaption", " ".join(caption.split())))


def svg_address(figure: Figure) -> str:
    """A data URL with the whole picture."""
    data = base64.b64encode(render(figure, ".svg", texts=True)).decode()
    return f"data:image/svg+xml;base64,{data}"
