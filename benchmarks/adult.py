"""Paper 004 on Adult (Fig. 16): errors of small and large boxes, in two and three axes.

    HUSHGRAM_DATA=… python benchmarks/adult.py --runs 20

Age x education and age x hours x education, 100, 100 and 16 values, of the first 10,000 rows as in
the paper and of all 48,842. A query is a random box: two random ends per axis. Small ones have at
most 500 cells in two axes and 4,000 in three, as in the paper; large ones have any number. The
relative error is |noisy - true| / max(true, 0.001 N), averaged over queries and runs; the paper
shows the median absolute error, which is given too. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from report import save

import hushgram as hg
from hushgram.answers.summed import box_sums, summed
from hushgram.mechanisms.dpcube import DPCube

QUERIES = 2000
EPSILONS = ("0.1", "1")
CUBES = {
    "age x education": (("age", "education_num"), (100, 16), 500),
    "age x hours x education": (("age", "hours_per_week", "education_num"), (100, 100, 16), 4000),
}
MECHANISMS: dict[str, Any] = {
    "dpcube": "dpcube",
    "dpcube uniform": DPCube(estimator="uniform"),
    "dpcube least-squares": DPCube(estimator="least-squares"),
    "identity": "identity",
    "privelet": "privelet",
    "kd-hybrid": "kd-hybrid",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 48_842])
    asked = parser.parse_args()
    rows = []
    for cube, (columns, shape, small) in CUBES.items():
        for first in asked.rows:
            counts = counted(columns, shape, first)
            boxes = {"small": random_boxes(shape, small), "large": random_boxes(shape, None)}
            for epsilon in EPSILONS:
                for name, mechanism in MECHANISMS.items():
                    if isinstance(mechanism, str) and mechanism not in hg.MECHANISMS:
                        continue
                    shared = {"cube": cube, "rows": first, "epsilon": epsilon, "mechanism": name}
                    rows.append(
                        {**shared, **measured(counts, boxes, mechanism, epsilon, asked.runs)}
                    )
                    print(rows[-1], flush=True)
    save("adult", rows)


def counted(columns: tuple[str, ...], shape: tuple[int, ...], first: int) -> np.ndarray:
    """The first rows' counts; education is numbered from 1."""
    path = Path(os.environ["HUSHGRAM_DATA"]) / "adult.parquet"
    table = pq.read_table(path, columns=list(columns))
    values = np.stack([table[column].to_numpy()[:first] for column in columns], axis=1)
    values[:, -1] -= 1
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(values.T), 1)
    return counts


def random_boxes(shape: tuple[int, ...], cells: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of at most so many cells: two random ends on each axis, drawn again until they fit."""
    rng = np.random.default_rng(16)
    found = np.empty((0, 2, len(shape)))
    while len(found) < QUERIES:
        ends = np.sort(rng.integers(0, np.array(shape) + 1, (8 * QUERIES, 2, len(shape))), axis=1)
        sizes = (ends[:, 1] - ends[:, 0]).prod(axis=1)
        fit = (sizes >= 1) & (sizes <= (cells or np.inf))
        found = np.concatenate([found, ends[fit]])
    return found[:QUERIES, 0], found[:QUERIES, 1]


def measured(counts: np.ndarray, boxes: dict, mechanism: Any, epsilon: str, runs: int) -> dict:
    """The mean relative error of each size of queries, with its 95 % half-width over the runs, and
    the median absolute error."""
    true = {size: box_sums(summed(counts.astype(float)), *ends) for size, ends in boxes.items()}
    relative: dict = {size: [] for size in boxes}
    absolute: dict = {size: [] for size in boxes}
    for _ in range(runs):
        release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)
        table = summed(np.asarray(release.to_array(), dtype=float))
        for size, ends in boxes.items():
            apart = np.abs(box_sums(table, *ends) - true[size])
            relative[size].append((apart / np.maximum(true[size], counts.sum() / 1000)).mean())
            absolute[size].append(np.median(apart))
    row = {}
    for size in boxes:
        row[f"{size}: relative"] = float(np.mean(relative[size]))
        row[f"{size}: ±"] = float(1.96 * np.std(relative[size], ddof=1) / np.sqrt(runs))
        row[f"{size}: median"] = float(np.mean(absolute[size]))
    return row


if __name__ == "__main__":
    main()
