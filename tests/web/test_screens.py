"""Pages look as they did: at three widths, in light and dark colours.

If a change is wanted: ``python -m tests.web.screens``, and look at tests/golden/screens."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from tests.web.screens import FOLDER, LOOKS, PAGES, difference, kept, shrink, take

FONT = "DejaVu Sans"
TOLERANCE = 0.02
"""The share of dots that may differ. Another version of the browser moves letters a little."""

SCREENS = sorted({path.stem.rsplit("-", 2)[0] for path in FOLDER.glob("*.png")})


@pytest.fixture(scope="module")
def fonts() -> None:
    program = shutil.which("fc-match")
    found = program and subprocess.run([program, "sans-serif"], capture_output=True, text=True)
    if not found or FONT not in found.stdout:
        pytest.skip(f"text is not set in {FONT} here: apt-get install fontconfig fonts-dejavu-core")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_pages_look_as_they_did(
    name: str, browser: Any, fonts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHGRAM_LEDGER", str(tmp_path / "ledger.db"))
    found = {
        f"{screen}-{look}": difference(shrink(take(page, look)), kept(screen, look))
        for screen, page in PAGES[name](browser, tmp_path)
        for look in LOOKS
    }
    assert {screen: share for screen, share in found.items() if share > TOLERANCE} == {}


def test_every_screen_is_kept_in_every_look_and_is_small() -> None:
    assert len(SCREENS) >= 8
    sizes = {path.name: path.stat().st_size for path in FOLDER.glob("*.png")}
    assert {*sizes} == {f"{screen}-{look}.png" for screen in SCREENS for look in LOOKS}
    assert max(sizes.values()) < 20_000


def darken(picture: Image.Image) -> Image.Image:
    return picture.point(lambda level: level * 7 // 10)


def cover(picture: Image.Image) -> Image.Image:
    """A box lies over a part of the page."""
    wide, high = picture.size
    corners = (wide // 4, high // 4, wide // 2, high // 2)
    ImageDraw.Draw(picture).rectangle(corners, fill=(128, 128, 128))
    return picture


def move(picture: Image.Image) -> Image.Image:
    """Everything is a line of text lower than it was."""
    found = picture.copy()
    found.paste(picture, (0, 5))
    return found


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("planted", [darken, cover, move])
def test_a_planted_change_is_seen(screen: str, planted: Any) -> None:
    for look in LOOKS:
        before = kept(screen, look).convert("RGB")
        assert difference(planted(before.copy()), before) > TOLERANCE, look


@pytest.mark.parametrize("screen", SCREENS)
def test_a_page_that_ends_early_is_seen(screen: str) -> None:
    before = kept(screen, LOOKS[0]).convert("RGB")
    assert (
        difference(before.crop((0, 0, before.width, before.height * 9 // 10)), before) > TOLERANCE
    )
    assert difference(before.crop((0, 0, before.width - 1, before.height)), before) == 1
