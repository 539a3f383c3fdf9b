"""The Explorer in a browser: how large a page is, and how fast it paints and answers.

python benchmarks/explorer.py [--million] [--pictures FOLDER]

Needs Chromium and ``pip install playwright``. Times are those of this machine; an answer is one
step of dragging a box, or of drawing around an area, from the pointer's move to the new number on
the page.
``--million`` adds a release of a million parts; ``--pictures`` keeps what the guide shows.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from PIL import Image
from playwright.sync_api import sync_playwright
from report import save

import hushgram as hg
from hushgram.data import places
from hushgram.web.explorer import GivenAreas, explore
from hushgram.web.explorer.bundle import bundle
from hushgram.web.explorer.page import describe_page

SIDE = 256
BOX = "lon=-10..15&lat=36..60"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

DRAG = """async (asks) => {
  const { explorer } = hushgram;
  const { x, y } = explorer.map.port.whole;
  const times = [];
  for (let n = 0; n < 100; n++) {
    const share = n / 150;
    const [right, low] = [x[1] - share * (x[1] - x[0]), y[0] + share * (y[1] - y[0])];
    const start = performance.now();
    if (asks === "box") explorer.map.choose({ x: [x[0], right], y: [low, y[1]] }, false);
    else {
      const turns = Array.from({ length: 40 }, (_, k) => (k * Math.PI) / 20);
      const at = ([from, to], reach) => (from + to) / 2 + (reach * (1 - share) * (to - from)) / 2;
      explorer.map.chooseRing({ xs: turns.map((turn) => at(x, Math.cos(turn))),
        ys: turns.map((turn) => at(y, Math.sin(turn))), sign: 1 }, false);
    }
    times.push(performance.now() - start);
    await new Promise((next) => requestAnimationFrame(next));
  }
  times.sort((a, b) => a - b);
  return [times[50], times[95]];
}"""


COUNT = """async ([contents, numbers]) => {
  const read = await release_js.Contents.read(JSON.parse(contents), numbers);
  const [[release], level] = [read.releases, read.confidence(0.95)];
  const ask = (share) => release.count({ lon: { from: -180, to: 180 - 360 * share },
    lat: { from: -60 + 135 * share, to: 75 } }, level);
  ask(0.5);
  const run = (many) => {
    const times = [];
    for (let n = 0; n < many; n++) {
      const start = performance.now();
      ask(n / (1.5 * many));
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    return [times[many >> 1], times[Math.floor(0.95 * many)]];
  };
  const near = run(60);
  release.counts.noise.ofRegion = undefined;
  return [near, run(20)];
}"""


def compare_index(browser: Any, cases: list[tuple[str, hg.Domain]]) -> None:
    """Counts of boxes, in milliseconds: by looking at what the border cuts, and at all parts."""
    rows = []
    for name, domain in cases:
        release = publish(name, domain)
        page = browser.new_page()
        script = bundle("release.js") + "\nwindow.release_js = release_js;"
        page.add_script_tag(content=script)
        near, everything = page.evaluate(COUNT, [*describe_page([(name, release)], name)])
        page.close()
        rows.append({
            "mechanism": name, "parts": release.estimate.partition.size,
            "border ms": round(near[0], 1), "border p95 ms": round(near[1], 1),
            "all parts ms": round(everything[0], 1), "all parts p95 ms": round(everything[1], 1),
        })  # fmt: skip
    save("explorer-index", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--only", nargs="*", help="some mechanisms")
    parser.add_argument("--index", action="store_true", help="what the trees of parts save")
    parser.add_argument("--pictures", type=Path)
    words = parser.parse_args()
    bins = hg.Domain(lon=hg.Regular(SIDE, -180, 180), lat=hg.Regular(SIDE, -60, 75))
    line = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
    cases = [
        (name, bins) for name in ("identity", "bayes-tree", "hb", "quadtree", "privelet", "ahp")
    ]
    cases += [("quadtree", line)] * words.million
    cases = [case for case in cases if not words.only or case[0] in words.only]
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        if words.pictures:
            keep_pictures(browser, Path(folder), words.pictures)
            return
        if words.index:
            compare_index(browser, [("bayes-tree", bins), ("quadtree", bins), ("quadtree", line)])
            return
        for name, domain in cases:
            release = publish(name, domain)
            page, html = open_page(browser, [release], Path(folder) / "page.html", BOX)
            paint = page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            )
            box, ring = (page.evaluate(DRAG, asks) for asks in ("box", "outline"))
            rows.append({
                "mechanism": name,
                "parts": release.estimate.partition.size,
                "release kB": len(release.to_bytes()) // 1000,
                "page kB": len(html.encode()) // 1000,
                "first paint ms": round(paint),
                "box ms": round(box[0], 1), "box p95 ms": round(box[1], 1),
                "outline ms": round(ring[0], 1), "outline p95 ms": round(ring[1], 1),
            })  # fmt: skip
            page.close()
        browser.close()
    save("explorer", rows, by=("mechanism", "parts"))


def publish(mechanism: str, domain: hg.Domain, where: str | None = None) -> Any:
    ledger = hg.Ledger.in_memory(allow_large=True)
    table = hg.Where(places(), where) if where else places()
    return hg.publish(
        table, domain, epsilon=1, mechanism=mechanism, account="places", ledger=ledger
    )


def open_page(
    browser: Any, releases: list[Any], path: Path, fragment: str, areas: Any = None, **options: Any
) -> tuple[Any, str]:
    names = ("2022", "2023", "2024") if len(releases) > 1 else ("places",)
    named = [(f"{name}.hush.parquet", one) for name, one in zip(names, releases, strict=True)]
    html = explore(named, path, title="Places of the world", areas=areas, overwrite=True).html
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
    page.goto(f"{path.as_uri()}#{fragment}")
    page.wait_for_selector("body[data-state=ready]", timeout=300_000)
    return page, html


def keep_pictures(browser: Any, work: Path, folder: Path) -> None:
    """A wide page in light colours, an area that is drawn, districts, three years, and a phone in
    dark colours."""
    domain = hg.Domain(lon=hg.Regular(360, -180, 180), lat=hg.Regular(135, -60, 75))
    europe = hg.Domain(lon=hg.Interval(-10, 30), lat=hg.Interval(36, 60))
    years = [publish("bayes-tree", domain, f"population >= {least}") for least in (0, 20000, 5000)]
    near = publish("bayes-tree", europe)
    high = {"width": 1080, "height": 980}
    phone = {"width": 390, "height": 844}
    path = work / "page.html"
    given = GivenAreas(districts())
    drawn = "@outline=lon,lat:-9,36;-1,37;4,42;8,44;8,49;2,51;-5,48.5;-9.5,43.5"
    pictures = {
        "explorer": ([years[0]], BOX, None, {"viewport": high}),
        "explorer-outline": ([near], drawn, None, {"viewport": high, "color_scheme": "dark"}),
        "explorer-districts": ([near], "@area=district%2020", given, {"viewport": high}),
        "explorer-years": (years, "@change=1&lon=-10..40&lat=35..60", None, {"viewport": high}),
        "explorer-phone": ([years[0]], BOX, None, {"viewport": phone, "color_scheme": "dark"}),
    }
    for name, (releases, fragment, areas, options) in pictures.items():
        page, _ = open_page(browser, releases, path, fragment, areas, **options)
        time.sleep(0.3)
        file = folder / f"{name}.png"
        page.screenshot(path=file)
        page.close()
        shrink(file)
    page, _ = open_page(browser, [publish("identity", towns())], path, "", None, viewport=high)
    file = folder / "explorer-pairs.png"
    page.locator("section:has(table.cross)").screenshot(path=file)
    shrink(file)


def shrink(file: Path) -> None:
    """Few colours: small files."""
    Image.open(file).quantize(256).save(file, optimize=True)


def towns() -> hg.Domain:
    """Sizes of places in some countries."""
    countries = hg.Category(["US", "DE", "FR", "IN", "BR", "JP", "NG", "ZA"], outside="other")
    sizes = hg.Variable([5000, 10_000, 50_000, 100_000, 1_000_000, 40_000_000])
    return hg.Domain(country=countries, population=sizes)


def districts() -> Any:
    """Generated districts of Europe."""
    middles = np.random.default_rng(3).uniform((-10, 36), (30, 60), (60, 2))
    box = shapely.box(-10, 36, 30, 60)
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(middles), extend_to=box))
    return {f"district {n + 1}": cell.intersection(box) for n, cell in enumerate(cells)}


if __name__ == "__main__":
    main()
