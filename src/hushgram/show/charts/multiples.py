"""Small multiples: the same picture for each value of one more axis."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Category
from hushgram.errors import QuestionError
from hushgram.show.charts.canvas import plain
from hushgram.show.charts.heat import draw_heats, heat_of, sides_of
from hushgram.show.charts.maps import drawn_map
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import draw_line, scale_up, steps_of
from hushgram.show.charts.style import open_frame
from hushgram.show.charts.table import TABLE, cells_of, draw_table, fits_table

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_PANELS = 12
SLICES = 6
"""The number of slices of an ordered axis."""

FEW = 4
"""The most categories that are easier to compare as steps than as stripes of a heat map."""

BINS = 200
"""The number of slices of the other axes, if the parts are boxes."""

Panel = tuple[str, "Release"]
"""The title of a picture, and its view."""


def panel_axis(release: Release) -> str | None:
    """The axis with a picture for each value: the one that is not on the map, or that with the
    fewest categories. None if another kind of picture shows more."""
    sizes = {
        name: axis.size
        for name, axis in release.domain.items()
        if isinstance(axis.whole, Category) and is_few(axis)
    }
    if len(release.domain) == 2 and not fits_table(release, TABLE):
        return next((name for name in sizes if sizes[name] <= FEW and len(sizes) == 1), None)
    if len(release.domain) != 3:
        return None
    found = drawn_map(release.domain)
    if found is not None:
        rest = next(name for name in release.domain if name not in found)
        return rest if is_few(release.domain[rest]) else None
    return min(sizes, key=lambda name: sizes[name], default=None)


def is_few(axis: Axis) -> bool:
    """Whether there can be a picture for each value, or for each slice of an ordered axis."""
    return axis.ordered or axis.size <= MAX_PANELS


def panels_of(release: Release, by: str) -> list[Panel]:
    """A view of the other axes for each value of one axis, or each slice of it."""
    axis = release.domain[by]
    if not is_few(axis):
        raise QuestionError(
            f"{by!r} has {axis.size:,} values, but at most {MAX_PANELS} small pictures "
            "are possible. Group the values: "
            f"release.rollup({by}={{'group': [values], …}})."
        )
    others = [name for name in release.domain if name != by]
    cuts = slice_cuts(axis)
    return [
        (name, release.slice(bounds(axis, by, *ends), bins=BINS).project(others, bins=BINS))
        for name, ends in zip(Side(by, axis).names(cuts), pairwise(cuts.tolist()), strict=True)
    ]


def slice_cuts(axis: Axis) -> Any:
    """The starts and ends of an axis's slices, in indices."""
    few = axis.declared <= MAX_PANELS or not axis.ordered
    slices = axis.declared if few else SLICES
    starts = -(-np.arange(slices + 1, dtype=np.int64) * axis.declared // slices)
    return np.union1d(starts, [axis.size])


def bounds(axis: Axis, name: str, low: int, high: int) -> dict[str, Any]:
    """The query for these indices."""
    if low >= axis.declared:
        return {name: [OTHER]}
    if not axis.ordered:
        return {name: [axis.edge(low)]}
    return {name: (axis.edge(low), axis.edge(high))}


def layout_of(panels: int) -> tuple[int, int]:
    """The numbers of rows and columns for a number of panels.

    >>> [layout_of(n) for n in (1, 2, 3, 4, 7, 12)]
    [(1, 1), (1, 2), (1, 3), (2, 2), (2, 4), (3, 4)]
    """
    columns = panels if panels <= 3 else min(math.ceil(math.sqrt(panels)) + (panels > 6), 4)
    columns = 2 if panels == 4 else columns
    return math.ceil(panels / columns), columns


def draw_multiples(
    grid: Any, panels: list[Panel], options: PictureOptions, room: tuple[float, float]
) -> str:
    """Draw one picture for each panel, all on the same scale, and leave the rest of the grid empty.
    Returns their unit."""
    unit = ""
    used = list(grid.flat)[: len(panels)]
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    views = [view for _, view in panels]
    if len(views[0].domain) == 1:
        draw_lines(used, views, options, room)
    elif all(fits_table(view, room) for view in views):
        draw_tables(used, views, options, room)
    else:
        sides = sides_of(views[0])
        heats = [heat_of(view, sides, options, room) for view in views]
        unit = draw_heats(used, heats, sides, options, room=room)
    for axes, (name, _) in zip(used, panels, strict=True):
        axes.set_title(plain(shorten(name, 40)), fontsize=10, loc="left")
    columns = grid.shape[1]
    for place, axes in enumerate(used):
        outer(axes, first=place % columns == 0, last=place + columns >= len(panels))
    return unit


def draw_lines(
    used: list[Any], views: list[Release], options: PictureOptions, room: tuple[float, float]
) -> None:
    """Draw steps with a common vertical scale."""
    ((name, axis),) = views[0].domain.items()
    side = Side(name, axis)
    found = [steps_of(view, side) for view in views]
    highest = max(found, key=lambda steps: float((steps.values + steps.half_widths).max()))
    for axes, steps in zip(used, found, strict=True):
        draw_line(axes, steps, options)
        open_frame(axes, options.theme)
        axes.set_ylabel(plain(f"{options.rows} {steps.unit}".strip()))
        scale_up(axes, highest, options.log)
        side.write(axes.xaxis, room[0])


def draw_tables(
    used: list[Any], views: list[Release], options: PictureOptions, room: tuple[float, float]
) -> None:
    """Draw tables with a common colour scale."""
    sides = sides_of(views[0])
    found = [cells_of(view) for view in views]
    most = max(float(cells.values.max()) for cells in found)
    for axes, cells in zip(used, found, strict=True):
        draw_table(axes, cells, sides, options, room, most)


def outer(axes: Any, *, first: bool, last: bool) -> None:
    """Remove names and ticks except on the outer sides."""
    if not last:
        axes.set_xlabel("")
        axes.set_xticklabels([])
    if not first:
        axes.set_ylabel("")
        axes.set_yticklabels([])
    axes.tick_params(labelsize="small")
