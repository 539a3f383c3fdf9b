"""Pictures of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.intervals import Spread, half_width
from hushgram.errors import MissingExtra, QuestionError, show
from hushgram.release.uhi import plottable

if TYPE_CHECKING:
    from hushgram.partition import Lattice
    from hushgram.release.release import Release

COLOURS = "cividis"
"""Readable without colour vision, and in grey."""


def plot(release: Release, path: str | Path | None = None, *, title: str | None = None) -> Any:
    """A step histogram with its error band, or a heat map; saved if a path is given.

    Returns the matplotlib figure.
    """
    figure_class = matplotlib_figure()
    grid = release.grid
    if len(release.domain) > 2:
        raise QuestionError(
            f"a picture shows one or two axes; this release has {len(release.domain)}."
        )
    figure = figure_class(figsize=(8, 3.6 if is_map(release) else 5), layout="constrained")
    axes = figure.add_subplot()
    (draw_line if len(release.domain) == 1 else draw_map)(axes, release, grid)
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
    axes.stairs(values, edges, color="#00204c", linewidth=1.2, label="noisy count")
    axes.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(values - width, 2),
        np.repeat(values + width, 2),
        color="#00204c",
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
