"""Paper 004, Fig. 18: blocking for record linkage, on overlapping halves of Adult.

    HUSHGRAM_DATA=… python benchmarks/linkage.py --runs 20

Two parties have half of the 48,842 rows each, and half of those in common; each publishes its own
release. Blocks that overlap are compared, after each party has padded or cut its records at random
to the public sizes. The reduction ratio is the share of all pairs of records that are not compared,
comparisons with dummies counted; the recall is the share of the common rows that are. First by
epsilon on age and education, then by the number of axes at epsilon 0.1: age, education, wage (above
50,000 or not), marital status, race, sex. `kd-standard` is the
hierarchical kd-tree of Inan et al. with unequal budgets and least squares; page 004 has it as it
was. NONPRIVATE: it sees the table.
``./hush reproduce 004`` makes the paper's figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from report import save

from reproduction.adult import LINKED, adult, halves, link_once

EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1")
MECHANISMS = ("dpcube", "adaptive-grid", "identity", "kd-cell", "kd-standard")
MARGINS = (0.0, 2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--runs-of-more-axes", type=int, default=5)
    asked = parser.parse_args()
    jobs = [(2, epsilon, asked.runs) for epsilon in EPSILONS]
    jobs += [(axes, "0.1", asked.runs_of_more_axes) for axes in range(3, len(LINKED) + 1)]
    table = adult()
    rows: list[dict[str, Any]] = []
    for axes, epsilon, times in jobs:
        sides, matches, shape = halves(table, axes)
        for mechanism in MECHANISMS:
            runs = [
                link_once(sides, matches, shape, epsilon, mechanism, MARGINS) for _ in range(times)
            ]
            for margin, found in zip(MARGINS, np.moveaxis(runs, 1, 0), strict=True):
                shared = {"axes": axes, "epsilon": epsilon, "mechanism": mechanism}
                rows.append({**shared, "margin": margin, **summary(found)})
                print(rows[-1], flush=True)
    save("linkage", rows)


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
