"""Screenshots of the pages: small, at three widths, in light and dark colours.

After a wanted change make them anew, and look at them:

    python -m tests.web.screens [--full FOLDER] [NAME …]

``--full`` writes the whole screenshots into a folder, to look at, and renews nothing.
"""

from __future__ import annotations

import argparse
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

import hushgram as hg
from hushgram.spending.publish import publish
from hushgram.web.explorer import explore
from tests.samples import cells, release_of
from tests.web.pages import READY, people, world
from tests.web.studio_server import Running, running, write_visits
from tests.web.test_explorer_areas import OUTLINE, districts

FOLDER = Path(__file__).parents[1] / "golden" / "screens"
WIDTHS = {"phone": 390, "tablet": 820, "desktop": 1440}
SCHEMES = ("light", "dark")
LOOKS = [f"{width}-{scheme}" for width in WIDTHS for scheme in SCHEMES]

SCALE = 5
"""How many dots of a page become one that is kept."""
COLOURS = 96
LONGEST = 3200
"""Dots of a page's height, from its top."""

BLUR = 1.0
LARGE = 16
"""Differences of a colour, of 255, that are seen after the blur."""

Pixels = npt.NDArray[np.uint8]
SECONDS = 120_000
"""Milliseconds that anything may take."""


# Pages -------------------------------------------------------------------------------------------


def open_explorer(browser: Any, folder: Path, *releases: hg.Release, **options: Any) -> Any:
    fragment = options.pop("fragment", "")
    path = folder / "page.html"
    named = [(f"{2023 + n}.hush.parquet", one) for n, one in enumerate(releases)]
    explore(named, path, title="Places of the world", overwrite=True, **options)
    page = browser.new_page()
    page.goto(f"{path.as_uri()}{fragment}")
    page.wait_for_selector(READY)
    return page


def show_map(browser: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    yield "map", open_explorer(browser, folder, world(), fragment=OUTLINE)


def show_groups(browser: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    yield "groups", open_explorer(browser, folder, people(), fragment="#age=20..60")


def show_areas(browser: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    yield "areas", open_explorer(browser, folder, districts(), fragment="#year=2021..2023")


def show_change(browser: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    grid = cells(lon=hg.Regular(72, -180, 180), lat=hg.Regular(27, -60, 75))
    after = np.asarray(world().to_array()).reshape(grid.shape) // 2
    after[:10, :5] += 100
    pair = (world(), release_of(grid, after))
    yield "change", open_explorer(browser, folder, *pair, fragment="#@change=1&lat=0..30")


def show_studio(browser: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    """The steps of a release, a plan of two, and the accounts."""
    write_visits(folder)
    os.environ["HUSHGRAM_LEDGER"] = str(folder / "ledger.db")
    hg.Ledger.open().open_account("patients", "2")
    publish(
        folder / "visits.parquet", {"age": hg.Integer(0, 99)}, epsilon="0.5", account="visits",
        mechanism="identity",
    )  # fmt: skip
    with chdir(folder), running(folder) as studio:
        yield from walk_through(browser, studio)


def walk_through(browser: Any, studio: Running) -> Iterator[tuple[str, Any]]:
    page = browser.new_page()
    page.set_default_timeout(SECONDS)
    page.goto(studio.session.address)
    page.wait_for_selector(READY)
    page.get_by_label("File, folder, or URL").fill("visits.parquet")
    page.click("#open")
    page.wait_for_selector("#columns")
    yield "studio-table", page
    go_on(page, "Axes")
    page.select_option("#add-axis", "0")
    page.get_by_label("Lowest").fill("99")
    page.get_by_label("Highest").fill("0")
    page.select_option("#add-axis", "2")
    page.get_by_label("Categories, one on each line").fill("F\nM")
    page.wait_for_selector(READY)
    page.click("#next")
    page.wait_for_selector(".problem >> visible=true")
    yield "studio-axes", page
    page.get_by_label("Lowest").fill("0")
    page.get_by_label("Highest").fill("99")
    page.wait_for_selector(READY)
    go_on(page, "Accuracy")
    page.get_by_label("Mechanism").fill("identity")
    go_on(page, "Budget")
    page.get_by_label("Account that pays").fill("visits")
    page.get_by_label("ε of this release").fill("0.25")
    page.wait_for_selector(READY)
    page.wait_for_selector(".gauge")
    yield "studio-budget", page
    go_on(page, "Publish")
    page.click("#review")
    page.wait_for_selector("#confirm")
    page.wait_for_selector(READY)
    yield "studio-review", page
    page.click(".view:has-text('Accounts')")
    page.get_by_role("button", name="History: visits").click()
    page.wait_for_selector(".history")
    yield "studio-accounts", page


def go_on(page: Any, to: str) -> None:
    page.click("#next")
    page.wait_for_selector(f"button[aria-current=step]:has-text('{to}')")
    page.wait_for_selector(READY)


PAGES: dict[str, Callable[[Any, Path], Iterator[tuple[str, Any]]]] = {
    "map": show_map,
    "groups": show_groups,
    "areas": show_areas,
    "change": show_change,
    "studio": show_studio,
}
"""What opens one page after another, each with its name."""

STEADY = """() => {
  for (const one of document.querySelectorAll("p, td, dd")) {
    if (one.querySelector("button, input, a, ul")) continue;
    const text = one.textContent;
    if (/^Ledger: /.test(text)) one.textContent = "Ledger: ledger.db";
    if (/^[0-9a-f]{32}$/.test(text)) one.textContent = "0".repeat(32);
    if (/^\\d{4}-\\d\\d-\\d\\d \\d\\d:/.test(text)) one.textContent = "2026-01-01 12:00:00";
  }
  document.activeElement?.blur();
}"""
"""Texts that no two runs have alike."""


# Pictures ----------------------------------------------------------------------------------------


def take(page: Any, look: str) -> Image.Image:
    """A screenshot of a page as it looks so."""
    width, scheme = look.split("-")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": WIDTHS[width], "height": 900})
    page.wait_for_timeout(150)
    page.wait_for_selector(READY)
    page.evaluate(STEADY)
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True, animations="disabled")))
    return whole.convert("RGB").crop((0, 0, whole.width, min(whole.height, LONGEST)))


def shrink(picture: Image.Image) -> Image.Image:
    small = (picture.width // SCALE, picture.height // SCALE)
    return picture.resize(small, Image.Resampling.BOX)


def difference(one: Image.Image, other: Image.Image) -> float:
    """The share of dots that differ visibly, after a blur that takes letters' shapes away; a
    missing part differs everywhere."""
    if one.width != other.width:
        return 1.0
    height = max(one.height, other.height)
    a, b = (blurred(each, height) for each in (one, other))
    return float(np.mean(np.abs(a - b).max(axis=2) > LARGE))


def blurred(picture: Image.Image, height: int) -> npt.NDArray[np.int64]:
    soft = picture.convert("RGB").filter(ImageFilter.GaussianBlur(BLUR))
    found = np.full((height, soft.width, 3), -255)
    found[: soft.height] = np.asarray(soft)
    return found


def kept(name: str, look: str) -> Image.Image:
    return Image.open(FOLDER / f"{name}-{look}.png")


def keep(picture: Image.Image, name: str, look: str) -> None:
    few = shrink(picture).quantize(
        COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    few.save(FOLDER / f"{name}-{look}.png", optimize=True)


def main() -> None:
    from playwright.sync_api import sync_playwright

    from tests.web.conftest import OPTIONS, chromium

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(PAGES)}")
    parser.add_argument("--full", type=lambda text: Path(text).absolute())
    asked = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium(), args=[*OPTIONS])
        for name in asked.names or PAGES:
            with tempfile.TemporaryDirectory() as folder:
                for screen, page in PAGES[name](browser, Path(folder)):
                    for look in LOOKS:
                        picture = take(page, look)
                        if asked.full:
                            picture.save(asked.full / f"{screen}-{look}.png")
                        else:
                            keep(picture, screen, look)
        browser.close()


if __name__ == "__main__":
    main()
