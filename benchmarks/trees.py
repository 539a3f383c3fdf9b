"""Trees over clustered points in the plane: CPU seconds and growth, 10,000 to a million points.

    python benchmarks/trees.py                 the kd-trees
    python benchmarks/trees.py privtree        others

One publish at ε = 1, from a table in memory to the release; the growth exponent is the slope of
log(seconds) over log(points) from 100,000 to a million. Goal: kd-hybrid within 15 seconds.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pyarrow as pa
from report import cpu, save

import hushgram as hg

SIZES = (10_000, 100_000, 1_000_000)


def main(names: list[str]) -> None:
    save("trees", [row(name) for name in names or ("kd-hybrid", "kd-cell", "kd-standard")])


def row(name: str) -> dict:
    publish(name, clustered(1000))  # compiles
    found: dict = {"mechanism": name}
    for size in SIZES:
        table = clustered(size)
        found[f"{size:,} points"] = cpu(lambda table=table: publish(name, table), repeat=1)
    small, large = (found[f"{size:,} points"] for size in SIZES[1:])
    found["growth exponent"] = math.log10(large / small)
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
