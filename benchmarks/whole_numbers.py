"""The bias of whole numbers that add up, next to unbiased counts and clipping all at once.

    python benchmarks/whole_numbers.py --runs 300

A map of 64 × 64 cells at ε = 1: about 10,000 rows in one corner, 80 in a lone cluster, nothing
elsewhere. Bias and root mean squared error of the sums of three regions. NONPRIVATE: it sees true
counts.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from report import save

import hushgram as hg
from hushgram.answers.counting.nonnegative import norm_sub

REGIONS = {
    "crowded corner": np.s_[:16, :16],
    "lone cluster": np.s_[40:44, 40:44],
    "empty strip": np.s_[48:, :],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    true = rows_of_map()
    errors = [errors_of(true) for _ in range(runs)]
    rows = []
    for way in errors[0]:
        for region in errors[0][way]:
            found = np.array([run[way][region] for run in errors])
            rows.append({"column": way, "region": region, "runs": runs,
                         "bias": round(float(found.mean()), 1),
                         "error": round(float((found**2).mean() ** 0.5), 1)})  # fmt: skip
    save("whole-numbers", rows)


def rows_of_map() -> Any:
    true = np.zeros((64, 64), dtype=int)
    true[REGIONS["crowded corner"]] = np.random.default_rng(0).poisson(40, (16, 16))
    true[REGIONS["lone cluster"]] = 5
    return true


def errors_of(true: Any) -> dict[str, dict[str, float]]:
    """The error of each region's sum, for each way to write the counts, of one release."""
    with warnings.catch_warnings(action="ignore", category=hg.Unaccounted):
        release = hg.publish(hg.Counts(true), epsilon=1, mechanism="identity")
    ways = {
        "count": release.estimate.values,
        "count_whole": release.whole_counts(),
        "clipped at once": norm_sub(release.estimate.values),
    }
    return {
        way: {region: float((values.reshape(true.shape) - true)[place].sum())
              for region, place in REGIONS.items()}
        for way, values in ways.items()
    }  # fmt: skip


if __name__ == "__main__":
    main()
