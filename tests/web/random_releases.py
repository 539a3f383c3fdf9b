"""Releases of random axes by random mechanisms, and views of them: what no list of cases thought
of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushgram as hg
from hushgram.declare.axis import Axis
from hushgram.errors import HushgramError
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.release import Release
from tests.web.questions import column_of

STEPS = {"1d": 30, "7d": 70, "1mo": 300, "3mo": 800, "1y": 3000, "6h": 6}
"""Steps of dates, and about how many days an axis of such takes."""

MOST_CELLS = 20_000


def releases(rng: np.random.Generator, many: int) -> Iterator[tuple[str, Release]]:
    found = 0
    while found < many:
        axes = random_axes(rng)
        if hg.Domain(axes).cells > MOST_CELLS:
            continue
        mechanism = str(rng.choice([*BUILT_IN]))
        try:
            release = publish(axes, mechanism, rng)
        except HushgramError:  # a mechanism may need other axes
            continue
        found += 1
        yield f"{found}: {mechanism} on {axes}", view(release, rng)


def publish(axes: dict[str, Axis], mechanism: str, rng: np.random.Generator) -> Release:
    columns = [item for name, axis in axes.items() for item in axis.reads(name).items()]
    table = pa.table({name: column_of(axis, rng) for name, axis in columns})
    unit = {}
    if rng.random() < 0.3:
        people = pa.array(rng.integers(0, 500, len(table)))
        table = table.append_column("person", people)
        unit["unit"] = hg.User("person", max_rows=int(rng.integers(1, 5)))
    if rng.random() < 0.3:
        unit["neighbours"] = "replace-one"
    epsilon = float(rng.choice([0.05, 0.5, 1, 10]))
    return hg.publish(
        table, hg.Domain(axes), epsilon=epsilon, mechanism=mechanism, account="a", cap=100,
        ledger=hg.Ledger.in_memory(allow_large=True), **unit,
    )  # fmt: skip


def view(release: Release, rng: np.random.Generator) -> Release:
    """Sometimes a part of a release, or some of its axes."""
    names = [*release.domain]
    name = str(rng.choice(names))
    axis = release.domain[name]
    if rng.random() < 0.15 and len(names) > 1:
        return release.project(name)
    if rng.random() < 0.15 and axis.ordered and axis.declared > 2:
        first, last = sorted(rng.choice(axis.declared + 1, 2, replace=False).tolist())
        return release.slice({name: (axis.edge(first), axis.edge(last))})
    return release


def random_axes(rng: np.random.Generator) -> dict[str, Axis]:
    if rng.random() < 0.3:
        lon = hg.Interval(-180, 180, resolution=16), hg.Regular(12, -180, 180)
        lat = hg.Regular(8, -90, 90), hg.Variable([-80, -20, 0, 10, 50, 85.5])
        found: dict[str, Axis] = {"lon": lon[rng.integers(2)], "lat": lat[rng.integers(2)]}
        return {**found, "k": random_axis(rng)} if rng.random() < 0.4 else found
    return {name: random_axis(rng) for name in "xyz"[: rng.integers(1, 4)]}


def random_axis(rng: np.random.Generator) -> Axis:
    outside = str(rng.choice(["drop", "clamp", "other"]))
    listed = outside if outside == "other" else "drop"
    low = float(rng.normal() * 10.0 ** rng.integers(-3, 5))
    high = low + float(10 ** rng.uniform(-2, 4))
    first = int(rng.integers(-50, 50))
    edges = np.unique(rng.normal(size=rng.integers(3, 8)).round(4)).tolist()
    made: list[Any] = [
        lambda: hg.Integer(first, first + int(rng.integers(1, 60)), outside=outside),
        lambda: hg.Regular(int(rng.integers(1, 20)), low, high, outside=outside),
        lambda: hg.Interval(low, high, resolution=int(2 ** rng.integers(3, 7)), outside=outside),
        lambda: hg.Variable(edges, outside=outside),
        lambda: hg.Category(list("abcdef"[: rng.integers(1, 6)]), outside=listed),
        lambda: hg.Category([3 * n - 4 for n in range(rng.integers(2, 6))], outside=listed),
        lambda: hg.Category([False, True]),
        lambda: hg.Integer(first * 10**13, first * 10**13 + 40),
        lambda: random_areas(rng, listed),
        lambda: random_dates(rng, outside),
    ]
    return made[rng.integers(len(made))]()  # type: ignore[no-any-return]


def random_areas(rng: np.random.Generator, outside: str) -> Axis:
    """Some squares in a row."""
    columns = [f"{side}{rng.integers(10**9)}" for side in "xy"]
    squares = {
        f"district {n}": [(n, 0), (n + 1, 0), (n + 1, 2), (n, 2)] for n in range(rng.integers(2, 5))
    }
    return hg.Areas(squares, columns=columns, resolution=32, outside=outside)


def random_dates(rng: np.random.Generator, outside: str) -> Axis:
    step = str(rng.choice([*STEPS]))
    day = 1 if step in {"1mo", "3mo", "1y"} else int(rng.integers(1, 28))
    first = dt.date(int(rng.integers(1900, 2030)), int(rng.integers(1, 13)), day)
    last = first + dt.timedelta(days=int(rng.integers(STEPS[step] // 2, STEPS[step] + 1)))
    return hg.Date(first.isoformat(), last.isoformat(), step, outside=outside)
