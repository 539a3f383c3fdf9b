"""Joint or independent noise in the second pass of ``bayes-tree`` on maps.

    HUSHGRAM_DATA=… python benchmarks/map_noise.py --runs 8

Errors with joint noise, and different weights for leaves, divided by those with independent noise:
root mean squares over 2,000 boxes of any size, 2,000 with sides up to a tenth of the map's, slices
along each axis, and cells. The tables are those that constants were chosen on. NONPRIVATE: it sees
true counts. Figures go to ``results/map-noise.csv``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
from many_axes import box_counts, cells, columns, random_boxes
from report import save

import hushgram as hg
from hushgram.lab.evaluate import data_set
from hushgram.mechanisms import bayes_tree, node_plan

NEVER = {"SURELY_JOINT": 0, "JOINT_AT_ONE": 0}
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "independent": (NEVER, {}),
    "weights of one axis": (
        {},
        {"LEAF_BONUS": (2.5, 2.5), "LIGHTER": 2 * node_plan.LIGHTER[:1]},
    ),
    "leaves 5 times": ({}, {"LEAF_BONUS": (2.5, 5.0)}),
    "root 0.7, halves 0.1 times": (
        {},
        {"LIGHTER": (node_plan.LIGHTER[0], (0.7, 0.1, 0.1))},
    ),
    "leaves 7 times": ({}, {}),
    "leaves 10 times": ({}, {"LEAF_BONUS": (2.5, 10.0)}),
}
"""What is changed of `bayes_tree`, and of `node_plan`."""

MEASURES = ("boxes", "small boxes", "slices", "cells")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", hg.Unaccounted)
    rows = []
    for name, epsilon, counts in tables():
        rows += compare(name, epsilon, counts, asked.runs)
        print(*(list(row.values()) for row in rows[-len(VARIANTS) :]), sep="\n", flush=True)
    save("map-noise", rows)
    for variant in VARIANTS:
        mine = [row for row in rows if row["noise"] == variant]
        means = {m: np.exp(np.mean([np.log(row[m]) for row in mine])) for m in MEASURES}
        print(f"{variant}:", ", ".join(f"{name} {mean:.3f}" for name, mean in means.items()))


def compare(name: str, epsilon: str, counts: Any, runs: int) -> list[dict[str, Any]]:
    found = {
        variant: np.mean([errors(counts, epsilon, *changes) for _ in range(runs)], axis=0)
        for variant, changes in VARIANTS.items()
    }
    return [
        {"table": name, "epsilon": epsilon, "noise": variant, "runs": runs,
         **dict(zip(MEASURES, (mine / found["independent"]).tolist(), strict=True))}
        for variant, mine in found.items()
    ]  # fmt: skip


def errors(counts: Any, epsilon: str, of_tree: dict[str, Any], of_plan: dict[str, Any]) -> Any:
    with ExitStack() as changed:
        for module, values in ((bayes_tree, of_tree), (node_plan, of_plan)):
            for name, value in values.items():
                changed.enter_context(patch.object(module, name, value))
        apart = published(counts, epsilon) - counts
    rng = np.random.default_rng(9001)
    large = random_boxes(counts.shape, rng)
    small = random_boxes(tuple(max(side // 10, 1) for side in counts.shape), rng)
    corner = [rng.integers(0, side - side // 10 + 1, len(small[0][0])) for side in counts.shape]
    small = [(start + at, stop + at) for (start, stop), at in zip(small, corner, strict=True)]
    slices = np.concatenate([apart.sum(axis=0), apart.sum(axis=1)])
    return np.array(
        [root_mean_square(one)
         for one in (box_counts(apart, large), box_counts(apart, small), slices, apart)]
    )  # fmt: skip


def published(counts: Any, epsilon: str) -> Any:
    release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism="bayes-tree")
    return release.to_array()


def root_mean_square(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def tables() -> Iterator[tuple[str, str, Any]]:
    age, week = columns("adult", "age", "hours_per_week")
    crimes = columns("houston_crime_2010", "lon", "lat")
    found = {
        "ages and hours": cells([age, week], (80, 100), [(15, 95), (1, 101)]),
        "crimes 64 x 72": cells(crimes, (64, 72)),
        "rides 128 x 128": cells(columns("nyc_uber_pickups", "lon", "lat"), (128, 128)),
        "Stroke": data_set("Stroke_2D_256_256").counts,
        "Twitter": data_set("twitter_256_256").counts,
    }
    for name, counts in found.items():
        for epsilon in ("0.1", "1", "4"):
            yield name, epsilon, counts


if __name__ == "__main__":
    main()
