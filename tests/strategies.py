"""Hypothesis strategies: domains of every kind, partitions of them, and the meanest values."""

from __future__ import annotations

import datetime as dt
import math
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Boxes, Cuts, Grid, Merged, Partition, Raster, Refined
from tests.reference import edges_of

Boxes.whole(Raster.of_cells(Domain(x=Integer(0, 1))))  # compiles here, not in an example

POLICIES = st.sampled_from(["drop", "clamp", "other"])
MAGNITUDES = st.sampled_from([5e-300, 1e-9, 0.1, 1.0, 7.0, 360.0, 1e6, 1e15, 1e200])
WORDS = ["", "a", "A", "ä", "a b", 'say "hi"', "o'clock", "1", "NULL", "true", "\\", "%", "\x00"]
STEPS = ["1s", "7s", "30min", "h", "5h", "1d", "2d", "1w", "mo", "1mo", "5mo", "1y", "3y"]


def up_to(examples: int) -> int:
    """So many examples where all tests run, and half as many in the usual run."""
    thorough: int = settings.get_profile("thorough").max_examples
    return examples * settings().max_examples // thorough


def bounds() -> st.SearchStrategy[tuple[float, float]]:
    def pair(a: float, b: float, scale: float) -> tuple[float, float]:
        return min(a, b) * scale, max(a, b) * scale

    side = st.one_of(st.integers(-9, 9).map(float), st.floats(-10, 10))
    return st.builds(pair, side, side, MAGNITUDES)


@st.composite
def evens(draw: st.DrawFn, cls: type[Axis] | None = None) -> Axis:
    """Regular and interval axes, of odd bounds too."""
    lo, hi = draw(bounds())
    bins = draw(st.integers(1, 40))
    policy = draw(POLICIES)
    kind = cls or draw(st.sampled_from([Regular, Interval]))
    try:
        if kind is Regular:
            return Regular(bins, lo, hi, outside=policy)
        return Interval(lo, hi, bins, outside=policy)
    except DomainError:  # too narrow: still an axis, of the same policy
        return Regular(bins, -1.0, 1e-17, outside=policy)


@st.composite
def variables(draw: st.DrawFn) -> Axis:
    scale = draw(MAGNITUDES)
    edges = draw(st.lists(st.floats(-10, 10), min_size=2, max_size=9, unique=True))
    scaled = sorted({edge * scale for edge in edges})
    return Variable(scaled if len(scaled) > 1 else [0, 1], outside=draw(POLICIES))


@st.composite
def integers(draw: st.DrawFn) -> Axis:
    lo = draw(st.one_of(st.integers(-50, 50), st.integers(-(2**53) + 1, 2**53 - 60)))
    return Integer(lo, min(lo + draw(st.integers(0, 40)), 2**53 - 1), outside=draw(POLICIES))


@st.composite
def categories(draw: st.DrawFn) -> Axis:
    many = st.integers(1, 60).map(lambda n: list(range(n)))
    values = draw(
        st.one_of(
            st.lists(st.sampled_from(WORDS), min_size=1, unique=True),
            st.lists(st.integers(-5, 10**20), min_size=1, max_size=5, unique=True),
            st.sampled_from([[True, False], [False], [False, True]]),
            many,
        )
    )
    return Category(values, outside=draw(st.sampled_from(["drop", "other"])))


@st.composite
def dates(draw: st.DrawFn) -> Axis:
    step = draw(st.sampled_from(STEPS))
    start = draw(st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2200, 1, 1)))
    start = start.replace(microsecond=0)
    if step.endswith(("mo", "y")):
        start = dt.datetime(start.year, start.month, 1)
    seconds = {"s": 100, "n": 10**5, "h": 10**6, "d": 10**7, "w": 10**7, "o": 10**8, "y": 10**9}
    length = draw(st.integers(0, seconds[step[-1]]))
    return Date(start, start + dt.timedelta(seconds=length), step, outside=draw(POLICIES))


def plain_axes() -> st.SearchStrategy[Axis]:
    return st.one_of(evens(), variables(), integers(), categories(), dates())


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    """An axis of any kind, some of them windows."""
    axis = draw(plain_axes())
    if not draw(st.booleans()):
        return axis
    start = draw(st.integers(0, axis.size - 1))
    return Window(axis, start, draw(st.integers(start + 1, axis.size)))


@st.composite
def domains(draw: st.DrawFn, max_axes: int = 3) -> Domain:
    named = draw(st.lists(axes(), min_size=1, max_size=max_axes))
    names = draw(st.permutations(["x", "X", "user", "i0", "k0_place", "odd name", 'a"b', "c1"]))
    return Domain(dict(zip(names, named, strict=False)))


@st.composite
def grids(draw: st.DrawFn, domain: Domain) -> Grid:
    return Grid(domain, tuple(draw(st.integers(1, min(a.bins, 9))) for a in domain.axes))


@st.composite
def refined(draw: st.DrawFn, domain: Domain) -> Refined:
    grid = draw(grids(domain))
    lower, upper = grid.boxes()
    seed = draw(st.integers(0, 2**32 - 1))
    widest = np.minimum(upper - lower, 5)
    return Refined(grid, np.random.default_rng(seed).integers(1, widest + 1))


@st.composite
def cuts(draw: st.DrawFn, domain: Domain) -> Cuts:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    places = [rng.integers(0, axis.bins, rng.integers(0, 6)) for axis in domain.axes]
    return Cuts(domain, tuple(np.unique([0, *inner]) for inner in places))


@st.composite
def boxes(draw: st.DrawFn, domain: Domain) -> Boxes:
    """The leaves of a random tree of cuts through a random raster."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    raster = Raster(domain, tuple(int(rng.integers(1, axis.bins + 1)) for axis in domain.axes))
    axes, cuts = [], []
    waiting = [(np.zeros(len(domain), dtype=int), np.array(raster.shape))]
    while waiting:
        lower, upper = waiting.pop()
        wide = np.flatnonzero(upper - lower > 1)
        if len(axes) > 12 or not len(wide) or rng.random() < 0.2:
            axes.append(-1)
            cuts.append(0)
            continue
        axis = int(rng.choice(wide))
        cut = int(rng.integers(lower[axis] + 1, upper[axis]))
        axes.append(axis)
        cuts.append(cut)
        middle, below = lower.copy(), upper.copy()
        middle[axis] = below[axis] = cut
        waiting += [(middle, upper), (lower, below)]
    return Boxes(raster, np.array(axes), np.array(cuts))


@st.composite
def merged(draw: st.DrawFn, domain: Domain) -> Merged:
    grid = draw(st.one_of(grids(domain), cuts(domain)))
    seed = draw(st.integers(0, 2**32 - 1))
    labels = np.random.default_rng(seed).integers(0, 4, grid.size)
    return Merged(grid, np.unique(labels, return_inverse=True)[1])


def partitions(domain: Domain) -> st.SearchStrategy[Partition]:
    return st.one_of(grids(domain), cuts(domain), boxes(domain), refined(domain), merged(domain))


NUMBERS = [
    0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e308,
    math.inf, -math.inf, math.nan, 0.1, 0.3, 1.0, 2.0**53, -(2.0**53),
]  # fmt: skip
NUMERALS = [
    "1", " 1", "1 ", "\t-3\t", "+5", "1e3", "1E-3", "1e999", "-1e999", "1e-999", ".5", "5.", "0005",
    "", " ", ".", "-", "e5", "1e", "1,5", "1_000", "0x10", "inf", "nan", "Infinity", "１", "--1",
    "1\n", "1\x00", "1 2", "1" * 400, "0." + "0" * 400 + "1", "9007199254740993", "NaN", "1.5f",
]  # fmt: skip
MOMENTS = [
    "2024-02-29", "2023-02-29", "2024-13-01", "2024-01-01 24:00:00", "2024-01-01 23:59:60",
    "0000-01-01", "0001-01-01", "9999-12-31 23:59:59.999999", "2024-1-1", "20240101", "2024-01-01T",
    "2024-01-01T12:30", "2024-01-01 12:30:15.5", "2024-01-01 12:30:15.1234567", "infinity",
    "2024-01-01 12:30:15+01:00", "2024-01-01Z", " 2024-01-01", "2024-01-01 ", "epoch", "now",
    "1969-12-31 23:59:59.999999", "2024-01-01 7:00",
]  # fmt: skip


def mean_values(axis: Axis) -> list[Any]:
    """The values around an axis's edges, and everything that was ever trouble."""
    while isinstance(axis, Window):
        axis = axis.axis
    if isinstance(axis, Category):
        return [*axis.values, *WORDS, "b", "A ", "TRUE", "True", "tRUE", *NUMERALS[:3]]
    edges = edges_of(axis)
    near = edges if len(edges) < 60 else [*edges[:20], *edges[-20:]]
    if isinstance(axis, Date):
        tick = dt.timedelta(microseconds=1)
        return [moment for e in near for moment in (e, e - tick, e + tick)]
    return [
        *NUMBERS,
        *(x for e in near for x in (e, math.nextafter(e, -math.inf), math.nextafter(e, math.inf))),
        *((a + b) / 2 for a, b in pairwise(near)),
    ]


def as_texts(values: list[Any]) -> list[str]:
    """How people write such values, and what they write instead."""
    written = [str(v) if isinstance(v, dt.datetime) else repr(v) for v in values]
    return [*written, *NUMERALS, *MOMENTS, *WORDS, "zzz"]
