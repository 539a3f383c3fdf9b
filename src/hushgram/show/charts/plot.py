"""The picture of a release: which one, of which axes, in which file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.show.charts.canvas import check_ending, new_figure, plain, save
from hushgram.show.charts.coastlines import COARSE, drawn_map, is_map, stretch
from hushgram.show.charts.heat import draw_heat, sides_of
from hushgram.show.charts.matrix import draw_matrix
from hushgram.show.charts.quantiles import draw_quantiles
from hushgram.show.charts.sides import Side
from hushgram.show.charts.steps import draw_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hushgram.release.release import Release

LETTERS = 80
"""Of a line of a title: more would not fit above a picture."""

KINDS = ("counts", "quantiles")

WIDTH = 8.0
"""Of a picture, in inches; a matrix is wider."""


def plot(
    release: Release,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    kind: str = "counts",
    axes: str | Sequence[str] | None = None,
    coastlines: bool = False,
    overwrite: bool = False,
) -> Figure:
    """A step histogram, a heat map or, of more axes, a matrix of both; saved if a path is given.

    ``axes`` names those to draw; the others are added up. ``kind="quantiles"`` draws the values
    that shares of the rows do not exceed. Parts of different sizes are drawn by density, so that
    areas and colours can be compared. Returns the matplotlib figure.
    """
    from hushgram.base.files import check_writable

    if path is not None:
        check_ending(path)
        check_writable(Path(path), overwrite=overwrite)
    if kind not in KINDS:
        raise QuestionError(f"no picture is of kind {kind!r}. Known: {', '.join(KINDS)}.")
    names = [axes] if isinstance(axes, str) else axes
    if kind == "quantiles":
        check_coastlines(release, coastlines, shown=False)
        figure = new_figure(WIDTH, 4.8)
        draw_quantiles(figure.add_subplot(), release, names)
        explain(figure)
    else:
        view = release if names is None else of_axes(release, names)
        check_coastlines(view, coastlines)
        figure = of_counts(view, coastlines=coastlines)
    head(figure, title or caption(release))
    if path is not None:
        save(figure, path, overwrite=overwrite)
    return figure


def of_axes(release: Release, names: Sequence[str]) -> Release:
    """The release of these axes only; of all in their order it is the release itself."""
    return release if tuple(names) == release.domain.names else release.project(list(names))


def check_coastlines(release: Release, coastlines: bool, *, shown: bool = True) -> None:
    if not coastlines:
        return
    found = drawn_map(release.domain)
    if not shown or found is None:
        raise NotAnswerable(
            "coastlines are drawn on a map, whose axes are called lon and lat (or longitude and "
            f"latitude) and hold degrees; this picture has {', '.join(map(repr, release.domain))}."
        )
    degrees = [ends_of(release, name) for name in found]
    if max(east - west for west, east in degrees) < COARSE:
        raise NotAnswerable(
            f"the bundled coastlines are too coarse for a map of less than {COARSE} degrees: "
            "leave them out, or export GeoJSON and draw it with a program for maps."
        )


def can_have_coastlines(release: Release) -> bool:
    """Whether coastlines would be drawn, were they asked for."""
    try:
        check_coastlines(release, True)
    except NotAnswerable:
        return False
    return True


def ends_of(release: Release, name: str) -> tuple[float, float]:
    return Side(name, release.domain[name]).shown


def caption(release: Release) -> str:
    return f"{release.mechanism}, ε = {format_number(release.epsilon)}, noise included"


def head(figure: Any, title: str) -> None:
    """A title above a picture, or above all of them, on three lines at the most."""
    lines = "\n".join(map(plain, wrap(title, LETTERS, max_lines=3, placeholder=" …")))
    if len(figure.axes) > 2:
        figure.suptitle(lines, x=0.01, ha="left", fontsize="large")
    else:
        figure.axes[0].set_title(lines, fontsize="medium", loc="left")


def explain(figure: Any) -> None:
    """The legend, below the picture, where it hides nothing."""
    figure.legend(loc="outside lower right", ncols=2, frameon=False, fontsize="small")


def of_counts(release: Release, *, coastlines: bool) -> Figure:
    if len(release.domain) > 2:
        return draw_matrix(release, coastlines=coastlines)
    if len(release.domain) == 1:
        figure = new_figure(WIDTH, 4.2)
        draw_steps(figure.add_subplot(), release)
        explain(figure)
        return figure
    height = height_of(release)
    figure = new_figure(WIDTH, height)
    draw_heat(figure.add_subplot(), release, coastlines=coastlines, room=(6, height - 0.8))
    return figure


def height_of(release: Release) -> float:
    """Inches; maps are as high as they must be."""
    across, up = sides_of(release)
    if not is_map(across, up):
        return 5.0
    (west, east), (south, north) = across.shown, up.shown
    return min(max(6 * stretch(up) * (north - south) / (east - west), 2.2), 8) + 0.8
