"""``hushgram lab coverage``: its CSV, its page, its errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hushgram.lab.coverage import run
from hushgram.lab.coverage.page import MARKS, write_page
from hushgram.lab.coverage.run import CoverageRow, read_rows
from hushgram.lab.coverage.summary import low_cells, pool
from hushgram.lab.coverage.tables import all_recipes
from tests.program import run_program

SMALL = ("--table", "spike, 100 bins", "--epsilon", "1", "--releases", "1", "--questions", "5")
ROW = CoverageRow(
    "heaped", "choosing", "hb", "1", "count small off, at rows", 200, 0, 0.96, 10.0, 25.0, 5.0,
    100.0, 4,
)  # fmt: skip


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)


def coverage(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, err = run_program(capsys, "hushgram", "lab", "coverage", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_run_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("-o", "found.csv", "--resume")
    first = coverage(capsys, "hb", "kd-standard", *SMALL, *out)
    assert first["label"] == "NONPRIVATE"
    assert {row["mechanism"] for row in first["rows"]} == {"hb", "kd-standard"}
    counts = next(row for row in first["rows"] if row["question"] == "count small off, at rows")
    assert (counts["answers"], counts["refused"], counts["releases"]) == (5, 0, 1)
    assert counts["hard"] >= counts["half_width"] >= counts["noise"] > 0
    text = (tmp_path / "found.csv").read_text()
    again = coverage(capsys, "hb", "kd-standard", *SMALL, *out)
    assert again == first
    assert (tmp_path / "found.csv").read_text() == text
    more = coverage(capsys, "hb", "identity", *SMALL, *out)
    assert more["rows"][: len(first["rows"])] == first["rows"]
    assert (tmp_path / "found.csv").read_text().startswith(text)
    assert [row.to_json() for row in read_rows(tmp_path / "found.csv")] == more["rows"]


def test_the_text_and_what_is_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--table", "empty plane", "--table", "spike", *SMALL[2:])
    found = coverage(capsys, "noise-first", "identity", *words)
    why = {(one["table"], one["mechanism"]): one["why"] for one in found["skipped"]}
    assert "one axis" in why["empty plane", "noise-first"]
    assert why["spike", "identity"] == "A release has 1,048,576 parts."
    monkeypatch.setattr(run, "ask_releases", lambda *given: 1 / 0)
    code, out, err = run_program(capsys, "hushgram", "lab", "coverage", "hb", *SMALL)
    assert (code, err) == (1, "")
    assert "Failed: hb on spike, 100 bins, epsilon 1: ZeroDivisionError" in out


def test_the_tables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    tables = coverage(capsys, "--list", "--half", "confirming")["tables"]
    names = [recipe.name for recipe in all_recipes() if recipe.half == "confirming"]
    assert [one["table"] for one in tables] == names
    assert len({recipe.name for recipe in all_recipes()}) == len(all_recipes())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nothing"], "Unknown mechanism 'nothing'"),
        (["hb", "--table", "heapd"], "Unknown table 'heapd'. Did you mean 'heaped'?"),
        (["hb", "--half", "third"], "--half must be one of choosing, confirming, both"),
        (["hb", "--table", "spike", "--half", "confirming"], "Use --half both"),
        (["hb", "-e", "0.1,no"], "epsilon must be a"),
        (["hb", "--resume"], "Name it with --output"),
    ],
)
def test_mistakes(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_program(capsys, "hushgram", "lab", "coverage", *words)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_the_page(tmp_path: Path) -> None:
    guide = tmp_path / "guides" / "intervals.md"
    guide.parent.mkdir()
    guide.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n")
    low = replace(ROW, table="Rome", half="confirming", held=0.8)
    rows = [ROW, low, replace(ROW, question="quantile", answers=76, hard=float("nan"))]
    assert write_page(rows, tmp_path / "assurance") == [
        tmp_path / "assurance" / "coverage.md", guide
    ]  # fmt: skip
    page = (tmp_path / "assurance" / "coverage.md").read_text()
    assert "| `hb` | 96.0 / 2.5 | – | 96.0 / 2.5 |" in page.split("## The choosing half")[1]
    assert "2 cells have 200 answers" in page.replace("\n", " ")
    assert (
        "| Rome | confirming | `hb` | 1 | count small off, at rows | 200 | 80.0 % | 2.5 |" in page
    )
    assert "| `hb` | 0.5 | 2.5 | 10.0 | 25.0 % |" in page
    lines = guide.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "| `hb` | 80.0 / 2.5 | – | – | – | – |" in lines
    assert "old" not in lines


def test_cells_are_pooled_by_their_answers() -> None:
    pooled = pool([ROW, replace(ROW, answers=600, held=1.0), replace(ROW, answers=0, held=0.0)])
    assert pooled is not None
    assert pooled.answers == 800
    assert pooled.held == pytest.approx(0.99)
    assert pool([]) is None
    assert low_cells([replace(ROW, answers=199, held=0.5), ROW]) == []
