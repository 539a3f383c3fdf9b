"""An adaptive grid over a Parquet file of longitudes and latitudes, beside a plain count.

    python benchmarks/spatial.py               10 million rows
    python benchmarks/spatial.py 100000000     100 million

Goal: at most 2.5 times the CPU of one plain count of 256 x 256 cells in DuckDB, though the
adaptive grid needs the number of rows, a first grid and a second. ``publish`` is everything from
the file to the bytes of the release; ``estimate`` leaves out the release, which grows with the
parts (1.4 million at ε = 1 for 10 million rows). Measured as in ``publish.py``.
"""

from __future__ import annotations

import sys
import tempfile
from fractions import Fraction
from functools import partial
from pathlib import Path

from publish import memory, plain_count, race, write
from report import apart, save


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "points.parquet", Path(folder) / "few.parquet"
        write(path, rows)
        write(small, 10_000)
        found = []
        for epsilon in ("1", "0.1"):
            for name, job in {"publish": publish, "estimate": estimate}.items():
                ours = partial(job, epsilon=epsilon)
                taken, floor = apart(race, (ours, plain_count), path, small)
                found.append(
                    {
                        "rows": rows,
                        "what": f"adaptive-grid, {name}",
                        "epsilon": epsilon,
                        "cpu s": taken,
                        "plain count (DuckDB)": floor,
                        "ratio": taken / floor,
                        "peak MB": apart(memory, ours, path),
                    }
                )
    save(f"spatial-{rows}", found)


def publish(path: Path, epsilon: str) -> object:
    import hushgram as hg

    return hg.publish(
        path,
        plane(),
        epsilon=epsilon,
        mechanism="adaptive-grid",
        account="bench",
        ledger=hg.Ledger.in_memory(),
    )


def estimate(path: Path, epsilon: str) -> object:
    from hushgram.declare.unit import Rows
    from hushgram.mechanisms.adaptive_grid import AdaptiveGrid
    from hushgram.trusted.engine.remembered import Remembered
    from hushgram.trusted.engine.sources.source import open_table
    from hushgram.trusted.noise import Native
    from hushgram.trusted.vault import TableVault

    table, budget = open_table(path), Fraction(epsilon)
    table.check(plane(), Rows())
    vault = TableVault(
        Remembered(table), plane(), budget, unit=Rows(), neighbours="add-remove", noise=Native()
    )
    return AdaptiveGrid().estimate(vault)


def plane() -> object:
    import hushgram as hg

    return hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-90, 90))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
