"""Paper 004, Fig. 18: blocking for record linkage, on overlapping halves of Adult.

    HUSHGRAM_DATA=… python benchmarks/linkage.py --runs 20

Two parties have half of the 48,842 rows each, and half of those in common; each publishes its own
release. Blocks that overlap are compared, after each party has padded or cut its records at random
to the public sizes. The reduction ratio is the share of all pairs of records that are not compared,
comparisons with dummies counted; the recall is the share of the common rows that are. First by
epsilon on age and education, then by the number of axes at epsilon 0.1: age, education, wage (above
50,000 or not), marital status, race, sex. `kd-standard` stands in for the hierarchical kd-tree of
Inan et al., whose nodes are cut at private medians too. NONPRIVATE: it sees the table.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from report import save

import hushgram as hg
from hushgram.linkage import assign_records, measure

AXES = ["age", "education_num", "income", "marital_status", "race", "sex"]
EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1")
MECHANISMS = ("dpcube", "adaptive-grid", "identity", "kd-cell", "kd-standard")
MARGINS = (0.0, 2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--runs-of-more-axes", type=int, default=5)
    asked = parser.parse_args()
    jobs = [(2, epsilon, asked.runs) for epsilon in EPSILONS]
    jobs += [(axes, "0.1", asked.runs_of_more_axes) for axes in range(3, len(AXES) + 1)]
    rows: list[dict[str, Any]] = []
    for axes, epsilon, times in jobs:
        sides, matches, shape = halves(axes)
        for mechanism in MECHANISMS:
            runs = [linked(sides, matches, shape, epsilon, mechanism) for _ in range(times)]
            for margin, found in zip(MARGINS, np.moveaxis(runs, 1, 0), strict=True):
                shared = {"axes": axes, "epsilon": epsilon, "mechanism": mechanism}
                rows.append({**shared, "margin": margin, **summary(found)})
                print(rows[-1], flush=True)
    save("linkage", rows)


def halves(axes: int) -> tuple[list[np.ndarray], np.ndarray, tuple[int, ...]]:
    """Both parties' rows, each value by its number; the pairs that are the same row; the cells."""
    table = pd.read_parquet(Path(os.environ["HUSHGRAM_DATA"]) / "adult.parquet")[AXES[:axes]]
    codes = table.apply(lambda column: pd.factorize(column, sort=True)[0]).to_numpy(copy=True)
    codes[:, 0] = table["age"] - 17
    shape = tuple(int(n) for n in codes.max(axis=0) + 1)
    codes = codes[np.random.default_rng(18).permutation(len(codes))]
    quarter = len(codes) // 4
    common = np.arange(quarter)
    sides = [codes[: 2 * quarter], codes[quarter : 3 * quarter]]
    return sides, np.stack([quarter + common, common], axis=1), shape


def linked(
    sides: list[np.ndarray], matches: np.ndarray, shape: tuple[int, ...], epsilon: str, name: str
) -> list[tuple[float, ...]]:
    """One run: for each margin, the reduction ratio, the recall and the number of blocks."""
    releases = [
        hg.publish(hg.Counts(counted(side, shape)), epsilon=epsilon, mechanism=name)
        for side in sides
    ]
    found = []
    for margin in MARGINS:
        matched = hg.match_blocks(*releases, margin=margin)
        parties = zip((matched.first, matched.second), sides, strict=True)
        assigned = [assign_records(blocks, side) for blocks, side in parties]
        result = measure(matched, *assigned, matches)
        found.append((result.reduction_ratio, result.recall, float(len(matched.first.sizes))))
    return found


def counted(rows: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(rows.T), 1)
    return counts


def summary(runs: np.ndarray) -> dict[str, Any]:
    means, least = runs.mean(axis=0), runs.min(axis=0)
    wide = 1.96 * runs.std(axis=0) / np.sqrt(max(len(runs) - 1, 1))
    return {
        "blocks": float(means[2]),
        "reduction": float(means[0]),
        "reduction ±": float(wide[0]),
        "least reduction": float(least[0]),
        "recall": float(means[1]),
        "recall ±": float(wide[1]),
        "least recall": float(least[1]),
        "runs": len(runs),
    }


if __name__ == "__main__":
    main()
