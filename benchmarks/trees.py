"""Trees over clustered points in the plane: CPU seconds and growth, 10,000 to a million points.

    python benchmarks/trees.py                 the kd-trees and hybrid, next to adaptive-grid
    python benchmarks/trees.py privtree        others

One publish at ε = 1, from a table in memory to the release; the growth exponent is the slope of
log(seconds) over log(points) from 100,000 to a million. The ratio is to adaptive-grid's seconds for
a million points in the same run; a count is one of a box that cuts many parts. Goal: within 3 times
adaptive-grid's seconds.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pyarrow as pa
from report import cpu, save

import hushgram as hg

SIZES = (10_000, 100_000, 1_000_000)
LARGEST = f"{SIZES[-1]:,} points"


USUAL = ("kd-hybrid", "kd-cell", "kd-standard", "hybrid")
BESIDE = "adaptive-grid"


def main(names: list[str]) -> None:
    rows = [row(name) for name in (BESIDE, *(names or USUAL))]
    for one in rows:
        one["ratio"] = one[LARGEST] / rows[0][LARGEST]
    save("trees", rows)


def row(name: str) -> dict:
    publish(name, clustered(1000))  # compiles
    found: dict = {"mechanism": name}
    for size in SIZES:
        table = clustered(size)
        found[f"{size:,} points"] = cpu(lambda table=table: publish(name, table), repeat=2)
    small, large = (found[f"{size:,} points"] for size in SIZES[1:])
    found["growth exponent"] = math.log10(large / small)
    release = publish(name, clustered(SIZES[-1]))
    found["ms per count"] = 1000 * cpu(lambda: release.count(x=(0.1, 0.5), y=(0.2, 0.7)))
    print(found, flush=True)
    return found


def publish(name: str, table: pa.Table) -> hg.Release:
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    return hg.publish(
        table, domain, epsilon=1, mechanism=name, account="trees", ledger=hg.Ledger.in_memory()
    )


def clustered(size: int) -> pa.Table:
    """Thirty clusters of many widths."""
    rng = np.random.default_rng(size)
    centres, widths = rng.random((30, 2)), 10 ** rng.uniform(-3, -1, 30)
    chosen = rng.integers(0, 30, size)
    points = centres[chosen] + rng.normal(size=(size, 2)) * widths[chosen, np.newaxis]
    return pa.table(dict(zip("xy", np.clip(points, 0, 1).T, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
