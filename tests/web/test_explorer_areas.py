"""Areas in a real browser: outlines that are drawn, given districts, an axis of areas; and what
can be copied from the page gives the same numbers elsewhere."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.release import Release
from hushgram.web.explorer import GivenAreas
from tests.program import run_program
from tests.samples import cells, release_of
from tests.web.pages import Opener, settled, shown, text_of, until, world

OUTLINE = "#@outline=lon,lat:-10,36;30,40.5;15,60"
CORNERS = [(-10, 36), (30, 40.5), (15, 60), (-10, 36)]
WEST = [(-180, -60), (0, -60), (0, 75), (-180, 75), (-180, -60)]
EAST = [(0, -60), (90, -60), (90, 75), (0, 75), (0, -60)]
DISTRICTS = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {"name": name},
         "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for name, ring in (("West & <b>", WEST), ("East", EAST))
    ],
}  # fmt: skip


def polygon(corners: list[tuple[float, float]]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [corners]}


def districts() -> Release:
    """Two regions of two districts each, and what lies outside of all."""
    squares = {
        name: [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
        for name, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 0, 1), ("d", 1, 1))
    }
    features = [
        {"properties": {"name": name, "region": "south" if name in "ab" else "north"},
         "geometry": polygon([*ring, ring[0]])}
        for name, ring in squares.items()
    ]  # fmt: skip
    axis = hg.Areas({"type": "FeatureCollection", "features": features}, columns=("x", "y"),
                    within=["region"], resolution=64, outside="other")  # fmt: skip
    grid = cells(district=axis, year=hg.Integer(2020, 2023))
    return release_of(grid, 100 + 10 * np.arange(grid.size))


def centre(page: Any) -> tuple[float, float, float]:
    """The middle of the map on the screen, and a tenth of its width."""
    page.locator(".map-box canvas").first.scroll_into_view_if_needed()
    box = page.locator(".map-box canvas").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] / 10


def test_an_outline_is_drawn_by_corners_and_counted(opened: Opener) -> None:
    release = world()
    page = opened(release)
    x, y, step = centre(page)
    page.click("text=Draw an area")
    for dx, dy in ((0, 0), (1, -0.2), (0.6, -1)):
        page.mouse.click(x + dx * step, y + dy * step)
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-state=ready]")
    link = page.evaluate("hushgram.explorer.answer.link")
    axes, corners = re.search(r"#@outline=(.*):(.*)$", link).groups()  # type: ignore[union-attr]
    points = [tuple(map(float, corner.split(","))) for corner in corners.split(";")]
    assert (axes, len(points)) == ("lon,lat", 3)
    answer = release.areas([polygon([*points, points[0]])])["1"]
    assert shown(page) == f"{format_rows(answer.value)} ± {format_rows(answer.half_width)}"
    page.keyboard.press("Escape")
    assert shown(page) == text_of(release)


@pytest.mark.slow
def test_an_outline_is_drawn_in_one_go(opened: Opener) -> None:
    release = world()
    page = opened(release)
    page.click("text=Draw an area")
    x, y, step = centre(page)
    turns = np.linspace(0, 2 * np.pi, 60)[:-1]
    for n, turn in enumerate(turns):
        page.mouse.move(x + step * np.cos(turn), y + step * np.sin(turn))
        if not n:
            page.mouse.down()
        if n == 40:  # at once, while the button is held
            assert shown(page) != text_of(release)
    page.mouse.up()
    outline = page.evaluate("hushgram.explorer.asker.outline.rings[0]")
    corners = list(zip(outline["xs"], outline["ys"], strict=True))
    assert 8 < len(corners) < 59
    answer = release.areas([polygon([*corners, corners[0]])])["1"]
    assert shown(page) == f"{format_rows(answer.value)} ± {format_rows(answer.half_width)}"


def test_an_outline_that_crosses_itself_is_refused(opened: Opener) -> None:
    release = world()
    page = opened(release)
    x, y, step = centre(page)
    page.click("text=Draw an area")
    for dx, dy in ((0, 0), (1, 1), (1, 0), (0, 1)):
        page.mouse.click(x + dx * step, y + dy * step)
    page.mouse.dblclick(x, y)
    assert "crosses itself" in page.inner_text("main")
    assert shown(page) == text_of(release)


CLEAR = {
    "0,0; 20,0; 10,20": True,
    "0,0; 0,0; 20,0; 10,20": True,  # a corner twice, as a slow hand draws it
    "0,0; 20,0; 20,20; 30,25; 20,20; 0,20": True,  # a spike, which has no area
    "0,0; 10,10; 20,0; 20,20; 10,10; 0,20": True,  # two parts that touch at a corner
    "0,0; 20,20; 20,0; 0,20": False,
    "0,0; 10,10; 20,20; 20,0; 10,10; 0,20": False,  # they cross at a corner
    "0,0; 20,0; 20,20; 0,20; 0,0; 20,0; 20,20; 0,20": False,  # around twice
    "50,0; 5,10; 25,25; 50,0; 60,55; 5,60": False,  # one part lies in the other
    "30,60; 60,50; 50,20; 30,50; 30,60; 50,30; 50,20": False,  # edges that overlap
    "0,0; 20,0; 40,0": False,
}
"""Outlines, and whether it is clear what they enclose."""


def test_outlines_that_touch_themselves_enclose_what_is_clear(opened: Opener) -> None:
    page = opened(world())
    understood = page.evaluate(
        """(listed) => listed.map((text) => {
          const { explorer } = hushgram;
          return explorer.typeOutline(explorer.ordered, text);
        })""",
        [*CLEAR],
    )
    assert dict(zip(CLEAR, understood, strict=True)) == CLEAR


def test_corners_can_be_typed(opened: Opener) -> None:
    release = world()
    page = opened(release)
    page.click("summary")
    field = page.locator("[aria-label='Corners of an area']")
    field.fill("north pole")
    field.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    assert shown(page) == text_of(release)
    field.fill("-10, 36; 30, 40.5; 15, 60;")
    field.press("Enter")
    answer = release.areas([polygon(CORNERS)])["1"]
    assert shown(page) == f"{format_rows(answer.value)} ± {format_rows(answer.half_width)}"
    assert field.get_attribute("aria-invalid") == "false"


def test_charts_show_what_lies_in_the_outline(opened: Opener) -> None:
    release = world()
    page = opened(release, fragment=OUTLINE)
    rows = page.evaluate("hushgram.explorer.cards[0].chart.answers.map(({ value }) => value)")
    assert sum(rows) == pytest.approx(release.areas([polygon(CORNERS)])["1"].value)
    assert rows[0] == 0
    page.fill("[aria-label='lon from']", "0")  # a range of the same axis replaces it
    settled(page, lambda: page.press("[aria-label='lon from']", "Enter"))
    assert shown(page) == text_of(release, lon=(0, None))


def test_given_areas_are_shown_and_chosen(opened: Opener) -> None:
    release = world()
    page = opened(release, areas=GivenAreas(DISTRICTS))
    assert page.evaluate("hushgram.explorer.map.content.kind") == "shapes"
    found = release.areas(DISTRICTS)
    rows = page.locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["West & <b>", "East"]
    assert rows[1].split("\t")[1] == format_rows(found["East"].value)
    x, y, step = centre(page)
    settled(page, lambda: page.mouse.click(x + step, y))
    east = found["East"]
    text = f"{format_rows(east.value)} ± {format_rows(east.half_width)}"
    assert shown(page) == text
    assert page.evaluate("hushgram.explorer.answer.link").endswith("#@area=East")
    page.mouse.move(x + step + 5, y)
    assert page.inner_text(".map-box ~ .status") == f"East: {text}"
    page.select_option("#area", index=1)
    assert page.inner_text(".question") == "West & <b>"
    page.select_option("label:has-text('Colours') select", "cells")
    until(page, "hushgram.explorer.map.content.kind === 'tiles'")


def test_an_axis_of_areas_has_a_map_and_levels(opened: Opener) -> None:
    release = districts()
    page = opened(release)
    x, y, step = centre(page)
    settled(page, lambda: page.mouse.click(x - step, y + step))  # south west
    assert shown(page) == text_of(release, district="a")
    settled(page, lambda: page.mouse.click(x + step, y - step))
    assert shown(page) == text_of(release, district=["a", "d"])
    page.mouse.move(x - 1.5 * step, y - 1.5 * step)
    page.mouse.down()
    page.mouse.move(x + 1.5 * step, y - 0.2 * step, steps=4)  # around two areas
    settled(page, page.mouse.up)
    assert len(page.evaluate("hushgram.explorer.asker.asking.district.values")) == 2
    page.click("text=Choose what is visible")
    assert len(page.evaluate("hushgram.explorer.asker.asking.district.values")) == 4
    page.select_option("label:has-text('List') select", "region")
    page.wait_for_selector("button.category:has-text('north')")
    settled(page, lambda: page.click("text=Clear all"))
    north = page.locator("button.category", has_text="north")
    assert north.locator(".number").inner_text() == text_of(release, district="north")
    settled(page, north.click)
    assert shown(page) == text_of(release, district="north")
    settled(page, lambda: page.click("[aria-label='Clear district']"))
    assert shown(page) == text_of(release)


QUESTIONS = [
    "#lon=-10..15&lat=35..60",
    "#lon=..0&=0.9",
    OUTLINE,
    "#@area=East&=0.99",
    "#@outline=lon,lat:-171.316,-50.774;116.788,-50.774;-171.316,-6.632",
]


@pytest.mark.parametrize("fragment", QUESTIONS)
def test_what_is_copied_runs_and_gives_the_same(
    opened: Opener,
    fragment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    release = world()
    monkeypatch.chdir(tmp_path)
    Path("districts.geojson").write_text(json.dumps(DISTRICTS))
    page = opened(release, fragment=fragment, areas=GivenAreas("districts.geojson"))
    release.save("r0.hush.parquet")
    value, width = shown(page).split(" ± ")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(page.evaluate("hushgram.explorer.answer.python"), {})
    assert f"{value} ± {width}" in printed.getvalue()
    answers = [
        shell(line, capsys)
        for line in page.evaluate("hushgram.explorer.answer.command").split("\n")
    ]
    found = answers[-1]
    if "areas" in found:
        (row,) = (one for one in found["areas"] if one["name"] in ("1", "East"))
        found = {"value": row["count"], "interval": [row["lower"], row["upper"]]}
    assert format_rows(found["value"]) == value
    assert format_rows(found["interval"][1] - found["value"]) == width


def shell(line: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """What one line of a shell prints as JSON, or writes."""
    words = shlex.split(line)
    if words[0] == "printf":
        assert words[1:2] + words[3:] == ["%s", ">", "area.geojson"]
        Path("area.geojson").write_text(words[2])
        return None
    assert words[0] == "hushgram"
    code, out, _ = run_program(capsys, words[0], words[1], "--json", *words[2:])
    assert code == 0
    return json.loads(out)


def test_areas_are_drawn_where_the_library_counts_them(opened: Opener) -> None:
    """On whole numbers and days there are none, and the example of corners lies on the axes."""
    grid = cells(year=hg.Integer(2020, 2023), x=hg.Regular(4, 100, 101), y=hg.Regular(5, -7, -6))
    page = opened(release_of(grid))
    assert page.inner_text("[aria-label^='Map of'] h2") == "Map of x and y"
    help_text = page.inner_text(".corners summary")
    example = help_text.removeprefix("Or type the corners of an area, such as ")
    typed = page.evaluate(
        "(text) => hushgram.explorer.typeOutline(hushgram.explorer.maps[0].axes, text)", example
    )
    assert typed
    across = page.get_by_role("region", name="Map of").get_by_label("Across")
    settled(page, lambda: across.select_option("year"))
    assert page.locator("[data-mode=outline]").is_hidden()
    assert page.locator(".corners").is_hidden()
