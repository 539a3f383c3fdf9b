"""Arrays, data frames and files of other programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import MAX_PARTS, Boxed, Grid, Ints, Lattice
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    import hist
    import pandas as pd
    import pyarrow as pa


class Exports(Record):
    """Arrays, data frames and files of other programs."""

    def to_array(self) -> Floats | Ints:
        """The estimated count of every cell, as an array with the shape of the domain.

        If the mechanism used coarser parts, counts are spread evenly over their cells. A continuous
        axis has the slices that the mechanism chose, if it chose the same everywhere. Counts are
        not clipped: negative ones come from noise, and cancel out in sums.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.to_array().tolist()
        [[10, 20, 30], [40, 50, 60]]
        """
        layout = self.estimate.partition
        if isinstance(layout, Boxed) and not isinstance(layout, Lattice):
            return cells_of_boxes(self.estimate.values, layout)
        return declared_cells(self.estimate.values.copy().reshape(self.grid.shape), self.grid)

    def to_arrow(self) -> pa.Table:
        """The release as an Arrow table with labels, ``count`` and ``variance``.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.to_arrow().num_rows
        6
        """
        from hushgram.release.parquet import table_of

        return table_of(self._release)

    def to_pandas(self) -> pd.DataFrame:
        """The release as a pandas data frame with labels, ``count`` and ``variance``.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.to_pandas()["count"].tolist()
        [10, 20, 30, 40, 50, 60]
        """
        frame: pd.DataFrame = self.to_arrow().replace_schema_metadata(None).to_pandas()
        return frame

    def whole_counts(self) -> Ints:
        """Non-negative whole numbers for every part, whose totals agree exactly.

        The shape is that of ``estimate.values``. The numbers are biased: groups of nearly empty
        parts are too large, crowded parts slightly too small. Use them for display only; see
        `hushgram.answers.counting.whole`. With ``whole=True``, exports contain them in the column
        ``count_whole``.
        """
        from hushgram.answers.counting.whole import whole_counts

        return whole_counts(self.estimate)

    def to_csv(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write the release as CSV, with labels that spreadsheets do not interpret as formulas.

        Parameters
        ----------
        path
            The file to write.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.export import write_csv

        write_csv(self._release, Path(path), whole=whole, overwrite=overwrite)

    def to_excel(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write an Excel workbook with counts, 95 % margins and a sheet about the release.

        It contains no formulas.

        Parameters
        ----------
        path
            The file to write.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.excel import write_excel

        write_excel(self._release, Path(path), whole=whole, overwrite=overwrite)

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

        There is one observation per part, with 95 % margins.

        Parameters
        ----------
        path
            The file to write.
        structure
            The dataflow, ``AGENCY:ID(VERSION)``.
        names
            Add a column of plain text after each dimension.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.sdmx import write_sdmx

        write_sdmx(
            self._release,
            Path(path),
            structure=structure,
            names=names,
            whole=whole,
            overwrite=overwrite,
        )

    def to_geojson(self, path: str | Path, *, whole: bool = False, overwrite: bool = False) -> None:
        """Write the parts as GeoJSON polygons, if two axes are longitude and latitude.

        Parameters
        ----------
        path
            The file to write.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.geo import write_geojson

        write_geojson(self._release, Path(path), whole=whole, overwrite=overwrite)

    def to_geoparquet(
        self, path: str | Path, *, whole: bool = False, overwrite: bool = False
    ) -> None:
        """Write the parts as GeoParquet polygons, for geopandas and QGIS.

        Parameters
        ----------
        path
            The file to write.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.geo import write_geoparquet

        write_geoparquet(self._release, Path(path), whole=whole, overwrite=overwrite)

    def to_geopackage(
        self,
        path: str | Path,
        *,
        axes: Sequence[str] | None = None,
        whole: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write the parts as rectangles with 95 % margins to a GeoPackage, for QGIS and ArcGIS.

        Parameters
        ----------
        path
            The file to write.
        axes
            Two axes with an order, instead of longitude and latitude.
        whole
            Also write whole, non-negative counts in a column ``count_whole``: see `whole_counts`.
        overwrite
            Replace an existing file.
        """
        from hushgram.release.geopackage import write_geopackage

        write_geopackage(self._release, Path(path), axes=axes, whole=whole, overwrite=overwrite)

    def to_hist(self) -> hist.Hist:
        """The release as a ``hist.Hist`` with the same axes, values and variances."""
        from hushgram.release.histogram import to_hist

        return to_hist(self._release)


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
    Grid.of_cells(domain)  # raises if there are too many cells
    lower, upper = layout.boxes()
    each = values / (upper - lower).prod(axis=1)
    parts = layout.parts([indices.ravel() for indices in np.indices(domain.shape)])
    return np.asarray(each[parts].reshape(domain.shape))
