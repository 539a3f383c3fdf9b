"""Draw the pictures of the guide to the Studio, with Debian's Chromium, from a generated table.

python tools/make_studio_pictures.py [-o docs/guides/studio]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

CHROMIUM = "/usr/bin/chromium"
READY = "body[data-state=ready]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs/guides/studio")
    output = parser.parse_args().output.resolve()
    with tempfile.TemporaryDirectory() as place:
        os.environ["HUSHGRAM_LEDGER"] = str(Path(place) / "ledger.sqlite")
        folder = Path(place) / "city"
        folder.mkdir()
        os.chdir(folder)
        write_visits(Path("visits.parquet"))
        draw(output, folder)


def write_visits(path: Path) -> None:
    """Write a table of visits around two centres of an invented city."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    lon = np.concatenate([rng.normal(8, 2, 14_000), rng.normal(13, 1, 6_000)])
    lat = np.concatenate([rng.normal(52, 2, 14_000), rng.normal(47, 1.5, 6_000)])
    pq.write_table(pa.table({"lon": lon, "lat": lat}), path)


def draw(output: Path, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    from tests.web.studio_server import running

    with sync_playwright() as player, running(folder) as studio:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(studio.session.address)
        page.wait_for_selector(READY)
        walk(page, output)
        draw_kept_screens(browser, output, folder)
        browser.close()


def draw_kept_screens(browser: Any, output: Path, folder: Path) -> None:
    """Draw two of the screens that are compared in tests, in full size."""
    from tests.web.screens import show_studio, take

    for name, page in show_studio(browser, folder):
        called = name.removeprefix("studio-")
        if called in ("axes", "accounts"):
            take(page, "tablet-light").save(output / f"{called}.png", optimize=True)


def walk(page: Any, output: Path) -> None:
    """Go through the steps of a new user, up to the button that spends budget."""
    page.get_by_label("File, folder, or URL").fill("visits.parquet")
    page.wait_for_selector(READY)
    go_on(page, "Axes")
    for place, (low, high) in enumerate([("0", "20"), ("40", "60")]):
        page.select_option("#add-axis", str(place))
        page.get_by_label("Kind of values").nth(place).select_option("bins")
        page.get_by_label("Lowest").nth(place).fill(low)
        page.get_by_label("Highest").nth(place).fill(high)
        page.wait_for_selector(READY)
    go_on(page, "Accuracy")
    page.get_by_label("About how many rows").fill("20000")
    page.wait_for_selector(READY)
    page.click("#simulate")
    page.wait_for_selector("button:has-text('Use ε = 0.03')")
    page.wait_for_selector("#curve progress", state="detached")
    page.screenshot(path=output / "accuracy.png", full_page=True)
    go_on(page, "Budget")
    page.get_by_label("Account that pays").fill("visits")
    page.get_by_label("ε of this release").fill("1")
    page.wait_for_selector(".gauge")
    go_on(page, "Publish")
    page.click("#review")
    page.wait_for_selector("#confirm")
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=output / "review.png", full_page=True)


def go_on(page: Any, step: str) -> None:
    page.click("#next")
    page.wait_for_selector(f"button[aria-current=step]:has-text('{step}')")
    page.wait_for_selector(READY)


if __name__ == "__main__":
    main()
