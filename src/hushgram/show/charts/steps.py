"""An ordered axis: filled steps with the band of their margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import format_digits
from hushgram.answers.counting.intervals import Spread, half_width
from hushgram.answers.tables.olap import counts_and_widths
from hushgram.answers.unevenness.widths import truth_width
from hushgram.declare.axis import Floats, Integer, Regular
from hushgram.geometry.partition import Boxed, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.show.charts.canvas import decades, number, plain, write_ticks
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import Side
from hushgram.show.charts.style import add_legend, open_frame

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_STEPS = 1_200
"""The most distinguishable steps: the number of pixels across a picture."""

SLICES = 400
"""The number of equal slices if steps are not distinguishable."""

SKEW = 30
"""The ratio of a step to most others from which on these are too low to see."""

HEAP, HEAPS = 4, 3
"""The ratio of a heap to its neighbours, and the most heaps that are labelled."""

THIN = 0.012
"""The width of a line as a share of the height of a picture."""

NEAR = 3
"""The number of neighbours on either side with which a heap is compared."""


class StepHistogram(NamedTuple):
    edges: Floats
    values: Floats
    half_widths: Floats
    """Half the width of each step's 95 % interval."""
    unit: str
    """The unit of the values, after "rows": "per day", or empty for counts."""


def draw_steps(
    axes: Any, release: Release, options: PictureOptions, room: float = 7.0, *, small: bool = False
) -> None:
    """Draw steps, each with its 95 % interval; without labels in a ``small`` picture."""
    ((name, axis),) = release.domain.items()
    side = Side(name, axis)
    steps = steps_of(release, side)
    draw_line(axes, steps, options)
    axes.axhline(0, color=options.theme.faint, linewidth=0.8)
    axes.margins(x=0.01)
    axes.set_ylabel(plain(f"{options.rows} {steps.unit}".strip()))
    open_frame(axes, options.theme)
    scale_up(axes, steps, options.log)
    side.write(axes.xaxis, room)
    if not small:
        name_heaps(axes, steps, side)
        add_legend(axes)


def draw_line(axes: Any, steps: StepHistogram, options: PictureOptions) -> None:
    edges, values, half_widths, _ = steps
    theme = options.theme
    axes.stairs(values, edges, fill=True, color=theme.fill, linewidth=0, label="noisy count")
    margin = format_digits(float(np.median(half_widths)), 2)
    axes.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(values - half_widths, 2),
        np.repeat(values + half_widths, 2),
        color=theme.band,
        alpha=0.6,
        linewidth=0 if is_thick(steps) else 2.4,  # to be visible on both sides of the line
        label=f"95 % margin (typically ± {margin})",
    )
    axes.stairs(values, edges, color=theme.line, linewidth=0.9, baseline=None)


def is_thick(steps: StepHistogram) -> bool:
    """Whether margins are wider than the line in their middle."""
    highest = float(np.abs(steps.values).max() + steps.half_widths.max())
    return bool(2 * np.median(steps.half_widths) > THIN * highest)


def name_heaps(axes: Any, steps: StepHistogram, side: Side) -> None:
    """Label the steps at values where rows are heaped, such as round numbers."""
    middles = (steps.edges[:-1] + steps.edges[1:]) / 2
    for place in heaps(steps.values, steps.half_widths):
        low, high = steps.edges[place], steps.edges[place + 1]
        text = side.values(low, high, 1).texts if side.texts is None else []
        name = text[0] if text else number(float(f"{low:.4g}"))
        axes.annotate(
            plain(name), (middles[place], steps.values[place]), xytext=(0, 4),
            textcoords="offset points", ha="center", fontsize=8,
        )  # fmt: skip


def heaps(values: Floats, margins: Floats) -> list[int]:
    """The highest steps that exceed their neighbours by far, even with margins.

    >>> heaps(np.array([9.0, 8, 7, 60, 6, 5, 4, 3]), np.ones(8))
    [3]
    """
    padded = np.pad(values, NEAR, constant_values=np.nan)
    shifts = [n for n in range(2 * NEAR + 1) if n != NEAR]
    around = np.stack([padded[n : n + len(values)] for n in shifts])
    typical = np.nanmax(around, axis=0) if len(values) > 1 else values
    high = values - margins > HEAP * np.maximum(typical, 0) + margins
    found = np.flatnonzero(high)
    return sorted(found[np.argsort(-values[found], kind="stable")][:HEAPS].tolist())


def scale_up(axes: Any, steps: StepHistogram, log: bool | None) -> None:
    """Scale the vertical axis: linearly or, if a few steps are far higher than all others,
    logarithmically above the margins."""
    largest = float(np.abs(steps.values).max())
    if log or (log is None and is_skewed(steps.values, steps.half_widths)):
        linear = max(float(np.median(steps.half_widths)), largest / 1e6, 1e-100)
        axes.set_yscale("asinh", linear_width=linear)
        low = min(float((steps.values - steps.half_widths).min()), 0.0) * 1.3
        high = float((steps.values + steps.half_widths).max()) * 1.3
        axes.set_ylim(low, high)
        largest = high
        ticks = decades(linear, max(high, -low))
        ticks = [x for x in [*(-tick for tick in ticks[:0:-1]), *ticks] if low <= x <= high]
        axes.set_yticks(ticks, minor=False)
        axes.set_yticks([], minor=True)
        axes.set_ylabel(f"{axes.get_ylabel()}\n(logarithmic above the margins)")
    else:
        floor = min(float((steps.values - steps.half_widths).min()), 0.0)
        axes.set_ylim(floor * 1.05, float((steps.values + steps.half_widths).max()) * 1.08 or 1)
    write_ticks(axes.yaxis, largest)


def steps_of(release: Release, side: Side) -> StepHistogram:
    """The steps: counts if they are declared bins or equal in width, else densities, so that areas
    are counts.

    Parts that are too many or too narrow to see are added up to equal slices, or divided among
    them.
    """
    edges = edges_of(release, side)
    if side.axis.ordered and (len(edges) > MAX_STEPS or too_narrow(edges)):
        release = release.project(side.name, bins=even_slices(side))
        edges = edges_of(release, side)
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    order = np.argsort(layout.boxes()[0][:, 0])
    values, half_widths = (found[order] for found in values_and_half_widths(release.estimate))
    widths = np.diff(edges)
    if counts_compare(layout, [widths]):
        return StepHistogram(edges, values, half_widths, width_text(side, widths))
    width, unit = unit_of(side)
    return StepHistogram(edges, values / widths * width, half_widths / widths * width, unit)


def unit_of(side: Side) -> tuple[float, str]:
    """The unit of densities and its text: the declared bin, or a unit of the axis."""
    if isinstance(side.whole, Regular):
        first, last = side.ends
        width = (last - first) / side.whole.bins
        return width, f"per {number(float(f'{width:.6g}'))} of {side.title}"
    if isinstance(side.whole, Integer):
        return 1.0, ""
    return 1.0, f"per {side.unit}"


def width_text(side: Side, widths: Floats) -> str:
    """The unit of counts in equal steps, as text; empty for declared bins."""
    if side.texts is not None or (not side.axis.continuous and len(widths) >= side.axis.bins):
        return ""
    return f"per {number(float(f'{widths.mean():.3g}'))} of {side.title}"


def edges_of(release: Release, side: Side) -> Floats:
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    lower, upper = layout.boxes()
    return side.at(np.append(np.sort(lower[:, 0]), upper.max()))


def too_narrow(edges: Floats) -> bool:
    widths = np.diff(edges)
    return bool(
        widths.max() > 1.01 * widths.min() and widths.min() * MAX_STEPS < edges[-1] - edges[0]
    )


def even_slices(side: Side) -> int:
    """A number of slices with whole numbers of bins, if possible."""
    if side.axis.continuous:
        return SLICES
    least = max(-(-side.axis.bins // SLICES), 1)
    each = next((n for n in range(least, 2 * least + 1) if side.axis.bins % n == 0), least)
    return -(-side.axis.bins // each)


def values_and_half_widths(estimate: Estimate) -> tuple[Floats, Floats]:
    """The value of each part and half the width of its 95 % interval, which is noise alone if each
    part was counted separately."""
    if estimate.inference.is_direct:
        noise = half_width(Spread(estimate.variances(), 3.0, 1.0, True), 0.95)
        return np.asarray(estimate.values, dtype=np.float64), truth_width(noise, 0.0)
    values, widths = counts_and_widths(estimate, 0.95)
    return values, widths.truth


def counts_compare(layout: Boxed, widths: list[Floats]) -> bool:
    """Whether counts are comparable: the parts are the declared bins, or equal in width.

    The width of "other" does not matter.
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
    """Whether a few steps are so high that the others are invisible, although they exceed the
    noise."""
    if len(values) < 10:
        return False
    most = max(float(np.quantile(values, 0.9)), 2 * float(np.median(noise)))
    return float(values.max()) > SKEW * most
