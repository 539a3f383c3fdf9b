"""The Explorer in a real browser, opened from disk: pointing, typing, links, hostile labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.cli.grammar import parse_question
from tests.samples import cells, release_of
from tests.web.pages import HOSTILE, READY, Opener, people, settled, shown, text_of, until, world


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
    assert page.evaluate("hushgram.explorer.answer.link").endswith("#lon=-10..15&lat=35..60&=0.9")
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
    assert "cannot express" in page.inner_text("#command")
    assert r'label="\u202eevil"' in page.inner_text("#python")
    page.select_option("#group", "label")
    page.wait_for_selector("tbody th:has-text('plain')")
    csv = page.evaluate("hushgram.explorer.groups.table.toCsv()")
    assert '\r\n"a,b",' in csv
    assert "\r\n'=1+1," in csv


LAYOUT = """() => {
  const box = (one) => one.getBoundingClientRect();
  const shown = [...document.querySelectorAll("main > *")].map(box);
  const overlaps = shown.flatMap((a, n) => shown.slice(n + 1).filter((b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
  const cut = [...document.querySelectorAll("button, select, label, h2, .count, .legend, .scroll")]
    .filter((one) => !one.closest("table.cross"))  // it is as wide as its groups, and scrolls
    .filter((one) => box(one).right > innerWidth + 1).map((one) => one.outerHTML);
  return [overlaps.length, cut, document.documentElement.scrollWidth - innerWidth];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1280])
@pytest.mark.slow
def test_it_fits_every_screen(opened: Opener, width: int, scheme: str) -> None:
    look = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
    for releases in ([people()], [world(), world()]):
        page = opened(*releases, **look)
        overlaps, cut, beyond = page.evaluate(LAYOUT)
        assert (overlaps, cut) == (0, [])
        assert beyond <= 0
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", colour))) < 200) is (scheme == "dark")


def test_the_map_is_painted_in_the_colours_of_the_legend(opened: Opener) -> None:
    """Around the point where most rows are it is darkest, and pale where there are none."""
    page = opened(world())
    colour = """([lon, lat]) => {
      const { canvas, port } = hushgram.explorer.map;
      const [x, y] = [port.frame.toX(lon), port.frame.toY(lat)].map((at) => at * port.ratio);
      return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
    }"""
    until(page, "hushgram.explorer.map.below.content !== null")
    many, some, none = (sum(page.evaluate(colour, place)[:3]) for place in (
        [12.5, 47.5], [37.5, 47.5], [-122.5, -37.5]))  # fmt: skip
    assert many < 200 < some < 650 < none


def test_a_phone_can_draw_an_area(opened: Opener) -> None:
    release = world()
    page = opened(release, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.tap("text=Draw an area")
    box = page.locator(".map-box canvas").bounding_box()
    for x, y in ((0.5, 0.2), (0.7, 0.2), (0.6, 0.5), (0.5, 0.2)):
        page.touchscreen.tap(box["x"] + x * box["width"], box["y"] + y * box["height"])
    until(page, "hushgram.explorer.asker.outline !== null")
    assert shown(page) != text_of(release)


@pytest.mark.slow
def test_labels_of_a_million_letters_do_not_stop_the_page(opened: Opener) -> None:
    long = ["x" * 1_000_000, "\u202e" + "y" * 1_000_000, "\u2066a\u2069", "\u0000b", "ok"]
    release = release_of(cells(**{"n\u202eame" * 3: hg.Category(long)}), [1, 2, 3, 4, 50])
    page = opened(release)
    assert len(page.inner_text("main")) < 10_000
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.inner_text("main"))
    settled(page, page.locator("button.category", has_text="ok").click)
    assert shown(page).startswith("50 ±")
    settled(page, page.locator("button.category").first.click)
    assert len(page.inner_text("main")) < 10_000
    assert len(page.evaluate("hushgram.explorer.answer.link")) < 10_000_000
    assert page.evaluate("document.title").startswith("Explore ")


def test_everything_that_acts_has_a_name(opened: Opener) -> None:
    page = opened(people())
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, svg[role=img]")]
          .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()))
          .filter((one) => !one.labels?.length)
          .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []


def test_bins_of_very_different_widths_have_bars_of_one_width(opened: Opener) -> None:
    edges = [0, 10, 100, 1000, 100_000]
    release = release_of(cells(size=hg.Variable(edges)), [10, 40, 30, 20])
    page = opened(release)
    widths = page.locator(".chart .bar").evaluate_all(
        "(bars) => bars.map((bar) => Number(bar.getAttribute('width')))"
    )
    assert max(widths) == pytest.approx(min(widths))
    assert "equally wide" in page.inner_text("main")
    bar = page.locator(".chart .bar").nth(1)
    settled(page, lambda: bar.click(force=True))
    assert shown(page) == text_of(release, size=(10, 100))
    brush = page.locator(".chart .brush").bounding_box()
    assert brush["width"] == pytest.approx(widths[1], abs=2)
    assert page.locator(".chart .bar.outside").count() == 3


def test_a_count_below_zero_is_explained(opened: Opener) -> None:
    grid = cells(lon=hg.Regular(3, 0, 9), lat=hg.Regular(2, 0, 10))
    page = opened(
        release_of(grid, np.full(grid.shape, -50)), viewport={"width": 320, "height": 700}
    )
    assert "probably 0 or small" in page.inner_text(".meaning")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page = opened(release_of(grid, np.ones(grid.shape)))
    assert "is at most" in page.inner_text(".meaning")


def test_ranges_are_written_in_few_digits_but_copied_in_full(opened: Opener) -> None:
    release = release_of(cells(x=hg.Regular(3, 0, 1)), [5, 6, 7])
    page = opened(release)
    assert page.locator("tbody th").all_inner_texts() == ["0 to 0.333333", "0.333333 to 0.666667",
                                                         "0.666667 to 1"]  # fmt: skip
    assert "\r\n0.3333333333333333 to 0.6666666666666666," in page.evaluate(
        "hushgram.explorer.groups.table.toCsv()"
    )


def test_the_explanations_are_a_click_away_and_keep_the_question(opened: Opener) -> None:
    page = opened(world(), fragment="#lat=0..30")
    page.click("header button")
    assert page.evaluate("document.activeElement.textContent") == "What am I looking at?"
    assert page.evaluate("location.hash") == "#lat=0..30"
    below = page.locator(".sticky").bounding_box()
    assert page.locator(".help h3").first.bounding_box()["y"] >= below["y"] + below["height"]


@pytest.mark.slow
def test_links_of_very_many_corners_do_not_stop_the_page(opened: Opener) -> None:
    release = world()
    corners = ";".join(f"{n % 300 / 2},{n * n % 97 / 2}" for n in range(100_000))
    page = opened(release)
    settled(
        page,
        lambda: page.evaluate("(it) => { location.hash = it; }", f"#@outline=lon,lat:{corners}"),
    )
    assert shown(page) == text_of(release)


def test_high_contrast_shows_what_is_chosen(opened: Opener) -> None:
    page = opened(people(), fragment="#label=plain", forced_colors="active")
    colours = page.evaluate(
        """() => [...document.querySelectorAll(".category")].map((one) =>
          [one, one.querySelector(".bar")].map((it) => getComputedStyle(it).backgroundColor)
            .join())"""
    )
    assert len({*colours}) == 2


def test_it_can_be_printed(opened: Opener) -> None:
    page = opened(people())
    page.emulate_media(media="print")
    assert not page.locator("text=Copy link").is_visible()
    hidden = page.locator(".scroll").evaluate_all(
        "(all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length"
    )
    assert hidden == 0


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


def test_axes_and_categories_may_have_the_names_that_all_objects_have(opened: Opener) -> None:
    """A column called "constructor" is a column: nothing has been asked of it."""
    grid = cells(
        __proto__=hg.Integer(0, 9),
        toString=hg.Regular(4, 0, 8),
        constructor=hg.Category(["__proto__", "valueOf"], outside="other"),
    )
    release = release_of(grid, np.random.default_rng(1).poisson(9, grid.shape))
    page = opened(release)
    assert shown(page) == text_of(release)
    page = opened(release, fragment="#__proto__=2..5&constructor=valueOf")
    asked: dict[str, Any] = {"__proto__": (2, 5), "constructor": "valueOf"}
    assert shown(page) == text_of(release, **asked)
    settled(page, lambda: page.click(".category:has-text('__proto__')"))
    page.get_by_label("__proto__ from").fill("3")
    settled(page, lambda: page.keyboard.press("Enter"))
    asked |= {"__proto__": (3, 5), "constructor": ["__proto__", "valueOf"]}
    assert shown(page) == text_of(release, **asked)


def test_maps_of_more_than_two_axes_fade_what_noise_could_explain(opened: Opener) -> None:
    grid = cells(a=hg.Integer(0, 7), b=hg.Integer(0, 5), c=hg.Category(["x", "y"]))
    counts = np.random.default_rng(1).poisson(6, grid.shape)
    release = release_of(grid, counts)
    for fragment, asked in (("", {}), ("#c=x", {"c": "x"})):
        page = opened(release, fragment=fragment)
        assert "Faded" in page.inner_text(".legend")
        unsure = page.evaluate("[...hushgram.explorer.map.content.tiles.unsure]")
        found = [release.count({"a": a, "b": b, **asked}) for a in range(8) for b in range(6)]
        assert unsure == [int(one.interval[0] <= 0) for one in found]
        assert 0 < sum(unsure) < len(unsure)


def test_axes_that_are_narrow_and_far_from_zero_can_be_enlarged(opened: Opener) -> None:
    """There, the steps between labels are lost in rounding: they must not be counted forever."""
    grid = cells(x=hg.Regular(5, 1, 1 + 1e-12), y=hg.Regular(5, 1e300, 1.0000001e300))
    page = opened(release_of(grid))
    page.focus(".map-box canvas")
    for _ in range(40):
        page.keyboard.press("+")
    settled(page, lambda: page.keyboard.press("Enter"))
    assert shown(page) == "12 ± 7"


@pytest.mark.parametrize("fragment", ["#lon=-Infinity..Infinity", "#lon=1e400..&lat=..-1e400"])
def test_ends_that_are_no_numbers_are_left_out(opened: Opener, fragment: str) -> None:
    release = world()
    page = opened(release, fragment=fragment)
    assert shown(page) == text_of(release)
    assert "Infinity" not in page.inner_text("main")
