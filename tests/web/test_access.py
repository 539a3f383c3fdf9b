"""Pages for everybody: axe-core finds no serious fault, and everything is done by keyboard.

axe-core comes from npm and is not part of the project: continuous integration installs it and names
its file in ``HUSHGRAM_AXE``; without it these tests are skipped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.release import Release
from hushgram.web.explorer import GivenAreas
from tests.samples import cells, release_of
from tests.web.pages import Opener, people, settled, shown, text_of, world
from tests.web.test_explorer_areas import DISTRICTS, OUTLINE, districts

AUDIT = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const told = ({ html, failureSummary }) => [html.slice(0, 160), failureSummary];
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.map(told)]);
}"""


def uneven() -> Release:
    """Bins of very different widths, and counts below zero."""
    grid = cells(size=hg.Variable([0, 10, 100, 1000, 100_000]), kind=hg.Category(["a", "b"]))
    return release_of(grid, [10, -40, 30, 20, 0, -30, 5, 1])


PAGES: dict[str, Any] = {
    "map": lambda opened, **look: opened(world(), fragment=OUTLINE, **look),
    "districts": lambda opened, **look: opened(
        world(), world(), areas=GivenAreas(DISTRICTS), fragment="#@area=East&@change=1", **look
    ),
    "areas": lambda opened, **look: opened(districts(), fragment="#year=2021..2023", **look),
    "bins": lambda opened, **look: opened(uneven(), fragment="#size=10..100", **look),
    "people": lambda opened, **look: opened(people(), fragment="#label=plain", **look),
}


@pytest.fixture(scope="module")
def axe() -> str:
    path = os.environ.get("HUSHGRAM_AXE")
    if not path:
        pytest.skip("HUSHGRAM_AXE does not name axe-core's axe.min.js (npm install axe-core)")
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("light", 390), ("dark", 820), ("dark", 390)]
)
def test_axe_finds_no_serious_fault(
    opened: Opener, axe: str, name: str, scheme: str, width: int
) -> None:
    page = PAGES[name](
        opened, color_scheme=scheme, viewport={"width": width, "height": 844}, bypass_csp=True
    )
    page.evaluate(axe)
    found = page.evaluate(AUDIT)
    assert not found, found


def test_a_fault_would_be_found(opened: Opener, axe: str) -> None:
    page = opened(people(), bypass_csp=True)
    page.evaluate(axe)
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert [name for name, _ in page.evaluate(AUDIT)] == ["button-name"]


def test_a_question_is_asked_by_keyboard_alone(opened: Opener) -> None:
    """From the top of the page: Tab to a field, type, to a category, press."""
    release = people()
    page = opened(release)
    tab_to(page, "age from")
    page.keyboard.type("20")
    settled(page, lambda: page.keyboard.press("Enter"))
    assert shown(page) == text_of(release, age=(20, None))
    tab_to(page, "plain")
    settled(page, lambda: page.keyboard.press("Space"))
    assert shown(page) == text_of(release, age=(20, None), label="plain")
    assert "plain" in focused(page)  # and it stays there
    assert page.get_attribute(".answer", "aria-live") == "polite"


def tab_to(page: Any, name: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if name in focused(page):
            return
    raise AssertionError(f"no way to {name} by keyboard")


def focused(page: Any) -> str:
    return str(page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    ))  # fmt: skip
