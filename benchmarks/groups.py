"""How accurate ``auto`` is with a category beside an axis, also for sums over all groups.

    python benchmarks/groups.py --runs 8

Errors of ``auto`` and ``identity`` for the number of all rows, and for the number in a range of the
axis, with ε = 1; and how often the 95 % intervals of ``auto`` contain the truth. Figures go to
``results/groups.csv``. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from report import save

import hushgram as hg

GROUPS = ((12, 60), (50, 100), (300, 20))
GROUP_ROWS = (300, 10_000, 100_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", hg.Unaccounted)
    rng = np.random.default_rng(21)
    save("groups", [sums(groups, asked.runs, rng) for groups in GROUPS])


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
