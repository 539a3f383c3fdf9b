"""Maps of a Parquet file of longitudes and latitudes, by default and by an adaptive grid, next to a
plain count.

    python benchmarks/spatial.py               20 million rows
    python benchmarks/spatial.py 100000000     100 million
    python benchmarks/spatial.py 20000000 auto only the default; other figures stay as they were

Goal: about twice the CPU of one plain count of 256 x 256 cells in DuckDB, though both need the
number of rows, a first pass and a second. ``publish`` is everything from the file to the bytes of
the release; ``estimate`` leaves out the release, which grows with the parts. Measured as in
``publish.py``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

from publish import memory, plain_count, race, write
from report import apart, save


def main(rows: int, mechanisms: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "points.parquet", Path(folder) / "few.parquet"
        write(path, rows)
        write(small, 10_000)
        found = []
        for mechanism, epsilon in product(mechanisms, ("1", "0.1")):
            for name, job in {"publish": publish, "estimate": estimate}.items():
                ours = partial(job, mechanism=mechanism, epsilon=epsilon)
                taken, floor = apart(race, (ours, plain_count), path, small)
                found.append(
                    {
                        "rows": rows,
                        "what": f"{mechanism}, {name}",
                        "epsilon": epsilon,
                        "cpu s": taken,
                        "plain count (DuckDB)": floor,
                        "ratio": taken / floor,
                        "peak MB": apart(memory, ours, path),
                    }
                )
    save(f"spatial-{rows}", found, by=("what", "epsilon"))


def publish(path: Path, mechanism: str, epsilon: str) -> object:
    import hushgram as hg

    return hg.publish(
        path,
        plane(),
        epsilon=epsilon,
        mechanism=mechanism,
        account="bench",
        ledger=hg.Ledger.in_memory(),
    )


def estimate(path: Path, mechanism: str, epsilon: str) -> object:
    from hushgram.declare.unit import Rows
    from hushgram.mechanisms import MECHANISMS
    from hushgram.trusted.engine.remembered import Remembered
    from hushgram.trusted.engine.sources.source import open_table
    from hushgram.trusted.noise import Native
    from hushgram.trusted.vault import TableVault

    table, budget, chosen = open_table(path), Fraction(epsilon), MECHANISMS[mechanism]()
    table.check(plane(), Rows())
    source = Remembered(table, raster=chosen.raster_of(plane()))
    vault = TableVault(
        source, plane(), budget, unit=Rows(), neighbours="add-remove", noise=Native()
    )
    return chosen.estimate(vault)


def plane() -> object:
    import hushgram as hg

    return hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-90, 90))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000,
        sys.argv[2:] or ("auto", "adaptive-grid"),
    )
