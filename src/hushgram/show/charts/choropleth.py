"""Areas on a map: a colour for each, hatched where the number may as well be zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_confidence
from hushgram.base.exact import format_number
from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import check_ending, decades, new_figure, numbers, plain, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.areas import AreaCounts, AreaDifferences

AMOUNTS, CHANGES = "YlGnBu", "PuOr_r"
"""Colours for amounts, the darkest for the most, and for changes in two directions: readable
without colour vision, and the amounts in grey."""

UNKNOWN, BORDER, INK, PALE = "0.88", "0.7", "0.15", "0.45"

WIDTH, HIGHEST = 8.0, 9.0
"""Inches of a picture."""

FULL, WIDE = 0.98, 8.0
"""The share of areas below the strongest colour, and how many times the middle amount that is
before colours are logarithmic."""

NAMED, LETTER = 60, 0.065
"""Names are written on so many areas at the most, where they fit; inches of a letter."""


@dataclass(frozen=True, eq=False)
class AreaColours:
    """What is drawn of each area."""

    values: Floats
    unsure: Any
    """Which are hatched."""
    colours: str
    norm: Any
    label: str
    hatched: str
    """What hatching means."""


def plot_areas(
    counts: AreaCounts,
    path: str | Path | None,
    *,
    of: str | None,
    title: str | None,
    overwrite: bool,
) -> Figure:
    """By density unless another measure is named: by counts, large areas would look full."""
    check_output(path, overwrite)
    found = counts.measure(of or "density")
    unsure = found.values <= found.widths.truth
    norm = amount_norm(found.values, found.widths.truth)
    drawn = AreaColours(found.values, unsure, AMOUNTS, norm, found.label, "interval includes zero")
    heading = f"{found.label[0].upper()}{found.label[1:]}, by area"
    figure = draw_areas(counts, drawn, title or heading)
    if path is not None:
        save(figure, path, overwrite=overwrite)
    return figure


def plot_differences(
    changes: AreaDifferences, path: str | Path | None, *, title: str | None, overwrite: bool
) -> Figure:
    from matplotlib.colors import Normalize

    check_output(path, overwrite)
    label = f"change in {changes.before.label}"
    sizes = np.abs(changes.values[~np.isnan(changes.values)])
    top = float(np.quantile(sizes, FULL)) if sizes.any() else 1.0
    drawn = AreaColours(
        changes.values, ~changes.significant, CHANGES, Normalize(-top, top), label,
        "change not significant",
    )  # fmt: skip
    figure = draw_areas(changes.areas, drawn, title or f"Change in {changes.before.label}, by area")
    if path is not None:
        save(figure, path, overwrite=overwrite)
    return figure


def check_output(path: str | Path | None, overwrite: bool) -> None:
    from hushgram.base.files import check_writable

    if path is not None:
        check_ending(path)
        check_writable(Path(path), overwrite=overwrite)


def amount_norm(values: Floats, widths: Floats) -> Any:
    """From zero; where areas differ widely, by the logarithm of what is more than its interval."""
    from matplotlib.colors import AsinhNorm, Normalize

    known = np.maximum(values[~np.isnan(values)], 0)
    top = float(np.quantile(known, FULL)) if known.any() else 1.0
    if top <= WIDE * float(np.median(known)) or len(known) < WIDE:
        return Normalize(0, top)
    return AsinhNorm(max(float(np.nanmedian(widths)), top / 1e4), vmin=0, vmax=top)


def draw_areas(counts: AreaCounts, drawn: AreaColours, title: str) -> Figure:
    import shapely

    geometries = shapely.normalize(counts.shapes.geometries)  # holes run the other way
    west, south, east, north = shapely.total_bounds(geometries)
    stretch = 1.0
    if counts.plane.degrees:
        stretch = 1 / math.cos(math.radians(min(abs(south + north) / 2, 75)))
    height = (WIDTH - 1.6) * stretch * (north - south) / max(east - west, 1e-300)
    figure = new_figure(WIDTH, min(max(height, 2.5), HIGHEST - 1) + 1)
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect(stretch)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    colours = add_polygons(axes, [outline(one) for one in geometries], drawn)
    add_bar(figure, axes, colours, drawn)
    if len(geometries) <= NAMED:
        add_names(axes, counts, drawn, colours)
    axes.set_title(plain(title), loc="left", fontsize="large")
    figure.supxlabel(footnote(counts, drawn), x=0.01, ha="left", fontsize="x-small", color=PALE)
    return figure


def outline(geometry: Any) -> Any:
    """A polygon with its holes, or several, as a path."""
    import shapely
    from matplotlib.path import Path as Outline

    rings = shapely.get_rings(geometry)
    points, places = shapely.get_coordinates(rings, return_index=True)
    codes = np.full(len(points), Outline.LINETO, dtype=np.uint8)
    codes[np.flatnonzero(np.diff(places, prepend=-1))] = Outline.MOVETO
    codes[np.flatnonzero(np.diff(places, append=len(rings)))] = Outline.CLOSEPOLY
    return Outline(points, codes)


def add_polygons(axes: Any, outlines: list[Any], drawn: AreaColours) -> Any:
    from matplotlib import colormaps
    from matplotlib.collections import PathCollection

    width = 0.6 if len(outlines) <= 500 else 0.2
    made = PathCollection(
        outlines, array=np.ma.masked_invalid(drawn.values), norm=drawn.norm,
        cmap=colormaps[drawn.colours].with_extremes(bad=UNKNOWN), edgecolors=BORDER,
        linewidths=width,
    )  # fmt: skip
    axes.add_collection(made, autolim=False)
    some = [outlines[place] for place in np.flatnonzero(drawn.unsure)]
    if some:
        hatched = PathCollection(
            some, facecolors="none", edgecolors="0.35", linewidths=0, hatch="/////"
        )
        hatched.set_hatch_linewidth(0.5)
        axes.add_collection(hatched, autolim=False)
    return made


def add_bar(figure: Any, axes: Any, colours: Any, drawn: AreaColours) -> None:
    low, high = drawn.norm.vmin, drawn.norm.vmax
    bar = figure.colorbar(
        colours, ax=axes, shrink=0.7, aspect=28, extend="max" if low >= 0 else "both"
    )
    linear = getattr(drawn.norm, "linear_width", None)
    ticks = list(bar.get_ticks()) if linear is None else decades(linear, high)
    shown = [float(tick) for tick in ticks if low <= tick <= high]
    bar.set_ticks(shown, labels=numbers(shown))
    bar.minorticks_off()
    bar.outline.set_visible(False)
    bar.set_label(plain(drawn.label))


def add_names(axes: Any, counts: AreaCounts, drawn: AreaColours, colours: Any) -> None:
    """Names where they fit, dark on light areas and light on dark ones."""
    import shapely

    shades = colours.to_rgba(np.nan_to_num(drawn.values))[:, :3] @ (0.299, 0.587, 0.114)
    west, east = axes.get_xlim()
    inches = (WIDTH - 1.6) / (east - west)
    for place, geometry in enumerate(counts.shapes.geometries):
        x, y = shapely.get_coordinates(geometry.representative_point())[0]
        across = shapely.LineString([(west, y), (east, y)])
        chord = shapely.length(shapely.get_parts(shapely.intersection(geometry, across))).max()
        if len(counts.names[place]) * LETTER > chord * inches:
            continue
        light = shades[place] < 0.5 and not np.isnan(drawn.values[place])
        axes.text(
            x, y, plain(counts.names[place]), ha="center", va="center", fontsize=7,
            color="white" if light else INK,
        )  # fmt: skip


def footnote(counts: AreaCounts, drawn: AreaColours) -> str:
    """How sure, how private, and what hatching and grey mean."""
    said = [
        f"Noise was added for privacy (ε = {format_number(counts.release.epsilon)})",
        f"{format_confidence(counts.confidence)} intervals",
    ]
    if np.any(drawn.unsure):
        said.append(f"hatched: {drawn.hatched}")
    if np.isnan(drawn.values).any():
        said.append("grey: unknown")
    return " · ".join(said)
