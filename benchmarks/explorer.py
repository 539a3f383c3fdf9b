"""The Explorer in a browser: how large a page is, and how fast it paints and answers.

python benchmarks/explorer.py [--million] [--pictures FOLDER]

Needs Chromium and ``pip install playwright``. Times are those of this machine; an answer is one
step of dragging a box on the map, from the pointer's move to the new number on the page.
``--million`` adds a release of a million parts; ``--pictures`` keeps what the guide shows.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import hushgram as hg
from hushgram.data import places

SIDE = 256
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

DRAG = """async () => {
  const { explorer } = hushgram;
  const { x, y } = explorer.map.whole;
  const times = [];
  for (let n = 0; n < 100; n++) {
    const share = n / 150;
    const start = performance.now();
    const [right, low] = [x[1] - share * (x[1] - x[0]), y[0] + share * (y[1] - y[0])];
    explorer.chooseArea({ x: [x[0], right], y: [low, y[1]] }, false);
    times.push(performance.now() - start);
    await new Promise((next) => requestAnimationFrame(next));
  }
  times.sort((a, b) => a - b);
  return [times[50], times[95]];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--pictures", type=Path)
    words = parser.parse_args()
    bins = hg.Domain(lon=hg.Regular(SIDE, -180, 180), lat=hg.Regular(SIDE, -60, 75))
    line = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
    cases = [
        (name, bins) for name in ("identity", "bayes-tree", "hb", "quadtree", "privelet", "ahp")
    ]
    cases += [("quadtree", line)] * words.million
    print("mechanism    parts      release kB  page kB  first paint ms  answer ms (median, p95)")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        for name, domain in cases:
            release = publish(name, domain)
            page, html = open_page(browser, release, Path(folder) / "page.html")
            paint = page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            )
            median, tail = page.evaluate(DRAG)
            size = release.estimate.partition.size
            kilobytes = [len(data) // 1000 for data in (release.to_bytes(), html.encode())]
            print(f"{name:12} {size:9,} {kilobytes[0]:10,} {kilobytes[1]:9,} {paint:12.0f} "
                  f"{median:12.1f} {tail:8.1f}", flush=True)  # fmt: skip
            page.close()
        if words.pictures:
            keep_pictures(browser, Path(folder) / "page.html", words.pictures)
        browser.close()


def publish(mechanism: str, domain: hg.Domain) -> Any:
    ledger = hg.Ledger.in_memory(allow_large=True)
    return hg.publish(
        places(), domain, epsilon=1, mechanism=mechanism, account="places", ledger=ledger
    )


def open_page(browser: Any, release: Any, path: Path, **options: Any) -> tuple[Any, str]:
    html = release.explore(
        path, title="Places of the world", file="places.hush.parquet", overwrite=True
    ).html
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
    page.goto(f"{path.as_uri()}#lon=-10..15&lat=36..60")
    page.wait_for_selector("body[data-state=ready]", timeout=300_000)
    return page, html


def keep_pictures(browser: Any, path: Path, folder: Path) -> None:
    """A wide page in light colours, and a phone in dark ones."""
    domain = hg.Domain(lon=hg.Regular(360, -180, 180), lat=hg.Regular(135, -60, 75))
    release = publish("bayes-tree", domain)
    page, _ = open_page(browser, release, path, viewport={"width": 1080, "height": 980})
    page.screenshot(path=folder / "explorer.png")
    phone = {"width": 390, "height": 844}
    page, _ = open_page(browser, release, path, viewport=phone, color_scheme="dark")
    time.sleep(0.2)
    page.screenshot(path=folder / "explorer-phone.png")
    for name in ("explorer.png", "explorer-phone.png"):  # few colours, so that the files are small
        Image.open(folder / name).quantize(256).save(folder / name, optimize=True)


if __name__ == "__main__":
    main()
