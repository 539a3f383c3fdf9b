"""A published estimate, with everything needed to use it and nothing else."""

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
    """Noisy counts that anyone may have. Asking costs nothing.

    Made by `hushgram.publish`, read by `hushgram.load`.
    """

    estimate: Estimate
    mechanism: str
    parameters: Mapping[str, Any]
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    receipt: Mapping[str, str] | None = None
    """The ledger's receipt; None if no durable ledger was charged."""
    why: str = ""
    """Why this mechanism was chosen, if ``"auto"`` chose it."""
    where: str = ""
    """Which rows were counted, if not all of the table's: ``region = north``."""
    about: About = UNCREDITED
    """Publisher, source, contact, licence and date, as far as the publisher stated them."""
    measured: tuple[Measured, ...] = ()
    """What was measured beside the number of rows."""

    def with_about(self, about: AboutOption) -> Release:
        """The same release with other credits: those given replace the stored ones, the rest stays.
        A signature does not carry over: sign the new file."""
        return replace(self, about=self.about.merge(as_about(about)))

    @property
    def domain(self) -> Domain:
        return self.estimate.partition.domain

    @property
    def unaccounted(self) -> bool:
        return self.receipt is None

    def explain(self) -> str:
        """Why this mechanism was chosen, what it does, and what its parameters mean."""
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
        """How many rows lie in a range?

        One question per call, ``count(age=(20, 30), sex="F")``: a range is half-open, a list
        is a choice, an axis that is not named is not restricted. Or many at once from a table
        (mapping, pandas, Polars or Arrow) with columns such as ``age_lo`` and ``age_hi``.
        Axes with odd names go into a mapping: ``count({"odd name": (0, 1)})``.

        Returns an `Answer`, or `Answers` for a table.
        """
        if table is None:
            return self._counts.one(axes, confidence)
        if axes:
            raise QuestionError("give either a table of ranges or named axes, not both.")
        if is_single(table, self.domain):
            return self._counts.one(table, confidence)
        return self._counts.many(cast("RangeTable", table), confidence)

    @cached_property
    def _counts(self) -> RangeCounts:
        return counts_of(self.estimate)

    def project(self, *axes: str | Sequence[str], bins: Bins = None) -> Release:
        """A release of these axes only, in this order: the others are added up.

        A view costs nothing and has the right error bars. Where parts are boxes, one axis keeps
        all cuts, and several get at most ``bins`` slices each (a number, or one per name; 256 for
        continuous axes if it is not given).
        """
        from hushgram.answers.tables.views import project

        return project(self, axes, bins)

    def slice(
        self, ranges: Question | None = None, /, *, bins: Bins = None, **axes: Range
    ) -> Release:
        """A release of a part of the domain: ranges, values or lists as in `count`, which cut no
        declared bin. See `project` for ``bins``."""
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
        """A release of coarser axes: by a width, ``age=10`` or ``day="1mo"``, between edges,
        ``age=[0, 18, 65]``, or in groups, ``state={"north": ["NY", "ME"]}``, where the rest is
        "other". See `project` for ``bins``."""
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
        """A data frame with a row for each slice of these axes, or combination of slices: labels,
        ``value``, ``lower``, ``upper``; counts or, on request, shares of all rows, or the sum or
        the mean of a measured column (NaN where there are too few rows to say). Intervals hold the
        truth for each row, or ``simultaneous`` for all together; with ``noise``, the columns
        ``noise_lower`` and ``noise_upper`` are for the noise alone."""
        from hushgram.answers.tables.olap import group_by

        if sum is not None or mean is not None:
            from hushgram.answers.tables.magnitudes import group_measured

            if share or (sum is not None and mean is not None):
                raise QuestionError("ask for one of share, sum and mean.")
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
        """The k largest rows of `group_by`, with its options; intervals hold together, since the
        noise has a say in which rows these are."""
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
        """Which part of all rows lies in a range, asked for as in `count`?"""
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
        """The sum of a measured column over the rows in a range, asked for as in `count`; or of a
        numeric axis, where rows are taken to lie in the middle of their part and the interval
        allows for where they can be."""
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
        """The mean of a measured column, or of a numeric axis, over the rows in a range; see
        `sum`."""
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
        """The average of a measured column, or of a numeric axis, over the rows in a range; see
        `sum`."""
        from hushgram.answers.tables.magnitudes import is_measured, mean_measured
        from hushgram.answers.tables.olap import average_of

        found = mean_measured if is_measured(self, axis) else average_of
        return found(self, axis, {**(ranges or {}), **axes}, confidence)

    @overload
    def sql(self, query: str, *, arrow: Literal[False] = ...) -> pd.DataFrame: ...

    @overload
    def sql(self, query: str, *, arrow: Literal[True]) -> pa.Table: ...

    def sql(self, query: str, *, arrow: bool = False) -> pd.DataFrame | pa.Table:
        """The answer to a ``SELECT … FROM release``, as a data frame or an Arrow table.

        Each row of the view ``release`` stands for ``count`` rows of the table, in the middle of a
        part: ``sum(count)``, not ``count(*)``, is their number. See `hushgram.answers.tables.sql`.
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
        """How many rows lie in each of some polygons, of a release of longitude and latitude, of x
        and y, or of two axes named by ``on``, the one across first.

        Polygons are a file (GeoJSON, GeoParquet, Shapefile, GeoPackage), GeoJSON, a GeoDataFrame, a
        mapping of names to polygons, or a list of polygons. ``name`` and ``population`` are columns
        of theirs: what areas are called, and what rates are ``per`` so many of. ``where`` restricts
        the release's other axes, as in `count`. Intervals hold for each area by itself, or
        ``simultaneous`` for all together.
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
        """What changed from this release to another: ``other`` less this one, by group.

        Groups are the combinations of slices of these axes, or of all axes that both have. They end
        where slices of both releases end; a continuous axis that the two cut differently is cut
        evenly, into ``bins``.

        Each difference has an interval and a p-value; ``significant`` says which groups changed, at
        a confidence that holds for all of them together. ``changed`` and ``p_value`` test whether
        the two tables hold the same number of rows in every group: false alarms are at most as
        frequent as stated, as far as the intervals of both releases hold. The test knows the noise
        and nothing of sampling: the ups and downs of an ordinary month are changes, too. If people
        have more rows than count, each release draws again which of them count, which can look
        like a change.

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
        """The estimate of every declared cell, shaped like the domain.

        Where the mechanism cut coarser, rows are taken to lie evenly; a continuous axis has the
        slices that it chose, if it chose the same everywhere. Not clipped: negative counts are
        noise, and cancel in sums.
        """
        layout = self.estimate.partition
        if isinstance(layout, Boxed) and not isinstance(layout, Lattice):
            return cells_of_boxes(self.estimate.values, layout)
        return declared_cells(self.estimate.values.copy().reshape(self.grid.shape), self.grid)

    @property
    def grid(self) -> Lattice:
        """The cells that the estimate has values for."""
        layout = self.estimate.partition
        if not isinstance(layout, Lattice):
            raise NotAnswerable(
                f"a {layout.kind} layout has no bins along each axis, but {layout.size:,} parts of "
                "different shapes: see to_pandas() and plot(), or ask count()."
            )
        return layout

    def to_arrow(self) -> pa.Table:
        """The release as an Arrow table: labels, ``count``, ``variance``."""
        from hushgram.release.parquet import table_of

        return table_of(self)

    def to_pandas(self) -> pd.DataFrame:
        """The release as a data frame: labels, ``count``, ``variance``."""
        frame: pd.DataFrame = self.to_arrow().replace_schema_metadata(None).to_pandas()
        return frame

    def whole_counts(self) -> Ints:
        """A whole number from 0 on for every part, so that all totals agree exactly; shaped like
        ``estimate.values``. Biased: nearly empty parts together come out too large, crowded ones
        slightly too small. For display; see `hushgram.answers.counting.whole`. Exports have it as
        the column ``count_whole`` if they are called with ``whole=True``."""
        from hushgram.answers.counting.whole import whole_counts

        return whole_counts(self.estimate)

    def to_csv(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write the table as CSV, with labels that no spreadsheet takes for a formula."""
        from hushgram.release.export import write_csv

        write_csv(self, Path(path), whole=whole, overwrite=overwrite)

    def to_excel(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write an Excel workbook: counts with 95 % margins, and a sheet about them. No cell is a
        formula."""
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
        """Write SDMX-CSV 2.0, for exchange between statistical offices: an observation per part
        with its 95 % margins. ``structure`` is the dataflow, ``AGENCY:ID(VERSION)``; ``names`` adds
        a column of plain text after each dimension."""
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
        """Write the parts as rectangles with 95 % margins into a GeoPackage, for QGIS and ArcGIS:
        longitude and latitude, or two other ordered ``axes``."""
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
        """The value that a share q of the rows does not exceed; a list for a list of shares.

        Of the axis's own kind: a whole number, a day. ``where`` restricts other axes, as in
        ``where={"sex": "F"}``. Rows that are "other" on the axis are left out.
        """
        from hushgram.answers.counting.quantiles import quantiles

        if is_list(q):
            return quantiles(self.estimate, axis, q, where=where, confidence=confidence)
        single = cast("float", q)
        return quantiles(self.estimate, axis, [single], where=where, confidence=confidence)[0]

    def median(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The value that half of the rows do not exceed."""
        return self.quantile(axis, 0.5, where=where, confidence=confidence)

    def max(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The largest value that rows have on an axis: as far as more rows reach than noise
        explains. A row or two beyond cannot be told from none, so the interval most often goes on
        to the end of the axis."""
        return self.quantile(axis, 1.0, where=where, confidence=confidence)

    def min(self, axis: str, *, where: Where = None, confidence: float = 0.95) -> Quantile:
        """The smallest value that rows have on an axis; see `max`."""
        return self.quantile(axis, 0.0, where=where, confidence=confidence)

    def rank(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Answer:
        """How many rows lie below a value, as in ``count(axis=(None, x))``; up to and including it
        where it is a whole number or a day."""
        from hushgram.answers.counting.quantiles import rank

        return rank(self.estimate, axis, x, where=where, confidence=confidence)

    def cdf(self, axis: str, x: Value, *, where: Where = None, confidence: float = 0.95) -> Share:
        """Which part of the rows lies below a value, from 0 to 1; see `rank`."""
        from hushgram.answers.counting.quantiles import cdf

        return cdf(self.estimate, axis, x, where=where, confidence=confidence)

    @overload
    def density(self, at: None = None, *, cells: str = ...) -> Density: ...

    @overload
    def density(self, at: Points, *, cells: str = ...) -> Floats: ...

    def density(self, at: Points | None = None, *, cells: str = "parts") -> Density | Floats:
        """Rows per unit of space: of every part, or at points.

        Points are a table with a column per axis, or a list of values for one axis. A ``sorted``
        release of up to three axes has ``cells="voronoi"`` too, around its reconstructed `points`.
        """
        from hushgram.answers.learning.density import density

        found = density(self.estimate, cells)
        return found if at is None else found.at(at)

    def points(self) -> ReconstructedPoints:
        """The rows as a ``sorted`` release reconstructs them: distinct points, and how many rows
        each stands for. On several axes they were sorted along a Hilbert curve, and are mapped
        back. ``points().to_pandas()`` is a table of them."""
        from hushgram.answers.learning.points import points

        return points(self.estimate)

    def sample(self, rows: int, *, rng: Randomness | None = None) -> pa.Table:
        """So many synthetic rows, as an Arrow table with the domain's columns.

        Counts are made non-negative first (norm-sub), and rows apportioned to the parts by them;
        inside a part values lie evenly, and "other" is NULL. Random bits come from the operating
        system, or from a numpy generator.
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
        """Write synthetic rows as Parquet, any number of them in constant memory."""
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
            What is written above the picture, and below it beside the privacy promise.
        kind
            ``"counts"``; ``"quantiles"`` along one axis; ``"matrix"``, every axis and every pair.
        axes
            The axes to draw, up to six; the others are added up.
        by
            The axis that small multiples go by. Of three axes one is chosen, if one suits.
        bins
            Slices of each axis, at the most; see `project`.
        bbox
            The window of a map or heat map: west, south, east, north.
        log
            A logarithmic or linear scale; by default the one that suits the numbers.
        coastlines
            Coastlines and borders; by default on maps that are half a degree wide or more.
        uncertain
            Hatch what may be zero: the 95 % interval includes it.
        sort
            The largest category first.
        rows
            What a row is: ``"people"``, ``"stops"``.
        dark
            Light on dark.
        ax
            The matplotlib axes to draw on, instead of a new figure with a footer.
        sum, mean
            A measured column, whose sums or means are drawn instead of counts, along one axis or
            two. On two, what may be the mean of all rows is hatched.
        """
        from hushgram.show.charts import plot

        return plot(
            self, path, title=title, kind=kind, axes=axes, by=by, bins=bins, bbox=bbox, log=log,
            coastlines=coastlines, uncertain=uncertain, sort=sort, rows=rows, source=source,
            date=date, dark=dark, ax=ax, overwrite=overwrite, sum=sum, mean=mean,
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
        """One page of HTML, which needs nothing else: a picture, what can be read from it, numbers,
        how private and how accurate it is, and how to ask a release of the name ``file``; saved if
        a path is given. ``about`` adds to the stored publisher, source and so on, or replaces
        them on the page."""
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
        """One page of HTML on which anybody can explore the release, with a map, charts and
        counts with margins: it needs nothing else, and no network. A notebook shows it; saved if a
        path is given. ``file`` is what the release is called where the page says how to ask it.
        ``areas`` are polygons to count on the map, with their ``name`` and the axes that they lie
        ``on`` as for `areas`."""
        from hushgram.web.explorer import GivenAreas, explore

        given = None if areas is None else GivenAreas(areas, name, on)
        return explore([(file, self)], path, title=title, areas=given, overwrite=overwrite)

    def to_bytes(self) -> bytes:
        """The release file's bytes."""
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
        """Write the release file: one Parquet file that opens in pandas, DuckDB and Polars.

        Signed, if the file of a private key is given (see `hushgram.release.signing`)."""
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
    """Slices of declared axes spread evenly over their cells."""
    pairs = zip(grid.domain.axes, grid.slices, strict=True)
    cells = math.prod(slices if axis.continuous else axis.size for axis, slices in pairs)
    if cells > MAX_PARTS:
        raise NotAnswerable(
            f"an array of {cells:,} cells is too large: take to_pandas() or count()."
        )
    for place, (axis, slices) in enumerate(zip(grid.domain.axes, grid.slices, strict=True)):
        if not axis.continuous and slices < axis.bins:
            widths = np.diff(grid.cuts(place))
            shape = [-1 if a == place else 1 for a in range(values.ndim)]
            values = np.repeat(values / widths.reshape(shape), widths, axis=place)
    return values


def cells_of_boxes(values: Floats | Ints, layout: Boxed) -> Floats:
    """Boxes spread evenly over their cells."""
    domain = layout.domain
    for name, axis in domain.items():
        if axis.continuous:
            raise NotAnswerable(
                f"{name!r} is continuous and was cut differently in different places, so there are "
                f"no cells to fill an array with: ask count({name}=(lo, hi), …), many at once with "
                "a table of ranges, or take the boxes from to_pandas()."
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
