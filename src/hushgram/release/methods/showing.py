"""Pictures, pages and text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.declare.about import AboutOption
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hushgram.answers.tables.views import Bins
    from hushgram.web.explorer import ExplorerPage


class Showing(Record):
    """Pictures, pages and text."""

    def explain(self) -> str:
        """Explain how the release was made: why this mechanism, how it works, its parameters.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> "identity" in release.explain()
        True
        """
        from hushgram.show.report.explain import explain

        return explain(self._release)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        kind: str = "counts",
        axes: str | Sequence[str] | None = None,
        by: str | None = None,
        bins: Bins = None,
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
        """Draw the release, and save it as PNG, SVG or PDF if a path is given.

        Parameters
        ----------
        title, source, date
            Text above the picture, and below it next to the privacy promise.
        kind
            ``"counts"``; ``"quantiles"`` along one axis; ``"matrix"``, every axis and every pair.
        axes
            The axes to draw, up to six. Counts are added up over the others.
        by
            The axis for small multiples. With three axes, a suitable one is chosen by default.
        bins
            At most this many slices of each axis. See `project`.
        bbox
            The window of a map or heat map: west, south, east, north.
        log
            Use a logarithmic or linear scale. By default, the one that suits the numbers.
        coastlines
            Draw coastlines and borders. By default, on maps that are half a degree wide or more.
        uncertain
            Hatch cells that may be zero, because the 95 % interval includes zero.
        sort
            Sort categories, the largest first.
        rows
            What one row is: ``"people"``, ``"stops"``.
        dark
            Use a dark background.
        ax
            The matplotlib axes to draw on, instead of a new figure with a footer.
        sum, mean
            A measured column, whose sums or means are drawn instead of counts, along one axis or
            two. On two, slices whose mean may be that of all rows are hatched.
        """
        from hushgram.show.charts import plot

        return plot(
            self._release, path=path, title=title, kind=kind, axes=axes, by=by, bins=bins,
            bbox=bbox, log=log, coastlines=coastlines, uncertain=uncertain, sort=sort, rows=rows,
            source=source, date=date, dark=dark, ax=ax, overwrite=overwrite, sum=sum, mean=mean,
        )  # fmt: skip

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        file: str = "release.hush.parquet",
        about: AboutOption | None = None,
        overwrite: bool = False,
    ) -> str:
        """Create an HTML report, and save it if a path is given.

        It shows a picture, key findings, the numbers, how private and how accurate they are, and
        how to query the release. The page works offline.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        file
            The name of the release in the instructions on the page.
        about
            Credits that are added to the stored ones, or replace them on the page.
        overwrite
            Replace an existing file.

        Returns
        -------
        str
            The page.
        """
        from hushgram.show.report import report

        return report(self._release, path, title=title, file=file, about=about, overwrite=overwrite)

    def explore(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        file: str = "release.hush.parquet",
        areas: Any = None,
        name: str | None = None,
        on: tuple[str, str] | None = None,
        overwrite: bool = False,
    ) -> ExplorerPage:
        """Create an interactive HTML page for the release, and save it if a path is given.

        It has a map, charts and counts with margins, and works offline. Notebooks display it.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        file
            The name of the release in the instructions on the page.
        areas, name, on
            Polygons to count on the map, the column with their names, and their axes, as for
            `areas`.
        overwrite
            Replace an existing file.
        """
        from hushgram.web.explorer import GivenAreas, explore

        given = None if areas is None else GivenAreas(areas, name, on)
        return explore([(file, self._release)], path, title=title, areas=given, overwrite=overwrite)

    def _repr_html_(self) -> str:
        from hushgram.show.notebook import release_html

        return release_html(self._release)
