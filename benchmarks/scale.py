"""Four mechanisms over Parquet files of 1, 10 and 100 million rows, next to plain counts.

    python benchmarks/scale.py                 1e6, 1e7 and 1e8 rows: a file of 2.2 GB
    python benchmarks/scale.py table           350 million rows with a category: a file of 6 GB
    python benchmarks/scale.py 1000000 10000000

Goals: at most 1.5 times the CPU of a plain count of the same cells in DuckDB where a mechanism
reads the table once, 2.5 times where it reads it twice; at most 1 GB of memory; the CPU grows
with the rows to the power 1.05 at most. What an adaptive mechanism publishes grows with the
rows and with ε, to millions of parts: next to it stand a plain count of as many square cells, and
one of 256 x 256 cells, which is the floor of the first column.

CPU seconds of all threads, the least of some turns, after a warm-up on a small file that imports
and compiles. Every mechanism and every plain count has a process of its own, whose peak memory is
given; a mechanism and its plain count run one right after the other.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from report import apart, cpu, peak_mb, save

GROUP = 1_000_000
"""Rows of a row group."""

PLACES, KINDS = 2_000, 40
"""Towns of the map, and values of the category."""

TABLE, DISTINCT = 350_000_000, 20
"""Rows of the large table, and its row groups that differ."""

Job = Callable[[Path], int]
Floats = npt.NDArray[np.float64]


def main(sizes: list[int]) -> None:
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "few.parquet"
        write(small, 10_000)
        for rows in sizes:
            path = Path(folder) / "rows.parquet"
            write(path, rows)
            for (name, epsilon), (axes, plain, passes) in JOBS.items():
                job = partial(publish, mechanism=name, axes=axes, epsilon=epsilon)
                about = {"mechanism": name, "epsilon": epsilon, "passes": passes}
                row = {**about, **beside(job, plain, path, small, rows)}
                found.append({**row, **beside_as_many(row, path, small)})
                print(found[-1], flush=True)
    for row in found:
        alike = [other for other in found if same_job(row, other)]
        row["exponent"] = exponent(alike, "cpu s")
        row["exponent, plain"] = exponent(alike, "plain of as many, cpu s")
    save("scale", found)


def table() -> None:
    """The size of the largest table of the papers, with a category next to the map."""
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "rows.parquet", Path(folder) / "few.parquet"
        write(small, 10_000, kinds=True)
        write(path, TABLE, kinds=True, distinct=DISTINCT)
        ours = partial(publish, mechanism="identity", axes=kinds_and_map, epsilon="1")
        row = beside(ours, plain_kinds, path, small, TABLE)
    save("scale-table", [{"mechanism": "identity", "epsilon": "1", "passes": 1, **row}])


def beside(job: Job, plain: Job, path: Path, small: Path, rows: int) -> dict[str, Any]:
    """What a mechanism and its plain count take for a file."""
    taken, peak, parts = apart(measure, job, path, small, turns_for(rows))
    floor, plain_peak, _ = apart(measure, plain, path, small, turns_for(rows))
    return {
        "rows": rows,
        "parts": parts,
        "cpu s": taken,
        "plain cpu s": floor,
        "ratio": taken / floor,
        "peak MB": peak,
        "plain peak MB": plain_peak,
        "ns per row": taken / rows * 1e9,
    }


def beside_as_many(row: dict[str, Any], path: Path, small: Path) -> dict[str, Any]:
    """What a plain count takes that has as many cells as were published."""
    same, side = row["plain cpu s"], math.isqrt(row["parts"])
    if row["passes"] > 1:
        plain = partial(plain_cells, side=side)
        same, _, _ = apart(measure, plain, path, small, turns_for(row["rows"]))
    return {"plain of as many, cpu s": same, "ratio to it": row["cpu s"] / same}


def turns_for(rows: int) -> int:
    return max(2, min(5, 3 * 10**7 // rows))


def same_job(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in ("mechanism", "epsilon"))


def measure(job: Job, path: Path, small: Path, turns: int) -> tuple[float, float, int]:
    """The least CPU seconds of a job, the peak memory of a process that does it once, and how many
    parts it counted."""
    job(small)
    parts: list[int] = []
    first, peak = cpu(lambda: parts.append(job(path)), 1), peak_mb()
    return min(first, cpu(lambda: job(path), turns - 1)), peak, parts[0]


def exponent(rows: list[dict[str, Any]], column: str) -> float:
    """The slope of a column against the rows, both as logarithms."""
    if len(rows) < 2:
        return math.nan
    x, y = (np.log([row[name] for row in rows]) for name in ("rows", column))
    return float(np.polyfit(x, y, 1)[0])


def write(path: Path, rows: int, kinds: bool = False, distinct: int = 10**9) -> None:
    """Rows around towns of very different sizes, with an amount; or with a kind, most of them
    rare. After that many row groups they come again."""
    rng = np.random.default_rng(8)
    towns = Towns(rng)
    last = ("kind", pa.string()) if kinds else ("amount", pa.float64())
    schema = pa.schema([("lon", pa.float64()), ("lat", pa.float64()), last])
    known: list[pa.Table] = []
    with pq.ParquetWriter(path, schema, use_dictionary=["kind"] if kinds else False) as writer:
        for number, start in enumerate(range(0, rows, GROUP)):
            count = min(GROUP, rows - start)
            if number < distinct:
                more = some_kinds(rng, count) if kinds else amounts(rng, count)
                group = pa.table([*towns.points(rng, count), more], schema=schema)
                known = [*known, group] if distinct < 10**9 else []
            else:
                group = known[number % distinct].slice(0, count)
            writer.write_table(group)


def kind_names() -> list[str]:
    return [f"kind {number}" for number in range(KINDS)]


def some_kinds(rng: np.random.Generator, count: int) -> pa.Array:
    weights = 1 / np.arange(1, KINDS + 1)
    chosen = rng.choice(KINDS, count, p=weights / weights.sum())
    return pa.array(kind_names()).take(pa.array(chosen))


class Towns:
    """Where the points are: towns by Zipf's law, wider the larger, and one in ten anywhere."""

    def __init__(self, rng: np.random.Generator) -> None:
        weights = 1 / np.arange(1, PLACES + 1)
        self.share = weights / weights.sum()
        self.centres = rng.uniform([-170, -60], [170, 75], (PLACES, 2))
        self.widths = 0.5 * np.sqrt(self.share / self.share[0]) + 0.02

    def points(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        town = rng.choice(PLACES, count, p=self.share)
        spread = self.widths[town] * rng.gamma(2, 0.5, count)
        turn = rng.uniform(0, 2 * np.pi, count)
        lon = self.centres[town, 0] + spread * np.cos(turn) * 2
        lat = self.centres[town, 1] + spread * np.sin(turn)
        anywhere = rng.random(count) < 0.1
        lon[anywhere] = rng.uniform(-180, 180, anywhere.sum())
        lat[anywhere] = rng.uniform(-90, 90, anywhere.sum())
        return np.clip(lon, -180, 180), np.clip(lat, -90, 90)


def amounts(rng: np.random.Generator, count: int) -> Floats:
    """Money: most of it little, and round sums often."""
    found = rng.lognormal(4, 1.2, count)
    round_ones = rng.random(count) < 0.3
    found[round_ones] = np.round(found[round_ones], -1)
    return np.minimum(found, 4095.99)


def publish(path: Path, mechanism: str, axes: Callable[[], Any], epsilon: str) -> int:
    import hushgram as hg

    release = hg.publish(
        path,
        axes(),
        epsilon=epsilon,
        mechanism=mechanism,
        account="bench",
        ledger=hg.Ledger.in_memory(),
    )
    return release.estimate.partition.size


def cells() -> Any:
    import hushgram as hg

    return hg.Domain(lon=hg.Regular(256, -180, 180), lat=hg.Regular(256, -90, 90))


def plane() -> Any:
    import hushgram as hg

    return hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-90, 90))


def money() -> Any:
    import hushgram as hg

    return hg.Domain(amount=hg.Regular(65_536, 0, 4096))


def kinds_and_map() -> Any:
    import hushgram as hg

    kinds = hg.Category(kind_names())
    return hg.Domain(kind=kinds, lon=hg.Regular(64, -180, 180), lat=hg.Regular(64, -90, 90))


def plain_cells(path: Path, side: int = 256) -> int:
    lon, lat = f"floor((lon + 180) / 360 * {side})", f"floor((lat + 90) / 180 * {side})"
    return plain(
        path,
        f"{lon}::BIGINT * {side} + {lat}::BIGINT",
        "lon >= -180 AND lon < 180 AND lat >= -90 AND lat < 90",
    )


def plain_money(path: Path) -> int:
    return plain(path, "floor(amount * 16)::BIGINT", "amount >= 0 AND amount < 4096")


def plain_kinds(path: Path) -> int:
    return plain(
        path,
        "kind, floor((lon + 180) / 360 * 64)::BIGINT * 64 + floor((lat + 90) / 180 * 64)::BIGINT",
        "lon >= -180 AND lon < 180 AND lat >= -90 AND lat < 90",
    )


def plain(path: Path, parts: str, inside: str) -> int:
    """The same count without privacy, as one would write it in SQL."""
    import duckdb

    query = f"SELECT {parts}, count(*) FROM '{path}' WHERE {inside} GROUP BY ALL"
    return duckdb.sql(query).to_arrow_table().num_rows


JOBS: dict[tuple[str, str], tuple[Callable[[], Any], Job, int]] = {
    ("identity", "1"): (cells, plain_cells, 1),
    ("ahp", "1"): (money, plain_money, 1),
    ("adaptive-grid", "1"): (plane, plain_cells, 2),
    ("adaptive-grid", "0.1"): (plane, plain_cells, 2),
    ("privtree-hb", "1"): (plane, plain_cells, 2),
    ("privtree-hb", "0.1"): (plane, plain_cells, 2),
}
"""By mechanism and ε: what is published, the plain count, and how often the table is read."""

if __name__ == "__main__":
    if sys.argv[1:] == ["table"]:
        table()
    else:
        main([int(given) for given in sys.argv[1:]] or [10**6, 10**7, 10**8])
