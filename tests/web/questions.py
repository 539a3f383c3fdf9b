"""Thousands of questions to releases of every mechanism, and what the library answers.

The page must answer them alike. Questions are dictionaries that both sides read: for an axis
``{"from": …, "to": …}`` in numbers or seconds since 1970, or ``{"values": […]}``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import hushgram as hg
from hushgram.declare.axis import Axis, Category, Date, Integer
from hushgram.declare.axis.text import ends_of
from hushgram.errors import DomainError
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.release import Release

EPOCH = dt.datetime(1970, 1, 1)
ROWS = 3000
LEVELS = (0.8, 0.9, 0.95, 0.99)

DOMAINS: dict[str, dict[str, Axis]] = {
    "ages": {"age": hg.Integer(0, 99, outside="other")},
    "line": {"x": hg.Interval(0, 100, resolution=256)},
    "bins": {"x": hg.Regular(30, 0, 100)},
    "grid": {"lon": hg.Regular(18, -180, 180), "lat": hg.Regular(9, -60, 75)},
    "plane": {
        "x": hg.Interval(0, 100, resolution=16),
        "y": hg.Interval(-50, 50, resolution=16),
    },
    "mixed": {
        "colour": hg.Category(["red", "green", "blue"], outside="other"),
        "day": hg.Date("2023-03-01", "2024-05-31", "1mo"),
        "width": hg.Variable([0, 10, 15, 40, 100]),
    },
    "hours": {
        "when": hg.Date("2024-01-01", "2024-01-02", "6h", outside="clamp"),
        "is_new": hg.Category([False, True]),
    },
    "areas": {
        "district": hg.Areas(
            {name: [(n, 0), (n + 1, 0), (n + 1, 2), (n, 2)] for n, name in enumerate("abc")},
            columns=("x", "y"), resolution=64, outside="other",
        ),
        "size": hg.Integer(1, 20),
    },
}  # fmt: skip


class Asked(NamedTuple):
    question: dict[str, Any]
    """As the library takes it."""
    asking: dict[str, Any]
    """As the page takes it."""
    confidence: float


def table_of(axes: dict[str, Axis], rng: np.random.Generator) -> pa.Table:
    """Rows that lie in clumps."""
    columns = [item for name, axis in axes.items() for item in axis.reads(name).items()]
    return pa.table({name: column_of(axis, rng) for name, axis in columns})


def column_of(axis: Axis, rng: np.random.Generator) -> Any:
    if isinstance(axis, Category):
        shares = 1.0 / np.arange(1, axis.bins + 1)
        return rng.choice(np.array(axis.values), ROWS, p=shares / shares.sum())
    clump = rng.integers(0, 2, ROWS).astype(bool)
    share = np.where(clump, rng.beta(8, 20, ROWS), rng.random(ROWS))
    low, high = ends_of(axis)
    if isinstance(axis, Date):
        seconds = np.floor(share * (high - low).total_seconds())
        return pa.array([low + dt.timedelta(seconds=second) for second in seconds.tolist()])
    return (
        np.floor(low + share * (high - low)) if rng.random() < 0.5 else low + share * (high - low)
    )


@cache
def releases() -> dict[str, Release]:
    """A release of each domain by each mechanism that can, and some views of them."""
    rng, ledger = np.random.default_rng(5), hg.Ledger.in_memory(allow_large=True)
    found = {}
    for name, axes in DOMAINS.items():
        table = table_of(axes, rng)
        for mechanism in BUILT_IN:
            try:
                found[f"{name} {mechanism}"] = hg.publish(
                    table, hg.Domain(axes), epsilon=1, mechanism=mechanism,
                    account=name, cap=100, ledger=ledger,
                )  # fmt: skip
            except DomainError:  # a mechanism may need other axes
                continue
    return {**found, **views(found)}


def views(found: dict[str, Release]) -> dict[str, Release]:
    made = {}
    for mechanism in ("identity", "hb", "privelet", "ahp", "dpcube"):
        if f"grid {mechanism}" in found:
            release = found[f"grid {mechanism}"]
            made[f"lat of grid {mechanism}"] = release.project("lat")
            made[f"slice of grid {mechanism}"] = release.slice(lon=(-100, 100)).rollup(
                lat=[-60, 0, 75]
            )
        if f"mixed {mechanism}" in found:
            release = found[f"mixed {mechanism}"]
            made[f"days of mixed {mechanism}"] = release.project("day", "colour").rollup(
                colour={"warm": ["red"]}
            )
    for name in ("plane quadtree", "plane bayes-tree", "plane adaptive-grid"):
        if name in found:
            made[f"x of {name}"] = found[name].project("x")
    return made


def questions(release: Release, rng: np.random.Generator, many: int) -> Iterator[Asked]:
    for _ in range(many):
        question, asking = {}, {}
        for name, axis in release.domain.items():
            if rng.random() < 0.75:
                question[name], asking[name] = ask(axis, rng)
        yield Asked(question, asking, float(rng.choice(LEVELS)))


def ask(axis: Axis, rng: np.random.Generator) -> tuple[Any, Any]:
    whole = axis.whole
    if not axis.ordered:
        known = [axis.edge(index) for index in range(axis.declared)]
        known += ["other"] if axis.size > axis.declared or axis.declared < axis.bins else []
        chosen = [known[n] for n in rng.permutation(len(known))[: rng.integers(1, len(known) + 1)]]
        return chosen, {"values": [as_text(one) for one in chosen]}
    first, last = sorted(rng.integers(0, axis.declared, 2).tolist())
    low, high = axis.edge(first), axis.edge(last + 1)
    if isinstance(whole, Integer):
        if rng.random() < 0.1:
            return [low, high - 1], {"values": sorted({low, high - 1})}
        return (low, high), {"from": low, "to": high}
    if rng.random() < 0.6:  # not where bins end
        width = axis.edge(first + 1) - low
        share = float(rng.random())
        low = low + share * width
        if isinstance(whole, Date):
            low = low.replace(microsecond=0)
    if rng.random() < 0.1:
        return (None, high), {"from": None, "to": as_number(high)}
    if rng.random() < 0.1:
        return (low, None), {"from": as_number(low), "to": None}
    return (low, high), {"from": as_number(low), "to": as_number(high)}


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_number(value: Any) -> float:
    return (value - EPOCH).total_seconds() if isinstance(value, dt.datetime) else float(value)
