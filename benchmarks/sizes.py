"""How far ``auto`` is from the best mechanism on one axis of 10 to a million cells.

    HUSHGRAM_DATA=… python benchmarks/sizes.py --runs 8 --folder results
    HUSHGRAM_DATA=… python benchmarks/sizes.py --half choosing --cells 366 --epsilons 1 --runs 2

Tables have N ε = 10², 10³, … 10⁷ for N rows: generated shapes, and columns of public tables where
these have enough different values for so many cells. Rules were tuned on the choosing half; the
confirming half has other shapes and other columns. None is an array of DPBench: those are for
``auto.py``. With ε = 1 all sizes are tried, with 0.1 and 4 some of them. Most errors depend on the
product N ε only, but with a large ε, noise is hardly ever more than a few rows.

Error = DPBench's scaled L2 over 2,000 random ranges. *Regret* is the error of ``auto`` over that of
the best rival, which is found on the even runs and compared on the odd ones. Progress is shown for
each size, and a folder of results is resumed. NONPRIVATE: it sees true counts. Every setting is a
line of ``results/sizes.csv``; settings that were not run again stay there.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from report import save

from hushgram.lab.evaluate import DataSet, ExperimentGrid, run
from hushgram.lab.evaluate.tables import Setting, halves

SIGNALS = [10**power for power in range(2, 8)]
"""N ε."""

CELLS = (10, 32, 100, 366, 1000, 4096, 32_768, 100_000, 1_000_000)
SOME_CELLS = (100, 4096, 100_000)
SIZES = {"1": CELLS, "0.1": SOME_CELLS, "4": SOME_CELLS}
"""The numbers of cells, by ε."""

RIVALS = ("identity", "hb", "privelet", "privtree-hb", "dpcube", "noise-first", "isotonic")
"""Those that are the best in some setting."""

FEW, MANY = 1000, 200_000
"""Up to so many cells there are three times as many runs, since errors scatter more; beyond the
other number half as many."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--half", choices=tuple(TABLES), nargs="+", default=list(TABLES))
    parser.add_argument("--cells", type=int, choices=CELLS, nargs="+", default=list(CELLS))
    parser.add_argument("--epsilons", choices=tuple(SIZES), nargs="+", default=list(SIZES))
    parser.add_argument("--folder", default=None)
    asked = parser.parse_args()
    folder = Path(asked.folder or tempfile.mkdtemp())
    rows: list[dict[str, Any]] = []
    for half in asked.half:
        for epsilon in asked.epsilons:
            for cells in (one for one in SIZES[epsilon] if one in asked.cells):
                found = regrets(half, cells, epsilon, asked.runs, folder)
                rows += found
                print(f"{half}, ε = {epsilon}, {cells:,} cells: {summary(found)}", flush=True)
    save("sizes", rows, by=("half", "epsilon", "cells", "table", "N epsilon"))
    for half in asked.half:
        print(f"{half}: {summary([row for row in rows if row['half'] == half])}")


def regrets(half: str, cells: int, epsilon: str, runs: int, folder: Path) -> list[dict[str, Any]]:
    """A line for each table and each N ε."""
    runs = 3 * runs if cells <= FEW else max(runs // 2, 2) if cells > MANY else runs
    data = list(data_sets(half, cells, float(epsilon)))
    grid = ExperimentGrid(data, ["auto", *RIVALS], [epsilon], ["ranges"], ["scaled"], runs)
    results = run(grid, folder)
    even, odd = (halves(results, "scaled", side) for side in (0, 1))
    return [line(half, cells, epsilon, runs, one, even[one], odd[one]) for one in even]


def line(
    half: str, cells: int, epsilon: str, runs: int, setting: Setting,
    even: dict[str, float], odd: dict[str, float],
) -> dict[str, Any]:  # fmt: skip
    best = min(RIVALS, key=even.__getitem__)
    return {
        "half": half,
        "epsilon": epsilon,
        "cells": cells,
        "table": setting.data.partition(",")[0],
        "N epsilon": round(setting.rows * float(epsilon)),
        "runs": runs,
        "regret": odd["auto"] / odd[best],
        "best": best,
        "auto": odd["auto"],
        **{name: odd[name] for name in RIVALS},
    }


def summary(rows: list[dict[str, Any]]) -> str:
    """The mean, the geometric mean and the largest regret, and where that is."""
    found = np.array([row["regret"] for row in rows])
    worst = rows[int(found.argmax())]
    where = ", ".join(f"{worst[name]}" for name in ("table", "N epsilon", "cells", "best"))
    return (
        f"regret {found.mean():.3f} (geometric {np.exp(np.log(found).mean()):.3f}), at most "
        f"{found.max():.2f} ({where}), {len(rows)} settings"
    )


# Tables ------------------------------------------------------------------------------------


def data_sets(half: str, cells: int, epsilon: float) -> Iterator[DataSet]:
    """Every table of a half, for every N ε. The same each time."""
    for name, shares_of in TABLES[half].items():
        rng = np.random.default_rng(zlib.crc32(f"{name} {cells}".encode()))
        shares = shares_of(cells, rng)
        if shares is None:
            continue
        for signal in SIGNALS:
            counts = rng.multinomial(round(signal / epsilon), shares / shares.sum())
            yield DataSet(f"{name}, {cells} cells", counts)


def even(cells: int, rng: Any) -> Any:
    return np.ones(cells)


def trend(cells: int, rng: Any) -> Any:
    return 1 + np.arange(cells) / cells


def hill(cells: int, rng: Any) -> Any:
    return np.exp(-((np.arange(cells) / cells - 0.4) ** 2) / 0.02)


def block(cells: int, rng: Any) -> Any:
    """A stretch with nearly all rows."""
    return (abs(np.arange(cells) / cells - 0.5) < 0.13) + 0.002


def falling(cells: int, rng: Any) -> Any:
    return 1 / np.arange(1, cells + 1)


def spike(cells: int, rng: Any) -> Any:
    """One cell with nearly all rows."""
    return np.full(cells, 0.02 / cells) + (np.arange(cells) == rng.integers(cells))


def ranks(cells: int, rng: Any) -> Any:
    """A few cells with most rows, anywhere."""
    return rng.permutation(1 / np.arange(1, cells + 1) ** 1.2)


def tenth(cells: int, rng: Any) -> Any:
    """A tenth of the cells are full."""
    return (rng.random(cells) < 0.1) + 1e-3


def uneven(cells: int, rng: Any) -> Any:
    return rng.lognormal(0, 2, cells)


def cascade(cells: int, rng: Any) -> Any:
    """Clusters of clusters: halves get uneven shares, again and again."""
    shares = np.ones(1)
    while len(shares) < cells:
        lower = rng.beta(1, 1, len(shares))
        shares = np.stack([shares * lower, shares * (1 - lower)], axis=1).ravel()
    return shares[:cells]


def column(table: str, name: str) -> Callable[[int, Any], Any]:
    """The column of a public table, between public bounds: here those of all but a few rows."""

    def shares(cells: int, rng: Any) -> Any:
        values = read_column(table, name)
        if len(np.unique(values)) < 2 * cells:
            return None
        return np.histogram(values, cells, tuple(np.quantile(values, (0.002, 0.998))))[0]

    return shares


@lru_cache
def read_column(table: str, name: str) -> Any:
    path = Path(os.environ["HUSHGRAM_DATA"]) / f"{table}.parquet"
    values = pq.read_table(path, columns=[name])[name].to_numpy().astype(float)
    return values[np.isfinite(values)]


def per_block(cells: int, rng: Any) -> Any:
    """Networks per block of addresses, with neighbouring blocks merged."""
    path = Path(os.environ["HUSHGRAM_DATA"]) / "geolite2_networks_per_slash16.parquet"
    counts = pq.read_table(path)["count"].to_numpy()
    if cells > len(counts):
        return None
    return np.bincount(np.arange(len(counts)) * cells // len(counts), counts)


TABLES: dict[str, dict[str, Callable[[int, Any], Any]]] = {
    "choosing": {
        "even": even,
        "hill": hill,
        "spike": spike,
        "ranks": ranks,
        "tenth full": tenth,
        "weights": column("adult", "fnlwgt"),
        "pickups": column("nyc_uber_pickups", "lon"),
        "latitudes": column("geonames_cities500", "lat"),
        "fares": column("nyc_taxi_2015_50k", "fare_amount"),
    },
    "confirming": {
        "trend": trend,
        "block": block,
        "falling": falling,
        "uneven cells": uneven,
        "cascade": cascade,
        "crimes": column("houston_crime_2010", "lon"),
        "quakes": column("usgs_earthquakes_23k", "lat"),
        "networks": per_block,
        "flights": column("nycflights13_1d", "distance"),
    },
}


if __name__ == "__main__":
    main()
