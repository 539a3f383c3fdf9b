"""Three or more axes: a picture of every axis and of every pair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.errors import NotAnswerable
from hushgram.show.charts.heat import draw_heat
from hushgram.show.charts.maps import drawn_map
from hushgram.show.charts.multiples import outer
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import draw_steps, steps_of

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_AXES = 6
BINS = 100
"""The number of slices of an axis in a small picture."""

PANEL = 2.0
"""The side of a small picture in inches."""

LEGEND = (
    "Diagonal: {rows} along each axis,\n"
    "with 95 % margins.\n"
    "Below: {rows} for each pair of axes,\n"
    "stronger colour means more.\n"
    "Each panel has its own scale."
)


def check_axes(release: Release) -> None:
    names = release.domain.names
    if len(names) > MAX_AXES:
        first = ", ".join(map(repr, names[:3]))
        raise NotAnswerable(
            f"A picture can show at most {MAX_AXES} axes, but this release has "
            f"{len(names)}. Name some: plot(axes=[{first}])."
        )


def draw_matrix(panels: Any, release: Release, options: PictureOptions) -> None:
    """Draw the marginals: steps on the diagonal, heat maps below it, the legend above."""
    names = north_up(release)
    count = len(names)
    for row in range(count):
        for column in range(count):
            axes = panels[row, column]
            if column > row:
                axes.set_axis_off()
                continue
            if column == row:
                draw_one(axes, release.project(names[row], bins=BINS), options)
                axes.set_yticks([])
                axes.set_yticks([], minor=True)
            else:
                draw_pair(axes, release, names[column], names[row], options)
            outer(axes, first=column == 0 and row > 0, last=row == count - 1)
    panels[0, count - 1].text(
        1, 1, LEGEND.format(rows=options.rows), ha="right", va="top", fontsize="small",
        color=options.theme.faint, transform=panels[0, -1].transAxes,
    )  # fmt: skip


def north_up(release: Release) -> list[str]:
    """The names of the axes in their order, except that longitude comes before latitude."""
    names = list(release.domain.names)
    found = drawn_map(release.domain)
    if found:
        first, second = sorted(map(names.index, found))
        names[first], names[second] = found
    return names


def draw_one(axes: Any, release: Release, options: PictureOptions) -> None:
    """Draw steps, or vertical bars for an unordered axis."""
    ((name, axis),) = release.domain.items()
    side = Side(name, axis)
    if side.texts is None:
        draw_steps(axes, release, options, room=PANEL, small=True)
        return
    bars, theme = steps_of(release, side), options.theme
    places = (bars.edges[:-1] + bars.edges[1:]) / 2
    axes.bar(places, bars.values, 0.8 * np.diff(bars.edges), color=theme.fill)
    axes.errorbar(places, bars.values, bars.half_widths, fmt="none", ecolor=theme.band)
    axes.axhline(0, color=theme.faint, linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(bars.edges[0], bars.edges[-1])
    side.write(axes.xaxis, PANEL)


def draw_pair(axes: Any, release: Release, across: str, up: str, options: PictureOptions) -> None:
    view = release.project(across, up, bins=BINS)
    draw_heat(axes, view, replace(options, bbox=None), bar=False, turned=False, room=(PANEL, PANEL))
    axes.set_aspect("auto")
    if axes.yaxis_inverted():
        axes.invert_yaxis()
