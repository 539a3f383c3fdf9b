"""The page as a file: what it holds, and what it must not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.errors import NotAnswerable, OutputError, QuestionError
from hushgram.mechanisms.inference.direct import Direct
from hushgram.web.explorer import bundle, explore
from hushgram.web.explorer.bundle import SCRIPTS, wrap_module
from hushgram.web.explorer.contents import describe_outlines
from hushgram.web.explorer.noise import MOST_SHARES, describe
from hushgram.web.explorer.packing import Packing, pack, round_digits
from tests.samples import cells, release_of

MOST = 300_000
"""Bytes that a page may have more than its release."""


def test_nothing_in_a_release_closes_the_script() -> None:
    release = release_of(cells(x=hg.Category(["</script><img src=x>", "<!--", "]]>"])))
    html = release.explore(title="</title><script>alert(1)</script>").html
    assert html.count("<script") == 3
    assert html.count("</script>") == 3
    assert "<img" not in html


def test_the_page_names_no_other_address() -> None:
    html = release_of(cells(x=hg.Integer(0, 9))).explore().html
    addresses = set(re.findall(r"https?://[^\s\"'`)]*", html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which nothing loads
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]


@pytest.mark.parametrize(
    "window",
    [((-180, 180), (-60, 75)), ((-25, 35), (35, 90)), ((-100, -92), (72, 80))],
    ids=["the world", "Europe", "islands of the Arctic, with the longest coasts"],
)
def test_a_page_is_not_much_larger_than_its_release(window: Any) -> None:
    rng = np.random.default_rng(3)
    (west, east), (south, north) = window
    grid = cells(lon=hg.Regular(256, west, east), lat=hg.Regular(256, south, north))
    release = release_of(grid, rng.poisson(3, grid.shape))
    assert len(release.explore().html) < len(release.to_bytes()) + MOST


def test_the_same_release_gives_the_same_page() -> None:
    release = release_of(cells(x=hg.Integer(0, 9)))
    assert release.explore().html == release.explore().html


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    page = release_of(cells(x=hg.Integer(0, 9))).explore()
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert 'allow="clipboard-write"' in shown
    assert "allow-same-origin" not in shown
    assert "<script" not in shown
    assert repr(page).startswith("<ExplorerPage of ")


def test_a_page_is_not_overwritten_unasked(tmp_path: Path) -> None:
    release = release_of(cells(x=hg.Integer(0, 9)))
    release.explore(tmp_path / "page.html")
    with pytest.raises(OutputError):
        release.explore(tmp_path / "page.html")
    with pytest.raises(OutputError):
        release.explore(tmp_path / "page.png")


def test_releases_of_other_axes_are_not_compared() -> None:
    one, other = (release_of(cells(**{name: hg.Integer(0, 9)})) for name in "xy")
    with pytest.raises(QuestionError, match="their axes differ"):
        explore([("a", one), ("b", other)])


def test_an_unknown_inference_is_refused() -> None:
    class Unknown(Direct):
        kind = "unknown"

    with pytest.raises(NotAnswerable, match="unknown"):
        describe.dispatch(object)(Unknown(), [], Packing())


def test_a_view_of_too_many_shares_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hushgram.web.explorer.noise.MOST_SHARES", 5)
    assert MOST_SHARES > 5
    view = release_of(cells(x=hg.Integer(0, 9), y=hg.Integer(0, 3))).project("x")
    with pytest.raises(NotAnswerable, match="40 shares"):
        view.explore()


def test_modules_of_other_forms_are_refused() -> None:
    with pytest.raises(ValueError, match="another form"):
        wrap_module("a.js", 'import a from "./b.js";\n')


def test_texts_of_several_lines_are_refused() -> None:
    with pytest.raises(ValueError, match="several lines"):
        wrap_module("a.js", "export const a = `one\n  two`;\n")


def test_all_scripts_are_in_the_page() -> None:
    script = bundle.bundle("explorer.js")
    paths = [path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js")]
    assert len(paths) > 30
    for path in paths:
        assert f"const {bundle.variable(path)} = " in script


def test_modules_that_import_each_other_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "SCRIPTS", tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "a.js").write_text('import { b } from "./in/b.js";\n')
    (tmp_path / "in" / "b.js").write_text('import { a } from "../a.js";\nexport const b = a;\n')
    with pytest.raises(ValueError, match="imports itself"):
        bundle.bundle("a.js")


@pytest.mark.parametrize(("span", "finest"), [((-180, 180), 100), ((5, 15), 100), ((8, 9), 500)])
def test_narrow_maps_have_fine_outlines(span: tuple[float, float], finest: int) -> None:
    found = describe_outlines([span, (45, 46)], Packing())
    assert {one["steps"] for one in found} == {finest}


def test_numbers_beyond_32_bits_are_doubles() -> None:
    entry, data = pack(np.array([2**40, 1]))
    assert entry == {"length": 2, "type": "f8"}
    assert len(data) == 16
    large = np.array([-(2**31) + 1, 2**31 - 1])
    assert pack(large)[0] == {"length": 2, "type": "i4"}  # the difference would not fit
    assert pack(np.zeros(0))[0] == {"length": 0, "type": "f8"}


def test_rounded_numbers_keep_twelve_digits() -> None:
    numbers = np.random.default_rng(1).lognormal(0, 30, 1000)
    assert np.abs(round_digits(numbers) / numbers - 1).max() < 1e-12
    assert round_digits(np.array([0.0, -1.5])).tolist() == [0.0, -1.5]


def test_the_command_writes_a_page(tmp_path: Path, capsys: Any) -> None:
    release = release_of(cells(x=hg.Integer(0, 9)))
    file, page = tmp_path / "r.hush.parquet", tmp_path / "page.html"
    release.save(file)
    with pytest.raises(SystemExit) as stop:
        main(["explore", str(file), str(file), "-o", str(page), "--title", "Two"])
    assert stop.value.code == 0
    assert "Open it in a browser" in capsys.readouterr().out
    assert "<title>Two</title>" in page.read_text()
