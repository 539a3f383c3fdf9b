"""The Explorer in a real browser, opened from disk: pointing, typing, links, hostile labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hushgram.answers.answer import format_rows
from hushgram.cli.grammar import parse_question
from tests.web.pages import HOSTILE, READY, Opener, people, settled, shown, text_of, world


def test_dragging_a_box_counts_it(opened: Opener) -> None:
    release = world()
    page = opened(release)
    assert shown(page) == text_of(release)
    canvas = page.locator("canvas").bounding_box()
    x, y = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 3
    page.mouse.move(x, y)
    assert "lon" in page.inner_text(".status")
    page.mouse.down()
    page.mouse.move(x + 100, y + 50)
    assert shown(page) != text_of(release)  # at once, while the button is held
    page.mouse.up()
    command = page.inner_text("#command")
    words = re.fullmatch(r"hushgram count r0\.hush\.parquet (lon=\S+) (lat=\S+)", command)
    assert words is not None
    question = parse_question(release.domain, list(words.groups()))
    assert shown(page) == text_of(release, **question)
    assert all((low / 5).is_integer() for low, _ in question.values())  # whole cells


def test_the_map_works_by_keyboard(opened: Opener) -> None:
    release = world()
    page = opened(release)
    page.focus("canvas")
    for key in ("+", "+", "ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert "lon" in page.inner_text("#command")
    before = shown(page)
    page.keyboard.press("Escape")
    assert shown(page) == text_of(release) != before


def test_a_link_holds_the_question(opened: Opener) -> None:
    release = world()
    page = opened(release, fragment="#lon=-10..15&lat=35..60&=0.9")
    answer = release.count(lon=(-10, 15), lat=(35, 60), confidence=0.9)
    assert shown(page) == f"{format_rows(answer.value)} ± {format_rows(answer.half_width)}"
    assert page.evaluate("hushgram.explorer.link").endswith("#lon=-10..15&lat=35..60&=0.9")
    assert "confidence=0.9" in page.inner_text("#python")
    settled(page, lambda: page.evaluate("location.hash = '#lat=0..30'"))
    assert shown(page) == text_of(release, lat=(0, 30))
    settled(page, lambda: page.evaluate("location.hash = '#lat=30..0&nobody=1..2&lon=%E0%A4%A'"))
    assert shown(page) == text_of(release)


def test_brushing_one_axis_filters_the_others(opened: Opener) -> None:
    release = people()
    page = opened(release)
    page.fill("[aria-label='age from']", "20")
    settled(page, lambda: page.press("[aria-label='age from']", "Enter"))
    page.fill("[aria-label='age up to, included']", "39")
    settled(page, lambda: page.press("[aria-label='age up to, included']", "Enter"))
    assert shown(page) == text_of(release, age=(20, 40))
    plain = page.locator("button.category", has_text="plain")
    assert plain.locator(".number").inner_text() == text_of(release, age=(20, 40), label="plain")
    settled(page, plain.click)
    assert shown(page) == text_of(release, age=(20, 40), label="plain")
    assert plain.get_attribute("aria-pressed") == "true"
    page.select_option("#group", "day")
    page.wait_for_selector("tbody th:has-text('2024-03')")
    cells = page.locator("tbody tr", has_text="2024-03").locator("td").all_inner_texts()
    answer = release.count(age=(20, 40), label="plain", day=("2024-03-01", "2024-04-01"))
    assert cells == [format_rows(number) for number in (answer.value, *answer.interval)]
    median = release.median("age", where={"label": "plain"})
    assert f"Median {median.value} (" in page.inner_text(".quantiles >> nth=0")


def test_brushing_a_chart_with_the_mouse(opened: Opener) -> None:
    release = people()
    page = opened(release)
    chart = page.locator(".chart-box").nth(1)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + 50)
    page.mouse.up()
    assert re.search(r"day=2024-0[678]-01\.\.2024-12-01", page.inner_text("#command"))


def test_wrong_input_is_marked_and_not_asked(opened: Opener) -> None:
    release = people()
    page = opened(release)
    field = page.locator("[aria-label='age from']")
    field.fill("old")
    field.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    assert shown(page) == text_of(release)


def test_hostile_labels_are_text(opened: Opener) -> None:
    release = people()
    page = opened(release)
    assert page.evaluate("document.querySelectorAll('main script').length") == 0
    names = page.locator("button.category bdi").all_inner_texts()
    assert HOSTILE[0] in names
    assert "\ufffdevil" in names  # nothing turns text around
    assert max(map(len, names)) <= 60
    settled(page, page.locator("button.category", has_text="evil").click)
    assert "cannot write" in page.inner_text("#command")
    assert r'label="\u202eevil"' in page.inner_text("#python")
    page.select_option("#group", "label")
    page.wait_for_selector("tbody th:has-text('plain')")
    csv = page.evaluate("hushgram.explorer.table.toCsv()")
    assert '\r\n"a,b",' in csv
    assert "\r\n'=1+1," in csv


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (820, "light")])
def test_it_fits_a_phone_and_a_tablet(opened: Opener, width: int, scheme: str) -> None:
    page = opened(people(), viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", colour))) < 200) is (scheme == "dark")


def test_everything_that_acts_has_a_name(opened: Opener) -> None:
    page = opened(people())
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, svg[role=img]")]
          .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()))
          .filter((one) => !one.labels?.length)
          .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []


def test_the_policy_stops_foreign_scripts_and_the_network(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    world().explore(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector(READY)
    ran = page.evaluate(
        """() => { const one = document.createElement("script"); one.textContent = "window.ran = 1";
          document.body.append(one); return window.ran ?? 0; }"""
    )
    sent = page.evaluate("fetch('http://127.0.0.1:9/').then(() => true, () => false)")
    page.close()
    assert (ran, sent) == (0, False)
