"""The inputs to mutate: a small table with marks in its private cells, releases of it, a plan."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.declare.domain import Domain
from hushgram.declare.grammar import parse_domain

MARKS = ("7777.123", "SECRETMARK")
"""Marks that are only in private cells, so they must not appear in any output."""

ROWS = 24

PLAN = """\
epsilon = 1
neighbours = "add-remove"

[[release]]
name = "ages"
axes = { sex = "F,M", age = "0..9" }
outside = { sex = "other" }
per = "sex"
share = "1/2"
mechanism = "hierarchical"

[[release]]
name = "days"
axes = { day = "2024-01-01..2024-01-31/1d", income = "0:10000/8" }
share = 0.5
workload = "cells"
"""

PEOPLE_PLAN = """\
unit = "who"
max_rows = 3
[[release]]
name = "a"
axes = { age = "[0,2,9]" }
epsilon = 0.25
[[release]]
name = "b"
axes = { income = "0:10000" }
epsilon = "1/4"
mechanism = "privtree"
"""


@cache
def rows() -> list[dict[str, Any]]:
    return [
        {
            "who": "SECRETMARK" if row % 7 == 3 else f"u{row % 9}",
            "age": row % 10,
            "sex": "FM"[row % 2],
            "day": f"2024-01-{1 + row:02}",
            "income": 7777.123 if row % 5 == 2 else 100.5 * row,
        }
        for row in range(ROWS)
    ]


@cache
def csv() -> bytes:
    lines = [",".join(rows()[0]), *(",".join(map(str, row.values())) for row in rows())]
    return ("\n".join(lines) + "\n").encode()


@cache
def parquet() -> bytes:
    return parquet_bytes(pa.Table.from_pylist(rows()))


def parquet_bytes(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


@cache
def releases() -> tuple[bytes, ...]:
    """Return a small release of each structure."""
    import hushgram as hg

    line, plane = hg.Counts([5, 0, 3, 9, 9, 1, 0, 2]), hg.Counts([[4, 0, 1, 1], [9, 2, 2, 0]] * 2)
    made = [
        hg.publish(source, epsilon=1, mechanism=name, ledger=hg.Ledger.in_memory())
        for source, name in [
            (line, "identity"), (line, "hierarchical"), (plane, "quadtree"), (line, "ahp"),
            (line, "sorted"), (line, "privelet"), (plane, "dpcube"), (line, "grouping-smoothing"),
            (plane, "kd-standard"),
        ]
    ]  # fmt: skip
    return (paid_release(), cells_release(), *(release.to_bytes() for release in made))


def paid_release() -> bytes:
    """Return a release with a receipt, on an interval and dates."""
    axes = ["income=0:10000", "day=2024-01-01..2024-01-31/1w"]
    return release_bytes(parse_domain(axes, []), "uniform-grid")


def cells_release() -> bytes:
    """Return a release of cells: whole numbers and categories."""
    return release_bytes(parse_domain(["age=0..3", "sex=F,M"], ["sex=other"]), "identity")


@cache
def release_bytes(domain: Any, mechanism: str) -> bytes:
    import hushgram as hg

    release = hg.publish(
        pa.Table.from_pylist(rows()), domain, epsilon=1, account="people", mechanism=mechanism,
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    return release.to_bytes()


@cache
def domains() -> tuple[str, ...]:
    """Return domains with every kind of axis: together, alone, and as windows."""
    axes = [
        "a=0:1/4",
        "b=-2..2",
        "c=[0,1,5]",
        "d=F,M",
        "e=2024-01-01..2024-03-31/1mo",
        "f=-180:180",
    ]
    every = parse_domain(axes, ["b=clamp", "d=other"])
    window = every.box([(1, 3), (0, 5), (1, 2), (0, 3), (0, 2), (0, every["f"].size)])
    alone = [Domain({name: axis}) for name, axis in every.items()]
    return tuple(json.dumps(one.to_json()) for one in (every, window, *alone))
