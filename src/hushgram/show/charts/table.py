"""Two axes with few values: a coloured table of numbers with their margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hushgram.answers.answer import format_rows
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Lattice
from hushgram.show.charts.colours import WIDE
from hushgram.show.charts.heat import sides_of
from hushgram.show.charts.maps import is_map
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.sides import Side, name_ticks
from hushgram.show.charts.steps import values_and_half_widths

if TYPE_CHECKING:
    from hushgram.release.release import Release

TABLE = (6.2, 5.0)
"""The largest width and height of a table in inches."""

MIN_CELL = (0.5, 0.32)
"""The smallest width and height of a cell in inches."""

MAX_SIZE = 26.0
"""The largest font size in points."""

NARROW, LETTER = 0.62, 1 / 72
"""The ratio of the width of a digit to its height, and a point in inches."""

PALE = 0.85
"""The position of the strongest colour on the colour map, so that tables are paler than maps."""


class Cells(NamedTuple):
    """The numbers of a table, with rows from the bottom."""

    values: Floats
    half_widths: Floats
    names: tuple[list[str], list[str]]
    """The names of the columns and of the rows."""


def fits_table(release: Release, room: tuple[float, float]) -> bool:
    """Whether there is enough room for numbers in all cells."""
    sides = sides_of(release)
    if is_map(*sides) or any(side.axis.continuous for side in sides):
        return False
    pairs = zip(sides, room, MIN_CELL, strict=True)
    return all(slices_of(release, side) * least <= inches for side, inches, least in pairs)


def slices_of(release: Release, side: Side) -> int:
    layout = release.estimate.partition
    if isinstance(layout, Lattice):
        return layout.shape[layout.domain.names.index(side.name)]
    return side.axis.size


def cells_of(release: Release) -> Cells:
    """The counts and margins of a release, divided into declared cells if its parts are boxes."""
    view = (
        release
        if isinstance(release.estimate.partition, Lattice)
        else release.project(*release.domain.names)
    )
    values, half_widths = values_and_half_widths(view.estimate)
    across, up = (
        Side(name, axis).names(view.grid.cuts(place))
        for place, (name, axis) in enumerate(view.domain.items())
    )
    return Cells(
        values.reshape(view.grid.shape).T, half_widths.reshape(view.grid.shape).T, (across, up)
    )


def draw_table(
    axes: Any, cells: Cells, sides: tuple[Side, Side], options: PictureOptions,
    room: tuple[float, float], most: float | None = None,
) -> None:  # fmt: skip
    """Draw numbers with their margins. Colours range up to ``most`` or the largest number,
    linearly, or with the square root if the numbers differ widely."""
    rows, columns = cells.values.shape
    top = max(float(cells.values.max()) if most is None else most, 1.0)
    wide = options.log is None and top > WIDE * float(np.median(cells.values))
    power = 0.5 if options.log or wide else 1.0
    shade = PALE * np.clip(cells.values / top, 0, 1) ** power
    colours = options.theme.colours()(shade)
    axes.imshow(
        colours, origin="lower", aspect="auto", extent=(-0.5, columns - 0.5, -0.5, rows - 0.5)
    )
    for line, count in ((axes.axvline, columns), (axes.axhline, rows)):
        for place in range(1, count):
            line(place - 0.5, color=options.theme.paper, linewidth=2)
    write_numbers(axes, cells, colours, options, room)
    for side, axis, inches, names in zip(
        sides, (axes.xaxis, axes.yaxis), room, cells.names, strict=True
    ):
        side.write(axis, inches, name_ticks(names, inches))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if sides[1].texts is not None:
        axes.invert_yaxis()


def write_numbers(
    axes: Any, cells: Cells, colours: Any, options: PictureOptions, room: tuple[float, float]
) -> None:
    rows, columns = cells.values.shape
    texts = [[format_rows(value) for value in row] for row in cells.values]
    margins = [[f"± {format_rows(np.ceil(half))}" for half in row] for row in cells.half_widths]
    longest = max(len(text) for row in [*texts, *margins] for text in row)
    wide = 0.9 * room[0] / columns / (longest * NARROW * LETTER)
    high = 0.4 * room[1] / rows / LETTER
    size = min(MAX_SIZE, wide, high)
    for row in range(rows):
        for column in range(columns):
            ink = options.theme.text_on(colours[row, column])
            axes.annotate(
                texts[row][column], (column, row), xytext=(0, 0.12 * size), ha="center",
                va="bottom", textcoords="offset points", fontsize=size, color=ink,
                fontweight="bold", annotation_clip=False,
            )  # fmt: skip
            axes.annotate(
                margins[row][column], (column, row), xytext=(0, -0.12 * size), ha="center",
                va="top", textcoords="offset points", fontsize=0.75 * size, color=ink,
                annotation_clip=False,
            )  # fmt: skip
