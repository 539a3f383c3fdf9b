"""``./hush reproduce`` from end to end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction import p001_isotonic
from reproduction.findings import Claim, Numbers, Paper, PaperFinding
from reproduction.page import markdown, text
from tests.program import run_program

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.slow
def test_a_page_with_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_program(
        capsys, "./hush reproduce", "001", "--runs", "1", "-o", "pages/mine", "--json"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["label"], found["paper"], found["runs"]) == ("NONPRIVATE", "001", 1)
    assert found["files"][0] == "pages/mine/001.md"
    example = next(one for one in found["findings"] if "worked example" in one["title"])
    assert example["claims"][0] == {
        "what": "noise error before isotonic regression", "printed": "3.6712",
        "measured": "3.6712", "verdict": "agrees", "why": "",
    }  # fmt: skip
    page = (folder / "pages/mine/001.md").read_text()
    assert "**NONPRIVATE**" in page
    assert "`./hush reproduce 001 --runs 1` with bundled and generated data" in page
    for name in ("001-fig6.png", "001-private.png"):
        assert f"({name})" in page
        assert (folder / "pages/mine" / name).stat().st_size < 150_000


def test_the_text(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(p001_isotonic.PAPER, steps=[p001_isotonic.example])
    monkeypatch.setattr(p001_isotonic, "PAPER", short)
    code, out, err = run_program(capsys, "./hush reproduce", "001")
    assert (code, err) == (0, "")
    assert out.startswith("NONPRIVATE. Paper 001")
    assert "AGREES: noise error after it\n  paper: 2.1553\n  here:  2.1553" in out
    assert "Page: docs/reproduction/001.md, with 0 pictures." in out
    assert (folder / "docs/reproduction/001.md").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["7"], "Unknown paper '7'. Papers: 000, 001, 002, 003, 004."),
        (["001", "--runs", "0"], "--runs"),
        (["001", "-o", "file/pages"], "Cannot write pages to"),
    ],
)
def test_errors_are_one_sentence(
    words: list[str], reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "file").write_text("")
    code, out, err = run_program(capsys, "./hush reproduce", *words)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_what_is_within_noise_is_counted_apart() -> None:
    claims = [Claim("a", "1", "1", agrees) for agrees in (True, False, None)]
    page = markdown(
        Paper("009", "title", "reference", 1, []), [PaperFinding("Fig. 1", "-", claims)], 3
    )
    assert "3 statements were tried: 1 agree, 1 differs, 1 is within noise." in page
    assert "**within noise**" in page


def test_what_differs_says_why_once() -> None:
    claims = [Claim(what, "1", "2", agrees=False, why="chance.") for what in ("a", "b")]
    finding = PaperFinding("Fig. 1", "Dots | lines.", claims, [Numbers("n", ("x|y",), [("1",)])])
    mine = Paper("009", "title", "reference", 1, [])
    for written in (markdown(mine, [finding], 3), text(mine, [finding], 3)):
        assert written.count("Why it differs: chance.") == 1
        assert "2 statements were tried: 0 agree, 2 differ" in written
    assert "x\\|y" in markdown(mine, [finding], 3)
