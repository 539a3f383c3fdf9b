"""The outlines of the land, for maps."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from hushgram.data import coastlines
from hushgram.declare.axis import Floats
from hushgram.declare.degrees import is_latitude, is_longitude, map_of
from hushgram.declare.domain import Domain
from hushgram.show.charts.sides import Side

FILE = coastlines()

COARSE = 10
"""Degrees that a map is wide or high, at the least, before the lines are too coarse for it."""


def is_map(across: Side, up: Side) -> bool:
    """Whether two axes are longitude and latitude, in this order and drawn to scale."""
    named = is_longitude(across.name, across.axis) and is_latitude(up.name, up.axis)
    return named and across.texts is None and up.texts is None


def drawn_map(domain: Domain) -> tuple[str, str] | None:
    """The names of the axes that are drawn as a map, if there are such."""
    found = map_of(domain)
    drawn = found is not None and is_map(*(Side(name, domain[name]) for name in found))
    return found if drawn else None


def stretch(up: Side) -> float:
    """How much longer a degree up is than a degree across, in the middle of a map."""
    middle = sum(up.shown) / 2
    return 1 / math.cos(math.radians(min(abs(middle), 75)))


@cache
def lines() -> tuple[Floats, ...]:
    """Lines of longitudes and latitudes, at 1:110 million (Natural Earth)."""
    with np.load(FILE, allow_pickle=False) as file:
        degrees = file["points"] / 100
        return tuple(np.split(degrees, np.cumsum(file["lengths"].astype(np.int64))[:-1]))


def draw_coastlines(axes: Any) -> None:
    """Draw what lies in the picture; longitudes may count from -180 or from 0."""
    from matplotlib.collections import LineCollection

    limits = axes.get_xlim(), axes.get_ylim()
    shifted = [np.add(line, (turn, 0)) for turn in (-360, 0, 360) for line in lines()]
    inside = [line for line in shifted if all(map(meets, line.T, limits))]
    for colour, width in (("black", 1.4), ("white", 0.6)):  # seen on light and on dark
        axes.add_collection(
            LineCollection(inside, colors=colour, linewidths=width, alpha=0.7), autolim=False
        )
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])


def meets(values: Floats, limits: tuple[float, float]) -> bool:
    return bool(values.min() <= limits[1] and values.max() >= limits[0])
