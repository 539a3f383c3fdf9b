"""What a table is asked, with the true answers. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from hushgram.declare.axis import Axis, Category, Floats
from hushgram.lab.coverage.tables import JudgedTable

SIZES = {"small": (0.005, 0.05), "medium": (0.05, 0.3), "large": (0.3, 0.95)}
"""Which share of an axis the side of a box takes."""

SHARES = (0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95)
"""The quantiles that are asked for."""


@dataclass(frozen=True, eq=False)
class Box:
    """A range, or a category, for each axis, and what is true about its rows."""

    asked: dict[str, Any]
    inside: Any
    """Which rows lie in it."""


def draw_boxes(
    table: JudgedTable, size: str, many: int, rng: Generator, *, on: bool
) -> Iterator[Box]:
    """Boxes of one size: two in three around a row, since people look where rows are, the others
    anywhere; ``on`` the edges of bins, or off them where an axis has values between its edges."""
    axes = len(table.domain)
    for number in range(many):
        centre = rng.random(axes)
        if number % 3 and len(table.rows):
            row = table.rows[rng.integers(len(table.rows))]
            centre = np.array([place_of(a, v) for a, v in zip(table.domain.axes, row, strict=True)])
        asked, inside = {}, np.ones(len(table.rows), dtype=bool)
        for (name, axis), middle, column in zip(
            table.domain.items(), centre, table.rows.T, strict=True
        ):
            if isinstance(axis, Category):
                place = int(min(middle * axis.bins, axis.bins - 1))
                asked[name] = axis.values[place]
                inside &= column == place
                continue
            low, high = ends(axis, float(middle), SIZES[size], rng, on=on)
            asked[name] = (low, high)
            inside &= (column >= low) & (column < high)
        yield Box(asked, inside)


def place_of(axis: Axis, value: float) -> float:
    """Where a value lies on its axis, from 0 to 1."""
    if isinstance(axis, Category):
        return (value + 0.5) / axis.bins
    return float(axis.positions([value])[0]) / axis.bins


def ends(
    axis: Axis, middle: float, size: tuple[float, float], rng: Generator, *, on: bool
) -> tuple[float, float]:
    """A side of a box that covers a place of the axis."""
    length = math.exp(rng.uniform(*np.log(size)))
    start = min(max(middle - length * rng.random(), 0.0), 1 - length)
    low, high = float(axis.edge(0)), float(axis.edge(axis.bins))
    if on:
        first = min(int(start * axis.bins), axis.bins - 1)
        last = max(round((start + length) * axis.bins), first + 1)
        return float(axis.edge(first)), float(axis.edge(last))
    return low + start * (high - low), low + (start + length) * (high - low)


def true_quantiles(values: Floats) -> Floats:
    """The values at the ranks that the shares ask for."""
    ranks = np.ceil(np.array(SHARES) * len(values)).astype(np.int64)
    return np.asarray(np.sort(values)[np.maximum(ranks, 1) - 1])


def as_table(boxes: list[Box]) -> Mapping[str, Any]:
    """Boxes with ranges only, as a table of ranges."""
    names = boxes[0].asked
    return {
        f"{name}_{end}": np.array([box.asked[name][place] for box in boxes])
        for name in names
        for place, end in enumerate(("lo", "hi"))
    }
