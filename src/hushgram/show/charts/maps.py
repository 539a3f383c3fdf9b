"""Maps: recognising their axes, degrees, kilometres and the scale bar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.degrees import is_latitude, is_longitude, map_of
from hushgram.declare.domain import Domain
from hushgram.show.charts.canvas import number
from hushgram.show.charts.sides import Side
from hushgram.show.charts.style import Theme

RADIUS = 6371.0088
"""The radius of the earth in kilometres."""

TALL = 40
"""The height of a map, in degrees, from which on a scale bar would be wrong in most places."""


def is_map(across: Side, up: Side) -> bool:
    """Whether two axes are longitude and latitude, in this order, and drawn to scale."""
    named = is_longitude(across.name, across.axis) and is_latitude(up.name, up.axis)
    return named and across.texts is None and up.texts is None


def drawn_map(domain: Domain) -> tuple[str, str] | None:
    """The names of the axes that are drawn as a map, or None."""
    found = map_of(domain)
    drawn = found is not None and is_map(*(Side(name, domain[name]) for name in found))
    return found if drawn else None


def stretch(south: float, north: float) -> float:
    """The ratio of a degree of latitude to a degree of longitude in the middle of a map.

    >>> round(stretch(50, 70), 3)
    2.0
    """
    return 1 / math.cos(math.radians(min(abs(south + north) / 2, 75)))


def square_kilometres(west: Floats, south: Floats, east: Floats, north: Floats) -> Floats:
    """The areas of boxes in degrees, in square kilometres.

    >>> round(float(square_kilometres(-180.0, -90.0, 180.0, 90.0)) / 1e6)
    510
    """
    high, low = (np.sin(np.radians(np.clip(end, -90, 90))) for end in (north, south))
    return np.asarray(RADIUS**2 * np.radians(np.subtract(east, west)) * (high - low))


def degrees(value: float, positive: str, negative: str) -> str:
    """A longitude or latitude as text, as on printed maps.

    >>> degrees(-93.5, "E", "W"), degrees(0, "E", "W"), degrees(190, "E", "W")
    ('93.5°W', '0°', '170°W')
    """
    turned = (value + 180) % 360 - 180 if abs(value) > 180 else value
    side = positive if turned > 0 else negative
    return f"{number(abs(turned))}°{side}" if turned % 180 else f"{number(abs(turned))}°"


def write_degrees(axes: Any) -> None:
    """Write degrees along a map instead of numbers and names of axes."""
    for side, ends in ((axes.xaxis, "EW"), (axes.yaxis, "NS")):
        places = [float(place) for place in side.get_ticklocs()]
        named = [label.get_text() for label in side.get_ticklabels()]
        kept = [
            text if text.isalpha() else degrees(place, *ends)
            for place, text in zip(places, named, strict=True)
        ]
        side.set_ticks(places, kept)
        side.set_label_text("")


def add_scale_bar(axes: Any, theme: Theme) -> None:
    """Add a scale bar of a round number of kilometres in the lower left corner, unless the map is
    so tall that its scale varies a lot."""
    from matplotlib.patheffects import withStroke

    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    if north - south > TALL:
        return
    per_degree = math.radians(RADIUS) / stretch(south, north)
    length = round_length((east - west) * per_degree / 4)
    halo = [withStroke(linewidth=3, foreground=theme.paper)]
    left = west + 0.03 * (east - west)
    height = south + 0.04 * (north - south)
    axes.plot(
        [left, left + length / per_degree], [height] * 2, color=theme.ink, linewidth=2,
        solid_capstyle="butt", path_effects=halo, zorder=5,
    )  # fmt: skip
    axes.annotate(
        f"{number(length, 1e4)} km", (left, height), xytext=(0, 4), textcoords="offset points",
        fontsize=8, path_effects=halo, zorder=5,
    )  # fmt: skip


def round_length(most: float) -> float:
    """The largest of 1, 2, 5, 10, … that is at most ``most``.

    >>> round_length(740.0), round_length(0.3)
    (500.0, 0.2)
    """
    power = 10.0 ** math.floor(math.log10(most))
    return float(f"{max(step for step in (1, 2, 5) if step * power <= most) * power:.1g}")
