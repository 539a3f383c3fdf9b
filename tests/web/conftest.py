"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hushgram.release import Release
from hushgram.web.explorer import GivenAreas, explore
from tests.web.pages import READY, Opener, Watch

OPTIONS = (
    "--no-sandbox",  # continuous integration runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = chromium()
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=[*OPTIONS])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Opens releases as a page on disk, and afterwards looks at what the page has done."""
    watches = []

    def open_page(
        *releases: Release, fragment: str = "", areas: GivenAreas | None = None, **options: Any
    ) -> Any:
        path = tmp_path / "page.html"
        named = [(f"r{n}.hush.parquet", one) for n, one in enumerate(releases)]
        explore(named, path, areas=areas, overwrite=True)
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        page = context.new_page()
        watches.append((Watch(page), context))
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_selector(READY)
        return page

    yield open_page
    for watch, context in watches:
        context.close()
        watch.check()
