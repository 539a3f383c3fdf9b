"""Pages in a browser, and releases to show on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.answers.answer import format_rows
from hushgram.release import Release
from tests.samples import cells, release_of

HOSTILE = ["<script>boom()</script>", "\u202eevil", "a,b", "=1+1", "x" * 1000, "plain"]
READY = "body[data-state=ready]"
Opener = Callable[..., Any]


def world() -> Release:
    """Places on two axes, most of them around one point."""
    lon, lat = np.meshgrid(np.arange(-177.5, 180, 5), np.arange(-57.5, 75, 5), indexing="ij")
    counts = 900 * np.exp(-((lon - 10) ** 2 + (lat - 45) ** 2) / 800)
    grid = cells(lon=hg.Regular(72, -180, 180), lat=hg.Regular(27, -60, 75))
    return release_of(grid, np.rint(counts))


def people() -> Release:
    grid = cells(
        age=hg.Integer(0, 99),
        label=hg.Category(HOSTILE, outside="other"),
        day=hg.Date("2024-01-01", "2024-12-31", "1mo"),
    )
    return release_of(grid, np.random.default_rng(1).poisson(4, grid.shape))


class Watch:
    """What a page must not do: ask the network, or complain."""

    def __init__(self, page: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text))

    def check(self) -> None:
        local = ("file:", "blob:", "data:")
        assert [url for url in self.requests if not url.startswith(local)] == []
        assert self.complaints == []


def shown(page: Any) -> str:
    return str(page.inner_text(".count"))


def text_of(release: Release, **question: Any) -> str:
    answer = release.count(question)
    return f"{format_rows(answer.value)} ± {format_rows(answer.half_width)}"


def until(page: Any, expression: str, seconds: float = 30) -> None:
    """Wait for a condition on the page, asked from outside: the page's own policy forbids scripts
    that are made from text, as `wait_for_function` makes them when it asks again."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def settled(page: Any, act: Callable[[], Any]) -> None:
    """Do something, and wait until all charts are drawn anew."""
    page.evaluate("delete document.body.dataset.state")
    act()
    page.wait_for_selector(READY)
