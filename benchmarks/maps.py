"""Paper 002's comparison on real points: relative errors of map queries, by query size.

    HUSHGRAM_DATA=… python benchmarks/maps.py --runs 20
    HUSHGRAM_DATA=… python benchmarks/maps.py adaptive-grid privtree-hb --runs 5 --sets storage

Four sets of points stand in for the paper's, with its sizes of queries: the largest is given per
set, and each smaller one has half of its sides; 200 random boxes of each size. The error of an
answer is |noisy - true| / max(true, 0.001 N). NONPRIVATE: it sees true counts. Figures go to
``results/maps.csv``, candlesticks (quarter, median, three quarters, 95 %, and the mean as a dot) to
``results/maps.png``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from report import RESULTS, save

import hushgram as hg

MECHANISMS = ("adaptive-grid", "uniform-grid", "kd-hybrid", "privtree-hb")
EPSILONS = ("0.1", "1")
SIZES, QUERIES = 6, 200


@dataclass(frozen=True)
class Points:
    """A set of points in a public box, and the sides of the largest query."""

    file: str
    x: tuple[str, float, float]
    y: tuple[str, float, float]
    largest: tuple[float, float]
    keep: tuple[str, str] | None = None

    def read(self) -> tuple[hg.Domain, np.ndarray]:
        names = [self.x[0], self.y[0]]
        extra = [self.keep[0]] if self.keep else []
        table = pq.read_table(Path(os.environ["HUSHGRAM_DATA"]) / self.file, columns=names + extra)
        if self.keep:
            column, value = self.keep
            table = table.filter(pa.compute.field(column) == value)
        points = np.stack([table[name].to_numpy().astype(float) for name in names], axis=1)
        lows, highs = (np.array([self.x[end], self.y[end]]) for end in (1, 2))
        inside = ((points >= lows) & (points <= highs)).all(axis=1)
        return hg.Domain(x=self.x[1:], y=self.y[1:]), points[inside]


SETS = {
    "road": Points(
        "osm_road_nodes_seattle.parquet",
        ("x", -6e5, 6e5), ("y", -9.2e5, 9.2e5), (7.68e5, 1.472e6),
    ),
    "checkin": Points(
        "geolite2_ipnet_world_1m.parquet", ("lon", -180, 180), ("lat", -65, 85), (192, 96)
    ),
    "landmark": Points(
        "geolite2_ipnet_northamerica.parquet",
        ("lon", -125, -65), ("lat", 20, 60), (40, 20), keep=("country", "US"),
    ),
    "storage": Points(
        "us_power_plants_48.parquet", ("lon", -125, -65), ("lat", 20, 60), (40, 20)
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=MECHANISMS)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    asked = parser.parse_args()
    rows, errors = [], {}
    for name in asked.sets:
        for epsilon, mechanism, found in measured(SETS[name], asked.mechanisms, asked.runs):
            errors[name, epsilon, mechanism] = found
            rows.append(summary(name, epsilon, mechanism, found))
            print(rows[-1], flush=True)
    save("maps", rows)
    draw(errors, asked.sets, asked.mechanisms)


def measured(
    points: Points, mechanisms: list[str], runs: int
) -> Iterator[tuple[str, str, np.ndarray]]:
    """For each ε and mechanism, the relative errors: runs x sizes x queries."""
    domain, rows = points.read()
    boxes = queries(domain, points.largest)
    true = np.array([inside(rows, *box) for box in boxes.reshape(-1, 2, 2)], dtype=float)
    floor = np.maximum(true, 0.001 * len(rows))
    table = pa.table({"x": rows[:, 0], "y": rows[:, 1]})
    asked = pa.table(
        {
            f"{axis}_{end}": boxes[:, :, place, side].ravel()
            for place, axis in enumerate("xy")
            for side, end in enumerate(("lo", "hi"))
        }
    )
    for epsilon in EPSILONS:
        for mechanism in mechanisms:
            found = []
            for _ in range(runs):
                release = hg.publish(
                    table, domain, epsilon=epsilon, mechanism=mechanism,
                    account="maps", ledger=hg.Ledger.in_memory(),
                )  # fmt: skip
                found.append(np.abs(release.count(asked).values - true) / floor)
            yield epsilon, mechanism, np.array(found).reshape(runs, SIZES, QUERIES)


def queries(domain: hg.Domain, largest: tuple[float, float]) -> np.ndarray:
    """Random boxes inside the domain: sizes x queries x axes x (lo, hi)."""
    rng = np.random.default_rng(2)
    boxes = np.empty((SIZES, QUERIES, 2, 2))
    for size in range(SIZES):
        for place, axis in enumerate(domain.axes):
            side = largest[place] / 2 ** (SIZES - 1 - size)
            low = rng.uniform(axis.lo, axis.hi - side, QUERIES)
            boxes[size, :, place] = np.stack([low, low + side], axis=1)
    return boxes


def inside(rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> int:
    across = (rows[:, 0] >= x[0]) & (rows[:, 0] < x[1])
    return int((across & (rows[:, 1] >= y[0]) & (rows[:, 1] < y[1])).sum())


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


def draw(errors: dict, sets: list[str], mechanisms: list[str]) -> None:
    """Candlesticks of all errors, a panel per set and ε."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        len(EPSILONS), len(sets), figsize=(3.2 * len(sets), 6), squeeze=False
    )
    for column, name in enumerate(sets):
        for line, epsilon in enumerate(EPSILONS):
            panel = panels[line, column]
            for place, mechanism in enumerate(mechanisms):
                found = errors[name, epsilon, mechanism].ravel()
                low, middle, high, tail = np.quantile(found, (0.25, 0.5, 0.75, 0.95))
                panel.vlines(place, low, tail, color="0.3", linewidth=1)
                panel.bar(place, high - low, bottom=low, width=0.5, color="#88b7d5", ec="0.3")
                panel.hlines(middle, place - 0.25, place + 0.25, color="0.1", linewidth=1.5)
                panel.plot(place, found.mean(), "o", color="#c44e00", markersize=5)
            panel.set_xticks(range(len(mechanisms)), mechanisms, rotation=30, ha="right")
            panel.set_title(f"{name}, ε = {epsilon}", fontsize=10)
            panel.set_ylim(bottom=0)
            if column == 0:
                panel.set_ylabel("relative error")
    figure.tight_layout()
    figure.savefig(RESULTS / "maps.png", dpi=110)


if __name__ == "__main__":
    main()
