"""Releases to forge: of every mechanism, with every kind of axis, and views of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from hushgram.declare.grammar import parse_domain
from hushgram.errors import HushgramError
from hushgram.mechanisms import MECHANISMS
from hushgram.release import Release
from hushgram.trusted.noise import entropy

LINE, PLANE, MAP, SPACE = (
    ("age=0..9",),
    ("age=0..9", "income=0:10000/6"),
    ("lon=-180:180", "lat=-90:90"),
    ("age=0..5", "sex=F,M", "day=2024-01-01..2024-02-28/1mo"),
)
"""Domains that most mechanisms support."""

ALSO: dict[str, list[tuple[str, ...]]] = {
    "identity": [("income=[0,100,1000,9999]", "day=2024-01-01..2024-01-31/1w")],
    "sorted": [("income=0:10000",)],
    "adaptive-grid": [("day=2024-01-01..2024-03-31/1h", "income=0:10000")],
    "bayes-tree": [SPACE, ("income=0:10000",), ("sex=F,M", "income=0:10000")],
    "privtree": [("sex=F,M", "income=0:10000")],
    "hybrid": [("income=0:10000",), ("age=0..9", "income=0:10000", "day=2024-01-01..2024-01-31")],
    "hierarchical": [SPACE],
    "privelet": [SPACE],
    "dpcube": [SPACE],
}  # fmt: skip
"""More domains for some mechanisms: every kind of axis, and special shapes."""

SMALL = {"quadtree": "quadtree:height=3"}
"""Mechanisms with parameters that keep their releases small."""


@cache
def releases() -> tuple[bytes, ...]:
    """Return releases of every mechanism, and views of some; the same in every process."""
    rng = np.random.default_rng(17)
    words = lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)  # noqa: E731
    with mock.patch.object(entropy, "words", words):
        found = [release for name in MECHANISMS for release in publish_examples(name)]
    return tuple(one.to_bytes() for one in (*found, *views(found)))


def publish_examples(mechanism: str) -> Iterator[Release]:
    import hushgram as hg

    for axes in (LINE, PLANE, MAP, *ALSO.get(mechanism, [])):
        try:
            yield hg.publish(
                table(), parse_domain(list(axes), outside_of(axes)), epsilon=4,
                mechanism=SMALL.get(mechanism, mechanism), account="people",
                ledger=hg.Ledger.in_memory(),
            )  # fmt: skip
        except HushgramError:  # it does not support these axes
            continue


def outside_of(axes: tuple[str, ...]) -> list[str]:
    return ["sex=other"] if "sex=F,M" in axes else []


@cache
def table() -> Any:
    """Return rows in and around two clusters: enough for trees to split, and for sorted lists."""
    rng = np.random.default_rng(18)
    heap = rng.random(400) < 0.6
    wide = rng.normal(np.where(heap, 0.2, 0.7), np.where(heap, 0.02, 0.2)).clip(0, 1)
    days = np.datetime64("2024-01-01T00:00:00") + (wide * 80 * 86400).astype("timedelta64[s]")
    return pa.table({
        "age": (wide * 10).astype(np.int64),
        "income": wide * 10_000,
        "sex": np.array(["F", "M", "?"])[rng.integers(0, 3, len(heap))],
        "day": days,
        "lon": wide * 360 - 180,
        "lat": wide * 180 - 90,
    })  # fmt: skip


VIEWS: tuple[Callable[[Release], Release], ...] = (
    lambda release: release.project(release.domain.names[-1]),
    lambda release: release.rollup({"age": [0, 2, 4]}),
    lambda release: release.slice({"age": (1, 5)}).project("age"),
)
"""Views with fewer axes, coarser axes, a part of an axis, and a view of a view."""


def views(found: list[Release]) -> Iterator[Release]:
    for number, release in enumerate(found):
        try:
            yield VIEWS[number % len(VIEWS)](release)
        except HushgramError:
            continue
