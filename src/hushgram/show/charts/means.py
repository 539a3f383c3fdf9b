"""Pictures of sums and means of a measured column, with their margins.

Along an ordered axis they are steps in a band of margins; for categories, points; on two axes, a
heat map or a map. A gap or grey means too few rows. On a heat map of means, hatched slices may have
the mean of all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_digits
from hushgram.answers.tables.magnitudes import Magnitudes, found_parts, need_measured
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Lattice
from hushgram.show.charts.canvas import AROUND, WIDTH, panel_grid, plain, room_of, write_ticks
from hushgram.show.charts.colours import add_colour_bar, scale_of_means
from hushgram.show.charts.heat import dress_map, shape_of, sides_of, window_of, write_sides
from hushgram.show.charts.maps import add_scale_bar, is_map
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import LINE, Side, name_ticks
from hushgram.show.charts.steps import MAX_STEPS, edges_of, even_slices, too_narrow
from hushgram.show.charts.style import add_legend, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

SIDE = 40
"""The default number of slices of each of two axes, if the parts are not slices."""

BAR = 0.32
"""The height of a category in inches."""

USUAL = "Hatched: may be the mean of all rows (the 95 % interval includes it)."
UNKNOWN = "Grey: too few rows to say."


def draw_magnitudes(
    view: Release, name: str, kind: str, options: PictureOptions, ax: Axes | None
) -> tuple[Figure, str, str]:
    """The figure, its title, and the explanation of its signs."""
    need_measured(view, name)
    label = f"{kind} of {plain(name.replace('_', ' '))}"
    sides = [Side(each, axis) for each, axis in view.domain.items()]
    if len(sides) > 2:
        raise QuestionError(
            f"A picture of a {kind} can have one or two axes. Name them: plot({kind}={name!r}, "
            f"axes=[{sides[0].name!r}])."
        )
    titles = " and ".join(side.title for side in sides)
    heading = f"{label[:1].upper()}{label[1:]} by {titles}"
    if len(sides) == 2:
        figure, signs = draw_plane(view, name, kind, options, ax, label)
        return figure, heading, signs
    if sides[0].texts is None:
        figure = draw_along(view, sides[0], name, kind, options, ax, label)
    else:
        figure = draw_points(view, sides[0], name, kind, options, ax, label)
    return figure, f"{heading}, with 95 % margins", ""


def parts_of(view: Release, name: str, kind: str) -> Magnitudes:
    return found_parts(view, need_measured(view, name), 0.95, kind)


def draw_along(
    view: Release, side: Side, name: str, kind: str, options: PictureOptions, ax: Any, label: str
) -> Figure:
    """Draw steps in a band, with gaps where there are too few rows."""
    edges = edges_of(view, side)
    if len(edges) > MAX_STEPS or too_narrow(edges):
        view = view.project(side.name, bins=even_slices(side))
        edges = edges_of(view, side)
    layout: Any = view.estimate.partition
    order = np.argsort(layout.boxes()[0][:, 0])
    found = Magnitudes(*(np.asarray(one)[order] for one in parts_of(view, name, kind)))
    known, theme = ~np.isnan(found.value), options.theme
    figure, grid = panel_grid(ax, WIDTH, 4.4)
    axes = grid[0, 0]
    lower, upper = (np.where(known, end, np.nan) for end in (found.lower, found.upper))
    axes.fill_between(
        np.repeat(edges, 2)[1:-1], np.repeat(lower, 2), np.repeat(upper, 2), color=theme.band,
        alpha=0.45, linewidth=0, label="95 % margin",
    )  # fmt: skip
    axes.stairs(found.value, edges, color=theme.line, linewidth=1.4, baseline=None, label=label)
    axes.set_ylabel(label)
    axes.margins(x=0.01)
    open_frame(axes, theme)
    write_ticks(axes.yaxis, largest_of(found))
    side.write(axes.xaxis, room_of(ax, 7, 3)[0])
    add_legend(axes)
    return figure


def draw_points(
    view: Release, side: Side, name: str, kind: str, options: PictureOptions, ax: Any, label: str
) -> Figure:
    """Draw a point with its margin for each category, in the declared order or the largest
    first."""
    found, names = parts_of(view, name, kind), list(side.texts or ())
    order = np.arange(len(names))
    if options.sort:
        order = np.argsort(-np.nan_to_num(found.value, nan=-np.inf), kind="stable")
    value, lower, upper = (np.asarray(one)[order] for one in found[:3])
    high, theme = min(BAR * len(names) + 0.3, 12.0), options.theme
    figure, grid = panel_grid(ax, WIDTH, high + AROUND + 0.8)
    axes, places = grid[0, 0], np.arange(len(names))
    axes.errorbar(
        value, places, xerr=np.stack([value - lower, upper - value]), fmt="o", color=theme.line,
        ecolor=theme.band, elinewidth=2, capsize=3, markersize=6, label=f"{label}, 95 % margin",
    )  # fmt: skip
    open_frame(axes, theme, across=True)
    write_ticks(axes.xaxis, largest_of(found))
    room = room_of(ax, 6, high)[1]
    side.write(axes.yaxis, room, name_ticks([names[place] for place in order], room))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(label)
    axes.margins(x=0.15)
    if room / len(names) >= LINE:
        for place in np.flatnonzero(~np.isnan(value)):
            half = max(upper[place] - value[place], value[place] - lower[place])
            axes.annotate(
                f"{format_digits(value[place], 4)} ± {format_digits(half, 2)}",
                (upper[place], place), xytext=(6, 0), textcoords="offset points", va="center",
                fontsize=9,
            )  # fmt: skip
    add_legend(axes)
    return figure


def largest_of(found: Magnitudes) -> float:
    """The largest absolute value that is drawn."""
    ends = np.abs(np.stack([found.lower, found.upper]))
    return float(ends[:, ~np.isnan(found.value)].max(initial=0.0))


def draw_plane(
    view: Release, name: str, kind: str, options: PictureOptions, ax: Any, label: str
) -> tuple[Figure, str]:
    """Draw a colour for each slice of two axes."""
    layout = view.estimate.partition
    if not isinstance(layout, Lattice) or max(layout.shape) > MAX_STEPS:
        view = view.project(*view.domain.names, bins=SIDE)
        layout = view.grid
    sides = sides_of(view)
    places = [view.domain.names.index(side.name) for side in sides]
    across, up = (side.at(layout.cuts(place)) for side, place in zip(sides, places, strict=True))
    found = parts_of(view, name, kind)
    value, lower, upper = (
        np.asarray(one).reshape(layout.shape).transpose(places[::-1]) for one in found[:3]
    )
    window = window_of(sides, options.bbox)
    room = shape_of(sides, options.bbox, room_of(ax, 6.2, 0)[0])
    figure, grid = panel_grid(ax, WIDTH, room[1] + AROUND)
    axes, theme = grid[0, 0], options.theme
    drawn = axes.pcolormesh(
        across, up, np.ma.masked_invalid(value), norm=scale_of_means(value).norm,
        cmap=theme.colours_of_means().with_extremes(bad=theme.hair), zorder=0,
    )  # fmt: skip
    usual = usual_of(view, name, kind)
    unsure = (lower <= usual) & (upper >= usual) & ~np.isnan(value)
    if unsure.any():
        hatch_cells(axes, across, up, unsure, theme)
    write_sides(axes, sides, window, room)
    axes.set_xlim(window[0], window[2])
    axes.set_ylim(window[1], window[3])
    if is_map(*sides):
        dress_map(axes, options)
        add_scale_bar(axes, theme)
    elif sides[1].texts is not None:
        axes.invert_yaxis()
    add_colour_bar(axes, drawn, scale_of_means(value), label)
    zero = "Hatched: may be zero (the 95 % interval includes it)."
    signs = [(USUAL if kind == "mean" else zero) if unsure.any() else ""]
    signs += [UNKNOWN if np.isnan(value).any() else ""]
    return figure, " ".join(filter(None, signs))


def usual_of(view: Release, name: str, kind: str) -> float:
    """The value of comparison: the mean of all rows, or 0 for sums."""
    return view.mean(name).value if kind == "mean" else 0.0


def hatch_cells(axes: Any, across: Any, up: Any, chosen: Any, theme: Any) -> None:
    """Hatch the chosen slices."""
    from matplotlib.collections import PolyCollection

    rows, columns = np.nonzero(chosen)
    left, right, low, high = across[columns], across[columns + 1], up[rows], up[rows + 1]
    corners = np.stack(
        [np.stack([left, right, right, left], 1), np.stack([low, low, high, high], 1)], axis=2
    )
    axes.add_collection(
        PolyCollection(
            list(corners), facecolors="none", edgecolors=theme.faint, linewidths=0, hatch="/////"
        ),
        autolim=False,
    )
