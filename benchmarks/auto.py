"""How far ``auto`` is from the best mechanism of the registry, and from the peers' reference code.

    HUSHGRAM_DATA=… python benchmarks/auto.py --runs 6 --folder results

Data are the DPBench arrays, 4,096 cells on one axis and 256 x 256 on two. ``auto`` was chosen on
generated data, on other public tables, and on the arrays at even places of their names in order
(0, 2, …); those at odd places confirm it. Regrets are taken at ε = 0.1 with the rows scaled so that
ε N goes from 10² to 10⁷, as DPBench does; peers at the arrays' own size. Error = DPBench's scaled
L2 over 2,000 random ranges. The best mechanism of a setting is found on other runs than those that
it is judged on. NONPRIVATE: it sees true counts. A folder of results is resumed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import EPSILONS, peer_errors
from report import save

from hushgram.lab.evaluate import DataSet, ExperimentGrid, Results, data_set, regrets, run
from hushgram.mechanisms import MECHANISMS

EPSILON = "0.1"
SIZES = [10**power for power in range(2, 8)]
"""ε N."""

LEFT_OUT = ("auto", "sorted", "hybrid", "structure-first")
"""Not among those that ``auto`` is compared with: itself; releases of sorted values, which are not
histograms; and one that takes seconds for a run, and is nowhere near the best."""

RIVALS = [name for name in MECHANISMS if name not in LEFT_OUT]

DOUBTFUL = ("DAWA", "EFPA", "Uniform")
"""Peers that are not private, or in doubt, and one that is not a histogram."""

HALVES = {"choosing": slice(0, None, 2), "confirming": slice(1, None, 2), "both": slice(None)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--axes", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rivals", nargs="*", default=RIVALS, help="all that matter, if not given")
    parser.add_argument("--only-peers", action="store_true", help="Leave out regrets.")
    parser.add_argument("--folder", default=None)
    asked = parser.parse_args()
    study = Study(asked.runs, asked.rivals, Path(asked.folder or tempfile.mkdtemp()))
    rows = [row for axes in asked.axes for row in figures(axes, study, asked.only_peers)]
    save("auto", rows, by=("axes", "half", "against", "epsilon", "rivals", "runs"))


@dataclass(frozen=True)
class Study:
    """How often everything is run, what ``auto`` is compared with, and where results are kept."""

    runs: int
    rivals: list[str]
    folder: Path

    def measured(
        self, data: list[DataSet], mechanisms: list[str], epsilon: str, runs: int
    ) -> Results:
        return run(
            ExperimentGrid(data, mechanisms, [epsilon], ["ranges"], ["scaled"], runs), self.folder
        )


def figures(axes: int, study: Study, only_peers: bool) -> Iterator[dict[str, Any]]:
    arrays = sorted((Path(os.environ["HUSHGRAM_DATA"]) / f"dpbench/{axes}D").glob("*.npy"))
    for half, places in HALVES.items():
        names = [path.name for path in arrays[places]]
        if not only_peers:
            yield regret(axes, half, names, study)
        for epsilon in EPSILONS:
            yield against_peers(axes, half, names, epsilon, study)


def regret(axes: int, half: str, names: list[str], study: Study) -> dict[str, Any]:
    """The error of ``auto`` over that of the best."""
    data = [scaled(name, int(size / float(EPSILON))) for name in names for size in SIZES]
    results = study.measured(data, ["auto", *study.rivals], EPSILON, study.runs)
    found = regrets(results, best_of=study.rivals)
    for one in found[:5]:
        print(f"{axes}-D, {half}: {one.mechanism} {one.mean:.3f}, at most {one.largest:.2f}")
    mine = next(one for one in found if one.mechanism == "auto")
    return {
        "axes": axes,
        "half": half,
        "against": "the best of the rivals",
        "epsilon": EPSILON,
        "rivals": len(study.rivals),
        "runs": study.runs,
        "mean": mine.mean,
        "largest": mine.largest,
        "where": mine.where,
    }


def against_peers(
    axes: int, half: str, names: list[str], epsilon: str, study: Study
) -> dict[str, Any]:
    """The geometric mean of the error over that of the best private peer."""
    peers = peer_errors(Path(os.environ["HUSHGRAM_DATA"]) / "peers_dpbench.csv")
    data = [scaled(name, None) for name in names]
    table = study.measured(data, ["auto"], epsilon, 2 * study.runs).table.to_pandas()
    mine = float(np.log(table.groupby("data")["value"].mean()).mean())
    known = {peer for file, peer, _ in peers if file in names} - set(DOUBTFUL)
    logs = {
        peer: float(np.mean([np.log(peers[name, peer, float(epsilon)]["error"]) for name in names]))
        for peer in known
    }
    best = min(logs, key=logs.__getitem__)
    return {
        "axes": axes,
        "half": half,
        "against": "the best private peer",
        "epsilon": epsilon,
        "rivals": len(known),
        "runs": 2 * study.runs,
        "mean": float(np.exp(mine - logs[best])),
        "largest": "",
        "where": best,
    }


def scaled(name: str, rows: int | None) -> DataSet:
    return data_set(name.partition(".")[0], rows=rows)


if __name__ == "__main__":
    main()
