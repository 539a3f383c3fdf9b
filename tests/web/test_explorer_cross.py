"""Two axes at once, in a real browser: a colour and a number for each pair of groups."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.release import Release
from tests.samples import cells, release_of
from tests.web.pages import Opener, people, settled, shown, text_of, world


def cell(page: Any, row: str, column: str) -> Any:
    return page.locator(f'table.cross button[aria-label^="{row}, {column}: "]')


def number(release: Release, **asked: Any) -> str:
    return str(format_rows(release.count(asked).value))


def test_each_pair_has_the_number_of_the_library(opened: Opener) -> None:
    release = people()
    page = opened(release)
    page.select_option("#cross-across", "day")
    page.wait_for_selector("body[data-state=ready]")
    january = {"label": "plain", "day": ("2024-01-01", "2024-02-01")}
    assert cell(page, "plain", "2024-01").inner_text() == number(release, **january)
    page.get_by_label("age from").fill("50")
    settled(page, lambda: page.keyboard.press("Enter"))
    filtered = {**january, "age": (50, None)}
    assert cell(page, "plain", "2024-01").inner_text() == number(release, **filtered)
    assert text_of(release, **filtered) in cell(page, "plain", "2024-01").get_attribute(
        "aria-label"
    )
    settled(page, cell(page, "plain", "2024-01").click)
    assert shown(page) == text_of(release, **filtered)
    assert page.locator("table.cross [aria-pressed=true]").count() == 1
    assert cell(page, "plain", "2024-01").evaluate("(one) => one === document.activeElement")


def test_pairs_are_copied_as_csv_and_hostile_labels_are_text(opened: Opener) -> None:
    release = people()
    page = opened(release, permissions=["clipboard-read", "clipboard-write"])
    page.select_option("#cross-across", "day")
    page.wait_for_selector("body[data-state=ready]")
    table = page.evaluate("hushgram.explorer.cross.toCsv()")
    head, *rows = csv.reader(io.StringIO(table))
    assert head == ["label", "day", "value", "lower", "upper"]
    assert len(rows) == 7 * 12
    assert {label for label, *_ in rows} >= {"<script>boom()</script>", "'=1+1", "a,b", "other"}
    total = sum(float(value) for _, _, value, *_ in rows)
    assert round(total, 6) == round(release.count().value, 6)
    assert "\u202e" not in page.inner_text("table.cross")


def test_one_axis_with_itself_is_no_pair(opened: Opener) -> None:
    page = opened(people())
    settled(page, lambda: page.select_option("#cross-across", "label"))
    assert "two different axes" in page.inner_text("section:has(> div > table.cross)")
    assert page.locator("table.cross button").count() == 0


@pytest.mark.slow
def test_letters_are_read_on_every_colour(opened: Opener) -> None:
    """Contrast of at least 4.5, in light and dark colours, of counts and of changes."""
    grid = cells(a=hg.Integer(0, 15), b=hg.Category(list("abcdefgh")))
    before = release_of(grid, np.arange(grid.size) ** 2)
    after = release_of(grid, np.arange(grid.size)[::-1] ** 2)
    for scheme in ("light", "dark"):
        for fragment in ("", "#@change=1"):
            page = opened(before, after, fragment=fragment, color_scheme=scheme)
            assert page.locator("table.cross button").count() == grid.size
            assert page.evaluate(CONTRAST) >= 4.5


CONTRAST = """() => {
  const light = (css) => css.match(/\\d+/g).slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, n) => sum + one * [0.2126, 0.7152, 0.0722][n], 0);
  return Math.min(...[...document.querySelectorAll("table.cross button")].map((one) => {
    const { color, backgroundColor } = getComputedStyle(one);
    const [low, high] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""


def test_a_map_of_both_axes_needs_no_table(opened: Opener) -> None:
    assert opened(world()).locator("table.cross").count() == 0
