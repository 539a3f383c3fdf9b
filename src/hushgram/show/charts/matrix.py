"""Three axes and more: every axis, and every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushgram.errors import NotAnswerable
from hushgram.show.charts.canvas import new_figure
from hushgram.show.charts.coastlines import drawn_map
from hushgram.show.charts.heat import draw_heat
from hushgram.show.charts.steps import draw_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

MOST_AXES = 6

BINS = 100
"""Slices of an axis in a small picture."""

PANEL = 2.0
"""The side of a small picture, in inches."""

LEGEND = """Diagonal: rows along each axis,
with 95 % intervals.
Below: rows of each pair of axes,
the lighter the more.
Each has a scale of its own."""


def draw_matrix(release: Release, *, coastlines: bool = False) -> Figure:
    """Marginals: steps on the diagonal, heat maps below it, the legend above."""
    names = north_up(release)
    many = len(names)
    if many > MOST_AXES:
        some = ", ".join(map(repr, names[:3]))
        raise NotAnswerable(
            f"a picture shows {MOST_AXES} axes at the most and this release has {many}: name some, "
            f"plot(axes=[{some}])."
        )
    figure = new_figure(1 + PANEL * many, 0.8 + PANEL * many)
    panels = figure.subplots(many, many)
    for row in range(many):
        for column in range(many):
            axes = panels[row, column]
            if column > row:
                axes.set_axis_off()
                continue
            if column == row:
                draw_steps(axes, release.project(names[row], bins=BINS), room=PANEL)
                axes.set_yticks([])
                axes.set_yticks([], minor=True)
            else:
                draw_pair(axes, release, names[column], names[row], coastlines=coastlines)
            outer(axes, first=column == 0 and row > 0, last=row == many - 1)
    panels[0, many - 1].text(
        1, 1, LEGEND, ha="right", va="top", fontsize="small", transform=panels[0, -1].transAxes
    )
    return figure


def north_up(release: Release) -> list[str]:
    """The axes in their order, but a longitude before its latitude."""
    names = list(release.domain.names)
    found = drawn_map(release.domain)
    if found:
        first, second = sorted(map(names.index, found))
        names[first], names[second] = found
    return names


def draw_pair(axes: Any, release: Release, across: str, up: str, *, coastlines: bool) -> None:
    view = release.project(across, up, bins=BINS)
    draw_heat(axes, view, coastlines=coastlines, bar=False, turned=False, room=(PANEL, PANEL))
    axes.set_aspect("auto")
    for drawn in axes.collections:
        drawn.set_rasterized(True)


def outer(axes: Any, *, first: bool, last: bool) -> None:
    """Names and ticks on the outer sides only."""
    if not last:
        axes.set_xlabel("")
        axes.set_xticklabels([])
    if not first:
        axes.set_ylabel("")
        axes.set_yticklabels([])
    axes.tick_params(labelsize="small")
