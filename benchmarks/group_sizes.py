"""How near ``grouping-smoothing`` comes to the best of all fixed group sizes.

    HUSHGRAM_DATA=… python benchmarks/group_sizes.py --runs 3

The expected squared error of all cells, given the order of a first pass with half of ε: by the size
that the rule chooses, over that by the best power of two. The rule was made on the histograms of
*choosing*; those of *confirming* were measured afterwards, but for Stroke. NONPRIVATE: it sees true
counts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from report import save

from hushgram.lab.evaluate.sources import as_numbers, read_columns
from hushgram.mechanisms.grouping_smoothing import best_size
from reproduction.p003_sets import SETS

EPSILONS = (1.0, 0.1, 0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    rng = np.random.default_rng(3)
    rows = []
    for half, sets in (("choosing", choosing()), ("confirming", confirming())):
        found = [regret(x, e, runs, rng) for x in sets.values() for e in EPSILONS]
        mean = float(np.exp(np.mean(np.log(found))))
        rows.append({"half": half, "settings": len(found), "runs": runs,
                     "mean": round(mean, 4), "worst": round(max(found), 3)})  # fmt: skip
    save("group-sizes", rows, by=("half", "runs"))


def choosing() -> dict[str, Any]:
    return {one.name: one.make()[1] for one in SETS} | arrays("1D")


def confirming() -> dict[str, Any]:
    binned = {
        "earthquakes": ("usgs_earthquakes_23k", "lat", 2000),
        "places": ("geonames_cities500", "lat", 5000),
        "weights": ("adult", "fnlwgt", 10_000),
    }
    found = arrays("2D") | {
        name: np.histogram(column(*of), bins)[0] for name, (*of, bins) in binned.items()
    }
    found["pages"] = column("musae_facebook_pages_degrees", "degree").astype(np.int64)
    found["blocks"] = column("geolite2_networks_per_slash16", "count").astype(np.int64)
    return found


def arrays(axes: str) -> dict[str, Any]:
    """DPBench's, flat."""
    files = sorted(Path(os.environ["HUSHGRAM_DATA"], "dpbench", axes).glob("*.npy"))
    return {file.stem: np.load(file).astype(np.int64).reshape(-1) for file in files}


def column(name: str, of: str) -> Any:
    (found,) = read_columns(Path(os.environ["HUSHGRAM_DATA"], f"{name}.parquet"), (of,))
    values = as_numbers(found)
    return values[np.isfinite(values)]


def regret(counts: Any, epsilon: float, runs: int, rng: np.random.Generator) -> float:
    """The mean ratio of the chosen size's error to the best."""
    level = 2 / epsilon
    ratios = []
    for _ in range(runs):
        noisy = counts + np.rint(rng.laplace(0, level, len(counts)))
        order = np.argsort(noisy, kind="stable")
        sizes = [2**power for power in range(len(counts).bit_length())]
        errors = {size: size_error(counts[order], size, 2 * level**2) for size in sizes}
        chosen = best_size(noisy[order], 2 * level**2, 2 * level**2)
        ratios.append(errors[chosen] / min(errors.values()))
    return float(np.mean(ratios))


def size_error(ordered: Any, size: int, noise: float) -> float:
    """The squared error of true counts in groups of this size, and the noise of their sums."""
    starts = np.arange(0, len(ordered), size)
    lengths = np.diff([*starts, len(ordered)])
    sums = np.add.reduceat(ordered.astype(np.float64), starts)
    within = (ordered.astype(np.float64) ** 2).sum() - (sums**2 / lengths).sum()
    return float(within + (noise / lengths).sum())


if __name__ == "__main__":
    main()
