"""Paper 002's comparison on real points: relative errors of map queries, by query size.

    HUSHGRAM_DATA=… python benchmarks/maps.py --runs 20
    HUSHGRAM_DATA=… python benchmarks/maps.py adaptive-grid privtree-hb --runs 5 --sets storage

Four sets of points stand in for the paper's, with its sizes of queries: the largest is given per
set, and each smaller one has half of its sides; 200 random boxes of each size. The error of an
answer is |noisy - true| / max(true, 0.001 N). NONPRIVATE: it sees true counts. Figures go to
``results/maps.csv``, candlesticks (quarter, median, three quarters, 95 %, and the mean as a
diamond) to ``results/maps.png``. ``./hush reproduce 002`` makes the paper's figure.
"""

from __future__ import annotations

import argparse

import numpy as np
from report import RESULTS, save

from hushgram.show.charts.canvas import save as save_picture
from reproduction.drawing import candles
from reproduction.points import SETS, SIZES, relative_errors

MECHANISMS = ("adaptive-grid", "uniform-grid", "kd-hybrid", "privtree-hb", "bayes-tree")
EPSILONS = ("0.1", "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=MECHANISMS)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    asked = parser.parse_args()
    rows: list[dict] = []
    panels: dict[str, dict[str, np.ndarray]] = {}
    for name in asked.sets:
        found = relative_errors(SETS[name], asked.mechanisms, EPSILONS, asked.runs)
        for epsilon, mechanism, errors in found:
            panels.setdefault(f"{name}, ε = {epsilon}", {})[mechanism] = errors.ravel()
            rows.append(summary(name, epsilon, mechanism, errors))
            print(rows[-1], flush=True)
    save("maps", rows)
    save_picture(candles(panels, "relative error"), RESULTS / "maps.png", overwrite=True)


def summary(name: str, epsilon: str, mechanism: str, errors: np.ndarray) -> dict:
    """The mean over all queries, its 95 % interval over the runs, and the mean per size."""
    means = errors.mean(axis=(1, 2))
    half = 1.96 * means.std(ddof=1) / np.sqrt(len(means))
    return {
        "points": name,
        "epsilon": epsilon,
        "mechanism": mechanism,
        "runs": len(means),
        "mean relative error": float(means.mean()),
        "low": float(means.mean() - half),
        "high": float(means.mean() + half),
        **{f"q{n + 1}": float(errors[:, n].mean()) for n in range(SIZES)},
    }


if __name__ == "__main__":
    main()
