"""The picture of a release: the choice of its kind and axes, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hushgram.answers.counting.question import check_names
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.show.charts.bars import bars_height, draw_bars
from hushgram.show.charts.canvas import AROUND, WIDTH, panel_grid, room_of
from hushgram.show.charts.heat import draw_heat, shape_of, sides_of
from hushgram.show.charts.maps import drawn_map, is_map
from hushgram.show.charts.matrix import PANEL, check_axes, draw_matrix
from hushgram.show.charts.means import draw_magnitudes
from hushgram.show.charts.multiples import draw_multiples, layout_of, panel_axis, panels_of
from hushgram.show.charts.options import PictureOptions
from hushgram.show.charts.picture import Picture
from hushgram.show.charts.quantiles import draw_quantiles
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import draw_steps
from hushgram.show.charts.style import dress, house_style
from hushgram.show.charts.table import TABLE, cells_of, draw_table, fits_table
from hushgram.show.charts.words import footer_of, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hushgram.answers.tables.views import Bins
    from hushgram.release.release import Release

KINDS = ("counts", "quantiles", "matrix")


@dataclass(frozen=True, kw_only=True)
class ReleasePicture(Picture):
    """A picture of a release. `Release.plot` documents the options."""

    kind: str = "counts"
    axes: str | Sequence[str] | None = None
    by: str | None = None
    bins: Bins = None
    bbox: Sequence[float] | None = None
    coastlines: bool | None = None
    uncertain: bool = False
    sort: bool = False
    sum: str | None = None
    mean: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in KINDS:
            raise QuestionError(f"Unknown kind of picture {self.kind!r}. Use {', '.join(KINDS)}.")
        columns = [one for one in (self.sum, self.mean) if one is not None]
        if len(columns) > 1 or (columns and (self.kind != "counts" or self.by is not None)):
            raise QuestionError(
                "A picture of a sum or a mean shows one measured column. Use either sum or mean, "
                "without kind and by."
            )

    @property
    def names(self) -> Sequence[str] | None:
        return [self.axes] if isinstance(self.axes, str) else self.axes

    def options(self) -> PictureOptions:
        """The options of the drawing functions, without the window."""
        return PictureOptions(
            self.theme, self.rows, self.log, self.coastlines, self.uncertain, self.sort
        )


def plot(release: Release, **options: Any) -> Figure:
    """Draw the counts, and save the picture if a path is given. Returns the matplotlib figure.

    One axis is drawn as filled steps or, for categories, as bars; two axes as a table of numbers, a
    heat map or a map; three as small multiples, ``by`` one of them; up to six as a matrix. See
    `Release.plot` for the options.
    """
    picture = ReleasePicture(**options)
    with house_style(picture.theme):
        figure, heading, signs = draw(release, picture)
        for panel in figure.axes if picture.ax is None else [picture.ax]:
            dress(panel, picture.theme)
        footer = footer_of(release, picture.source, picture.date, hatched=picture.uncertain)
        return picture.finish(figure, heading, f"{footer} {signs}".strip())


def draw(release: Release, picture: ReleasePicture) -> tuple[Figure, str, str]:
    """The figure, its title, and the explanation of its signs."""
    options = picture.options()
    if picture.kind == "quantiles":
        check_coastlines(release, picture.coastlines, shown=False)
        figure, grid = panel_grid(picture.ax, WIDTH, 4.8)
        room = room_of(picture.ax, 7, 4.2)[1]
        name = draw_quantiles(grid[0, 0], release, options, picture.names, room)
        return figure, f"Quantiles of {name}, with 95 % margins", ""
    view = of_axes(release, picture.names, picture.bins)
    if picture.sum is None and picture.mean is None:
        check_coastlines(view, picture.coastlines)
    options = with_window(options, view, picture.bbox)
    if picture.sum is not None:
        return draw_magnitudes(view, picture.sum, "sum", options, picture.ax)
    if picture.mean is not None:
        return draw_magnitudes(view, picture.mean, "mean", options, picture.ax)
    return *draw_counts(view, options, picture.ax, picture.kind, picture.by), ""


def of_axes(release: Release, names: Sequence[str] | None, bins: Bins) -> Release:
    """The view with these axes, or the release itself if these are all axes in their order."""
    chosen = release.domain.names if names is None else tuple(names)
    if chosen == release.domain.names and bins is None:
        return release
    return release.project(list(chosen), bins=bins)


def with_window(
    options: PictureOptions, release: Release, bbox: Sequence[float] | None
) -> PictureOptions:
    """The options with a window. Raises unless two axes are drawn to scale."""
    if bbox is None:
        return options
    if len(bbox) != 4 or not (bbox[0] < bbox[2] and bbox[1] < bbox[3]):
        raise QuestionError(
            "bbox must be west, south, east, north, with west < east and south < north. "
            f"Found {', '.join(map(str, bbox))}."
        )
    found = drawn_map(release.domain)
    drawn = [
        Side(name, axis) for name, axis in release.domain.items() if found is None or name in found
    ]
    if len(drawn) != 2 or any(side.texts is not None for side in drawn):
        raise QuestionError(
            "bbox only applies to maps, or to two axes with numbers or dates. This picture has "
            f"{', '.join(map(repr, release.domain))}."
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
    """The figure and its title."""
    names = view.domain.names
    by = by if by is not None or kind == "matrix" else panel_axis(view)
    if by is not None:
        return draw_panels(view, options, ax, by)
    if kind == "matrix" or len(names) > 2:
        check_axes(view)
        count = len(names)
        figure, grid = panel_grid(ax, 1 + PANEL * count, AROUND + PANEL * count, (count, count))
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
    """Draw small multiples."""
    check_names(view.domain, [by])
    others = [name for name in view.domain.names if name != by]
    if not 1 <= len(others) <= 2:
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
    """The titles of the axes in pictures."""
    return [Side(name, axis).title for name, axis in view.domain.items()]


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
