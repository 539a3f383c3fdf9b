"""Two axes: a heat map of cells or boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.show.charts.canvas import COLOURS, decades, numbers
from hushgram.show.charts.coastlines import draw_coastlines, is_map, stretch
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import counts_compare

if TYPE_CHECKING:
    from hushgram.release.release import Release

OUTLINED, THIN = 2_000, 0.03
"""Outlines are drawn of so many parts at the most, which are so many inches wide and high or more:
they would hide the colours of others."""

MOST = 500
"""Slices of an axis that can be told apart; a finer lattice is added up to so many."""

CALM = 2
"""Standard deviations of noise up to which colours are linear, and so dark that noise is calm."""

WIDE = 8
"""How many times the middling amount the largest is before colours are logarithmic."""

LOOKED_AT = 9
"""Parts of a view whose noise is looked at: all of them might take long."""


class Heat(NamedTuple):
    """What is drawn of each part."""

    amounts: Floats
    noise: float
    """The standard deviation of a middling part's amount."""
    middle: float
    """The amount of half of the picture, or less."""
    top: float
    """What the lightest colour stands for."""
    unit: str


def sides_of(release: Release, *, turned: bool = True) -> tuple[Side, Side]:
    """What lies across and what lies up: the axes in their order, but maps have north above."""
    across, up = (Side(name, axis) for name, axis in release.domain.items())
    return (up, across) if turned and is_map(up, across) else (across, up)


def draw_heat(
    axes: Any,
    release: Release,
    *,
    coastlines: bool = False,
    bar: bool = True,
    turned: bool = True,
    room: tuple[float, float] = (6.0, 4.2),
) -> tuple[Side, Side]:
    """Colours for counts or, where parts differ in size, densities. Where they range widely,
    colours follow their logarithm, down to the noise of a middling part."""
    sides = across, up = sides_of(release, turned=turned)
    release = drawable(release, sides)
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    lower, upper = layout.boxes()
    places = [release.domain.names.index(side.name) for side in sides]
    (left, right), (bottom, top) = (
        (side.at(lower[:, place]), side.at(upper[:, place]))
        for side, place in zip(sides, places, strict=True)
    )
    heat = heat_of(release, layout, sides, (right - left) * (top - bottom))
    spans = (right - left) / (right.max() - left.min()), (top - bottom) / (top.max() - bottom.min())
    thin = min(float(np.median(s)) * inches for s, inches in zip(spans, room, strict=True))
    look = looks(heat, outlined=layout.size <= OUTLINED and thin >= THIN)
    if isinstance(layout, Lattice):
        x, y = (side.at(layout.cuts(place)) for side, place in zip(sides, places, strict=True))
        cells = heat.amounts.reshape(layout.shape).transpose(places[::-1])
        drawn = axes.pcolormesh(x, y, cells, **look)
    else:
        drawn = boxes(np.array([left, bottom, right, top]), heat.amounts, look)
        axes.add_collection(drawn)
    axes.set_xlim(left.min(), right.max())
    axes.set_ylim(bottom.min(), top.max())
    across.write(axes.xaxis, room[0])
    up.write(axes.yaxis, room[1])
    if bar:
        add_bar(axes, drawn, heat)
    if is_map(across, up):
        axes.set_aspect(stretch(up))
        if coastlines:
            draw_coastlines(axes)
    return sides


def drawable(release: Release, sides: tuple[Side, Side]) -> Release:
    """A lattice that is finer than a picture, added up."""
    layout = release.estimate.partition
    if isinstance(layout, Lattice) and layout.size > MOST**2:
        return release.project(*(side.name for side in sides), bins=MOST)
    return release


def heat_of(release: Release, layout: Boxed, sides: tuple[Side, Side], area: Floats) -> Heat:
    values = np.maximum(np.asarray(release.estimate.values, dtype=np.float64), 0)
    parts, noises = noise_of(release.estimate)
    if isinstance(layout, Lattice) and counts_compare(layout, widths_of(release)):
        return Heat(values, float(np.median(noises)), *levels(values, area), "rows per cell")
    units = " × ".join(side.unit for side in sides)
    unit = f"rows per {'square degree' if is_map(*sides) else units}"
    density = values / area
    noise = weighted_quantile(noises / area[parts], area[parts], 0.5)
    return Heat(density, noise, *levels(density, area), unit)


def levels(amounts: Floats, area: Floats) -> tuple[float, float]:
    """The middle and the top of the colours: above lie a thousandth of the picture at most, and a
    hundredth of the rows, which may all be in one city."""
    rows = amounts * area
    top = max(weighted_quantile(amounts, area, 0.999), weighted_quantile(amounts, rows, 0.99))
    return weighted_quantile(amounts, area, 0.5), top


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The value below which lies a share of the weight.

    >>> weighted_quantile(np.array([5.0, 1.0, 9.0]), np.array([1.0, 2.0, 1.0]), 0.5)
    1.0
    """
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    place = int(np.searchsorted(below, share * below[-1]))
    return float(values[order][min(place, len(values) - 1)])


def widths_of(release: Release) -> list[Floats]:
    grid = release.grid
    named = enumerate(release.domain.items())
    return [np.diff(Side(*item).at(grid.cuts(place))) for place, item in named]


def noise_of(estimate: Estimate) -> tuple[Any, Floats]:
    """Some parts, or all, and the standard deviations of their values."""
    if estimate.inference.view is None:
        return slice(None), np.sqrt(estimate.variances())
    size = len(estimate.values)
    some = np.unique(np.linspace(0, size - 1, LOOKED_AT).astype(np.int64))
    found = [estimate.moments(np.eye(1, size, part)[0])[0] for part in some]
    return some, np.sqrt(found)


def looks(heat: Heat, *, outlined: bool) -> dict[str, Any]:
    """The colours and outlines."""
    from matplotlib.colors import AsinhNorm, Normalize

    linear = max(CALM * heat.noise, heat.top / 1e6, 1e-100)
    top = max(heat.top, 5 * linear)
    wide = heat.top > WIDE * heat.middle
    return {
        "cmap": COLOURS,
        "norm": AsinhNorm(linear, vmin=0, vmax=top) if wide else Normalize(0, top),
        "edgecolors": (1, 1, 1, 0.4) if outlined else "none",
        "linewidths": 0.5 if outlined else 0,
        "antialiased": outlined,
        "rasterized": not outlined,
    }


def boxes(corners: Floats, amounts: Floats, look: dict[str, Any]) -> Any:
    """Rectangles from their left, lower, right and upper ends."""
    from matplotlib.collections import PolyCollection

    left, bottom, right, top = corners
    rings = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    return PolyCollection(list(np.moveaxis(rings, 2, 0)), array=amounts, **look)


def add_bar(axes: Any, drawn: Any, heat: Heat) -> None:
    bar = axes.figure.colorbar(drawn, ax=axes, shrink=0.8, extend="max")
    linear = getattr(drawn.norm, "linear_width", None)
    ticks = list(bar.get_ticks()) if linear is None else decades(linear, drawn.norm.vmax)
    shown = [float(tick) for tick in ticks if 0 <= tick <= drawn.norm.vmax]
    bar.set_ticks(shown, labels=numbers(shown))
    bar.minorticks_off()
    bar.set_label(heat.unit)
