"""A release: published noisy counts, and everything needed to use them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, cast, overload

import numpy as np

from hushgram.answers.answer import Answer, Answers
from hushgram.answers.counting.counts import RangeCounts, counts_of
from hushgram.base.exact import format_number
from hushgram.declare.about import UNCREDITED, About, AboutOption, as_about
from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import MAX_PARTS, Boxed, Grid, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.measured import Measured

if TYPE_CHECKING:
    import hist
    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hushgram.answers.counting.along import Where
    from hushgram.answers.counting.quantiles import Quantile, Share
    from hushgram.answers.counting.question import Bound, Question, Range, Value
    from hushgram.answers.learning.density import Density, Points
    from hushgram.answers.learning.points import ReconstructedPoints
    from hushgram.answers.learning.synthetic import Randomness
    from hushgram.answers.tables.olap import NumericAnswer
    from hushgram.answers.tables.tables import RangeTable
    from hushgram.answers.tables.views import Bins, Slicing
    from hushgram.release.areas import AreaCounts
    from hushgram.release.comparison import Comparison
    from hushgram.release.uhi import PlottableAxis
    from hushgram.web.explorer import ExplorerPage


@dataclass(frozen=True, eq=False)
class Release:
    """Published noisy counts. They can be shared, and queried as often as you like at no cost.

    `hushgram.publish` creates a release, `hushgram.load` reads one from a file.
    """

    estimate: Estimate
    mechanism: str
    parameters: Mapping[str, Any]
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    receipt: Mapping[str, str] | None = None
    """The receipt of the ledger, or None if no permanent ledger was charged."""
    why: str = ""
    """Why this mechanism was chosen, if ``"auto"`` chose it."""
    where: str = ""
    """Which rows were counted, if not all rows of the table: ``region = north``."""
    about: About = UNCREDITED
    """Publisher, source, contact, licence and date, as far as the publisher gave them."""
    measured: tuple[Measured, ...] = ()
    """Sums and weighted counts that were measured besides the number of rows."""

    def with_about(self, about: AboutOption) -> Release:
        """The same release with other credits, which replace stored ones of the same name.

        Signatures do not carry over: sign the new file.
        """
        return replace(self, about=self.about.merge(as_about(about)))

    @property
    def domain(self) -> Domain:
        return self.estimate.partition.domain

    @property
    def unaccounted(self) -> bool:
        return self.receipt is None

    def explain(self) -> str:
        """Explain how the release was made: why this mechanism, how it works, its parameters."""
        from hushgram.show.report.explain import explain

        return explain(self)

    @overload
    def count(self, /, *, confidence: float = ..., **axes: Range) -> Answer: ...

    @overload
    def count(
        self, question: Mapping[str, tuple[Bound, Bound] | Value], /, *, confidence: float = ...
    ) -> Answer: ...

    @overload
    def count(self, table: RangeTable, /, *, confidence: float = ...) -> Answers: ...

    @overload
    def count(self, either: Question, /, *, confidence: float = ...) -> Answer | Answers: ...

    def count(
        self,
        table: Question | RangeTable | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> Answer | Answers:
        """Count the rows in a range.

        Ask one question, ``count(age=(20, 30), sex="F")``: a range excludes its upper end, a list
        selects several values, and axes that are not named are not restricted. Or ask many
        questions at once, with a table (mapping, pandas, Polars or Arrow) that has columns such as
        ``age_lo`` and ``age_hi``. For axes with other names, use a mapping:
        ``count({"odd name": (0, 1)})``.

        Returns an `Answer`, or `Answers` for a table.
        """
        if table is None:
            return self._counts.one(axes, confidence)
        if axes:
            raise QuestionError("Give either a table of ranges or named axes, not both.")
        if is_single(table, self.domain):
            return self._counts.one(table, confidence)
        return self._counts.many(cast("RangeTable", table), confidence)

    @cached_property
    def _counts(self) -> RangeCounts:
        return counts_of(self.estimate)

    def project(self, *axes: str | Sequence[str], bins: Bins = None) -> Release:
        """A view with only these axes, in this order. Counts are added up over the others.

        Views cost nothing and have correct error bars. If the parts are boxes, a view of one axis
        keeps all its cuts, and a view of several has at most ``bins`` slices per axis (a number, or
        a mapping by name; by default 256 for continuous axes).
        """
        from hushgram.answers.tables.views import project

        return project(self, axes, bins)

    def slice(
        self, ranges: Question | None = None, /, *, bins: Bins = None, **axes: Range
    ) -> Release:
        """A view of a part of the domain.

        Ranges, values and lists are written as in `count`, but cannot split a declared bin. See
        `project` for ``bins``.
        """
        from hushgram.answers.tables.views import cut

        return cut(self, {**(ranges or {}), **axes}, bins)

    def rollup(
        self,
        slices: Mapping[str, Slicing] | None = None,
        /,
        *,
        bins: Bins = None,
        **axes: Slicing,
    ) -> Release:
        """A view with coarser axes.

        Give a width, ``age=10`` or ``day="1mo"``; edges, ``age=[0, 18, 65]``; or groups,
        ``state={"north": ["NY", "ME"]}``, where the remaining values become "other". See `project`
        for ``bins``.
        """
        from hushgram.answers.tables.views import roll_up

        return roll_up(self, {**(slices or {}), **axes}, bins)

    def group_by(
        self,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = False,
        share: bool = False,
        bins: Bins = None,
        noise: bool = False,
        sum: str | None = None,
        mean: str | None = None,
    ) -> pd.DataFrame:
        """A data frame with a row for each group: each slice of the axes, or combination of slices.

        The columns are labels, ``value``, ``lower`` and ``upper``. Values are counts or, on
        request, shares of all rows, or the sum or mean of a measured column (NaN if there are too
        few rows). Intervals hold for each row on its own, or with ``simultaneous`` for all rows
        together. With ``noise``, the columns ``noise_lower`` and ``noise_upper`` show intervals for
        the noise alone.
        """
        from hushgram.answers.tables.olap import group_by

        if sum is not None or mean is not None:
            from hushgram.answers.tables.magnitudes import group_measured

            if share or (sum is not None and mean is not None):
                raise QuestionError("Use only one of share, sum and mean.")
            name, kind = (sum, "sum") if sum is not None else (cast("str", mean), "mean")
            return group_measured(
                self, axes, name, kind, confidence=confidence, simultaneous=simultaneous,
                bins=bins, noise=noise,
            )  # fmt: skip
        return group_by(
            self,
            axes,
            confidence=confidence,
            simultaneous=simultaneous,
            share=share,
            bins=bins,
            noise=noise,
        )

    def top(
        self,
        k: int,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = True,
        share: bool = False,
        bins: Bins = None,
        noise: bool = False,
        sum: str | None = None,
        mean: str | None = None,
    ) -> pd.DataFrame:
        """The k largest groups of `group_by`, with the same options.

        By default, intervals hold for all groups together, because noise affects which groups are
        the largest.
        """
        from hushgram.answers.tables.olap import top

        return top(
            self,
            k,
            axes,
            confidence=confidence,
            simultaneous=simultaneous,
            share=share,
            bins=bins,
            noise=noise,
            sum=sum,
            mean=mean,
        )

    def share(
        self,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> Share:
        """The share of all rows that lie in a range, written as in `count`."""
        from hushgram.answers.tables.olap import share_of

        return share_of(self, {**(ranges or {}), **axes}, confidence)

    def sum(
        self,
        axis: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The sum of a measured column over the rows in a range, written as in `count`.

        Also works for a numeric axis: rows are assumed to lie in the middle of their part, and the
        interval accounts for where they can be.
        """
        from hushgram.answers.tables.magnitudes import is_measured, sum_measured
        from hushgram.answers.tables.olap import sum_of

        found = sum_measured if is_measured(self, axis) else sum_of
        return found(self, axis, {**(ranges or {}), **axes}, confidence)

    def mean(
        self,
        column: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The mean of a measured column or a numeric axis over the rows in a range. See `sum`."""
        return self.average(column, ranges, confidence=confidence, **axes)

    def average(
        self,
        axis: str,
        ranges: Question | None = None,
        /,
        *,
        confidence: float = 0.95,
        **axes: Range,
    ) -> NumericAnswer:
        """The same as `mean`."""
        from hushgram.answers.tables.magnitudes import is_measured, mean_measured
        from hushgram.answers.tables.olap import average_of

        found = mean_measured if is_measured(self, axis) else average_of
        return found(self, axis, {**(ranges or {}), **axes}, confidence)

    @overload
    def sql(self, query: str, *, arrow: Literal[False] = ...) -> pd.DataFrame: ...

    @overload
    def sql(self, query: str, *, arrow: Literal[True]) -> pa.Table: ...

    def sql(self, query: str, *, arrow: bool = False) -> pd.DataFrame | pa.Table:
        """Query the release with SQL, ``SELECT … FROM release``.

        Returns a data frame, or an Arrow table with ``arrow=True``. Each row of the view
        ``release`` stands for ``count`` rows of the table, in the middle of a part. To count rows,
        use ``sum(count)``, not ``count(*)``. See `hushgram.answers.tables.sql`.
        """
        from hushgram.answers.tables.sql import ask

        found = ask(self, query)
        return found if arrow else found.to_pandas()

    def areas(
        self,
        polygons: Any,
        *,
        name: str | None = None,
        population: str | None = None,
        per: float = 1000.0,
        on: tuple[str, str] | None = None,
        where: Question | None = None,
        confidence: float = 0.95,
        simultaneous: bool = False,
    ) -> AreaCounts:
        """Count the rows in each of several polygons, such as districts.

        The release needs the axes longitude and latitude, x and y, or two others named by ``on``,
        the horizontal one first. Polygons can be a file (GeoJSON, GeoParquet, Shapefile,
        GeoPackage), GeoJSON, a GeoDataFrame, a mapping from names to polygons, or a list of
        polygons. ``name`` and ``population`` are columns of the polygons: their names, and the
        population for rates ``per`` that many inhabitants. ``where`` restricts other axes of the
        release, as in `count`. Intervals hold for each area on its own, or with ``simultaneous``
        for all areas together.
        """
        from hushgram.release.areas import count_areas

        return count_areas(
            self, polygons, name=name, population=population, per=per, on=on, where=where,
            confidence=confidence, simultaneous=simultaneous,
        )  # fmt: skip

    def compare(
        self,
        other: Release,
        /,
        *axes: str | Sequence[str],
        confidence: float = 0.95,
        simultaneous: bool = False,
        bins: Bins = None,
    ) -> Comparison:
        """Show what changed from this release to another, by group: ``other`` minus this one.

        Groups are the combinations of slices of these axes, or of all axes that both have. They end
        where slices of both releases end; a continuous axis that the two divide differently is
        divided into ``bins`` equal slices.

        Each difference has an interval and a p-value; ``significant`` says which groups changed, at
        a confidence that holds for all of them together. ``changed`` and ``p_value`` test whether
        the two tables hold the same number of rows in every group: false alarms are at most as
        frequent as stated, provided that the intervals of both releases hold. The test allows for
        noise but not for sampling: the ups and downs of an ordinary month are changes, too. If
        people have more rows than are counted, each release chooses again which rows count, which
        can look like a change.

        Examples
        --------
        >>> import hushgram as hg
        >>> before = hg.publish(hg.Counts([500, 700]), epsilon=1)
        >>> after = hg.publish(hg.Counts([500, 950]), epsilon=1)
        >>> before.compare(after).significant.tolist()
        [False, True]
        """
        from hushgram.release.comparison import compare

        return compare(
            self, other, axes, confidence=confidence, simultaneous=simultaneous, bins=bins
        )

    def to_array(self) -> Floats | Ints:
        """The estimated count of every cell, as an array with the shape of the domain.

        If the mechanism used coarser parts, counts are spread evenly over their cells. A continuous
        axis has the slices that the mechanism chose, if it chose the same everywhere. Counts are
        not clipped: negative ones come from noise, and cancel out in sums.
        """
        layout = self.estimate.partition
        if isinstance(layout, Boxed) and not isinstance(layout, Lattice):
            return cells_of_boxes(self.estimate.values, layout)
        return declared_cells(self.estimate.values.copy().reshape(self.grid.shape), self.grid)

    @property
    def grid(self) -> Lattice:
        """The grid of cells, if the parts form one."""
        layout = self.estimate.partition
        if not isinstance(layout, Lattice):
            raise NotAnswerable(
                f"A {layout.kind} layout has no bins along each axis, but {layout.size:,} "
                "parts of different shapes. Use to_pandas(), plot() or count() instead."
            )
        return layout

    def to_arrow(self) -> pa.Table:
        """The release as an Arrow table with labels, ``count`` and ``variance``."""
        from hushgram.release.parquet import table_of

        return table_of(self)

    def to_pandas(self) -> pd.DataFrame:
        """The release as a pandas data frame with labels, ``count`` and ``variance``."""
        frame: pd.DataFrame = self.to_arrow().replace_schema_metadata(None).to_pandas()
        return frame

    def whole_counts(self) -> Ints:
        """Non-negative whole numbers for every part, whose totals agree exactly.

        The shape is that of ``estimate.values``. The numbers are biased: groups of nearly empty
        parts come out too large, crowded parts slightly too small. Use them for display only; see
        `hushgram.answers.counting.whole`. With ``whole=True``, exports contain them in the column
        ``count_whole``.
        """
        from hushgram.answers.counting.whole import whole_counts

        return whole_counts(self.estimate)

    def to_csv(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write the release as CSV, with labels that spreadsheets do not interpret as formulas."""
        from hushgram.release.export import write_csv

        write_csv(self, Path(path), whole=whole, overwrite=overwrite)

    def to_excel(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write an Excel workbook with counts, 95 % margins and a sheet about the release.

        It contains no formulas.
        """
        from hushgram.release.excel import write_excel

        write_excel(self, Path(path), whole=whole, overwrite=overwrite)

    def to_sdmx(
        self,
        path: str | Path,
        *,
        structure: str | None = None,
        names: bool = False,
        whole: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write SDMX-CSV 2.0, a format for exchange between statistical offices.

        There is one observation per part, with 95 % margins. ``structure`` is the dataflow,
        ``AGENCY:ID(VERSION)``; ``names`` adds a column of plain text after each dimension.
        """
        from hushgram.release.sdmx import write_sdmx

        write_sdmx(
            self, Path(path), structure=structure, names=names, whole=whole, overwrite=overwrite
        )

    def to_geojson(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write the parts as GeoJSON polygons, if two axes are longitude and latitude."""
        from hushgram.release.geo import write_geojson

        write_geojson(self, Path(path), whole=whole, overwrite=overwrite)

    def to_geoparquet(
        self, path: str | Path, *, whole: bool = False, overwrite: bool = False
    ) -> None:
        """Write the parts as GeoParquet polygons, for geopandas and QGIS."""
        from hushgram.release.geo import write_geoparquet

        write_geoparquet(self, Path(path), whole=whole, overwrite=overwrite)

    def to_geopackage(
        self,
        path: str | Path,
        *,
        axes: Sequence[str] | None = None,
        whole: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write the parts as rectangles with 95 % margins to a GeoPackage, for QGIS and ArcGIS.

        The rectangles use longitude and latitude, or two other ``axes`` with an order.
        """
        from hushgram.release.geopackage import write_geopackage

        write_geopackage(self, Path(path), axes=axes, whole=whole, overwrite=overwrite)

    def to_hist(self) -> hist.Hist:
        """The release as a ``hist.Hist`` with the same axes, values and variances."""
        from hushgram.release.histogram import to_hist

        return to_hist(self)

    @overload
    def quantile(
        self, axis: str, q: float, *, where: Where = ..., confidence: float = ...
    ) -> Quantile: ...

    @overload
    def quantile(
        self, axis: str, q: Iterable[float], *, where: Where = ..., confidence: float = ...
    ) -> list[Quantile]: ...

    def quantile(
        self,
        axis: str,
        q: float | Iterable[float],
        *,
        where: Where = None,
        confidence: float = 0.95,
    ) -> Quantile | list[Quantile]:
        """The quantile of an axis: the value that a share q of the rows does not exceed.

        Returns a value of the axis's own kind, such as a whole number or a day; for a list of
        shares, a list. ``where`` restricts other axes, as in ``where={"sex": "F"}``. Rows that are
        "other" on the axis are left out.
        """
        from hushgram.answers.counting.quantiles import quantiles

        if is_list(q):
            return quantiles(self.estimate, axis, q, where=where, confidence=confidence)
        single = cast("float", q)
        return quantiles(self.estimate, axis, [single], where=where, confidence=confidence)[0]

    def median(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The median of an axis."""
        return self.quantile(axis, 0.5, where=where, confidence=confidence)

    def max(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The largest value on an axis, as far as rows stand out from the noise.

        A row or two beyond it cannot be distinguished from none, so the interval usually extends to
        the end of the axis.
        """
        return self.quantile(axis, 1.0, where=where, confidence=confidence)

    def min(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The smallest value on an axis, as far as rows stand out from the noise. See `max`."""
        return self.quantile(axis, 0.0, where=where, confidence=confidence)

    def rank(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Answer:
        """The number of rows below a value, as in ``count(axis=(None, x))``.

        For whole numbers and days, rows with the value itself are included.
        """
        from hushgram.answers.counting.quantiles import rank

        return rank(self.estimate, axis, x, where=where, confidence=confidence)

    def cdf(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Share:
        """The share of the rows below a value, from 0 to 1. See `rank`."""
        from hushgram.answers.counting.quantiles import cdf

        return cdf(self.estimate, axis, x, where=where, confidence=confidence)

    @overload
    def density(self, at: None = None, *, cells: str = ...) -> Density: ...

    @overload
    def density(self, at: Points, *, cells: str = ...) -> Floats: ...

    def density(self, at: Points | None = None, *, cells: str = "parts") -> Density | Floats:
        """The density, in rows per unit of space: of every part, or at given points.

        Points are a table with a column per axis, or a list of values for a single axis. For a
        ``sorted`` release of up to three axes, ``cells="voronoi"`` gives the density of Voronoi
        cells around its reconstructed `points`.
        """
        from hushgram.answers.learning.density import density

        found = density(self.estimate, cells)
        return found if at is None else found.at(at)

    def points(self) -> ReconstructedPoints:
        """The points that a ``sorted`` release reconstructs, and how many rows each stands for.

        With several axes, rows are sorted along a Hilbert curve, and the points are mapped back.
        ``points().to_pandas()`` returns a table.
        """
        from hushgram.answers.learning.points import points

        return points(self.estimate)

    def sample(self, rows: int, *, rng: Randomness | None = None) -> pa.Table:
        """Draw synthetic rows, as an Arrow table with the columns of the domain.

        Counts are made non-negative first (norm-sub), and rows are distributed over the parts in
        proportion. Within a part, values are spread evenly; "other" becomes NULL. Randomness comes
        from the operating system, or from a numpy generator.
        """
        from hushgram.answers.learning.synthetic import sample

        return sample(self, rows, rng=rng)

    def sample_to(
        self,
        path: str | Path,
        rows: int,
        *,
        rng: Randomness | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write any number of synthetic rows as Parquet, in constant memory."""
        from hushgram.answers.learning.synthetic import sample_to

        sample_to(self, path, rows, rng=rng, overwrite=overwrite)

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
            self, path=path, title=title, kind=kind, axes=axes, by=by, bins=bins, bbox=bbox,
            log=log, coastlines=coastlines, uncertain=uncertain, sort=sort, rows=rows,
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
        how to query the release, which it calls ``file``. The page works offline. ``about`` adds to
        the stored credits or replaces them on the page.
        """
        from hushgram.show.report import report

        return report(self, path, title=title, file=file, about=about, overwrite=overwrite)

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
        ``file`` is the name of the release in the instructions on the page. ``areas`` are polygons
        to count on the map, with their ``name`` and the axes that they lie ``on``, as for `areas`.
        """
        from hushgram.web.explorer import GivenAreas, explore

        given = None if areas is None else GivenAreas(areas, name, on)
        return explore([(file, self)], path, title=title, areas=given, overwrite=overwrite)

    def to_bytes(self) -> bytes:
        """The bytes of the release file."""
        from hushgram.release.parquet import dump

        return dump(self)

    def save(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        key: str | Path | None = None,
        passphrase: str | None = None,
    ) -> None:
        """Write the release to a Parquet file, which also opens in pandas, DuckDB and Polars.

        With the file of a private key, the release is signed; see `hushgram.release.signing`.
        """
        from hushgram.base.files import check_format, write_new
        from hushgram.release.signing import read_key, sign_release

        check_format(Path(path), "a release")
        data = self.to_bytes() if key is None else sign_release(self, read_key(key, passphrase))
        write_new(Path(path), data, overwrite=overwrite)

    # The protocol of scikit-hep's Unified Histogram Interface, so that hist and mplhep plot it.

    @property
    def kind(self) -> str:
        return "COUNT"

    @property
    def axes(self) -> tuple[PlottableAxis, ...]:
        from hushgram.release.uhi import plottable

        return tuple(plottable(self.grid, place) for place in range(len(self.domain)))

    def values(self, flow: bool = False) -> Floats:
        return np.asarray(self.estimate.values, dtype=np.float64).reshape(self.grid.shape)

    def counts(self, flow: bool = False) -> Floats:
        return self.values()

    def variances(self, flow: bool = False) -> Floats:
        return self.estimate.variances().reshape(self.grid.shape)

    def _repr_html_(self) -> str:
        from hushgram.show.notebook import release_html

        return release_html(self)

    def __repr__(self) -> str:
        layout = self.estimate.partition
        shape = layout.shape if isinstance(layout, Lattice) else (layout.size,)
        cells = "x".join(map(str, shape))
        return (
            f"<Release of {', '.join(self.domain.names)} ({cells} cells), "
            f"{self.mechanism}, epsilon {format_number(self.epsilon)}>"
        )


def declared_cells(values: Floats | Ints, grid: Lattice) -> Floats | Ints:
    """Spread the values of slices evenly over their declared cells."""
    pairs = zip(grid.domain.axes, grid.slices, strict=True)
    cells = math.prod(slices if axis.continuous else axis.size for axis, slices in pairs)
    if cells > MAX_PARTS:
        raise NotAnswerable(
            f"An array of {cells:,} cells is too large. Use to_pandas() or count() instead."
        )
    for place, (axis, slices) in enumerate(zip(grid.domain.axes, grid.slices, strict=True)):
        if not axis.continuous and slices < axis.bins:
            widths = np.diff(grid.cuts(place))
            shape = [-1 if a == place else 1 for a in range(values.ndim)]
            values = np.repeat(values / widths.reshape(shape), widths, axis=place)
    return values


def cells_of_boxes(values: Floats | Ints, layout: Boxed) -> Floats:
    """Spread the values of boxes evenly over their cells."""
    domain = layout.domain
    for name, axis in domain.items():
        if axis.continuous:
            raise NotAnswerable(
                f"Axis {name!r} is continuous and was split differently in different "
                "places, so there are no cells to fill an array with. Use "
                f"count({name}=(lo, hi), …), with a table of ranges to ask many at once, "
                "or get the boxes from to_pandas()."
            )
    Grid.of_cells(domain)  # too many cells are refused here
    lower, upper = layout.boxes()
    each = values / (upper - lower).prod(axis=1)
    parts = layout.parts([indices.ravel() for indices in np.indices(domain.shape)])
    return np.asarray(each[parts].reshape(domain.shape))


def is_single(table: Question | RangeTable, domain: Domain) -> TypeGuard[Question]:
    """Whether a mapping is one question rather than a table of many, which holds pairs."""
    if not isinstance(table, Mapping) or not set(table) <= set(domain):
        return False
    return not any(is_list(each) for value in table.values() if is_list(value) for each in value)


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    return (
        isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0
    )
