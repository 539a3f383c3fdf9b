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
    "sites": {
        "x": hg.Variable([0, 1, 4, 20, 30, 100], outside="other"),
        "y": hg.Interval(-50, 50, resolution=16),
        "kind": hg.Category(["shop", "home"]),
    },
    "areas": {
        "district": hg.Areas(
            {name: [(n, 0), (n + 1, 0), (n + 1, 2), (n, 2)] for n, name in enumerate("abc")},
            columns=("x", "y"), resolution=64, outside="other",
        ),
        "size": hg.Integer(1, 20),
    },
}  # fmt: skip


PLANES = {"grid": ("lon", "lat"), "plane": ("x", "y"), "sites": ("x", "y")}
"""The axes that polygons lie on."""

MEASURES = [
    hg.Mean("pay", -5, 95),
    hg.Sum("hours", 0, 60, step=0.5),
    hg.Weighted("weight", 0, 20, missing=0),
]

MEASURED = {
    "ages": ("identity", "hb", "ahp"),
    "grid": ("identity", "hb", "privelet", "quadtree", "bayes-tree", "uniform-grid"),
    "plane": ("bayes-tree", "adaptive-grid", "kd-hybrid"),
    "mixed": ("identity", "dpcube"),
    "sites": ("identity", "kd-standard"),
}
"""Mechanisms that find the parts for sums and means."""


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


@cache
def measured() -> dict[str, Release]:
    """Releases with sums and means."""
    rng, ledger = np.random.default_rng(6), hg.Ledger.in_memory(allow_large=True)
    found = {}
    for name, mechanisms in MEASURED.items():
        table = table_of(DOMAINS[name], rng)
        table = table.append_column("pay", pa.array(rng.gamma(2, 20, ROWS).round(2)))
        table = table.append_column("hours", pa.array(rng.integers(0, 50, ROWS)))
        table = table.append_column("weight", pa.array(rng.uniform(0, 20, ROWS)))
        for mechanism in mechanisms:
            found[f"{name} {mechanism}"] = hg.publish(
                table, hg.Domain(DOMAINS[name]), epsilon=2, mechanism=mechanism, measures=MEASURES,
                account=name, cap=100, ledger=ledger,
            )  # fmt: skip
    found["lat of grid identity"] = found["grid identity"].project("lat")
    return found


class Polygon(NamedTuple):
    geometry: dict[str, Any]
    """As GeoJSON has it."""
    rings: list[dict[str, Any]]
    """As the page has it."""


def polygons(
    axes: list[Axis], rng: np.random.Generator, many: int, *, degrees: bool = False
) -> Iterator[Polygon]:
    """Stars, some of them with a hole, in two pieces or beyond the ends of the axes."""
    ends = np.array([[axis.edge(0), axis.edge(axis.declared)] for axis in axes], dtype=float)
    span = ends[:, 1] - ends[:, 0]
    for _ in range(many):
        pieces = []
        for side in range(int(rng.integers(1, 3))):
            middle = ends[:, 0] + span * (0.5 * side + rng.uniform(0.05, 0.45, 2))
            turns = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(4, 12)))
            turns = turns if np.diff(turns, append=turns[0] + 2 * np.pi).max() < 3 else (
                np.arange(3) * 2 * np.pi / 3)  # fmt: skip
            size = 10.0 ** rng.uniform(-2.5, -0.4)
            reach = size * rng.uniform(0.5, 1, len(turns))
            rays = np.stack([np.cos(turns), np.sin(turns)], axis=1) * span
            star = middle + reach[:, None] * rays
            if side:  # apart from the first
                star[:, 0] = np.maximum(star[:, 0], ends[0, 0] + 0.501 * span[0])
            else:
                star[:, 0] = np.minimum(star[:, 0], ends[0, 0] + 0.499 * span[0])
            if degrees:  # what lies beyond goes on at the other end
                star = np.clip(star, [-180, -89], [180, 89])
            rings = [star]
            if rng.random() < 0.3 and np.ptp(star[:, 0]) > 0.9 * np.ptp(
                middle[0] + reach * rays[:, 0]
            ):
                rings.append(middle + 0.2 * reach.min() * rays)
            pieces.append(rings)
        yield Polygon(
            {"type": "MultiPolygon",
             "coordinates": [[closed(ring) for ring in rings] for rings in pieces]},
            [{"xs": ring[:, 0].tolist(), "ys": ring[:, 1].tolist(), "sign": -1 if place else 1}
             for rings in pieces for place, ring in enumerate(rings)],
        )  # fmt: skip


def closed(ring: Any) -> Any:
    return [*ring.tolist(), ring[0].tolist()]


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


def without(one: Asked, axes: tuple[str, str]) -> Asked:
    """The same question about other axes only."""
    question, asking = (
        {name: asked for name, asked in part.items() if name not in axes}
        for part in (one.question, one.asking)
    )
    return Asked(question, asking, one.confidence)


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
