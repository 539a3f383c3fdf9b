"""``hushgram plot`` and ``hushgram report``."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hushgram.show.report.asking import commands, lines
from tests.show.test_report import RELEASES, ages
from tests.surface.conftest import Run

pytest.importorskip("matplotlib")


def test_commands_and_python_ask_the_same(run: Run) -> None:
    for name in ("ages", "boxes", "days", "hours", "edges", "truth", "window"):
        release = RELEASES[name]()
        release.save("r.hush.parquet", overwrite=True)
        line = next(line for line in commands(release, "r.hush.parquet") if " count " in line)
        assert len(shlex.split(line)) > 3
        answered = run(*shlex.split(line)[1:]).out.strip()
        assert any(line.endswith(f"  # {answered}") for line in lines(release, "r")), name


def test_the_command_writes_a_page(run: Run) -> None:
    ages().save("ages.hush.parquet")
    result = run("report", "ages.hush.parquet", "-o", "page.html", "--title", "Ages")
    assert (result.code, result.out, result.err) == (0, "Wrote page.html.\n", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>Ages</title>" in page
    assert "hushgram count ages.hush.parquet age=3..5" in page
    assert "exists" in run("report", "ages.hush.parquet", "-o", "page.html").err
    assert run("report", "ages.hush.parquet", "-o", "page.html", "--force").code == 0


def test_the_command_draws(run: Run) -> None:
    ages().save("ages.hush.parquet")
    assert run("plot", "ages.hush.parquet", "-o", "a.svg", "--kind", "quantiles").code == 0
    assert run("plot", "ages.hush.parquet", "age", "-o", "a.png").out == "Wrote a.png.\n"
    refused = run("plot", "ages.hush.parquet", "-o", "b.png", "--coastlines")
    assert (refused.code, refused.out) == (2, "")
    assert "Coastlines need a map" in refused.err
    assert (
        "Unknown kind of picture"
        in run("plot", "ages.hush.parquet", "-o", "b.png", "--kind", "x").err
    )
    assert "Unsupported picture format" in run("plot", "ages.hush.parquet", "-o", "b.bmp").err
    said = ["--linear", "--rows", "people", "--source", "Census", "--date", "2020", "--dark"]
    assert run("plot", "ages.hush.parquet", "-o", "c.svg", *said, "--bins", "3").code == 0
    refused = run("plot", "ages.hush.parquet", "-o", "d.png", "--bbox=1,x")
    assert "Cannot read --bbox" in refused.err


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".sdmx.csv"])
def test_the_command_exports_by_ending(run: Run, ending: str) -> None:
    if ending == ".xlsx":
        pytest.importorskip("xlsxwriter")
    ages().save("ages.hush.parquet")
    result = run("export", "ages.hush.parquet", "-o", f"Ages{ending}", "--whole")
    assert (result.code, result.out) == (0, f"Wrote Ages{ending}.\n")
    assert "exists" in run("export", "ages.hush.parquet", "-o", f"Ages{ending}").err


def test_the_command_refuses_other_endings(run: Run) -> None:
    ages().save("ages.hush.parquet")
    refused = run("export", "ages.hush.parquet", "-o", "a.doc")
    assert (refused.code, refused.out) == (2, "")
    assert 'Unsupported export format ".doc". Use .csv, .geojson' in refused.err
    refused = run("export", "ages.hush.parquet", "-o", "a.csv", "--structure", "A:B(1.0)")
    assert "--structure only applies to SDMX" in refused.err
    assert (
        run("export", "ages.hush.parquet", "-o", "a.sdmx.csv", "--structure", "A:B(1.0)").code == 0
    )
