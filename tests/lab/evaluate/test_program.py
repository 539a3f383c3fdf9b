"""``hushgram lab evaluate`` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hushgram.lab.evaluate.measures import MEASURES
from hushgram.lab.evaluate.workloads import WORKLOADS
from tests.program import run_program

SMALL = ("--runs", "4", "--rows", "500", "--shape", "32", "--shape", "8x8", "--jobs", "1")


pytestmark = pytest.mark.usefixtures("folder")


def test_from_end_to_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("HEPTH.npy", np.arange(64))
    words = (
        "--data", "zipf-1d", "--data", "HEPTH.npy", "--mechanism", "hb", "--mechanism",
        "privtree-hb", "--epsilon", "0.1", "--epsilon", "1", "--workload", "ranges", *SMALL,
        "-o", "results", "--plot", "errors.svg", "--json",
    )  # fmt: skip
    code, out, err = run_program(capsys, "hushgram", "lab", "evaluate", *words)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["label"] == "NONPRIVATE"
    assert (found["cells"], found["ran"], found["skipped"]) == (8, 8, [])
    assert len(found["results"]) == 2 * 2 * 2 * 4
    first = found["results"][0]
    assert set(first) == {
        "data", "rows", "shape", "epsilon", "workload", "mechanism", "measure", "size", "runs",
        "mean", "low", "high",
    }  # fmt: skip
    assert (first["rows"], first["shape"], first["runs"]) == (500, "32", 4)
    assert {one["mechanism"] for one in found["regret"]["mechanisms"]} == {"hb", "privtree-hb"}
    assert len(list((folder / "results").glob("*.parquet"))) == 8
    assert (folder / "errors.svg").read_text().startswith("<?xml")
    again = json.loads(run_program(capsys, "hushgram", "lab", "evaluate", *words)[1])
    assert again["ran"] == 0
    assert again["results"] == found["results"]


def test_the_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_program(capsys, "hushgram", "lab", "evaluate", "-d", "zipf-1d", "-d",
        "uniform-2d", "-m", "identity", "-m", "noise-first", "-w", "ladder", "-w",
        "quantiles", "--measure", "l1", "--measure", "coverage", *SMALL,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.startswith("NONPRIVATE. Means of 4 runs")
    assert "NONPRIVATE. l1 by size of ladder" in out
    assert "NONPRIVATE. Regret in l1" in out
    assert "Skipped: noise-first on uniform-2d." in out
    assert "12 cells, 12 of them run now; not saved" in out
    assert not list(folder.iterdir())


def test_the_lists(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run_program(capsys, "hushgram", "lab", "evaluate", "--list", "--json")[1])
    assert {"zipf-1d", "road-2d", "places"} <= set(listed["data"])
    assert list(listed["workloads"]) == list(WORKLOADS)
    assert list(listed["measures"]) == list(MEASURES)
    assert all(text for names in listed.values() for text in names.values())
    text = run_program(capsys, "hushgram", "lab", "evaluate", "--list")[1]
    assert "clustered-2d" in text
    assert "small-boxes" in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-d", "nothing"], "nothing is neither a file nor the name of a data set"),
        (["-m", "nothing"], "Unknown mechanism 'nothing'"),
        (["-e", "0"], "epsilon must be a positive number"),
        (["-w", "nothing"], "Unknown workload 'nothing'"),
        (["--measure", "nothing"], "Unknown measure 'nothing'"),
        (["--shape", "3y4"], "--shape: cannot read '3y4'"),
        (["--plot", "errors.txt"], 'Unsupported picture format ".txt"'),
        (["--best-of", "kd-cell"], "--best-of: kd-cell is not among the mechanisms"),
        (["--runs", "0"], "--runs"),
        (["--neighbours", "friends"], "friends"),
    ],
)
def test_errors_are_one_sentence(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run_program(capsys, "hushgram", "lab", "evaluate", *words)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1
