"""A published estimate, with everything needed to use it and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from hushgram.answers.counts import Counts, counts_of
from hushgram.axis import Floats
from hushgram.domain import Domain
from hushgram.errors import QuestionError, show
from hushgram.estimate import Answer, Estimate
from hushgram.partition import Boxed, Grid, Lattice
from hushgram.unit import Neighbours, Unit


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

    @property
    def domain(self) -> Domain:
        return self.estimate.partition.domain

    @property
    def unaccounted(self) -> bool:
        return self.receipt is None

    @overload
    def count(self, /, *, confidence: float = ..., **axes: Any) -> Answer: ...

    @overload
    def count(self, table: Any, /, *, confidence: float = ...) -> Any: ...

    def count(self, table: Any = None, /, *, confidence: float = 0.95, **axes: Any) -> Any:
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
        return self._counts.many(table, confidence)

    @cached_property
    def _counts(self) -> Counts:
        return counts_of(self.estimate)

    def to_array(self) -> Any:
        """The estimate of every declared cell, shaped like the domain.

        Where the mechanism cut coarser, rows are taken to lie evenly; a continuous axis has the
        slices that it chose, if it chose the same everywhere. Not clipped: negative counts are
        noise, and cancel in sums.
        """
        layout = self.estimate.partition
        if isinstance(layout, Boxed) and not isinstance(layout, Lattice):
            return cells_of_boxes(self.estimate.values, layout)
        return declared_cells(np.array(self.estimate.values).reshape(self.grid.shape), self.grid)

    @property
    def grid(self) -> Lattice:
        """The cells that the estimate has values for."""
        layout = self.estimate.partition
        if not isinstance(layout, Lattice):
            raise QuestionError(
                f"a {layout.kind} layout has no bins along each axis, but {layout.size:,} parts of "
                "different shapes: see to_pandas() and plot(), or ask count()."
            )
        return layout

    def to_arrow(self) -> Any:
        """The release as an Arrow table: labels, ``count``, ``variance``."""
        from hushgram.release.parquet import table_of

        return table_of(self)

    def to_pandas(self) -> Any:
        """The release as a data frame: labels, ``count``, ``variance``."""
        return self.to_arrow().replace_schema_metadata(None).to_pandas()

    def to_csv(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the table as CSV, with labels that no spreadsheet takes for a formula."""
        from hushgram.release.export import write_csv

        write_csv(self, Path(path), overwrite=overwrite)

    def to_geojson(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the parts as GeoJSON polygons, if two axes are longitude and latitude."""
        from hushgram.release.geo import write_geojson

        write_geojson(self, Path(path), overwrite=overwrite)

    def to_geoparquet(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the parts as GeoParquet polygons, for geopandas and QGIS."""
        from hushgram.release.geo import write_geoparquet

        write_geoparquet(self, Path(path), overwrite=overwrite)

    def to_hist(self) -> Any:
        """The release as a ``hist.Hist`` with the same axes, values and variances."""
        from hushgram.release.histogram import to_hist

        return to_hist(self)

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Any:
        """Draw one or two axes; saved as PNG, SVG or PDF if a path is given."""
        from hushgram.charts import plot

        return plot(self, path, title=title)

    def to_bytes(self) -> bytes:
        """The release file's bytes."""
        from hushgram.release.parquet import dump

        return dump(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the release file: one Parquet file that opens in pandas, DuckDB and Polars."""
        from hushgram.release.files import write_new

        write_new(Path(path), self.to_bytes(), overwrite=overwrite)

    # The protocol of scikit-hep's Unified Histogram Interface, so that hist and mplhep plot it.

    @property
    def kind(self) -> str:
        return "COUNT"

    @property
    def axes(self) -> tuple[Any, ...]:
        from hushgram.release.uhi import plottable

        return tuple(plottable(self.grid, place) for place in range(len(self.domain)))

    def values(self, flow: bool = False) -> Floats:
        return np.asarray(self.estimate.values, dtype=np.float64).reshape(self.grid.shape)

    def counts(self, flow: bool = False) -> Floats:
        return self.values()

    def variances(self, flow: bool = False) -> Floats:
        return self.estimate.variances().reshape(self.grid.shape)

    def __repr__(self) -> str:
        layout = self.estimate.partition
        shape = layout.shape if isinstance(layout, Lattice) else (layout.size,)
        cells = "x".join(map(str, shape))
        return (
            f"<Release of {', '.join(self.domain.names)} ({cells} cells), "
            f"{self.mechanism}, epsilon {show(self.epsilon)}>"
        )


def declared_cells(values: Any, grid: Lattice) -> Any:
    """Slices of declared axes spread evenly over their cells."""
    for place, (axis, slices) in enumerate(zip(grid.domain.axes, grid.slices, strict=True)):
        if not axis.continuous and slices < axis.bins:
            widths = np.diff(grid.cuts(place))
            shape = [-1 if a == place else 1 for a in range(values.ndim)]
            values = np.repeat(values / widths.reshape(shape), widths, axis=place)
    return values


def cells_of_boxes(values: Any, layout: Boxed) -> Any:
    """Boxes spread evenly over their cells."""
    domain = layout.domain
    for name, axis in domain.items():
        if axis.continuous:
            raise QuestionError(
                f"{name!r} is continuous and was cut differently in different places, so there are "
                f"no cells to fill an array with: ask count({name}=(lo, hi), …), many at once with "
                "a table of ranges, or take the boxes from to_pandas()."
            )
    Grid.of_cells(domain)  # too many cells are refused here
    lower, upper = layout.boxes()
    each = values / (upper - lower).prod(axis=1)
    parts = layout.parts([indices.ravel() for indices in np.indices(domain.shape)])
    return each[parts].reshape(domain.shape)


def is_single(table: Any, domain: Domain) -> bool:
    """Whether a mapping is one question rather than a table of many, which holds pairs."""
    if not isinstance(table, Mapping) or not set(table) <= set(domain):
        return False
    return not any(is_list(each) for value in table.values() if is_list(value) for each in value)


def is_list(value: Any) -> bool:
    return (
        isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0
    )
