"""Releases without a table: invented counts on any grid, and strategies that invent grids."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Date, Integer, Interval, Regular, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release import Release
from hushgram.trusted.noise import variance

RECEIPT = {"id": "0f" * 16, "epsilon": "1/2", "seal": "a5" * 32}


def estimate_of(grid: Grid, values: Any = None, scale: Fraction = Fraction(2)) -> Estimate:
    """An estimate whose noisy counts are given, or 0, 1, 2, …"""
    counts = np.arange(grid.size) if values is None else np.asarray(values)
    flat = counts.astype(np.int64).reshape(-1)
    return Estimate.direct(Measurement(grid, flat, variance(scale), scale))


def release_of(grid: Grid, values: Any = None, **more: Any) -> Release:
    facts: dict[str, Any] = {
        "mechanism": "identity",
        "parameters": {},
        "epsilon": Fraction(1, 2),
        "unit": Rows(),
        "neighbours": "add-remove",
        "receipt": None,
        **more,
    }
    return Release(estimate_of(grid, values), **facts)


def cells(**axes: Any) -> Grid:
    """The grid of a domain's own cells."""
    return Grid.of_cells(Domain(axes))


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
policies = st.sampled_from(["drop", "clamp", "other"])
bounds = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)


@st.composite
def even(draw: Any) -> Interval | Regular:
    lo, width = draw(bounds), draw(st.floats(0.01, 1e6))
    policy, bins = draw(policies), draw(st.integers(1, 6))
    if draw(st.booleans()):
        return Interval(lo, lo + width, resolution=bins, outside=policy)
    return Regular(bins, lo, lo + width, outside=policy)


@st.composite
def variable(draw: Any) -> Variable:
    edges = draw(st.lists(bounds, min_size=2, max_size=6, unique=True))
    return Variable(sorted(edges), outside=draw(policies))


@st.composite
def integer(draw: Any) -> Integer:
    lo = draw(st.integers(-(10**6), 10**6))
    return Integer(lo, lo + draw(st.integers(0, 5)), outside=draw(policies))


@st.composite
def category(draw: Any) -> Category:
    kind = st.one_of(
        st.lists(names.filter("other".__ne__), min_size=1, max_size=5, unique=True),
        st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5, unique=True),
        st.sampled_from([[True], [False, True]]),
    )
    return Category(draw(kind), outside=draw(st.sampled_from(["drop", "other"])))


@st.composite
def date(draw: Any) -> Date:
    step, days = draw(
        st.sampled_from(
            [("30min", 1 / 12), ("6h", 1), ("1d", 5), ("2w", 60), ("1mo", 90), ("1y", 900)]
        )
    )
    start = draw(moments)
    if step in ("1mo", "1y"):
        start = start.replace(day=1, hour=0, minute=0, second=0)
    stop = start + draw(st.floats(0, 1)) * dt.timedelta(days=days)
    return Date(start, stop, step, outside=draw(policies))


axes = st.one_of(even(), variable(), integer(), category(), date())


@st.composite
def domains(draw: Any, max_axes: int = 3) -> Domain:
    return Domain(draw(st.dictionaries(names, axes, min_size=1, max_size=max_axes)))


@st.composite
def grids(draw: Any, max_axes: int = 3) -> Grid:
    """A domain of any axes, cut into its cells or more coarsely."""
    domain = draw(domains(max_axes))
    return Grid(domain, tuple(draw(st.integers(1, axis.bins)) for axis in domain.axes))


@st.composite
def releases(draw: Any, max_axes: int = 3) -> Release:
    grid = draw(grids(max_axes))
    counts = st.integers(-(2**62) + 1, 2**62 - 1)
    size = math.prod(grid.shape)
    return release_of(
        grid,
        draw(st.lists(counts, min_size=size, max_size=size)),
        unit=draw(st.sampled_from([Rows(), User("id", 3)])),
        neighbours=draw(st.sampled_from(["add-remove", "replace-one"])),
        epsilon=draw(st.fractions(Fraction(1, 10**6), 10, max_denominator=10**6)),
        receipt=draw(st.sampled_from([None, RECEIPT])),
        parameters=draw(st.sampled_from([{}, {"alpha": "1/2", "levels": 3}])),
    )
