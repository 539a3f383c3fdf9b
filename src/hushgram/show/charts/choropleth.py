"""Areas on a map: a colour for each, hatched if the number may be zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import panel_grid, plain, room_of
from hushgram.show.charts.colours import (
    TOP,
    WIDE,
    ColourScale,
    add_colour_bar,
    scale_of,
    scale_of_means,
)
from hushgram.show.charts.maps import add_scale_bar, stretch
from hushgram.show.charts.picture import Picture
from hushgram.show.charts.style import Theme, house_style
from hushgram.show.charts.words import HATCHED, footer_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.area_changes import AreaDifferences
    from hushgram.release.areas import AreaCounts, AreaMeasure

CHANGES = "PuOr_r"
"""Colours of changes in two directions, readable without colour vision."""

USUAL = "Hatched: may be the mean of all areas (the 95 % interval includes it)."
NOT_SURE = "Hatched: the change is not significant (the 95 % interval includes zero)."
UNKNOWN = "Grey: unknown."

WIDTH, HIGHEST, AROUND, BAR = 8.0, 8.0, 1.0, 1.5
"""The width of a picture, the largest height of a map, the height of the text above and below it,
and the width of the colour bar, in inches."""

FULL = 0.98
"""The share of changes below the strongest colour."""

NAMED, LETTER = 60, 0.065
"""The most areas on which names are written, if they fit; the width of a letter in inches."""


@dataclass(frozen=True, eq=False)
class AreaColours:
    """The values and colours of areas."""

    values: Floats
    unsure: Any
    """Which areas are hatched."""
    hatched: str
    """An explanation of the hatching."""
    colours: Any
    scale: ColourScale
    label: str


def plot_areas(counts: AreaCounts, of: str | None, picture: Picture) -> Figure:
    """Draw areas by a measure, by default their density: with counts, large areas would look
    full."""
    found = counts.measure(of or "density")
    if (of or "").startswith("mean "):
        return plot_means(counts, found, picture)
    known = ~np.isnan(found.values)
    amounts = np.maximum(found.values[known], 0)
    with house_style(picture.theme):
        noise = float(np.median(found.widths.truth[known])) / 2 if known.any() else 0.0
        scale = scale_of([amounts], noise, is_log(amounts) if picture.log is None else picture.log)
        label = name_rows(found.label, picture.rows)
        drawn = AreaColours(
            found.values, found.values <= found.widths.truth, HATCHED, picture.theme.colours(),
            scale, label,
        )  # fmt: skip
        return draw_areas(counts, drawn, f"{label[:1].upper()}{label[1:]}, by area", picture)


def plot_means(counts: AreaCounts, found: AreaMeasure, picture: Picture) -> Figure:
    """Draw the means of areas, hatched if they may equal that of all areas."""
    with house_style(picture.theme):
        drawn = AreaColours(
            found.values, np.abs(found.values - found.typical) <= found.widths.truth, USUAL,
            picture.theme.colours_of_means(), scale_of_means(found.values), found.label,
        )  # fmt: skip
        heading = f"{found.label[:1].upper()}{found.label[1:]}, by area"
        return draw_areas(counts, drawn, heading, picture)


def is_log(amounts: Floats) -> bool:
    """Whether many areas would look empty compared with a few. Unlike for cells, all of them
    count."""
    if not amounts.any():
        return False
    middle, top = (float(np.quantile(amounts, share)) for share in (0.5, TOP))
    return top > WIDE * middle


def plot_differences(changes: AreaDifferences, picture: Picture) -> Figure:
    with house_style(picture.theme):
        from matplotlib import colormaps
        from matplotlib.colors import Normalize

        sizes = np.abs(changes.values[~np.isnan(changes.values)])
        top = float(np.quantile(sizes, FULL)) if sizes.any() else 1.0
        label = f"change in {name_rows(changes.before.label, picture.rows)}"
        drawn = AreaColours(
            changes.values, ~changes.significant, NOT_SURE, colormaps[CHANGES],
            ColourScale(Normalize(-top, top), bool((sizes > top).any())), label,
        )  # fmt: skip
        heading = f"{label[:1].upper()}{label[1:]}, by area"
        return draw_areas(changes.areas, drawn, heading, picture)


def draw_areas(counts: AreaCounts, drawn: AreaColours, heading: str, picture: Picture) -> Figure:
    import shapely

    geometries = shapely.normalize(counts.shapes.geometries)  # holes get the opposite orientation
    west, south, east, north = shapely.total_bounds(geometries)
    tall = stretch(south, north) if counts.plane.degrees else 1.0
    height = (WIDTH - BAR) * tall * (north - south) / (east - west)
    figure, grid = panel_grid(picture.ax, WIDTH, min(max(height, 2.0), HIGHEST) + AROUND)
    axes = grid[0, 0]
    axes.set_axis_off()
    axes.set_aspect(tall)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    colours = add_polygons(axes, [outline(one) for one in geometries], drawn, picture.theme)
    add_colour_bar(axes, colours, drawn.scale, plain(drawn.label))
    if len(geometries) <= NAMED:
        inches = room_of(picture.ax, WIDTH - BAR, height)[0]
        add_names(axes, counts, drawn, colours, inches / (east - west), picture.theme)
    if counts.plane.degrees:
        add_scale_bar(axes, picture.theme)
    return picture.finish(figure, heading, footer(counts, drawn, picture))


def name_rows(label: str, rows: str) -> str:
    """A label with the name of the rows.

    >>> name_rows("rows per km²", "stops")
    'stops per km²'
    """
    return label.replace("rows", rows, 1)


def outline(geometry: Any) -> Any:
    """A polygon with its holes, or a multi-polygon, as a path."""
    import shapely
    from matplotlib.path import Path as Outline

    rings = shapely.get_rings(geometry)
    points, places = shapely.get_coordinates(rings, return_index=True)
    codes = np.full(len(points), Outline.LINETO, dtype=np.uint8)
    codes[np.flatnonzero(np.diff(places, prepend=-1))] = Outline.MOVETO
    codes[np.flatnonzero(np.diff(places, append=len(rings)))] = Outline.CLOSEPOLY
    return Outline(points, codes)


def add_polygons(axes: Any, outlines: list[Any], drawn: AreaColours, theme: Theme) -> Any:
    from matplotlib.collections import PathCollection

    made = PathCollection(
        outlines, array=np.ma.masked_invalid(drawn.values), norm=drawn.scale.norm,
        cmap=drawn.colours.with_extremes(bad=theme.hair), edgecolors=theme.outline,
        linewidths=0.4 if len(outlines) <= 500 else 0.15,
    )  # fmt: skip
    axes.add_collection(made, autolim=False)
    unsure = [outlines[place] for place in np.flatnonzero(drawn.unsure)]
    if unsure:
        axes.add_collection(
            PathCollection(
                unsure, facecolors="none", edgecolors=theme.faint, linewidths=0, hatch="/////"
            ),
            autolim=False,
        )
    return made


def add_names(
    axes: Any, counts: AreaCounts, drawn: AreaColours, colours: Any, inches: float, theme: Theme
) -> None:
    """Write names where they fit; ``inches`` is the width of one unit."""
    import shapely

    fills = colours.to_rgba(np.ma.masked_invalid(drawn.values))
    west, east = axes.get_xlim()
    for place, geometry in enumerate(counts.shapes.geometries):
        x, y = shapely.get_coordinates(geometry.representative_point())[0]
        across = shapely.LineString([(west, y), (east, y)])
        chord = shapely.length(shapely.get_parts(shapely.intersection(geometry, across))).max()
        if len(counts.names[place]) * LETTER <= chord * inches:
            axes.text(
                x, y, plain(counts.names[place]), ha="center", va="center", fontsize=7,
                color=theme.text_on(fills[place]),
            )  # fmt: skip


def footer(counts: AreaCounts, drawn: AreaColours, picture: Picture) -> str:
    """The footer: source, privacy, and the meaning of hatching and grey."""
    sentences = [footer_of(counts.release, picture.source, picture.date)]
    sentences += [drawn.hatched] if np.any(drawn.unsure) else []
    sentences += [UNKNOWN] if np.isnan(drawn.values).any() else []
    return " ".join(sentences)
