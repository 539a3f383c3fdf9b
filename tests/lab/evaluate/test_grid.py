"""Grids: a hash per cell, files that stay, and no cell that is run twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.errors import BadInput, EpsilonError, OutputError, UnknownMechanism
from hushgram.lab.evaluate import DataSet, ExperimentGrid, data_sets, run
from hushgram.lab.evaluate.contender import Contender
from hushgram.lab.evaluate.grid import Cell
from hushgram.lab.evaluate.work import read
from hushgram.mechanisms.dpcube import DPCube

LINE = DataSet("line", np.arange(16))
PLANE = DataSet("plane", np.arange(16).reshape(4, 4))


def small(**changed: Any) -> ExperimentGrid:
    given = {
        "data": [LINE, PLANE], "mechanisms": ["identity", "hb"], "epsilons": ["0.5", 1],
        "workloads": ["cells"], "measures": ["l1", "bias"], "runs": 12,
    }  # fmt: skip
    return ExperimentGrid(**{**given, **changed})


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each cell was run to its end."""
    found: Counter[str] = Counter()
    results = Cell.results

    def counted(cell: Cell) -> Any:
        table = results(cell)
        found[cell.key] += 1
        return table

    monkeypatch.setattr(Cell, "results", counted)
    return found


def test_a_grid_is_run_once(tmp_path: Path, started: Counter[str]) -> None:
    first = run(small(), tmp_path)
    assert (first.cells, first.ran) == (16, 16)
    before = contents(tmp_path)
    again = run(small(), tmp_path)
    assert (again.cells, again.ran) == (16, 0)
    assert contents(tmp_path) == before
    assert again.table.equals(first.table)
    assert set(started.values()) == {1}


def test_a_stopped_grid_goes_on(
    tmp_path: Path, started: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Cell.results

    def stopping(cell: Cell) -> Any:
        if sum(started.values()) == 5:
            raise KeyboardInterrupt
        return counted(cell)

    with monkeypatch.context() as patch:
        patch.setattr(Cell, "results", stopping)
        with pytest.raises(KeyboardInterrupt):
            run(small(), tmp_path)
    before = contents(tmp_path)
    assert len(before) == 5
    assert run(small(), tmp_path).ran == 11
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    assert sorted(after) == sorted(f"{cell.key}.parquet" for cell in small().cells)
    assert set(started.values()) == {1}


def test_more_of_anything_adds_to_what_is_there(tmp_path: Path) -> None:
    line = {"data": [LINE], "runs": 20}
    run(small(data=[LINE], runs=10), tmp_path)
    assert run(small(**line), tmp_path).ran == 4
    assert run(small(**line, mechanisms=["hb", "identity", "ahp"]), tmp_path).ran == 4
    assert run(small(**line, epsilons=["1/2", "1.0"]), tmp_path).ran == 0
    assert run(small(**line, epsilons=["1"], neighbours="replace-one"), tmp_path).ran == 4
    other = DataSet("line", np.arange(16)[::-1])
    assert run(small(data=[other], runs=10, epsilons=[1]), tmp_path).ran == 2
    assert read(tmp_path).num_rows == 2 * 10 * (4 + 4 + 4 + 4 + 2)


def test_results_are_tidy_and_labelled(tmp_path: Path) -> None:
    table = run(small(), tmp_path).table.to_pandas()
    assert len(table) == 2 * 2 * 2 * 12 * 2
    assert set(table["label"]) == {"NONPRIVATE"}
    assert set(table["run"]) == set(range(12))
    assert set(table["epsilon"]) == {0.5, 1.0}
    assert set(table["shape"]) == {"16", "4x4"}
    for path in tmp_path.glob("*.parquet"):
        assert pq.read_schema(path).metadata[b"hushgram"] == b"NONPRIVATE"


def test_what_a_mechanism_refuses_is_left_out(tmp_path: Path) -> None:
    grid = small(mechanisms=["identity", "noise-first"], runs=1)
    assert run(grid, tmp_path).cells == 6
    (only,) = grid.skipped
    assert (only["data"], only["mechanism"]) == ("plane", "noise-first")
    with pytest.raises(BadInput, match="nothing to run: noise-first needs a single axis"):
        run(small(data=[PLANE], mechanisms=["noise-first"]), tmp_path)


def test_mechanisms_with_parameters() -> None:
    uniform = Contender.of("dpcube:estimator=uniform,share=0.3").on(PLANE.domain)
    assert isinstance(uniform, DPCube)
    assert uniform.estimator == "uniform"
    assert Contender.of(DPCube(estimator="uniform")).label == "dpcube:estimator=uniform"
    assert Contender.of("auto").on(LINE.domain).name in hg.MECHANISMS
    for written, reason in {
        "hb:height=3": "hb has no parameter 'height'. Parameters: none",
        "ahp:eta": "Write name:key=value",
        "auto:eta=3": "auto has no parameter 'eta'",
    }.items():
        with pytest.raises(BadInput, match=reason):
            small(mechanisms=[written])


def test_bad_grids_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UnknownMechanism):
        small(mechanisms=["nothing"])
    with pytest.raises(BadInput, match="Unknown measure 'speed'"):
        small(measures=["speed"])
    with pytest.raises(BadInput, match="Unknown workload 'all'"):
        small(workloads=["all"])
    with pytest.raises(EpsilonError):
        small(epsilons=["-1"])
    with pytest.raises(BadInput, match="Found 0"):
        small(runs=0)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="as a folder for results"):
        run(small(), tmp_path / "file")


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / f"{small().cells[0].key}.parquet").write_text("no")
    with pytest.raises(OutputError, match="does not contain results of an evaluation"):
        run(small(runs=12), tmp_path)


@pytest.mark.slow
def test_a_kill_loses_nothing_and_processes_do_the_rest(tmp_path: Path) -> None:
    """The real program, killed after its first file."""
    words = [
        "lab", "evaluate", "-d", "zipf-1d", "-d", "spiky-1d", "-m", "identity", "-m", "hb", "-e",
        "1", "-e", "0.5", "-w", "cells", "--measure", "l1", "--runs", "20", "-o", str(tmp_path),
    ]  # fmt: skip
    command = [sys.executable, "-m", "hushgram", *words, "--jobs", "1"]
    here = {**os.environ, "PYTHONPATH": str(Path(hg.__file__).parent.parent)}
    process = subprocess.Popen(command, env=here, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.002)
    process.kill()
    process.wait()
    before = contents(tmp_path)
    kept = {name for name in before if name.endswith(".parquet")}
    assert 0 < len(kept) <= 16
    sets = data_sets(["zipf-1d", "spiky-1d"])
    grid = ExperimentGrid(sets, ["identity", "hb"], [1, "0.5"], ["cells"], ["l1"], runs=20)
    results = run(grid, tmp_path, jobs=2)
    assert (results.cells, results.ran) == (16, 16 - len(kept))
    after = contents(tmp_path)
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert {f"{cell.key}.parquet" for cell in grid.cells} <= set(after)
