"""Pictures of a release."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.intervals import Spread, half_width
from hushgram.axis import Axis, Category, Date, Floats, Integer, Window
from hushgram.errors import MissingExtra, QuestionError, show
from hushgram.partition import Boxed, Grid, Ints, Lattice
from hushgram.release.uhi import plottable

if TYPE_CHECKING:
    from hushgram.release.release import Release

COLOURS = "cividis"
"""Readable without colour vision, and in grey."""

DARK = "#00204c"

OUTLINED = 2_000
"""Boxes whose outlines are drawn, at the most: more would hide the colours."""


def plot(release: Release, path: str | Path | None = None, *, title: str | None = None) -> Any:
    """A step histogram with its error band, or a heat map; saved if a path is given.

    Parts of different sizes are drawn by density, so that areas and colours can be compared.
    Returns the matplotlib figure.
    """
    figure_class = matplotlib_figure()
    if len(release.domain) > 2:
        raise QuestionError(
            f"a picture shows one or two axes; this release has {len(release.domain)}."
        )
    figure = figure_class(figsize=(8, 3.6 if is_map(release) else 5), layout="constrained")
    axes = figure.add_subplot()
    layout = release.estimate.partition
    if isinstance(layout, Boxed) and not isinstance(layout, Grid):
        (draw_steps if len(release.domain) == 1 else draw_boxes)(axes, release, layout)
    else:
        (draw_line if len(release.domain) == 1 else draw_map)(axes, release, release.grid)
    axes.set_title(title or caption(release), fontsize="medium", loc="left")
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure


def matplotlib_figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a picture") from None
    return Figure


def is_map(release: Release) -> bool:
    """Whether both axes are of one kind, so that a degree across is a degree up."""
    return {name.lower() for name in release.domain} in ({"lon", "lat"}, {"longitude", "latitude"})


def caption(release: Release) -> str:
    return f"{release.mechanism}, ε = {show(release.epsilon)}, noise included"


def draw_line(axes: Any, release: Release, grid: Lattice) -> None:
    """One axis: steps, with the 95 % band of each bin's noise."""
    values = np.asarray(release.values())
    variance = release.variances()
    width = half_width(Spread(variance, 3.0, 1.0, True), 0.95)
    axis = plottable(grid, 0)
    edges, ticks = bin_edges(axis)
    axes.stairs(values, edges, color=DARK, linewidth=1.2, label="noisy count")
    axes.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(values - width, 2),
        np.repeat(values + width, 2),
        color=DARK,
        alpha=0.2,
        linewidth=0,
        label="95 % of the noise",
    )
    if ticks:
        axes.set_xticks((edges[:-1] + edges[1:]) / 2, ticks)
    axes.axhline(0, color="0.6", linewidth=0.6)
    axes.set_xlabel(axis.name)
    axes.set_ylabel("rows")
    axes.legend(frameon=False)


def draw_map(axes: Any, release: Release, grid: Lattice) -> None:
    """Two axes: a heat map of counts per cell, on a square-root scale that shows small ones."""
    from matplotlib.colors import PowerNorm

    across, up = plottable(grid, 0), plottable(grid, 1)
    (x, x_ticks), (y, y_ticks) = bin_edges(across), bin_edges(up)
    values = np.maximum(np.asarray(release.values()), 0).T
    top = max(float(np.quantile(values, 0.999)), 1.0)
    mesh = axes.pcolormesh(x, y, values, cmap=COLOURS, norm=PowerNorm(0.5, vmin=0, vmax=top))
    bar = axes.figure.colorbar(mesh, ax=axes, shrink=0.8, extend="max")
    bar.set_label("rows per cell (negative noise drawn as 0)")
    for ticks, place, edges in ((x_ticks, axes.set_xticks, x), (y_ticks, axes.set_yticks, y)):
        if ticks:
            place((edges[:-1] + edges[1:]) / 2, ticks)
    axes.set_xlabel(across.name)
    axes.set_ylabel(up.name)
    if is_map(release):
        axes.set_aspect("equal")


def draw_steps(axes: Any, release: Release, layout: Boxed) -> None:
    """One axis in parts of different widths: steps of density, with the 95 % band of the noise."""
    lower, upper = (corner[:, 0] for corner in layout.boxes())
    order = np.argsort(lower)
    ((name, axis),) = release.domain.items()
    edges = drawn(axis, np.append(lower[order], upper.max()))
    widths = np.diff(edges)
    values = release.estimate.values[order] / widths
    noise = half_width(Spread(release.estimate.variances()[order], 3.0, 1.0, True), 0.95) / widths
    axes.stairs(values, edges, color=DARK, linewidth=1.2, label="noisy density")
    axes.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(values - noise, 2),
        np.repeat(values + noise, 2),
        color=DARK,
        alpha=0.2,
        linewidth=0,
        label="95 % of the noise",
    )
    axes.axhline(0, color="0.6", linewidth=0.6)
    axes.margins(x=0.01)
    name_side(axes.xaxis, name, axis)
    axes.set_ylabel(f"rows per {unit_of(name, axis)}")
    axes.legend(frameon=False)


def draw_boxes(axes: Any, release: Release, layout: Boxed) -> None:
    """Two axes in boxes of any size: rectangles coloured by density.

    Densities range widely, so colours follow their logarithm, down to the noise of a middling box.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import AsinhNorm

    sides = list(zip(release.domain.axes, *(c.T for c in layout.boxes()), strict=True))
    (left, right), (bottom, top) = [
        (drawn(axis, low), drawn(axis, high)) for axis, low, high in sides
    ]
    corners = [[left, bottom], [right, bottom], [right, top], [left, top]]
    area = (right - left) * (top - bottom)
    density = np.maximum(release.estimate.values / area, 0)
    most = max(float(np.quantile(density, 0.99)), 1e-100)
    noise = max(float(np.median(np.sqrt(release.estimate.variances()) / area)), most / 1e6)
    most = max(most, noise)
    few = len(area) <= OUTLINED
    heat = PolyCollection(
        list(np.moveaxis(np.array(corners), 2, 0)),
        array=density,
        cmap=COLOURS,
        norm=AsinhNorm(noise, vmin=0, vmax=most),
        edgecolors=(1, 1, 1, 0.3) if few else "none",
        linewidths=0.3 if few else 0,
        antialiased=few,
        rasterized=not few,
    )
    axes.add_collection(heat)
    axes.set_xlim(left.min(), right.max())
    axes.set_ylim(bottom.min(), top.max())
    bar = axes.figure.colorbar(heat, ax=axes, shrink=0.8, extend="max")
    bar.set_ticks(decades(noise, most))
    units = " × ".join(unit_of(name, axis) for name, axis in release.domain.items())
    bar.set_label(f"rows per {'square degree' if is_map(release) else units}")
    for side, (name, axis) in zip((axes.xaxis, axes.yaxis), release.domain.items(), strict=True):
        name_side(side, name, axis)
    if is_map(release):
        axes.set_aspect("equal")


def decades(noise: float, most: float) -> list[float]:
    """Zero, and the powers of ten that lie above the noise.

    >>> decades(0.3, 500.0)
    [0.0, 1.0, 10.0, 100.0]
    """
    first, last = math.ceil(math.log10(2 * noise)), math.floor(math.log10(most))
    return [0.0, *(10.0**power for power in range(first, last + 1))]


def drawn(axis: Axis, indices: Ints) -> Floats:
    """Where indices start in a picture. What lies outside is a strip beyond the upper end: as wide
    as a bin, or as can be seen."""
    whole, offset = unwindowed(axis)
    first, last = edges_of(whole, np.array([0, whole.bins]))
    strip = (last - first) / min(whole.bins, 25)
    beyond = indices + offset > whole.bins
    edges = edges_of(whole, np.minimum(indices + offset, whole.bins))
    return np.asarray(edges + beyond * strip)


def edges_of(axis: Axis, indices: Ints) -> Floats:
    """Edges as numbers: categories count from 0, days from 1970; whole numbers lie in the middle
    of their bins, as categories do."""
    if isinstance(axis, Category):
        return np.asarray(indices - 0.5)
    if isinstance(axis, Date):
        from matplotlib.dates import date2num

        return np.asarray(date2num(axis.edges_at(indices)), dtype=np.float64)
    edges = np.asarray(axis.edges_at(indices), dtype=np.float64)
    return np.asarray(edges - 0.5 if isinstance(axis, Integer) else edges)


def unwindowed(axis: Axis) -> tuple[Axis, int]:
    return (axis.axis, axis.start) if isinstance(axis, Window) else (axis, 0)


def unit_of(name: str, axis: Axis) -> str:
    """What a unit of length is in a picture."""
    units = {Category: "value", Integer: "whole number", Date: "day"}
    return units.get(type(unwindowed(axis)[0]), "unit") + f" of {name}"


def name_side(side: Any, name: str, axis: Axis) -> None:
    """An axis's name, and its ticks where they are dates or texts."""
    whole, offset = unwindowed(axis)
    side.set_label_text(f"{name} (beyond: other)" if axis.other and axis.ordered else name)
    if isinstance(whole, Date):
        side.axis_date()
    if isinstance(whole, Category) and axis.size <= 40:
        texts = [*map(str, whole.values), "other"]
        places = np.arange(offset, offset + axis.size)
        side.set_ticks(places, [texts[place] for place in places])


def bin_edges(axis: Any) -> tuple[Any, list[str]]:
    """Where bins start and end, and labels where they are names rather than numbers."""
    if axis.traits.discrete:
        numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in axis)
        if numbers and len(axis) > 24:
            start = axis[0] - 0.5
            return np.arange(len(axis) + 1) + start, []
        return np.arange(len(axis) + 1) - 0.5, [str(value) for value in axis]
    edges = np.array([axis[0][0], *(high for _, high in axis)])
    widths = np.diff(edges)
    if len(axis) <= 24 and widths.max() > 20 * widths.min():  # some would be too thin to see
        return np.arange(len(axis) + 1) - 0.5, [f"{low:g}–{high:g}" for low, high in axis]
    return edges, []
