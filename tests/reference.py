"""What the axes, partitions and engines should do, from first principles and in plain loops.

Nothing here calls the code that it judges: edges are listed one by one, values are searched by
bisection, rows are counted in a loop. Only the declarations (bounds, bins, policies) are read.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from hushgram.declare.axis import (
    Areas,
    Axis,
    Category,
    Date,
    Integer,
    Interval,
    Regular,
    Variable,
    Window,
)
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Cuts, Grid, Merged, Partition, Refined

LETTERS = set("0123456789+-.eE")
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def place(axis: Axis, value: Any) -> int | None:
    """The index of a value, or None if its row drops out."""
    if isinstance(axis, Window):
        whole = place(axis.axis, value)
        inside = whole is not None and axis.start <= whole < axis.stop
        return whole - axis.start if inside and whole is not None else None
    found, bins = search(axis, value)
    if 0 <= found < bins:
        return int(found)
    if axis.outside == "drop":
        return None
    if axis.outside == "other":
        return bins
    return bins - 1 if found >= bins else 0


def search(axis: Axis, value: Any) -> tuple[float, int]:
    """Where a value lies and how many bins there are: -inf for nowhere and below, inf above."""
    if isinstance(axis, Category):
        return category_place(axis, value), len(axis.values)
    edges = edges_of(axis)
    x = moment(value) if isinstance(axis, Date) else number(value)
    if x is None or x < edges[0]:
        return -math.inf, len(edges) - 1
    if x > edges[-1] or (x == edges[-1] and isinstance(axis, Integer | Date)):
        return math.inf, len(edges) - 1
    return min(bisect_right(edges, x) - 1, len(edges) - 2), len(edges) - 1


@cache
def edges_of(axis: Axis) -> list[Any]:
    """All edges; the last one is the upper bound (outside, for whole numbers and dates)."""
    if isinstance(axis, Variable):
        return list(axis.edges)
    if isinstance(axis, Integer):
        return list(range(axis.lo, axis.hi + 2))
    if isinstance(axis, Date):
        return date_edges(axis)
    assert isinstance(axis, Regular | Interval)
    bins = axis.count if isinstance(axis, Regular) else axis.resolution
    lo, hi = axis.lo, axis.hi
    return [lo + (i * (hi - lo)) / bins for i in range(bins)] + [hi]


def date_edges(axis: Date) -> list[dt.datetime]:
    """Steps from the start until one is after the stop."""
    digits = "".join(c for c in axis.step if c.isdigit())
    step, unit = int(digits or 1), axis.step[len(digits) :]
    edges = [axis.start]
    while edges[-1] <= axis.stop:
        last = edges[-1]
        if unit in UNITS:
            edges.append(last + dt.timedelta(seconds=step * UNITS[unit]))
            continue
        months = last.year * 12 + last.month - 1 + step * (12 if unit == "y" else 1)
        edges.append(dt.datetime(months // 12, months % 12 + 1, 1))
    return edges


def number(value: Any) -> float | None:
    """A double; None for what is none, and for NaN."""
    if isinstance(value, str):
        text = value.strip(" \t")
        if not text or len(value) > 1000 or not set(text) <= LETTERS:
            return None
        try:
            return float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, int) and abs(value) >= 2**1024 - 2**970:
        return math.inf if value > 0 else -math.inf
    if isinstance(value, Decimal) and value.is_nan():
        return None
    return None if math.isnan(value) else float(value)


def moment(value: Any) -> dt.datetime | None:
    """A time in UTC without zone; None for what is no date."""
    if isinstance(value, str):
        day, _, clock = value.partition("T" if "T" in value else " ")
        shapes = ("9999-99-99", "9999-99-99 99:99", "9999-99-99 99:99:99")
        shape = "".join("9" if c in "0123456789" else c for c in f"{day} {clock}".strip())
        whole, dot, digits = shape.partition(".")
        fraction = whole == shapes[2] and 1 <= len(digits) <= 6 and set(digits) == {"9"}
        if whole not in shapes or (dot and not fraction) or value != value.strip():
            return None
        if ("T" in value or " " in value) and not clock:
            return None
        try:
            return dt.datetime(*parts(day, "-"), *parts(clock, ":"))
        except ValueError:
            return None
    if isinstance(value, dt.datetime):
        offset = value.utcoffset() or dt.timedelta()
        return value.replace(tzinfo=None) - offset
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    return None


def parts(text: str, mark: str) -> list[int]:
    """The numbers in a date or a clock; a fraction of a second becomes microseconds."""
    whole, _, fraction = text.partition(".")
    found = [int(piece) for piece in whole.split(mark) if piece]
    return [*found, int(fraction.ljust(6, "0"))] if fraction else found


def category_place(axis: Category, value: Any) -> float:
    for index, listed in enumerate(axis.values):
        if isinstance(listed, bool):
            spelled = (f"{listed}".lower(), f"{listed}", f"{listed}".upper())
            if value is listed or (isinstance(value, str) and value in spelled):
                return index
        elif type(value) in (str, int, bool) and in_words(value) == str(listed):
            return index
    return -math.inf


def in_words(value: Any) -> str:
    """As every engine spells it: truth values are ``true`` and ``false``."""
    return f"{value}".lower() if isinstance(value, bool) else str(value)


def row_part(partition: Partition, indices: Sequence[int]) -> int:
    """The part that a row of indices lies in."""
    if isinstance(partition, Merged):
        return int(partition.labels[row_part(partition.grid, indices)])
    if isinstance(partition, Cuts):
        cell = 0
        for axis, starts, index in zip(
            partition.domain.axes, partition.starts, indices, strict=True
        ):
            other = axis.outside == "other" and not isinstance(axis, Window)
            bins = axis.size - other
            passed = sum(1 for start in starts.tolist() if start <= index) - 1
            cell = cell * (len(starts) + other) + (len(starts) if index == bins else passed)
        return cell
    if isinstance(partition, Boxes):
        return box_part(partition, indices)
    if isinstance(partition, Grid):
        cell = 0
        for axis, slices, index in zip(
            partition.domain.axes, partition.slices, indices, strict=True
        ):
            other = axis.outside == "other" and not isinstance(axis, Window)
            bins = axis.size - other
            cell = cell * (slices + other) + (slices if index == bins else index * slices // bins)
        return cell
    assert isinstance(partition, Refined)
    return refined_part(partition, indices)


def box_part(partition: Boxes, indices: Sequence[int]) -> int:
    """Walk down from the root, one half after the other, counting the leaves passed by."""
    slices = [members_before(partition, axis, index) for axis, index in enumerate(indices)]
    node, passed = 0, 0
    while partition.axes[node] >= 0:
        axis, cut = int(partition.axes[node]), int(partition.cuts[node])
        lower = node + 1
        if slices[axis] < cut:
            node = lower
            continue
        open_nodes, node = 1, lower
        while open_nodes:
            leaf = partition.axes[node] < 0
            passed += leaf
            open_nodes += -1 if leaf else 1
            node += 1
    return passed


def members_before(partition: Boxes, axis: int, index: int) -> int:
    """The slice of an index: equal shares of the bins, and one for "other"."""
    declared = partition.domain.axes[axis]
    slices = partition.raster.slices[axis]
    other = declared.outside == "other" and not isinstance(declared, Window)
    bins = declared.size - other
    return slices if index == bins else index * slices // bins


def refined_part(partition: Refined, indices: Sequence[int]) -> int:
    """The cell, and within it the place in a sub-grid cut over the cell's own indices."""
    grid = partition.grid
    cell = row_part(grid, indices)
    before = sum(math.prod(map(int, sizes)) for sizes in partition.sizes[:cell])
    inside = 0
    for axis, index in enumerate(indices):
        mates = members(grid, axis, index)
        slices = int(partition.sizes[cell, axis])
        inside = inside * slices + (index - mates[0]) * slices // len(mates)
    return before + inside


@cache
def members(grid: Grid, axis: int, index: int) -> list[int]:
    """The indices of an axis in the same slice as the given one."""
    domain = Domain(x=grid.domain.axes[axis])
    alone = Grid(domain, (grid.slices[axis],))
    own = row_part(alone, [index])
    return [i for i in range(domain.axes[0].size) if row_part(alone, [i]) == own]


def count(partition: Partition, rows: Iterable[Sequence[Any]]) -> list[int]:
    """The number of rows in each part."""
    counts = [0] * partition.size
    for row in rows:
        indices = [place(a, v) for a, v in zip(partition.domain.axes, row, strict=True)]
        if None not in indices:
            counts[row_part(partition, [int(i or 0) for i in indices])] += 1
    return counts


def area_place(axis: Areas, x: Any, y: Any) -> int | None:
    """The area of a point: its cell by the edges of two axes, and the run of cells it is in."""
    column, row = place(axis.raster.x, x), place(axis.raster.y, y)
    missing = len(axis.values) if axis.outside == "other" else None
    if column is None or row is None:
        return missing
    cell = row * axis.raster.x.bins + column
    for label, length in zip(
        axis.raster.labels.tolist(), axis.raster.lengths.tolist(), strict=True
    ):
        if cell < length:
            return missing if label < 0 else label
        cell -= length
    raise AssertionError("the runs cover all cells")


def holds_centre(rings: Sequence[Sequence[tuple[int, int]]], x: int, y: int) -> bool:
    """Whether a point lies inside rings of whole numbers, by a ray to the left of it, in fractions.
    Of two shapes that share a border, the right and the upper one hold it."""
    crossed = 0
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 <= y) != (y2 <= y) and x1 + Fraction((y - y1) * (x2 - x1), y2 - y1) <= x:
                crossed += 1
    return crossed % 2 == 1
