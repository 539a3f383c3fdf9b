"""How far ``auto`` is from the best mechanism on small maps and on tables of three and four axes.

    HUSHGRAM_DATA=… python benchmarks/many_axes.py --runs 6

Error = root mean square over 1,000 random boxes of cells. ``auto`` was chosen on the first half of
the tables; the second half confirms it. *Regret* is its error over that of the best rival of the
same setting. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from report import save

import hushgram as hg

RIVALS = ("bayes-tree", "hb", "identity", "adaptive-grid", "privtree", "privtree-hb", "dpcube")
EPSILONS = ("0.01", "0.1", "1")
BOXES = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--half", choices=("choosing", "confirming", "both"), default="both")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", hg.Unaccounted)
    rows = []
    for half in ("choosing", "confirming") if asked.half == "both" else (asked.half,):
        for name, counts in tables(half):
            for epsilon in EPSILONS:
                rows.append(compare(half, name, counts, epsilon, asked.runs))
                print(rows[-1], flush=True)
    save("many-axes", rows)
    for half in sorted({row["half"] for row in rows}):
        regrets = np.array([row["regret"] for row in rows if row["half"] == half])
        mean = np.exp(np.log(regrets).mean())
        print(f"{half}: mean regret {mean:.3f}, largest {regrets.max():.2f}")


def compare(half: str, name: str, counts: Any, epsilon: str, runs: int) -> dict[str, Any]:
    boxes = random_boxes(counts.shape, np.random.default_rng(9001))
    truth = box_counts(counts, boxes)
    found = {}
    for mechanism in ("auto", *RIVALS):
        errors = []
        for _ in range(runs):
            release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)
            errors.append(np.sqrt(np.mean((box_counts(release.to_array(), boxes) - truth) ** 2)))
        found[mechanism] = float(np.mean(errors))
    best = min(RIVALS, key=found.__getitem__)
    return {
        "half": half, "table": name, "rows": int(counts.sum()), "cells": counts.size,
        "epsilon": epsilon, "runs": runs, **found, "best": best,
        "regret": found["auto"] / found[best],
    }  # fmt: skip


def random_boxes(shape: tuple[int, ...], rng: Any) -> list[tuple[Any, Any]]:
    """On each axis where boxes start and stop: any length, anywhere."""
    found = []
    for side in shape:
        length = rng.integers(1, side + 1, BOXES)
        start = rng.integers(0, side - length + 1)
        found.append((start, start + length))
    return found


def box_counts(counts: Any, boxes: list[tuple[Any, Any]]) -> Any:
    """By sums from the origin, added at the corners with their signs."""
    sums = np.pad(counts.astype(float), [(1, 0)] * counts.ndim)
    for axis in range(counts.ndim):
        sums = sums.cumsum(axis)
    found = np.zeros(BOXES)
    for corner in np.ndindex(*(2,) * counts.ndim):
        places = tuple(boxes[axis][end] for axis, end in enumerate(corner))
        found += (-1) ** (counts.ndim - sum(corner)) * sums[places]
    return found


def tables(half: str) -> Iterator[tuple[str, Any]]:
    age, week, years, weight = columns("adult", "age", "hours_per_week", "education_num", "fnlwgt")
    east, north, hour = columns("houston_crime_2010", "lon", "lat", "hour")
    if half == "choosing":
        yield "ages and hours", cells([age, week], (74, 99), [(17, 91), (1, 100)])
        yield "crimes 64 x 72", cells([east, north], (64, 72))
        yield "rides 128 x 128", cells(columns("nyc_uber_pickups", "lon", "lat"), (128, 128))
        yield "Adult 3", cells([age, week, years], (74, 99, 16), [(17, 91), (1, 100), (1, 17)])
        yield "crimes 3", cells([east, north, hour], (32, 32, 24))
        bounds = [(17, 92), (1, 101), (1, 17), (0, 5e5)]
        yield "Adult 4", cells([age, week, years, weight], (15, 20, 16, 16), bounds)
        trips = ("pickup_x", "pickup_y", "dropoff_x", "dropoff_y")
        yield "taxi 4", cells(columns("nyc_taxi_2015_50k", *trips), (16,) * 4)
        return
    lon, lat, magnitude = columns("usgs_earthquakes_23k", "lon", "lat", "magnitude")
    month, day, distance, air = columns("nycflights13_1d", "month", "hour", "distance", "air_time")
    yield "quakes 90 x 45", cells([lon, lat], (90, 45))
    yield "distances and hours", cells([distance, day], (100, 24))
    yield "stations 150 x 100", cells(columns("fcc_radio_stations", "lon", "lat"), (150, 100))
    yield "movements 3", cells(columns("kaluza_A01_A03", "x", "y", "z"), (32,) * 3)
    yield "quakes 3", cells([lon, lat, magnitude], (64, 32, 16))
    yield "flights 3", cells([month, day, distance], (12, 24, 64))
    yield "flights 4", cells([month, day, distance, air], (12, 24, 16, 16))


def columns(table: str, *names: str) -> list[Any]:
    path = Path(os.environ["HUSHGRAM_DATA"]) / f"{table}.parquet"
    found = pq.read_table(path, columns=list(names)).to_pandas()
    return [found[name].to_numpy(dtype=float) for name in names]


def cells(values: list[Any], shape: tuple[int, ...], bounds: Any = None) -> Any:
    """Counts on a grid between public bounds; here those of all but a few rows."""
    bounds = bounds or [tuple(np.nanquantile(one, (0.002, 0.998))) for one in values]
    rows = np.stack(values, axis=1)
    return np.histogramdd(rows[np.isfinite(rows).all(axis=1)], shape, bounds)[0].astype(np.int64)


if __name__ == "__main__":
    main()
