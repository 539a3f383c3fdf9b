"""The picture of a release: which one, of which axes, in which file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.errors import NotAnswerable, QuestionError
from hushgram.show.charts.bars import bars_height, draw_bars
from hushgram.show.charts.canvas import check_ending, panel_grid, room_of, save
from hushgram.show.charts.heat import draw_heat, sides_of, window_of
from hushgram.show.charts.maps import drawn_map, is_map, stretch
from hushgram.show.charts.matrix import PANEL, check_axes, draw_matrix
from hushgram.show.charts.means import draw_magnitudes
from hushgram.show.charts.multiples import draw_multiples, layout_of, panel_axis, panels_of
from hushgram.show.charts.options import Box, PictureOptions
from hushgram.show.charts.quantiles import draw_quantiles
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import draw_steps
from hushgram.show.charts.style import dress, house_style, theme_of
from hushgram.show.charts.table import TABLE, cells_of, draw_table, fits_table
from hushgram.show.charts.words import LETTERS, add_footer, add_title, footer_of, lines_of, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

KINDS = ("counts", "quantiles", "matrix")

WIDTH = 8.0
"""Of a picture, in inches; a matrix is wider."""

AROUND = 1.05
"""The height of what is written above and below a picture, in inches."""


def plot(
    release: Release,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    kind: str = "counts",
    axes: str | Sequence[str] | None = None,
    by: str | None = None,
    bins: int | Mapping[str, int] | None = None,
    bbox: Sequence[float] | None = None,
    log: bool | None = None,
    coastlines: bool | None = None,
    uncertain: bool = False,
    sort: bool = False,
    rows: str = "rows",
    source: str | None = None,
    date: str | None = None,
    dark: bool = False,
    ax: Axes | None = None,
    overwrite: bool = False,
    sum: str | None = None,
    mean: str | None = None,
) -> Figure:
    """A picture of the counts, saved if a path is given; returns the matplotlib figure.

    One axis is drawn as filled steps or, of categories, as bars; two as a table of numbers, a heat
    map or a map; three as small multiples, ``by`` one of them; up to six as a matrix. See
    `Release.plot` for the options.
    """
    from hushgram.base.files import check_writable

    if path is not None:
        check_ending(path)
        check_writable(Path(path), overwrite=overwrite)
    if kind not in KINDS:
        raise QuestionError(f"Unknown kind of picture {kind!r}. Use {', '.join(KINDS)}.")
    names = [axes] if isinstance(axes, str) else axes
    options = PictureOptions(theme_of(dark=dark), rows, log, coastlines, uncertain, sort)
    signs = ""
    with house_style(options.theme):
        if sum is not None or mean is not None:
            if kind != "counts" or by is not None or (sum is not None and mean is not None):
                raise QuestionError("a picture of a sum or a mean shows that alone, of one column.")
            view = of_axes(release, names, bins)
            options = with_window(options, view, bbox)
            column, what = (sum, "sum") if mean is None else (mean, "mean")
            figure, found, signs = draw_magnitudes(view, str(column), what, options, ax)
        elif kind == "quantiles":
            check_coastlines(release, coastlines, shown=False)
            figure, grid = panel_grid(ax, WIDTH, 4.8)
            name = draw_quantiles(grid[0, 0], release, options, names, room_of(ax, 7, 4.2)[1])
            found = f"Quantiles of {name}, with 95 % margins"
        else:
            view = of_axes(release, names, bins)
            check_coastlines(view, coastlines)
            options = with_window(options, view, bbox)
            figure, found = draw_counts(view, options, ax, kind, by)
        for panel in figure.axes if ax is None else [ax]:
            dress(panel, options.theme)
        head = found if title is None else title
        if ax is None:
            add_title(figure, head)
            footer = footer_of(release, source, date, hatched=uncertain)
            add_footer(figure, f"{footer} {signs}".strip(), options.theme)
        else:
            ax.set_title(lines_of(head, LETTERS * room_of(ax, 0, 0)[0], 3), loc="left", pad=20)
    if path is not None:
        save(figure, path, overwrite=overwrite)
    return figure


def of_axes(
    release: Release, names: Sequence[str] | None, bins: int | Mapping[str, int] | None
) -> Release:
    """The release of these axes only; of all in their order it is the release itself."""
    chosen = release.domain.names if names is None else tuple(names)
    if chosen == release.domain.names and bins is None:
        return release
    return release.project(list(chosen), bins=bins)


def with_window(
    options: PictureOptions, release: Release, bbox: Sequence[float] | None
) -> PictureOptions:
    """The options with a window, if it lies on the two axes that are drawn to scale."""
    if bbox is None:
        return options
    found = drawn_map(release.domain)
    drawn = [
        Side(name, axis) for name, axis in release.domain.items() if found is None or name in found
    ]
    if len(drawn) != 2 or any(side.texts is not None for side in drawn):
        raise QuestionError("bbox only applies to maps, or to two axes with numbers or dates.")
    if len(bbox) != 4 or not (bbox[0] < bbox[2] and bbox[1] < bbox[3]):
        raise QuestionError(
            "bbox must be west, south, east, north, with west < east and south < north. "
            f"Found {', '.join(map(str, bbox))}."
        )
    across, up = drawn if found is None else (Side(name, release.domain[name]) for name in found)
    (left, right), (bottom, top) = across.shown, up.shown
    inside = max(bbox[0], left), max(bbox[1], bottom), min(bbox[2], right), min(bbox[3], top)
    if not (inside[0] < inside[2] and inside[1] < inside[3]):
        raise QuestionError(
            f"bbox is outside the published area: {left:g}, {bottom:g}, {right:g}, {top:g}."
        )
    return replace(options, bbox=inside)


def draw_counts(
    view: Release, options: PictureOptions, ax: Axes | None, kind: str, by: str | None
) -> tuple[Figure, str]:
    """The figure, and its title."""
    names = view.domain.names
    by = by if by is not None or kind == "matrix" else panel_axis(view)
    if by is not None:
        return draw_panels(view, options, ax, by)
    if kind == "matrix" or len(names) > 2:
        check_axes(view)
        many = len(names)
        figure, grid = panel_grid(ax, 1 + PANEL * many, AROUND + PANEL * many, (many, many))
        draw_matrix(grid, view, options)
        return figure, title_of(options.rows, titles(view))
    draw = draw_one_axis if len(names) == 1 else draw_two_axes
    return draw(view, options, ax)


def draw_one_axis(view: Release, options: PictureOptions, ax: Axes | None) -> tuple[Figure, str]:
    (name,) = view.domain.names
    if Side(name, view.domain[name]).texts is None:
        figure, grid = panel_grid(ax, WIDTH, 4.4)
        draw_steps(grid[0, 0], view, options, room_of(ax, 7, 3)[0])
    else:
        high = bars_height(view)
        figure, grid = panel_grid(ax, WIDTH, high + AROUND + 0.8)
        draw_bars(grid[0, 0], view, options, room_of(ax, 6, high)[1])
    return figure, title_of(options.rows, titles(view))


def draw_two_axes(view: Release, options: PictureOptions, ax: Axes | None) -> tuple[Figure, str]:
    sides = sides_of(view)
    names = [side.title for side in sides]
    if options.bbox is None and fits_table(view, room_of(ax, *TABLE)):
        cells = cells_of(view)
        high = min(max(1.0 * len(cells.values), 1.6), 6.0)
        figure, grid = panel_grid(ax, WIDTH, high + AROUND + 0.6)
        draw_table(grid[0, 0], cells, sides, options, room_of(ax, 6.2, high))
        return figure, title_of(options.rows, names)
    room = shape_of(sides, options.bbox, room_of(ax, 6.2, 0)[0])
    figure, grid = panel_grid(ax, WIDTH, room[1] + AROUND)
    unit = draw_heat(grid[0, 0], view, options, room=room)
    return figure, title_of(options.rows, names, per=unit if is_map(*sides) else "", margins=False)


def draw_panels(
    view: Release, options: PictureOptions, ax: Axes | None, by: str
) -> tuple[Figure, str]:
    """Small multiples."""
    others = [name for name in view.domain.names if name != by]
    if not 1 <= len(others) <= 2 or by not in view.domain:
        raise QuestionError(
            f"Small pictures by {by!r} can show one or two other axes. Name them with "
            f"axes=[…]. Found {', '.join(map(repr, view.domain))}."
        )
    panels = panels_of(view, by)
    rows, columns = layout_of(len(panels))
    first = panels[0][1]
    wide = room_of(ax, min(9.0, 3.2 * columns), 0)[0] / columns
    sides = sides_of(first) if len(others) == 2 else None
    room = (wide, 1.7) if sides is None else shape_of(sides, options.bbox, wide)
    figure, grid = panel_grid(
        ax, (wide + 0.15) * columns + 1.5, (room[1] + 0.35) * rows + AROUND, (rows, columns)
    )
    unit = draw_multiples(grid, panels, options, room)
    if sides is not None and is_map(*sides):
        head = title_of(options.rows, [], per=unit, margins=False)
        return figure, f"{head}, by {Side(by, view.domain[by]).title}"
    numbers = sides is None or fits_table(first, room)
    named = [*titles(first), Side(by, view.domain[by]).title]
    return figure, title_of(options.rows, named, margins=numbers)


def titles(view: Release) -> list[str]:
    """The names of the axes, as they are written in pictures."""
    return [Side(name, axis).title for name, axis in view.domain.items()]


def shape_of(sides: tuple[Side, Side], bbox: Box | None, wide: float) -> tuple[float, float]:
    """Inches across and up; maps are as high as they must be."""
    if not is_map(*sides):
        return wide, 0.65 * wide
    west, south, east, north = window_of(sides, bbox)
    high = wide * stretch(south, north) * (north - south) / (east - west)
    return (wide, high) if high <= 1.1 * wide else (wide * 1.1 * wide / high, 1.1 * wide)


def check_coastlines(release: Release, coastlines: bool | None, *, shown: bool = True) -> None:
    if not coastlines:
        return
    found = drawn_map(release.domain)
    if not shown or found is None:
        raise NotAnswerable(
            "Coastlines need a map: two axes named lon and lat (or longitude and "
            "latitude) with degrees. This picture has "
            f"{', '.join(map(repr, release.domain))}."
        )
