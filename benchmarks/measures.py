"""Sums and means: how often their intervals contain the truth, their errors next to other
libraries, and what adding up costs next to plain SQL.

    python benchmarks/measures.py coverage              three tables of HUSHGRAM_DATA, ε 0.1 and 1
    python benchmarks/measures.py peers                 next to OpenDP and diffprivlib
    python benchmarks/measures.py speed [100000000]     next to DuckDB's sum … GROUP BY

``coverage``: releases of real tables by ``auto``, asked about several kinds of ranges. A sum or
mean is held if the truth about the values between the bounds lies in its 95 % interval. ``width``
is the median half-width, as a share of the largest possible mean, or of the true sum. ``peers``:
means of each cell, by the peers as noisy sums over noisy counts with half of ε each, and the root
of the mean squared error over cells with 100 rows or more. All protect a row that is added or
removed, but diffprivlib, whose sums protect a replaced one. ``speed``: CPU seconds of all threads,
the least of some turns. NONPRIVATE: it sees true numbers.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from publish import GROUP, race
from report import apart, save

import hushgram as hg
from hushgram.errors import NotAnswerable

EPSILONS = ("0.1", "1")
RUNS, EACH = 100, 4
"""Releases, and questions of each kind. Answers of one release share its noise: many releases tell
more than many questions."""

KINDS = ("random", "cell", "group", "large", "small")
"""Ranges of any size; one value of each axis, or a 64th; one value of the first axis, and all of
the second; half of each axis or more; an eighth or less."""


class Case(NamedTuple):
    """A real table: its axes and what is measured."""

    file: str
    domain: hg.Domain
    measure: hg.Sum


def cases() -> Iterator[Case]:
    yield Case(
        "adult",
        hg.Domain(age=hg.Integer(17, 90), education_num=hg.Integer(1, 16)),
        hg.Sum("hours_per_week", 0, 80),
    )
    yield Case(
        "nycflights13_1d",
        hg.Domain(month=hg.Integer(1, 12), hour=hg.Integer(0, 23)),
        hg.Mean("dep_delay", -30, 180),
    )
    yield Case(
        "nyc_taxi_2015_50k",
        hg.Domain(pickup_x=(-8_243_000, -8_225_000), pickup_y=(4_965_000, 4_990_000)),
        hg.Sum("fare_amount", 0, 60),
    )


def read(case: Case) -> pa.Table:
    return pq.read_table(Path(os.environ["HUSHGRAM_DATA"]) / f"{case.file}.parquet")


def publish(table: pa.Table, case: Case, epsilon: str, mechanism: str = "auto") -> hg.Release:
    return hg.publish(
        table, case.domain, epsilon=epsilon, mechanism=mechanism, measures=[case.measure],
        account="bench", ledger=hg.Ledger.in_memory(),
    )  # fmt: skip


# Coverage ---------------------------------------------------------------------------------


def coverage() -> None:
    rows = []
    for case in cases():
        table = read(case)
        for epsilon in EPSILONS:
            found = judge(table, case, epsilon)
            rows += [{"table": case.file, "column": case.measure.column, **one} for one in found]
            print(*rows[-len(found) :], sep="\n", flush=True)
    save("measures-coverage", rows)


def judge(table: pa.Table, case: Case, epsilon: str) -> list[dict[str, Any]]:
    columns = {name: np.asarray(table[name], dtype=float) for name in case.domain}
    values = np.asarray(table[case.measure.column], dtype=float)
    inside = ~np.isnan(values)
    for name, axis in case.domain.items():
        inside &= (columns[name] >= axis.edge(0)) & (columns[name] <= axis.edge(axis.bins))
    columns = {name: column[inside] for name, column in columns.items()}
    lo, hi = float(case.measure.lo), float(case.measure.hi)
    clamped = np.clip(values[inside], lo, hi)
    rng = np.random.default_rng(3)
    found: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    unanswered = dict.fromkeys(KINDS, 0)
    for _ in range(RUNS):
        release = publish(table, case, epsilon)
        for asked, question in questions(case.domain, rng):
            chosen = np.ones(len(clamped), dtype=bool)
            for name, (first, last) in question.items():
                chosen &= (columns[name] >= first) & (columns[name] < last)
            if chosen.sum() == 0:
                continue
            for kind, truth in (("sum", clamped[chosen].sum()), ("mean", clamped[chosen].mean())):
                try:
                    answer = getattr(release, kind)(case.measure.column, question)
                except NotAnswerable:
                    unanswered[asked] += 1
                    continue
                size = hi - lo if kind == "mean" else max(abs(truth), 1.0)
                held = bool(answer.interval[0] <= truth <= answer.interval[1])
                found.setdefault((asked, kind), []).append((held, answer.half_width / size))
    return [
        {
            "question": asked, "kind": kind, "epsilon": epsilon, "asked": len(answers),
            "held %": 100 * float(np.mean([held for held, _ in answers])),
            "width": float(np.median([width for _, width in answers])),
            "too few rows": unanswered[asked] if kind == "mean" else 0,
        }
        for (asked, kind), answers in found.items()
    ]  # fmt: skip


def questions(domain: hg.Domain, rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ranges of every kind."""
    for kind in KINDS * EACH:
        asked = {}
        for place, (name, axis) in enumerate(domain.items()):
            low, high = axis.edge(0), axis.edge(axis.bins)
            first, last = low + (high - low) * np.array(shares(kind, place, rng))
            if not axis.continuous:
                first, last = (
                    np.floor(first),
                    np.floor(last) + (kind in ("random", "cell", "group")),
                )
                first, last = min(first, high - 1), min(max(last, first + 1), high)
                if kind == "cell" or (kind == "group" and place == 0):
                    last = first + 1
            asked[name] = (float(first), float(last))
        yield kind, asked


def shares(kind: str, place: int, rng: np.random.Generator) -> tuple[float, float]:
    """Where a range starts and stops, as shares of an axis."""
    if kind == "random":
        first, last = np.sort(rng.random(2))
        return float(first), float(last)
    if kind == "group" and place == 1:
        return 0.0, 1.0
    wide = {"large": 0.5 + 0.5 * rng.random(), "small": rng.random() / 8}.get(kind, 1 / 64)
    first = rng.random() * (1 - wide)
    return float(first), float(first + wide)


# Peers ------------------------------------------------------------------------------------


def peers() -> None:
    warnings.simplefilter("ignore")
    rows = []
    for case in list(cases())[:2]:
        table = read(case)
        cells, values = in_cells(table, case)
        truth = np.bincount(cells, values) / np.maximum(np.bincount(cells), 1)
        many = np.bincount(cells) >= 100
        for epsilon in EPSILONS:
            jobs: dict[str, Callable[[], np.ndarray]] = {
                "hushgram identity": partial(ours, table, case, epsilon, "identity"),
                "hushgram auto": partial(ours, table, case, epsilon, "auto"),
                "OpenDP sum / count": partial(opendp, cells, values, case, float(epsilon)),
                "diffprivlib sum / count": partial(
                    diffprivlib, cells, values, case, float(epsilon)
                ),
            }
            for name, job in jobs.items():
                errors = [float(np.mean((job()[many] - truth[many]) ** 2)) for _ in range(10)]
                rows.append(
                    {
                        "table": case.file, "column": case.measure.column, "cells": int(many.sum()),
                        "epsilon": epsilon, "job": name, "rmse": float(np.mean(errors) ** 0.5),
                    }
                )  # fmt: skip
                first = next(r for r in rows if r["table"] == case.file and r["epsilon"] == epsilon)
                rows[-1]["times ours"] = rows[-1]["rmse"] / first["rmse"]
                print(rows[-1], flush=True)
    save("measures-peers", rows)


def in_cells(table: pa.Table, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The cell and the clamped value of each row."""
    cells = np.zeros(len(table), dtype=np.int64)
    values = np.asarray(table[case.measure.column], dtype=float)
    kept = ~np.isnan(values)
    for name, axis in case.domain.items():
        index = np.asarray(table[name], dtype=float).astype(np.int64) - axis.edge(0)
        kept &= (index >= 0) & (index < axis.bins)
        cells = cells * axis.bins + index
    values = np.clip(values[kept], float(case.measure.lo), float(case.measure.hi))
    everywhere = np.arange(case.domain.cells)  # one value of 0 per cell, so that none is missing
    return np.concatenate([cells[kept], everywhere]), np.concatenate([values, 0.0 * everywhere])


def ours(table: pa.Table, case: Case, epsilon: str, mechanism: str) -> np.ndarray:
    release = publish(table, case, epsilon, mechanism)
    found = release.group_by(*case.domain, mean=case.measure.column)["value"].to_numpy()
    middle = (float(case.measure.lo) + float(case.measure.hi)) / 2
    return np.where(np.isnan(found), middle, found)


def ratio(sums: np.ndarray, counts: np.ndarray, case: Case) -> np.ndarray:
    return np.clip(sums / np.maximum(counts, 1), float(case.measure.lo), float(case.measure.hi))


def opendp(cells: np.ndarray, values: np.ndarray, case: Case, epsilon: float) -> np.ndarray:
    """Exact integer sums and counts of known groups, each with discrete Laplace noise."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    most = max(abs(int(case.measure.lo)), abs(int(case.measure.hi)))
    sums = np.bincount(cells, values).round().astype(int).tolist()
    counts = np.bincount(cells).tolist()
    noisy = [
        np.array(dp.m.make_laplace(*space, scale=reach / (epsilon / 2))(exact), dtype=float)
        for reach, exact in ((most, sums), (1, counts))
    ]
    return ratio(noisy[0], noisy[1], case)


def diffprivlib(cells: np.ndarray, values: np.ndarray, case: Case, epsilon: float) -> np.ndarray:
    from diffprivlib.tools import count_nonzero, sum

    bounds = float(case.measure.lo), float(case.measure.hi)
    order = np.argsort(cells, kind="stable")
    groups = np.split(values[order], np.cumsum(np.bincount(cells))[:-1])
    sums = [sum(group, epsilon=epsilon / 2, bounds=bounds) for group in groups]
    counts = [count_nonzero(np.ones(len(group)), epsilon=epsilon / 2) for group in groups]
    return ratio(np.array(sums), np.array(counts, dtype=float), case)


# Speed ------------------------------------------------------------------------------------


def speed(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "rows.parquet", Path(folder) / "few.parquet"
        write(path, rows)
        write(small, 10_000)
        seconds = apart(race, (publish_sum, plain_sum), path, small)
    found = [
        {"rows": rows, "what": what, "cpu s": taken, "ratio": taken / seconds[1]}
        for what, taken in zip(
            ("publish, one measure", "DuckDB sum … GROUP BY"), seconds, strict=True
        )
    ]
    save("measures-speed", found, by=("rows", "what"))


def write(path: Path, rows: int) -> None:
    """A thousand cells, and values that spread widely."""
    schema = pa.schema([("cell", pa.int32()), ("value", pa.float64())])
    rng = np.random.default_rng(11)
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, rows, GROUP):
            count = min(GROUP, rows - start)
            cells = rng.integers(0, 1000, count, dtype=np.int32)
            writer.write_table(pa.table([cells, rng.lognormal(10, 1, count)], schema=schema))


def plain_sum(path: Path) -> int:
    import duckdb

    query = f"SELECT cell, count(*), sum(value) FROM '{path}' GROUP BY cell"
    return duckdb.sql(query).to_arrow_table().num_rows


def publish_sum(path: Path) -> object:
    return hg.publish(
        path, hg.Domain(cell=hg.Integer(0, 999)), epsilon=1, mechanism="identity",
        measures=[hg.Sum("value", 0, 200_000)], account="bench", ledger=hg.Ledger.in_memory(),
    )  # fmt: skip


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["coverage"]
    if what == "speed":
        speed(int(more[0]) if more else 10_000_000)
    else:
        {"coverage": coverage, "peers": peers}[what]()
