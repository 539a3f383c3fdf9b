"""One axis: a step histogram inside the band of its error bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.tables.olap import counts_and_widths
from hushgram.answers.unevenness.widths import truth_width
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.show.charts.canvas import DARK, GREY, decades, number
from hushgram.show.charts.sides import Side

if TYPE_CHECKING:
    from hushgram.release.release import Release

MOST = 1_200
"""Steps that can be told apart: as many as there are dots across a picture."""

SLICES = 400
"""Even slices, where steps cannot be told apart."""

SKEW = 30
"""How many times larger than most a step is before the others are too low to see."""


class StepHistogram(NamedTuple):
    edges: Floats
    values: Floats
    half_widths: Floats
    """Of each step's 95 % interval."""
    unit: str
    """What the values are."""


def draw_steps(axes: Any, release: Release, room: float = 7.0) -> None:
    """Steps, or bars for what has no order, each with its 95 % interval."""
    ((name, axis),) = release.domain.items()
    side = Side(name, axis)
    steps = steps_of(release, side)
    (draw_line if side.texts is None else draw_bars)(axes, steps)
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.margins(x=0.01)
    axes.set_ylabel(steps.unit)
    scale_up(axes, steps)
    side.write(axes.xaxis, room)


def draw_line(axes: Any, steps: StepHistogram) -> None:
    edges, values, half_widths, _ = steps
    axes.stairs(values, edges, color=DARK, linewidth=1.2, label="noisy count")
    axes.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(values - half_widths, 2),
        np.repeat(values + half_widths, 2),
        color=DARK,
        alpha=0.2,
        linewidth=0,
        label="95 % interval",
    )


def draw_bars(axes: Any, steps: StepHistogram) -> None:
    edges, values, half_widths, _ = steps
    middles = (edges[:-1] + edges[1:]) / 2
    axes.bar(middles, values, 0.8 * np.diff(edges), color=DARK, alpha=0.35, label="noisy count")
    axes.errorbar(
        middles, values, half_widths, fmt="none", ecolor=DARK, elinewidth=1.2, label="95 % interval"
    )


def scale_up(axes: Any, steps: StepHistogram) -> None:
    """Rows upwards: evenly or, if a few steps are far higher than all others, logarithmically
    above the error bars."""
    from matplotlib.ticker import FuncFormatter

    largest = float(np.abs(steps.values).max())
    if is_skewed(steps.values, steps.half_widths):
        linear = max(float(np.median(steps.half_widths)), largest / 1e6)
        axes.set_yscale("asinh", linear_width=linear)
        low = min(float((steps.values - steps.half_widths).min()), 0.0) * 1.3
        high = float((steps.values + steps.half_widths).max()) * 1.3
        axes.set_ylim(low, high)
        largest = high
        ticks = decades(linear, max(high, -low))
        ticks = [x for x in [*(-tick for tick in ticks[:0:-1]), *ticks] if low <= x <= high]
        axes.set_yticks(ticks, minor=False)
        axes.set_yticks([], minor=True)
        axes.set_ylabel(f"{steps.unit}\n(logarithmic above the error bars)")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, largest)))


def steps_of(release: Release, side: Side) -> StepHistogram:
    """Counts where steps are declared bins or alike, else densities, so that areas are counts.

    Parts that are too many or too narrow to see are added up to even slices, or divided among
    them.
    """
    edges = edges_of(release, side)
    slices = ""
    if side.axis.ordered and (len(edges) > MOST or too_narrow(edges)):
        release = release.project(side.name, bins=even_slices(side))
        edges = edges_of(release, side)
        slices = f" per slice ({release.grid.slices[0]:,} in all)"
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    order = np.argsort(layout.boxes()[0][:, 0])
    values, half_widths = (found[order] for found in values_and_half_widths(release.estimate))
    widths = np.diff(edges)
    if counts_compare(layout, [widths]):
        return StepHistogram(edges, values, half_widths, f"rows{slices}")
    return StepHistogram(edges, values / widths, half_widths / widths, f"rows per {side.unit}")


def edges_of(release: Release, side: Side) -> Floats:
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    lower, upper = layout.boxes()
    return side.at(np.append(np.sort(lower[:, 0]), upper.max()))


def too_narrow(edges: Floats) -> bool:
    widths = np.diff(edges)
    return bool(widths.max() > 1.01 * widths.min() and widths.min() * MOST < edges[-1] - edges[0])


def even_slices(side: Side) -> int:
    """A number of slices that holds whole numbers of bins, if there is one."""
    if side.axis.continuous:
        return SLICES
    least = max(-(-side.axis.bins // SLICES), 1)
    each = next((n for n in range(least, 2 * least + 1) if side.axis.bins % n == 0), least)
    return -(-side.axis.bins // each)


def values_and_half_widths(estimate: Estimate) -> tuple[Floats, Floats]:
    """The value of each part and half the width of its 95 % interval. Where each was counted by
    itself, all of it is noise."""
    if estimate.inference.is_direct:
        noise = half_width(Spread(estimate.variances(), 3.0, 1.0, True), 0.95)
        return np.asarray(estimate.values, dtype=np.float64), truth_width(noise, 0.0)
    values, widths = counts_and_widths(estimate, 0.95)
    return values, widths.truth


def counts_compare(layout: Boxed, widths: list[Floats]) -> bool:
    """Whether counts say as much as densities: the parts are the declared bins, or all alike.

    What lies outside has a width of its own, and is not compared.
    """
    if not isinstance(layout, Lattice):
        return False
    pairs = zip(layout.domain.axes, layout.slices, widths, strict=True)
    return all(
        (not axis.continuous and slices == axis.bins) or inside.max() <= 1.01 * inside.min()
        for axis, slices, width in pairs
        for inside in [width[:slices]]
    )


def is_skewed(values: Floats, noise: Floats) -> bool:
    """Whether a few steps are so high that nothing is seen of the others, though they are more
    than noise."""
    if len(values) < 10:
        return False
    most = max(float(np.quantile(values, 0.9)), 2 * float(np.median(noise)))
    return float(values.max()) > SKEW * most
