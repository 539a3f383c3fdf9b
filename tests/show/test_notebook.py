"""Notebooks show a small picture and the key facts."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.notebook import interval_svg
from hushgram.show import notebook
from tests.samples import cells, release_of


def text_of(page: str) -> str:
    """The text of a page whose tags are all closed."""
    found: list[str] = []
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, _: object) -> None:
            if tag not in ("img", "line", "circle"):
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag not in ("line", "circle"):
                assert opened.pop() == tag

        def handle_data(self, data: str) -> None:
            found.append(data)

    Reader().feed(page)
    assert not opened
    return " ".join(" ".join(found).split())


def test_a_release_is_a_picture_and_facts() -> None:
    pytest.importorskip("matplotlib")
    release = release_of(cells(**{"<b>": hg.Integer(0, 9), "sex": hg.Category(["F", "M"])}))
    page = release._repr_html_()
    assert page.count("<img") == 1
    assert "<b>" not in page
    said = text_of(page)
    assert said.startswith(f"{release.count()} rows in 20 parts, published with identity")
    assert "<b> : 0 to 9, 10 whole numbers" in said
    assert "at most 1.65-fold" in said
    assert len(page) < 60_000


def test_of_many_axes_some_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    release = release_of(cells(**{f"a{n}": hg.Integer(0, 1) for n in range(10)}))
    monkeypatch.setattr(notebook, "picture_html", lambda _: notebook.Html(""))
    assert "and 2 more" in text_of(release._repr_html_())


def test_without_a_picture_there_are_facts() -> None:
    release = release_of(cells(huge=hg.Integer(2**51, 2**51 + 3)))
    page = release._repr_html_()
    assert "<img" not in page
    assert "4 parts" in text_of(page)


def test_answers_show_their_numbers_and_intervals() -> None:
    release = release_of(cells(age=hg.Integer(0, 39)), np.arange(40))
    answer = release.count(age=(3, 9))
    page = answer._repr_html_()
    assert text_of(page) == str(answer)
    assert page.count("<svg") == 1
    assert text_of(release.quantile("age", 0.5)._repr_html_()) == str(release.quantile("age", 0.5))
    assert text_of(release.share(age=(3, 9))._repr_html_()) == str(release.share(age=(3, 9)))
    many = release.count({"age_lo": list(range(30)), "age_hi": list(range(1, 31))})
    said = text_of(many._repr_html_())
    assert said.startswith("value lower upper")
    assert said.endswith("30 answers, the first 10 shown")
    few = release.count({"age_lo": [0], "age_hi": [9]})
    assert "shown" not in text_of(few._repr_html_())


def test_an_interval_without_bounds_has_no_picture() -> None:
    assert interval_svg(-np.inf, 0, np.inf) == ""
    assert interval_svg(0, 0, 0) == ""


def test_a_plan_is_a_table() -> None:
    ages = hg.Domain(age=hg.Integer(0, 99), sex=hg.Category(["F", "M"]))
    plan = hg.Plan([hg.Planned("ages", ages, "0.1", per="sex", mechanism="identity")])
    said = text_of(plan._repr_html_())
    assert said.startswith("A plan of 2 releases, ε = 0.1")
    assert "ages age sex 0.1 identity" in said
