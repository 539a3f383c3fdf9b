"""Rows per unit of space: the piecewise-constant density defined by a release.

Lengths are in the axes' own units: numbers unchanged, dates in days; an integer and a category have
length 1. "Other" on an ordered axis has no position and is left out.

The interval of a density is that of the rows in its box, divided by the box's size. It contains the
mean density of the box; the density at a point within was not measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.question import Value, place_of
from hushgram.answers.learning.points import ReconstructedPoints, points
from hushgram.answers.tables.olap import spreads
from hushgram.answers.tables.tables import ArrowColumns, Columns, Frame, as_columns
from hushgram.answers.tables.units import places
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.declare.axis.date import DAY
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.ranks import CENTRE

if TYPE_CHECKING:
    import pandas as pd

CELLS = ("parts", "voronoi")

CONFIDENCE = 0.95
"""The confidence of the intervals of densities."""

Points = Columns | Frame | ArrowColumns | Collection[Value]
"""A table with a column per axis, or values of a single axis."""


@dataclass(frozen=True, eq=False)
class Density(ABC):
    """Cells with their unclipped numbers of rows, in total and per unit of space.

    Divide ``values`` by the total of ``counts`` for a density that integrates to 1.
    """

    domain: Domain
    counts: Floats

    def __len__(self) -> int:
        return len(self.counts)

    @property
    @abstractmethod
    def volumes(self) -> Floats:
        """The size of each cell, in the axes' units."""

    @property
    @abstractmethod
    def half_widths(self) -> Floats | None:
        """Half the width of the 95 % interval of each cell's rows. None for Voronoi cells, whose
        positions depend on the noise."""

    @abstractmethod
    def cell_of(self, positions: Floats) -> Ints:
        """The cell that contains each point, given by positions along the indices: points x
        axes."""

    @abstractmethod
    def polygons(self) -> list[Floats]:
        """The corners of each cell on two axes, in order around it, in the axes' units."""

    @abstractmethod
    def to_pandas(self) -> pd.DataFrame:
        """A data frame with the bounds of the cells, ``count``, ``volume`` and ``density``; for
        parts also the 95 % interval of the density, from ``lower`` to ``upper``."""

    @property
    def values(self) -> Floats:
        """Rows per unit of space."""
        return np.asarray(self.counts / self.volumes)

    def at(self, points: Points) -> Floats:
        """The density at points: a table with a column per axis, or a list for a single axis."""
        columns = as_points(points, self.domain)
        found = [positions(axis, name, columns[name]) for name, axis in self.domain.items()]
        return self.values[self.cell_of(np.stack(found, axis=1))]

    def _check_flat(self) -> None:
        if len(self.domain) != 2:
            raise NotAnswerable(
                f"Polygons need cells on two axes, but this has {len(self.domain)}. Use "
                "to_pandas() for any number of axes."
            )


@dataclass(frozen=True, eq=False)
class BoxDensity(Density):
    """``lower`` and ``upper`` are boxes x axes, along the axes' indices."""

    lower: Floats
    upper: Floats
    box_of: Callable[[Floats], Ints]
    find_half_widths: Callable[[], Floats] | None = None

    @cached_property
    def half_widths(self) -> Floats | None:
        return self.find_half_widths() if self.find_half_widths is not None else None

    @property
    def volumes(self) -> Floats:
        return np.asarray(np.prod([high - low for low, high in self._sides()], axis=0))

    def cell_of(self, positions: Floats) -> Ints:
        return self.box_of(positions)

    def polygons(self) -> list[Floats]:
        self._check_flat()
        (left, right), (bottom, top) = self._sides()
        around = ((left, bottom), (right, bottom), (right, top), (left, top))
        return list(np.stack([np.stack(corner, axis=1) for corner in around], axis=1))

    def _sides(self) -> list[tuple[Floats, Floats]]:
        """The starts and ends of the boxes on each axis, in its units."""
        ends = zip(self.domain.axes, self.lower.T, self.upper.T, strict=True)
        return [(places(axis, low), places(axis, high)) for axis, low, high in ends]

    def to_pandas(self) -> pd.DataFrame:
        import pandas as pd

        columns: dict[str, Any] = {}
        for (name, axis), low, high in zip(
            self.domain.items(), self.lower.T, self.upper.T, strict=True
        ):
            columns |= sides_of(name, axis, low, high)
        figures = {"count": self.counts, "volume": self.volumes, "density": self.values}
        if self.half_widths is not None:
            width = self.half_widths / self.volumes
            figures |= {"lower": self.values - width, "upper": self.values + width}
        return pd.DataFrame({**columns, **figures})


def sides_of(name: str, axis: Axis, low: Floats, high: Floats) -> dict[str, Any]:
    """The columns of one axis: names of categories, else two bounds, with dates as times."""
    from hushgram.geometry.labels import slice_labels

    if isinstance(axis.whole, Category):
        labels = slice_labels(name, axis, low.astype(np.int64), high.astype(np.int64))
        return {column: values.to_pandas() for column, values in labels.items()}
    ends = (places(axis, side) for side in (low, high))
    if isinstance(axis.whole, Date):
        ends = ((days * DAY).round().astype("datetime64[us]") for days in ends)
    return dict(zip((f"{name}_lo", f"{name}_hi"), ends, strict=True))


def density(estimate: Estimate, cells: str = "parts") -> Density:
    """The density of an estimate.

    Parameters ---------- cells ``"parts"`` (default) are the parts of the layout. ``"voronoi"`` are
    the Voronoi cells of the reconstructed points, as in Fang & Chang, for a `sorted` release with
    up to three axes.
    """
    if cells not in CELLS:
        raise QuestionError(f"Unknown cells={cells!r}. Use {' or '.join(CELLS)}.")
    return of_voronoi(estimate) if cells == "voronoi" else of_parts(estimate)


def of_parts(estimate: Estimate) -> BoxDensity:
    layout = estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"The parts of a {layout.kind} layout have no volume.")
    lower, upper = layout.boxes()
    ends = np.array([place_end(axis) for axis in layout.domain.axes])
    inside = np.minimum(upper, ends)
    somewhere = (lower < ends).all(axis=1)
    shares = ((inside - lower) / (upper - lower)).prod(axis=1)[somewhere]
    numbers = np.cumsum(somewhere) - 1
    counts = np.asarray(estimate.values[somewhere] * shares, dtype=np.float64)

    def half_widths() -> Floats:
        from scipy.sparse import eye_array

        kept = np.flatnonzero(somewhere)
        noise = noise_width(estimate, spreads(estimate), CONFIDENCE)[kept] * shares
        rows = eye_array(layout.size, format="csr")[kept] * shares[:, None]
        uneven = uneven_width(unevenness_of(estimate).of_weights(rows), CONFIDENCE, counts)
        return truth_width(noise, uneven)

    def box_of(points: Floats) -> Ints:
        return numbers[layout.parts([column.astype(np.int64) for column in points.T])]

    return BoxDensity(
        layout.domain,
        counts,
        lower[somewhere].astype(np.float64),
        inside[somewhere].astype(np.float64),
        box_of,
        half_widths,
    )


def place_end(axis: Axis) -> int:
    """The number of indices with a position: "other" has one among categories, but not on an
    ordered axis."""
    return axis.declared if axis.ordered else axis.size


def of_voronoi(estimate: Estimate) -> Density:
    """The Voronoi cells of the distinct reconstructed points."""
    from hushgram.answers.learning.voronoi import voronoi_density

    found = points(estimate)
    return of_intervals(found) if len(found.domain) == 1 else voronoi_density(found)


def of_intervals(points: ReconstructedPoints) -> BoxDensity:
    """Voronoi cells on a single axis: they meet halfway between two points, and the outermost
    extend to the ends of the axis."""
    along, end = points.positions[:, 0], float(points.domain.axes[0].declared)
    middles = (along[1:] + along[:-1]) / 2
    edges = np.concatenate([[0.0], middles, [end]])

    def box_of(points: Floats) -> Ints:
        return np.searchsorted(middles, points[:, 0], side="right")

    rows = points.rows.astype(np.float64)
    return BoxDensity(points.domain, rows, edges[:-1, None], edges[1:, None], box_of)


def as_points(points: Any, domain: Domain) -> dict[str, Any]:
    """The columns of a table of points, by axis. For a single axis, a list of values is enough."""
    is_table = isinstance(points, Mapping) or hasattr(points, "columns")
    if not is_table and len(domain) == 1:
        points = {domain.names[0]: points}
    columns = {name: np.atleast_1d(np.asarray(c)) for name, c in as_columns(points).items()}
    if set(columns) != set(domain):
        raise QuestionError(
            f"Points need a column for each axis: {', '.join(map(repr, domain))}. Found "
            f"{', '.join(map(repr, columns)) or 'none'}."
        )
    if len({len(column) for column in columns.values()}) > 1:
        raise QuestionError("The columns of a table of points must have the same length.")
    return columns


def positions(axis: Axis, name: str, values: Any) -> Floats:
    """The positions of values along the indices: within their bin if the axis is continuous or
    binned, else in its middle."""
    indices = np.array([place_of(axis, name, value) for value in values.tolist()], dtype=np.float64)
    if (indices >= place_end(axis)).any():
        raise QuestionError(f'"other" on the axis {name!r} has no position, so it has no density.')
    if not axis.ordered or isinstance(axis.whole, Integer):
        return indices + CENTRE
    return np.clip(axis.positions(values), indices, np.nextafter(indices + 1, 0))
