"""Questions about a table, with the true answers. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from hushgram.answers.counting.question import box_of
from hushgram.declare.axis import OTHER, Axis, Category, Date, Floats, Integer
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Ints
from hushgram.lab.coverage.numbers import (
    DAY,
    axis_bounds,
    cuts_values,
    edge_number,
    positions_of,
    to_single,
    to_value,
)
from hushgram.lab.coverage.tables import JudgedTable

SIZES = {"small": (0.005, 0.05), "medium": (0.05, 0.3), "large": (0.3, 0.95)}
"""The share of an axis that a side of a box covers, by size."""

SHARES = tuple(round(0.05 * n, 2) for n in range(1, 20))
"""The quantiles to ask for."""

FEW_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles to ask for with a condition."""

WHERES, RANKS, RATIOS = 3, 24, 2
"""The number of conditions on other axes, for each axis; of ranks, on all axes together; of boxes
of each kind for shares, sums and averages."""

MANY_CELLS = 2**14
"""With at least this many cells, fewer questions are asked, because each can take time proportional
to the cells: boxes of two sizes, and quantiles of the first axis only, with few shares and one
condition."""

MOST_GROUPS = 512
"""The maximum number of groups in a table of groups."""


# Boxes -------------------------------------------------------------------------------------


class BoxKind(NamedTuple):
    """A kind of boxes: their size, whether they end on the edges of bins, and whether they are
    around rows, because people ask about places with rows, or anywhere."""

    size: str
    on: bool
    at_rows: bool

    def __str__(self) -> str:
        edges = "" if self.size == "cell" else " on" if self.on else " off"
        return f"count {self.size}{edges}, {'at rows' if self.at_rows else 'anywhere'}"


def box_kinds(table: JudgedTable) -> Iterator[BoxKind]:
    """Yield the kinds that make sense for a table."""
    axes = table.domain.axes
    sizes = [*SIZES, *(["one axis"] if len(axes) > 1 else [])]
    if has_many_cells(table.domain):
        sizes = ["small", "large"]
    for at_rows in (True, False)[not len(table.rows) :]:
        if any(map(cuts_values, axes)):
            yield from (BoxKind(size, False, at_rows) for size in sizes)
        if not any(axis.continuous for axis in axes):
            yield from (BoxKind(size, True, at_rows) for size in (*sizes, "cell"))


@dataclass(frozen=True, eq=False)
class Box:
    """A range or a value for each axis in the question, with the true number of rows and their
    sums."""

    asked: dict[str, Any]
    rows: int
    sums: dict[str, float]
    """The sums of the numeric axes."""


@dataclass(frozen=True, eq=False)
class CountQuestions:
    """Boxes of one kind."""

    kind: BoxKind
    domain: Domain
    boxes: list[Box]

    @cached_property
    def rows(self) -> Floats:
        return np.array([box.rows for box in self.boxes], dtype=np.float64)

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The starts and stops of the boxes on each axis, in units of indices."""
        found = [box_of(self.domain, box.asked) for box in self.boxes]
        starts, stops = zip(*(ends for ends in found if ends is not None), strict=True)
        return np.array(starts), np.array(stops)

    @cached_property
    def ranges(self) -> Mapping[str, Any] | None:
        """The boxes as a table of ranges; None if they contain values, or not all axes."""
        names = self.domain.names
        if not all(isinstance(box.asked.get(name), tuple) for box in self.boxes for name in names):
            return None
        return {
            f"{name}_{end}": [box.asked[name][place] for box in self.boxes]
            for name in names
            for place, end in enumerate(("lo", "hi"))
        }


def draw_boxes(table: JudgedTable, kind: BoxKind, many: int, rng: Generator) -> CountQuestions:
    """Draw boxes of one kind at random."""
    domain = table.domain
    boxes = []
    for _ in range(many):
        row = table.rows[rng.integers(len(table.rows))] if kind.at_rows else None
        names = [rng.choice(domain.names)] if kind.size == "one axis" else list(domain.names)
        sides = {
            name: draw_side(axis, None if row is None else row[place], kind, rng)
            for place, (name, axis) in enumerate(domain.items())
            if name in names
        }
        boxes.append(make_box(table, sides))
    return CountQuestions(kind, domain, boxes)


class BoxSide(NamedTuple):
    """The question on one axis, and its bounds as numbers; NaN for "other"."""

    asked: Any
    low: float
    high: float

    def holds(self, axis: Axis, column: Floats) -> Any:
        if math.isnan(self.low):
            return np.isnan(column)
        return (column >= self.low) & (column < self.high)


def make_box(table: JudgedTable, sides: Mapping[str, BoxSide]) -> Box:
    inside = rows_within(table, sides)
    sums = {
        name: float(table.rows[inside, place].sum())
        for place, (name, axis) in enumerate(table.domain.items())
        if is_numeric(axis)
    }
    return Box({name: side.asked for name, side in sides.items()}, int(inside.sum()), sums)


def rows_within(table: JudgedTable, sides: Mapping[str, BoxSide]) -> Any:
    """Return which rows are within all these sides."""
    inside = np.ones(len(table.rows), dtype=bool)
    for (name, axis), column in zip(table.domain.items(), table.rows.T, strict=True):
        if name in sides:
            inside &= sides[name].holds(axis, column)
    return inside


def is_numeric(axis: Axis) -> bool:
    return not isinstance(axis, Category | Date)


def draw_side(axis: Axis, value: float | None, kind: BoxKind, rng: Generator) -> BoxSide:
    """Draw a side of a box that contains a value, or is anywhere on its axis."""
    if isinstance(axis, Category):
        place = int(rng.integers(axis.size)) if value is None else int(value)
        asked = axis.values[place] if place < axis.bins else OTHER
        return BoxSide(asked, float(place), place + 1.0)
    if value is not None and math.isnan(value):
        return BoxSide(OTHER, value, value)
    low, high = draw_range(axis, value, kind, rng)
    return BoxSide((to_value(axis, low), to_value(axis, high)), low, high)


def draw_range(
    axis: Axis, value: float | None, kind: BoxKind, rng: Generator
) -> tuple[float, float]:
    lowest, highest = axis_bounds(axis)
    if kind.size == "cell":
        place = rng.random() if value is None else place_of(axis, value, on=True)
        cell = min(int(place * axis.bins), axis.bins - 1)
        return edge_number(axis, cell), edge_number(axis, cell + 1)
    place = rng.random() if value is None else place_of(axis, value, on=kind.on)
    shortest, longest = SIZES.get(kind.size, SIZES["medium"])
    length = math.exp(rng.uniform(math.log(shortest), math.log(longest)))
    start = min(max(place - length * rng.random(), 0.0), 1 - length)
    if kind.on:
        first = min(int(start * axis.bins), axis.bins - 1)
        last = max(round((start + length) * axis.bins), first + 1)
        return edge_number(axis, first), edge_number(axis, last)
    span = highest - lowest
    low, high = lowest + start * span, lowest + (start + length) * span
    return to_whole_days(axis, low), to_whole_days(axis, high)


def to_whole_days(axis: Axis, number: float) -> float:
    """Round dates to whole days."""
    return DAY * round(number / DAY) if isinstance(axis, Date) else number


def place_of(axis: Axis, value: float, *, on: bool) -> float:
    """Return the position of a value on its axis, from 0 to 1: by bins, or by numbers."""
    if on:
        return float(positions_of(axis, np.array([value]))[0]) / axis.bins
    low, high = axis_bounds(axis)
    return (value - low) / (high - low)


# Values at ranks, and ranks of values --------------------------------------------------------


@dataclass(frozen=True, eq=False)
class QuantileQuestion:
    """Quantiles of one axis, of all rows or of some."""

    axis: str
    shares: tuple[float, ...]
    where: dict[str, Any] | None
    truth: Floats

    def __str__(self) -> str:
        return "quantile where" if self.where else "quantile"


def has_many_cells(domain: Domain) -> bool:
    return not domain.continuous and domain.cells >= MANY_CELLS


def valued_axes(table: JudgedTable) -> Iterator[tuple[str, Axis, Floats]]:
    """Yield the ordered axes with the values of rows; only the first if there are many cells."""
    found = [
        (name, axis, column)
        for (name, axis), column in zip(table.domain.items(), table.rows.T, strict=True)
        if axis.ordered and not np.isnan(column).all()
    ]
    yield from found[:1] if has_many_cells(table.domain) else found


def quantile_questions(table: JudgedTable, rng: Generator) -> Iterator[QuantileQuestion]:
    many = has_many_cells(table.domain)
    shares, wheres = (FEW_SHARES, 1) if many else (SHARES, WHERES)
    for name, _, column in valued_axes(table):
        yield QuantileQuestion(name, shares, None, true_quantiles(column, shares))
        for _ in range(wheres if len(table.domain) > 1 else 0):
            sides = draw_where(table, name, rng)
            some = column[rows_within(table, sides)]
            if len(some) > np.isnan(some).sum():
                where = {key: side.asked for key, side in sides.items()}
                yield QuantileQuestion(name, FEW_SHARES, where, true_quantiles(some, FEW_SHARES))


def draw_where(table: JudgedTable, name: str, rng: Generator) -> dict[str, BoxSide]:
    """Draw a condition on one of the other axes, around a row."""
    other = rng.choice([one for one in table.domain.names if one != name])
    value = table.rows[rng.integers(len(table.rows)), table.domain.names.index(other)]
    return {other: draw_side(table.domain[other], value, BoxKind("medium", False, True), rng)}


def true_quantiles(values: Floats, shares: tuple[float, ...]) -> Floats:
    """Return the true quantiles of the values. "Other" values are ignored."""
    known = np.sort(values[~np.isnan(values)])
    ranks = np.ceil(np.round(np.array(shares) * len(known), 9)).astype(np.int64)
    return np.asarray(known[np.maximum(ranks, 1) - 1])


class RankQuestion(NamedTuple):
    """How many rows of an axis are below a value, and how many have any value."""

    axis: str
    value: Any
    at_row: bool
    rows: int
    known: int

    def __str__(self) -> str:
        return "at rows" if self.at_row else "anywhere"


def rank_questions(table: JudgedTable, rng: Generator) -> Iterator[RankQuestion]:
    axes = list(valued_axes(table))
    for name, axis, column in axes:
        known = column[~np.isnan(column)]
        low, high = axis_bounds(axis)
        for number in range(RANKS // len(axes)):
            at_row = number % 2 == 0
            value = float(rng.choice(known)) if at_row else float(rng.uniform(low, high))
            included = isinstance(axis, Integer | Date)
            rows = int((known <= value).sum() if included else (known < value).sum())
            yield RankQuestion(name, to_single(axis, value), at_row, rows, len(known))


# Groups ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GroupQuestion:
    """A table of groups along some axes, with the true counts of their cells."""

    axes: tuple[str, ...]
    counts: Ints

    def __str__(self) -> str:
        return "group" if len(self.axes) == 1 else "group pair"

    def truth(self, cuts: list[Ints]) -> Floats:
        """Return the true counts of slices between these cuts, in the order of the table of
        groups."""
        found = self.counts
        for place, at in enumerate(cuts):
            found = np.add.reduceat(found, at[:-1], axis=place)
        return found.reshape(-1).astype(np.float64)


def group_questions(table: JudgedTable) -> Iterator[GroupQuestion]:
    """Yield groups along each axis with declared bins, and along one pair of axes."""
    discrete = [name for name, axis in table.domain.items() if not axis.continuous]
    pairs = [pair for pair in combinations(discrete, 2) if is_small(table, pair)]
    for names in [(name,) for name in discrete if is_small(table, (name,))] + pairs[:1]:
        places = [table.domain.names.index(name) for name in names]
        shape = [table.domain.shape[place] for place in places]
        cells = np.ravel_multi_index(tuple(table.indexed.rows[:, places].T), shape)
        counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        yield GroupQuestion(names, counts)


def is_small(table: JudgedTable, names: tuple[str, ...]) -> bool:
    return math.prod(table.domain[name].size for name in names) <= MOST_GROUPS
