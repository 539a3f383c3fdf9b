"""Paper 004 on Adult (Fig. 16): errors of small and large boxes, in two and three axes.

    HUSHGRAM_DATA=… python benchmarks/adult.py --runs 20

Age x education and age x hours x education, 100, 100 and 16 values, of the first 10,000 rows as in
the paper and of all 48,842. A query is a random box: two random ends per axis. Small ones have at
most 500 cells in two axes and 4,000 in three, as in the paper; large ones have any number. The
relative error is |noisy - true| / max(true, 0.001 N), averaged over queries and runs; the paper
shows the median absolute error, which is given too. NONPRIVATE: it sees true counts.
``./hush reproduce 004`` makes the paper's figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from report import save

from hushgram.mechanisms.dpcube import DPCube
from reproduction.adult import CUBES, adult, box_errors, cube, questions

EPSILONS = ("0.1", "1")
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
    table = adult()
    rows = []
    for name, (_, shape) in CUBES.items():
        boxes = questions(shape)
        for first in asked.rows:
            counts = cube(table, name, first)
            for epsilon in EPSILONS:
                for label, mechanism in MECHANISMS.items():
                    shared = {"cube": name, "rows": first, "epsilon": epsilon, "mechanism": label}
                    errors = box_errors(counts, boxes, mechanism, epsilon, asked.runs)
                    rows.append({**shared, **summary(errors)})
                    print(rows[-1], flush=True)
    save("adult", rows)


def summary(errors: dict[str, np.ndarray]) -> dict[str, float]:
    """The mean relative error of each size of queries, with its 95 % half-width over the runs, and
    the median absolute error."""
    row = {}
    for size, found in errors.items():
        relative, median = found.T
        half = 1.96 * np.std(relative, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
        row[f"{size}: relative"] = float(relative.mean())
        row[f"{size}: ±"] = float(half)
        row[f"{size}: median"] = float(median.mean())
    return row


if __name__ == "__main__":
    main()
