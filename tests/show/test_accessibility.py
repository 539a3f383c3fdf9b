"""The report for readers who do not see it, see little of it, or use a keyboard: WCAG 2.2 AA, as
far as the structure of the page and its colours decide it."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import Any

import pytest

from hushgram.show.charts.style import theme_of
from hushgram.show.report.page import STYLE
from tests.show.test_report import RELEASES, Reader

pytest.importorskip("matplotlib")

MANY_PICTURES = pytest.param("seven axes", marks=pytest.mark.slow)
PAGES = ("ages", "boxes", "categories", "one bin", MANY_PICTURES)
CSS = STYLE.read_text(encoding="utf-8")
VARIABLE = re.compile(r"--([a-z]+): (#[0-9a-f]{6})")

LIGHT, DARK, PRINT = (
    dict(VARIABLE.findall(block)) for block in re.findall(r":root \{(.*?)\}", CSS, re.S)
)

TEXT, EDGE = 4.5, 1.3
"""The least contrast of text, by AA; lines between rows only decorate, and should still be seen."""


def luminance(colour: str) -> float:
    """How bright a colour is, as WCAG defines it.

    >>> luminance("#ffffff"), luminance("#000000")
    (1.0, 0.0)
    """
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """
    >>> round(contrast("#ffffff", "#000000")), round(contrast("#777777", "#ffffff"), 2)
    (21, 4.48)
    """
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_pictures_are_drawn_on_the_page_s_own_paper() -> None:
    assert (LIGHT["paper"], DARK["paper"]) == (
        theme_of(dark=False).paper,
        theme_of(dark=True).paper,
    )


@pytest.mark.parametrize("colours", [LIGHT, DARK, PRINT], ids=["light", "dark", "print"])
def test_texts_stand_out_from_the_paper(colours: dict[str, str]) -> None:
    assert set(colours) == {"ink", "muted", "paper", "soft", "line", "accent", "warning"}
    for name in ("ink", "muted", "accent", "warning"):
        for paper in ("paper", "soft"):
            assert contrast(colours[name], colours[paper]) >= TEXT, (name, paper)
    assert contrast(colours["line"], colours["paper"]) >= EDGE


def test_all_colours_are_those_that_are_looked_at() -> None:
    """No rule brings a colour of its own."""
    rules = re.sub(r":root \{.*?\}", "", CSS, flags=re.S)
    assert not re.findall(r"#[0-9a-f]{3,8}\b", rules)
    assert not re.search(r"\b(rgb|hsl)a?\(|opacity", rules)


@pytest.fixture(params=PAGES, scope="module")
def page(request: Any) -> Reader:
    return Reader(RELEASES[request.param]().report(about={"contact": "a@b.org"}))


def test_headings_leave_no_level_out(page: Reader) -> None:
    levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_pictures_say_what_they_show(page: Reader) -> None:
    texts = [image["alt"] or "" for image in page.all("img")]
    assert texts[0].startswith("Picture of the counts by")
    assert "rows in total" in texts[0]
    assert all(len(text) > 30 for text in texts)


def test_tables_have_captions_and_scopes(page: Reader) -> None:
    assert len(page.all("caption")) == len(page.all("table")) >= 3
    assert {head.get("scope") for head in page.all("th")} == {"row", "col"}


def test_the_page_names_its_language_and_can_be_enlarged(page: Reader) -> None:
    assert page.all("html")[0]["lang"] == "en"
    views = [meta["content"] for meta in page.all("meta") if meta.get("name") == "viewport"]
    assert views == ["width=device-width, initial-scale=1"]
    assert len(page.all("title")) == len(page.all("main")) == 1


def test_a_keyboard_gets_everywhere(page: Reader) -> None:
    """A first link skips to the numbers; what scrolls takes the focus, and has a name."""
    links = [one["href"] for one in page.all("a")]
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert links[0] == "#the-numbers"
    assert links[0] is not None
    assert links[0][1:] in ids
    assert len(ids) == len(set(ids))
    scrolling = [one for _, one in page.found if one.get("class") == "scroll"]
    assert len(scrolling) == len(page.all("table")) + len(page.all("pre"))
    assert all(one["tabindex"] == "0" and one["aria-label"] for one in scrolling)
    labelled = [one["aria-labelledby"] for one in page.all("section")]
    assert set(labelled) <= set(ids)


def test_technical_details_are_folded_and_last(page: Reader) -> None:
    assert page.all("details") == [{}]
    assert len(page.all("summary")) == 1
    order = [tag for tag, _ in page.found]
    assert order.index("img") < order.index("table") < order.index("details")
    assert max(n for n, tag in enumerate(order) if tag == "h2") < order.index("details")


def test_nothing_is_said_by_colour_alone() -> None:
    """What may be empty has a mark, and the mark is explained."""
    text = Reader(RELEASES["negative"]().report()).text
    assert "* May be empty: the margin includes zero." in text
    assert "2 *" in text


def test_contrasts_are_found_as_they_are_defined() -> None:
    colours = ["#000000", "#767676", "#ffffff"]
    assert [contrast(a, b) >= TEXT for a, b in combinations(colours, 2)] == [True, True, True]
    assert contrast("#777777", "#ffffff") < TEXT
