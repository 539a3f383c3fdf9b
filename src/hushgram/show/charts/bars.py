"""An unordered axis: horizontal bars with their names, numbers and margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.answer import format_rows
from hushgram.declare.axis import Floats
from hushgram.show.charts.canvas import plain, write_ticks
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import LINE, Side, name_ticks
from hushgram.show.charts.steps import StepHistogram, steps_of
from hushgram.show.charts.style import add_legend, open_frame

if TYPE_CHECKING:
    from hushgram.release.release import Release

BAR, MAX_HEIGHT = 0.3, 12.0
"""The height of a bar with its gap, and the largest height of all bars together, in inches."""


def bars_height(release: Release) -> float:
    """The height of a release's bars in inches."""
    (axis,) = release.domain.axes
    return min(BAR * axis.size + 0.3, MAX_HEIGHT)


def each_value(release: Release) -> Release:
    """A view with every value separate, if some were counted together."""
    ((name, axis),) = release.domain.items()
    if release.estimate.partition.size == axis.size or not axis.declared:
        return release
    if axis.ordered:
        edges = [axis.edge(index) for index in range(axis.declared + 1)]
        return release.rollup({name: edges})
    values = [axis.edge(index) for index in range(axis.declared)]
    return release.rollup({name: {str(value): [value] for value in values}})


def draw_bars(axes: Any, release: Release, options: PictureOptions, room: float = 4.2) -> None:
    """Draw bars from the top down, in the declared order or the largest first."""
    release = each_value(release)
    ((name, axis),) = release.domain.items()
    side = Side(name, axis)
    bars, names = steps_of(release, side), list(side.texts or ())
    if options.sort:
        order = np.argsort(-bars.values, kind="stable")
        bars = bars._replace(values=bars.values[order], half_widths=bars.half_widths[order])
        names = [names[place] for place in order]
    places = np.arange(len(names))
    theme = options.theme
    axes.barh(places, bars.values, 0.72, color=theme.fill, label="noisy count")
    axes.errorbar(
        bars.values, places, xerr=bars.half_widths, fmt="none", ecolor=theme.band, elinewidth=2,
        capsize=3, label="95 % margin",
    )  # fmt: skip
    axes.axvline(0, color=theme.faint, linewidth=0.8)
    open_frame(axes, theme, across=True)
    ticks = name_ticks(names, room)
    side.write(axes.yaxis, room, ticks)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(plain(f"{options.rows} {bars.unit}".strip()))
    scale_across(axes, bars, options)
    if room / len(names) >= LINE:
        write_values(axes, bars)
    add_legend(axes)


def scale_across(axes: Any, bars: StepHistogram, options: PictureOptions) -> None:
    """Scale the horizontal axis, with room for the numbers."""
    from matplotlib.ticker import MaxNLocator

    low = min(float((bars.values - bars.half_widths).min()), 0.0)
    high = max(float((bars.values + bars.half_widths).max()), 1.0)
    if options.log:
        axes.set_xscale("symlog", linthresh=max(float(np.median(bars.half_widths)), 1e-100))
        axes.set_xlim(low, high**1.35 if high > 1 else high)
    else:
        axes.set_xlim(low * 1.05, high * 1.28)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        write_ticks(axes.xaxis, high)


def write_values(axes: Any, bars: StepHistogram) -> None:
    """Write each number with its margin at the end of its bar."""
    ends: Floats = np.maximum(bars.values + bars.half_widths, 0)
    for place, (value, half, end) in enumerate(
        zip(bars.values, bars.half_widths, ends, strict=True)
    ):
        axes.annotate(
            f"{format_rows(value)} ± {format_rows(np.ceil(half))}", (end, place), xytext=(5, 0),
            textcoords="offset points", va="center", fontsize=9,
        )  # fmt: skip
