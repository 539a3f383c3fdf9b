"""Two axes: a heat map, drawn at the resolution of a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats, Variable
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.show.charts.canvas import plain
from hushgram.show.charts.coastlines import FINE, draw_coastlines
from hushgram.show.charts.colours import ColourScale, add_colour_bar, scale_of
from hushgram.show.charts.maps import (
    add_scale_bar,
    is_map,
    square_kilometres,
    stretch,
    write_degrees,
)
from hushgram.show.charts.options import Box, PictureOptions
from hushgram.show.charts.raster import average_boxes, average_lattice
from hushgram.show.charts.sides import HIGH, Side
from hushgram.show.charts.steps import counts_compare, values_and_half_widths

if TYPE_CHECKING:
    from hushgram.release.release import Release

PIXELS = 150
"""Pixels per inch."""

SAMPLED = 9
"""The number of parts of a view whose noise is computed: all of them could take long."""

PER = ((1.0, "km²"), (100.0, "100 km²"), (10_000.0, "10,000 km²"))
"""Units of area for densities, from cities to the world."""

DEGREES = 0.75
"""The number of labels with degrees along a map relative to that of numbers, which are shorter."""


class Heat(NamedTuple):
    """The content of a heat map."""

    pixels: Floats
    """The average amount in each pixel, not negative, with rows from the bottom."""
    noise: float
    """The standard deviation of a typical pixel's amount."""
    window: Box
    unit: str
    """The unit of the amounts, after "rows": "per cell", "per km²"."""
    uncertain: Floats | None
    """The share of each pixel that may be zero, if requested."""


@dataclass(frozen=True)
class Screen:
    """A grid of pixels, and the positions of a release's parts on it, for two axes."""

    layout: Boxed
    sides: tuple[Side, Side]
    window: Box
    shape: tuple[int, int]
    """Rows and columns."""

    @cached_property
    def places(self) -> tuple[int, int]:
        """The numbers of the horizontal and of the vertical axis in the layout."""
        across, up = (self.layout.domain.names.index(side.name) for side in self.sides)
        return across, up

    @cached_property
    def corners(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The left, lower, right and upper bounds of the parts."""
        lower, upper = self.layout.boxes()
        (left, right), (bottom, top) = (
            (side.at(lower[:, place]), side.at(upper[:, place]))
            for side, place in zip(self.sides, self.places, strict=True)
        )
        return left, bottom, right, top

    def pixel(self, values: Floats, axis: int) -> Floats:
        """Values along the horizontal (0) or the vertical axis (1), in units of pixels."""
        low, high = self.window[axis], self.window[axis + 2]
        return np.asarray((values - low) / (high - low) * self.shape[1 - axis])

    @cached_property
    def sizes(self) -> Floats:
        """The number of pixels that each part covers, at most 1."""
        left, bottom, right, top = self.corners
        wide = self.pixel(right, 0) - self.pixel(left, 0)
        high = self.pixel(top, 1) - self.pixel(bottom, 1)
        return np.minimum(wide * high, 1)

    def average(self, amounts: Floats) -> Floats:
        """The average amount in each pixel."""
        if isinstance(self.layout, Lattice):
            x, y = (
                self.pixel(side.at(self.layout.cuts(place)), axis)
                for axis, (side, place) in enumerate(zip(self.sides, self.places, strict=True))
            )
            cells = amounts.reshape(self.layout.shape).transpose(self.places[::-1])
            return average_lattice(cells, x, y, self.shape)
        left, bottom, right, top = self.corners
        x0, y0, x1, y1 = (
            self.pixel(ends, axis) for ends, axis in ((left, 0), (bottom, 1), (right, 0), (top, 1))
        )
        return average_boxes(x0, y0, x1, y1, amounts, self.shape)


def sides_of(release: Release, *, turned: bool = True) -> tuple[Side, Side]:
    """The horizontal and the vertical axis: in their order, except that maps have north at the
    top."""
    across, up = (Side(name, axis) for name, axis in release.domain.items())
    return (up, across) if turned and is_map(up, across) else (across, up)


def window_of(sides: tuple[Side, Side], bbox: Box | None) -> Box:
    """The window to draw: the given box, or everything, without "other" on maps."""
    if bbox is not None:
        return bbox
    across, up = (
        (side.shown[0], min(side.shown[1], side.ends[1])) if is_map(*sides) else side.shown
        for side in sides
    )
    return across[0], up[0], across[1], up[1]


def shape_of(sides: tuple[Side, Side], bbox: Box | None, wide: float) -> tuple[float, float]:
    """The width and height in inches; the height of maps depends on their content."""
    if not is_map(*sides):
        return wide, 0.65 * wide
    west, south, east, north = window_of(sides, bbox)
    high = wide * stretch(south, north) * (north - south) / (east - west)
    return (wide, high) if high <= 1.1 * wide else (wide * 1.1 * wide / high, 1.1 * wide)


def draw_heat(
    axes: Any,
    release: Release,
    options: PictureOptions,
    *,
    turned: bool = True,
    bar: bool = True,
    room: tuple[float, float] = (6.0, 4.2),
) -> str:
    """Draw counts or, if parts differ in size, densities. Returns their unit, such as "per km²"."""
    sides = sides_of(release, turned=turned)
    heat = heat_of(release, sides, options, room)
    return draw_heats([axes], [heat], sides, options, bar=bar, room=room)


def draw_heats(
    panels: Sequence[Any],
    heats: Sequence[Heat],
    sides: tuple[Side, Side],
    options: PictureOptions,
    *,
    bar: bool = True,
    room: tuple[float, float],
) -> str:
    """Draw several heat maps with a common colour scale. Returns their unit."""
    heats, unit = in_units(heats)
    noise = float(np.median([heat.noise for heat in heats]))
    scale = scale_of([heat.pixels for heat in heats], noise, options.log)
    for axes, heat in zip(panels, heats, strict=True):
        drawn = paint(axes, heat, sides, scale, options, room)
    if is_map(*sides):
        add_scale_bar(panels[0], options.theme)
    if bar:
        several = panels if len(panels) > 1 else panels[0]
        add_colour_bar(several, drawn, scale, plain(f"{options.rows} {unit}"))
    return unit


def in_units(heats: Sequence[Heat]) -> tuple[list[Heat], str]:
    """Convert densities per km² to an area for which the largest amount is at least 10, if
    possible."""
    unit = heats[0].unit
    if unit != "per km²":
        return list(heats), unit
    most = max(float(heat.pixels.max(initial=0)) for heat in heats)
    times, area = next((one for one in PER if one[0] * most >= 10), PER[-1])
    larger = [heat._replace(pixels=times * heat.pixels, noise=times * heat.noise) for heat in heats]
    return larger, f"per {area}"


def paint(
    axes: Any,
    heat: Heat,
    sides: tuple[Side, Side],
    scale: ColourScale,
    options: PictureOptions,
    room: tuple[float, float],
) -> Any:
    """Draw one picture: its pixels and the labels around them."""
    west, south, east, north = heat.window
    drawn = axes.imshow(
        np.ma.masked_less_equal(heat.pixels, 0), origin="lower", aspect="auto", zorder=0,
        extent=(west, east, south, north), norm=scale.norm, cmap=options.theme.colours(),
        interpolation="nearest",
    )  # fmt: skip
    if heat.uncertain is not None:
        hatch(axes, heat)
    write_sides(axes, sides, heat.window, room)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    if is_map(*sides):
        dress_map(axes, options)
    elif sides[1].texts is not None:
        axes.invert_yaxis()
    return drawn


def write_sides(
    axes: Any, sides: tuple[Side, Side], window: Box, room: tuple[float, float]
) -> None:
    """Write names and ticks along both sides of a window."""
    few = DEGREES if is_map(*sides) else 1.0
    for place, (side, axis) in enumerate(zip(sides, (axes.xaxis, axes.yaxis), strict=True)):
        wide = few * room[place] * (HIGH if place else 1)
        span = window[place], window[place + 2]
        side.write(axis, room[place], None if side.texts else side.ticks(wide, span))


def dress_map(axes: Any, options: PictureOptions) -> None:
    """Add degrees and coastlines to a map, and draw it to scale."""
    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    axes.set_aspect(stretch(south, north))
    write_degrees(axes)
    fine = max(east - west, north - south) >= FINE
    if options.coastlines or (options.coastlines is None and fine):
        draw_coastlines(axes, options.theme)


def hatch(axes: Any, heat: Heat) -> None:
    """Hatch pixels that may be zero."""
    assert heat.uncertain is not None
    west, south, east, north = heat.window
    rows, columns = heat.uncertain.shape
    x = west + (np.arange(columns) + 0.5) * (east - west) / columns
    y = south + (np.arange(rows) + 0.5) * (north - south) / rows
    if rows > 1 and columns > 1 and heat.uncertain.max() > 0.5:
        axes.contourf(x, y, heat.uncertain, [0.5, 2], hatches=["////"], colors="none", zorder=1)


def heat_of(
    release: Release, sides: tuple[Side, Side], options: PictureOptions, room: tuple[float, float]
) -> Heat:
    layout = release.estimate.partition
    assert isinstance(layout, Boxed)
    window = window_of(sides, options.bbox)
    rows, columns = (max(round(PIXELS * inches), 2) for inches in (room[1], room[0]))
    screen = Screen(layout, sides, window, (rows, columns))
    values = np.asarray(release.estimate.values, dtype=np.float64)
    area, unit = areas(release, screen)
    with np.errstate(divide="ignore", invalid="ignore"):  # areas beyond the poles are 0
        amounts = np.where(area > 0, values / area, 0.0)
    pixels = np.maximum(screen.average(amounts), 0)
    uncertain = screen.average(may_be_zero(release.estimate)) if options.uncertain else None
    return Heat(pixels, noise_of(release.estimate, screen, area), window, unit, uncertain)


def areas(release: Release, screen: Screen) -> tuple[Floats, str]:
    """The size by which the count of each part is divided, and the resulting unit."""
    layout = screen.layout
    if is_map(*screen.sides):
        return square_kilometres(*screen.corners), "per km²"
    if isinstance(layout, Lattice) and counts_compare(layout, widths_of(layout)):
        return np.ones(layout.size), "per cell"
    if not any(side.axis.continuous or is_uneven(side) for side in screen.sides):
        lower, upper = layout.boxes()
        return np.asarray((upper - lower).prod(axis=1), dtype=np.float64), "per cell"
    left, bottom, right, top = screen.corners
    each = " × ".join(side.unit for side in screen.sides)
    return (right - left) * (top - bottom), f"per {each}"


def is_uneven(side: Side) -> bool:
    """Whether declared bins are drawn with different widths."""
    return isinstance(side.whole, Variable) and side.texts is None


def widths_of(layout: Lattice) -> list[Floats]:
    named = enumerate(layout.domain.items())
    return [np.diff(Side(*item).at(layout.cuts(place))) for place, item in named]


def may_be_zero(estimate: Estimate) -> Floats:
    """1 for each part whose 95 % interval includes zero, else 0."""
    values, half_widths = values_and_half_widths(estimate)
    return np.asarray(values - half_widths <= 0, dtype=np.float64)


def noise_of(estimate: Estimate, screen: Screen, area: Floats) -> float:
    """The standard deviation of a typical pixel's amount: less for many small parts than for one
    large part."""
    parts, variances = variances_of(estimate)
    inside = area[parts] > 0
    if not inside.any():
        return 0.0
    found = variances[inside] / area[parts][inside] ** 2 * screen.sizes[parts][inside]
    if len(found) < len(area):
        return float(np.sqrt(np.median(found)))
    return float(np.sqrt(np.median(screen.average(found))))


def variances_of(estimate: Estimate) -> tuple[Ints, Floats]:
    """All parts, or a sample of them, and the variances of their noise."""
    size = len(estimate.values)
    if estimate.inference.view is None:
        return np.arange(size), np.asarray(estimate.variances(), dtype=np.float64)
    sample = np.unique(np.linspace(0, size - 1, SAMPLED).astype(np.int64))
    found = [estimate.moments(np.eye(1, size, part)[0])[0] for part in sample]
    return sample, np.array(found, dtype=np.float64)
