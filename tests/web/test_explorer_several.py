"""Several releases on one page, and releases with sums and means, in a real browser."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.release import Release
from tests.samples import cells, release_of
from tests.web.pages import Opener, settled, shown, text_of, until, world


def fewer() -> Release:
    """Half of the places of `world`, and one region with more than before."""
    grid = cells(lon=hg.Regular(72, -180, 180), lat=hg.Regular(27, -60, 75))
    counts = np.asarray(world().to_array()).reshape(grid.shape) // 2
    counts[:10, :5] += 100
    return release_of(grid, counts)


@pytest.fixture(scope="module")
def paid() -> Release:
    rng = np.random.default_rng(4)
    rows = 4000
    table = pa.table({
        "day": pa.array((np.datetime64("2020-01-01") + rng.integers(0, 1460, rows)).astype(object)),
        "sex": rng.choice(["female", "male"], rows),
        "pay": rng.gamma(2, 900, rows),
        "weight": rng.uniform(0, 9, rows),
    })  # fmt: skip
    axes = {
        "day": hg.Date("2020-01-01", "2023-12-31", "1d"),
        "sex": hg.Category(["female", "male"]),
    }
    return hg.publish(
        table, axes, epsilon=2, account="paid", ledger=hg.Ledger.in_memory(), cap=2, mechanism="hb",
        measures=[hg.Mean("pay", 0, 8000), hg.Weighted("weight", 0, 10)],
    )  # fmt: skip


def test_releases_are_compared(opened: Opener) -> None:
    first, second = world(), fewer()
    page = opened(first, second, fragment="#lat=0..30")
    rows = page.locator("table.compare tbody tr")
    before, after = (one.count(lat=(0, 30)) for one in (first, second))
    difference = format_rows(after.value - before.value)
    width = format_rows(np.hypot(before.half_width, after.half_width))
    assert rows.count() == 2
    assert f"{difference} ± {width} fewer" in rows.nth(1).inner_text()
    settled(page, lambda: page.select_option("#shown", "1 change"))
    assert shown(page) == f"{difference} ± {width}"
    assert page.evaluate("hushgram.explorer.map.content.kind") == "change"
    bar = page.evaluate("hushgram.explorer.cards[1].chart.answers[0].value")
    lowest = {"lat": (-60, -55)}
    assert bar == pytest.approx(second.count(lowest).value - first.count(lowest).value)
    assert page.inner_text("#command").count("hushgram count r") == 2
    settled(page, page.locator(".small-map").nth(1).click)
    assert shown(page) == text_of(second, lat=(0, 30))
    assert page.locator(".small-map").nth(1).get_attribute("aria-pressed") == "true"
    assert page.evaluate("hushgram.explorer.answer.link").endswith("#lat=0..30&@release=1")


def test_small_maps_are_painted_and_follow(opened: Opener) -> None:
    page = opened(world(), fewer())
    colours = """() => [...document.querySelectorAll(".small-map canvas")].map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })"""
    before = page.evaluate(colours)
    assert min(before) > 10
    picture = "document.querySelector('.small-map canvas').toDataURL()"
    was = page.evaluate(picture)
    page.focus(".map-box canvas")
    page.keyboard.press("+")
    until(page, f"{picture} !== {was!r}")


@pytest.mark.slow
def test_means_and_sums_are_those_of_the_library(opened: Opener, paid: Release) -> None:
    page = opened(paid)
    settled(page, lambda: page.select_option("#measure", "mean 0"))
    settled(page, page.locator("button.category", has_text="female").click)
    answer = paid.mean("pay", sex="female")
    numbers = [float(text.replace(",", "")) for text in re.findall(r"[\d,.]+", shown(page))]
    assert numbers == pytest.approx([answer.value, *answer.interval], rel=5e-3)
    assert page.inner_text(".unit") == "mean of pay"
    assert page.locator(".chart .point").count() > 20
    assert 'release.mean("pay", sex="female")' in page.inner_text("#python")
    assert "hushgram mean r0.hush.parquet pay sex=female" in page.inner_text("#command")
    settled(page, lambda: page.select_option("#measure", "sum 1"))
    assert page.inner_text(".unit") == "rows weighted by weight"
    total = paid.sum("weight", sex="female")
    assert float(shown(page).split(" ± ")[0].replace(",", "")) == pytest.approx(
        total.value, rel=0.01
    )
    assert page.evaluate("hushgram.explorer.answer.link").endswith("#sex=female&@show=sum:weight")


def test_means_of_an_area_that_is_drawn(opened: Opener) -> None:
    rng = np.random.default_rng(6)
    table = pa.table({"x": rng.random(4000), "y": rng.random(4000), "pay": rng.gamma(2, 900, 4000)})
    release = hg.publish(
        table, {"x": hg.Regular(16, 0, 1), "y": hg.Regular(16, 0, 1)}, epsilon=2, account="drawn",
        ledger=hg.Ledger.in_memory(), cap=2, measures=[hg.Mean("pay", 0, 8000)],
    )  # fmt: skip
    page = opened(release, fragment="#@outline=x,y:0.1,0.1;0.9,0.2;0.5,0.95&@show=mean:pay")
    triangle = {
        "type": "Polygon",
        "coordinates": [[[0.1, 0.1], [0.9, 0.2], [0.5, 0.95], [0.1, 0.1]]],
    }
    mean = release.areas([triangle]).measure("mean pay")
    shown_mean = float(shown(page).split(" ")[0].replace(",", ""))
    assert shown_mean == pytest.approx(mean.values[0], rel=5e-3)
    bars = page.evaluate("hushgram.explorer.cards[0].chart.answers.filter(Boolean).length")
    assert bars > 5


def test_too_few_rows_have_no_mean(opened: Opener, paid: Release) -> None:
    page = opened(paid, fragment="#day=2020-01-01..2020-01-02&@show=mean:pay")
    assert shown(page) == "–"
    assert "Too few rows" in page.inner_text(".meaning")


def test_dates_are_shown_in_months_and_then_in_days(opened: Opener, paid: Release) -> None:
    page = opened(paid)
    chart = "hushgram.explorer.cards[0].chart"
    labels = f"{chart}.groups.map(({{ label }}) => label)"
    months = page.evaluate(labels)
    assert (len(months), months[0], months[-1]) == (48, "2020-01", "2023-12")
    box = page.locator(".chart-box").bounding_box()
    settled(page, lambda: page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60))
    (chosen,) = page.evaluate("hushgram.explorer.asker.asking.day ? ['yes'] : []")
    assert chosen
    settled(page, lambda: page.click("[aria-label='Zoom in on the selection of day']"))
    days = page.evaluate(labels)
    assert 28 <= len(days) <= 31
    assert re.fullmatch(r"202[12]-\d\d-01", days[0])
    count = page.evaluate(f"{chart}.answers[0].value")
    assert count == pytest.approx(paid.count(day=days[0]).value)
    settled(page, lambda: page.click("[aria-label='Show all of day']"))
    assert page.evaluate(labels) == months


def test_measures_are_compared_by_name_and_only_if_all_releases_have_them(opened: Opener) -> None:
    """They may be listed in another order, or be missing."""
    rng = np.random.default_rng(5)
    table = pa.table({"age": rng.integers(0, 100, 3000), "pay": rng.gamma(2, 900, 3000),
                      "weight": rng.uniform(0, 9, 3000)})  # fmt: skip
    pay, weight = hg.Mean("pay", 0, 8000), hg.Weighted("weight", 0, 10)
    first, second, third = (
        hg.publish(table, {"age": hg.Integer(0, 99)}, epsilon=1, account="paid", cap=1,
                   ledger=hg.Ledger.in_memory(), mechanism="identity", measures=measures)
        for measures in ([pay, weight], [weight, pay], [weight])
    )  # fmt: skip
    page = opened(first, second, fragment="#@show=mean:pay")
    settled(page, lambda: page.select_option("#shown", "1 itself"))
    assert shown(page).startswith(f"{second.mean('pay').value:,.2f} (")
    page = opened(first, third)
    shared = page.locator("#measure option").all_inner_texts()
    assert shared == ["rows", "rows weighted by weight"]
