"""Coastlines and country borders, at a suitable scale for a map."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hushgram.data import outlines
from hushgram.declare.axis import Floats
from hushgram.show.charts.style import LIGHT, Theme

FILE = outlines()

FINE = 1.0
"""The smallest width or height of a map, in degrees, for which lines are drawn by default: they are
off by a kilometre in places."""

SCALES = ((90, "110m", 100), (12, "50m", 100), (0, "10m", 500))
"""Natural Earth's scales: the smallest map for each in degrees, its name, and its steps per
degree."""

WIDTHS = {"coast": 0.7, "border": 0.5}


@cache
def lines(kind: str, scale: str) -> tuple[Floats, ...]:
    """The lines of the ``coast`` or of every ``border``, as longitudes and latitudes."""
    steps = next(steps for _, name, steps in SCALES if name == scale)
    with np.load(FILE, allow_pickle=False) as file:
        points = np.cumsum(file[f"{kind}_{scale}"], axis=1, dtype=np.int64).T / steps
        return tuple(np.split(points, np.cumsum(file[f"{kind}_{scale}_lengths"])[:-1]))


def draw_coastlines(axes: Any, theme: Theme = LIGHT) -> None:
    """Draw the lines within the picture; longitudes may start at -180 or at 0."""
    from matplotlib.collections import LineCollection

    limits = axes.get_xlim(), axes.get_ylim()
    wide = max(high - low for low, high in limits)
    scale = next(name for least, name, _ in SCALES if wide >= least)
    turns = [turn for turn in (-360, 0, 360) if meets(np.array([-180, 180]) + turn, limits[0])]
    for kind, width in WIDTHS.items():
        inside = [
            np.add(line, (turn, 0))
            for turn in turns
            for line in lines(kind, scale)
            if meets(line[:, 0] + turn, limits[0]) and meets(line[:, 1], limits[1])
        ]
        axes.add_collection(
            LineCollection(inside, colors=theme.outline, linewidths=width, alpha=0.8, zorder=3),
            autolim=False,
        )
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])


def meets(values: Floats, limits: tuple[float, float]) -> bool:
    return bool(values.min() <= limits[1] and values.max() >= limits[0])
