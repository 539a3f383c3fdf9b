"""How far ``auto`` is from the best mechanism on generated tables of many sizes and shapes.

    python benchmarks/shapes.py sizes --runs 8
    python benchmarks/shapes.py groups --runs 8

``sizes``: one axis and two, from few cells to thousands, ε = 1. Error = root mean square over 1,000
random ranges or boxes. *Regret* is the error of ``auto`` over that of the best rival; half of the
runs say which rival that is, and the other half are compared. Figures go to ``results/shapes.csv``.

``groups``: a category beside an axis, where some queries are sums over all groups: the number
of all rows, and the number in a range of the axis. Errors of ``auto`` and ``identity``, and how
often the 95 % intervals of ``auto`` contain the truth. Figures go to ``results/groups.csv``.

NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from many_axes import box_counts, random_boxes
from report import save

import hushgram as hg

SIZES: tuple[tuple[int, ...], ...] = (
    (10,), (16,), (32,), (50,), (100,), (366,), (1000,), (4096,),
    (4, 4), (8, 8), (16, 16), (32, 32), (64, 72), (12, 1000),
)  # fmt: skip
LINE_RIVALS = ("identity", "hb", "privtree-hb", "privelet", "dpcube")
MAP_RIVALS = ("identity", "hb", "privtree-hb", "adaptive-grid", "dpcube")
ROWS = (100, 3_000, 100_000)
SMALL = 400
"""Cells up to which there are three times as many runs: errors of few cells scatter more."""

GROUPS = ((12, 60), (50, 100), (300, 20))
GROUP_ROWS = (300, 10_000, 100_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sizes", "groups"))
    parser.add_argument("--runs", type=int, default=8)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", hg.Unaccounted)
    rng = np.random.default_rng(21)
    if asked.what == "sizes":
        save("shapes", [regrets(size, asked.runs, rng) for size in SIZES])
    else:
        save("groups", [sums(groups, asked.runs, rng) for groups in GROUPS])


def regrets(size: tuple[int, ...], runs: int, rng: Any) -> dict[str, Any]:
    rivals = LINE_RIVALS if len(size) == 1 else MAP_RIVALS
    runs *= 3 if np.prod(size) <= SMALL else 1
    boxes = random_boxes(size, np.random.default_rng(9001))
    found = {"auto": {}, "identity": {}}
    for name, chances in shapes(size, rng):
        for rows in ROWS:
            counts = rng.multinomial(rows, (chances / chances.sum()).ravel()).reshape(size)
            errors = {m: errors_of(counts, boxes, m, runs) for m in ("auto", *rivals)}
            best = min(rivals, key=lambda m: errors[m][: runs // 2].mean())
            for mechanism, regret in found.items():
                regret[name, rows, best] = (
                    errors[mechanism][runs // 2 :].mean() / errors[best][runs // 2 :].mean()
                )
    mine = found["auto"]
    where = max(mine, key=mine.__getitem__)
    row = {
        "cells": " x ".join(map(str, size)),
        "settings": len(mine),
        "runs": runs,
        "mean regret": float(np.exp(np.mean(np.log(list(mine.values()))))),
        "largest": float(mine[where]),
        "where": "{}, {:,} rows, {}".format(*where),
        "mean of identity": float(np.exp(np.mean(np.log(list(found["identity"].values()))))),
    }
    print(row, flush=True)
    return row


def errors_of(counts: Any, boxes: Any, mechanism: str, runs: int) -> Any:
    truth, found = box_counts(counts, boxes), []
    for _ in range(runs):
        release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism)
        error = box_counts(release.to_array().reshape(counts.shape), boxes) - truth
        found.append(max(float(np.sqrt(np.mean(error**2))), 1e-6))
    return np.array(found)


def shapes(size: tuple[int, ...], rng: Any) -> Iterator[tuple[str, Any]]:
    """How likely each cell is."""
    places = np.stack(np.meshgrid(*(np.arange(n) / n for n in size), indexing="ij"))
    yield "even", np.ones(size)
    yield "trend", 1 + places.sum(axis=0)
    yield "hill", np.exp(-(((places - 0.4) ** 2).sum(axis=0)) / 0.02)
    yield "block", (abs(places - 0.5).max(axis=0) < 0.13) + 0.002
    yield "uneven cells", rng.lognormal(0, 2, size)
    yield "ranks", rng.permutation(1 / (1 + np.arange(np.prod(size))) ** 1.2).reshape(size)
    yield "tenth full", (rng.random(size) < 0.1) + 1e-3
    yield "every second", ((np.indices(size).sum(axis=0)) % 2) + 1e-3


def sums(size: tuple[int, int], runs: int, rng: Any) -> dict[str, Any]:
    """Root mean square errors, and coverage, over all shapes, rows and runs."""
    groups, cells = size
    names = [f"group {k}" for k in range(groups)]
    domain = hg.Domain(group=hg.Category(names), x=hg.Integer(0, cells - 1))
    squares: dict[str, list[float]] = {}
    held: dict[str, list[bool]] = {"all": [], "stretch": []}
    for chances in group_shapes(size, rng):
        for rows in GROUP_ROWS:
            cell = rng.choice(groups * cells, rows, p=(chances / chances.sum()).ravel())
            columns = {"group": np.array(names)[cell // cells], "x": cell % cells}
            table, stop = pa.table(columns), cells // 2
            for _ in range(runs):
                for mechanism in ("auto", "identity"):
                    release = hg.publish(
                        table, domain, epsilon=1, mechanism=mechanism, account="bench",
                        ledger=hg.Ledger.in_memory(),
                    )  # fmt: skip
                    for what, query in (("all", {}), ("stretch", {"x": (0, stop)})):
                        answer = release.count(**query)
                        truth = rows if what == "all" else int((cell % cells < stop).sum())
                        squares.setdefault(f"{mechanism}, {what}", []).append(
                            (answer.value - truth) ** 2
                        )
                        if mechanism == "auto":
                            low, high = answer.interval
                            held[what].append(low <= truth <= high)
    row = {
        "groups": groups,
        "cells each": cells,
        "runs": len(held["all"]),
        **{what: float(np.sqrt(np.mean(found))) for what, found in squares.items()},
        **{f"coverage, {what}": float(np.mean(found)) for what, found in held.items()},
    }
    print(row, flush=True)
    return row


def group_shapes(size: tuple[int, int], rng: Any) -> Iterator[Any]:
    """Even, uneven, most groups empty, and all groups alike with most rows in one place."""
    groups, cells = size
    yield np.ones(size)
    yield rng.lognormal(0, 2, size)
    yield np.repeat(np.arange(groups) < groups // 8, cells).reshape(size) + 1e-3
    hill = np.exp(-((np.arange(cells) / cells - 0.3) ** 2) / 0.02)
    yield np.outer(1 / (1 + np.arange(groups)), hill)


if __name__ == "__main__":
    main()
