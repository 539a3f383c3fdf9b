"""How far the time of a publish tells of the table and of the noise.

    python benchmarks/timing.py
    python benchmarks/timing.py values      tables that differ in one odd value

Two tables take turns at being published, many times, with fresh noise. Kept are the medians of the
CPU time and the *advantage*: how often somebody who sees one time of each tells the tables apart,
beyond guessing, from 0 (never) to 1 (always). With 61 turns, up to 0.2 is chance. The last rows
ask of the noise: one table at two budgets, and whether runs with larger noise take longer (the
rank correlation of a run's time with the sum of its noise, chance up to 0.2).

Times depend on the number of rows, on how rows are and on what the mechanism does with them; that
is why docs/guides/known-limits.md does not promise otherwise.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from report import save
from scipy.stats import spearmanr

import hushgram as hg
from hushgram.declare.axis import Axis

TURNS = 61
ROWS = 100_000
DOMAIN = hg.Domain(x=hg.Regular(64, 0, 1), y=hg.Regular(64, 0, 1))
MECHANISMS = ("identity", "adaptive-grid", "privtree-hb")


def main() -> None:
    rng = np.random.default_rng(5)
    spread = table(rng.random((ROWS, 2)))
    heavy = table(np.full((ROWS, 2), 0.3))
    pairs = {
        "one row more": (spread, table_with(spread, 0.3)),
        "one row in an empty table": (spread.slice(0, 0), heavy.slice(0, 1)),
        "spread evenly, all in one cell": (spread, heavy),
        "no rows, 100,000 rows": (spread.slice(0, 0), spread),
        "100,000 rows, 2,000,000 rows": (spread, pa.concat_tables([spread] * 20)),
    }
    found = [
        compared(mechanism, what, *(publisher(one, mechanism) for one in tables))
        for mechanism in MECHANISMS
        for what, tables in pairs.items()
    ]
    for mechanism in MECHANISMS:
        found.append(
            compared(
                mechanism,
                "epsilon 10, epsilon 0.01",
                publisher(spread, mechanism, "10"),
                publisher(spread, mechanism, "0.01"),
            )
        )
    found.append(noise_and_time())
    save("timing", found)


def values() -> None:
    """One value of 100,000 that an engine would stumble over, or that is missing."""
    found = []
    for what, (axis, usual, odd) in odd_values().items():
        one, other = (
            publisher(pa.table({"x": column}), "identity", domain=hg.Domain(x=axis))
            for column in (usual, odd)
        )
        found.append(compared("identity", what, one, other))
    save("timing-values", found)


def odd_values() -> dict[str, tuple[Axis, pa.Array, pa.Array]]:
    """Columns of which the second differs from the first in one value."""
    words = pa.array([f"word {number % 20}" for number in range(ROWS)])
    kinds = hg.Category(words[:20].to_pylist())
    whole = pa.array(np.arange(ROWS) % 1000)
    real, between = whole.cast(pa.float64()), hg.Regular(100, 0, 1000)
    broken = pa.array([b"\xff\xfe"]).view(pa.string())
    digits = whole.cast(pa.decimal128(38, 2))
    too_many = pa.Array.from_buffers(digits.type, 1, [None, pa.py_buffer(b"\xff" * 15 + b"\x7f")])
    return {
        "texts, one not UTF-8": (kinds, words, begun_with(broken, words)),
        "texts, one missing": (kinds, words, begun_with(None, words)),
        "decimals, one of too many digits": (between, digits, begun_with(too_many, digits)),
        "doubles, one missing": (between, real, begun_with(None, real)),
        "whole numbers, one missing": (hg.Integer(0, 999), whole, begun_with(None, whole)),
    }


def begun_with(first: pa.Array | None, column: pa.Array) -> pa.Array:
    """The column with another first value, or without one."""
    return pa.concat_arrays([first or pa.nulls(1, column.type), column.slice(1)])


def table(points: Any) -> pa.Table:
    return pa.table({"x": points[:, 0], "y": points[:, 1]})


def table_with(rows: pa.Table, value: float) -> pa.Table:
    return pa.concat_tables([rows, pa.table({"x": [value], "y": [value]})]).combine_chunks()


def publisher(
    rows: pa.Table, mechanism: str, epsilon: str = "1", domain: hg.Domain = DOMAIN
) -> Callable[[], hg.Release]:
    def publish() -> hg.Release:
        return hg.publish(
            rows,
            domain,
            epsilon=epsilon,
            account="a",
            mechanism=mechanism,
            ledger=hg.Ledger.in_memory(),
        )

    return publish


def compared(
    mechanism: str, what: str, one: Callable[[], object], other: Callable[[], object]
) -> dict[str, Any]:
    """Both alternately, so that a busy moment hits both."""
    one(), other()
    times = np.array([(taken(one), taken(other)) for _ in range(TURNS)])
    below = (times[:, :1] < times[:, 1]).mean()
    medians = np.median(times, axis=0)
    return {
        "mechanism": mechanism,
        "compared": what,
        "first ms": 1000 * medians[0],
        "second ms": 1000 * medians[1],
        "ratio": medians[1] / medians[0],
        "advantage": abs(2 * below - 1),
    }


def noise_and_time() -> dict[str, Any]:
    """Whether a run's time tells how large its noise is."""
    publish = publisher(table(np.full((ROWS, 2), 0.3)), "identity", "0.1")
    truth = np.zeros(DOMAIN.shape)
    truth[19, 19] = ROWS
    publish()
    seen = []
    for _ in range(2 * TURNS):
        made: list[hg.Release] = []
        spent = taken(lambda made=made: made.append(publish()))
        seen.append((spent, np.abs(made[0].to_array() - truth).sum()))
    times, sizes = np.array(seen).T
    large = sizes > np.median(sizes)
    return {
        "mechanism": "identity",
        "compared": "less noise, more noise (rank correlation)",
        "first ms": 1000 * np.median(times[~large]),
        "second ms": 1000 * np.median(times[large]),
        "ratio": np.median(times[large]) / np.median(times[~large]),
        "advantage": abs(float(spearmanr(times, sizes).statistic)),
    }


def taken(work: Callable[[], object]) -> float:
    gc.disable()
    started = time.process_time()
    work()
    spent = time.process_time() - started
    gc.enable()
    return spent


if __name__ == "__main__":
    values() if sys.argv[1:] == ["values"] else main()
