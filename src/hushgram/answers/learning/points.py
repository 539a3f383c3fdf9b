"""The rows reconstructed from a sorted release: distinct points, each representing many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.tables.units import places
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.declare.axis.date import DAY
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable
from hushgram.geometry.labels import free_name, slice_labels
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ReconstructedPoints:
    """Points, and the number of rows that each represents: Fang & Chang's reconstructed data.

    A point is the noisy mean position of a group of rows after isotonic regression; groups at the
    same position are one point. ``positions`` are along the axes' indices, points x axes, where
    index i covers i to i + 1.
    """

    domain: Domain
    positions: Floats
    rows: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def coordinates(self) -> Floats:
        """The points in the axes' own units, points x axes: numbers unchanged, dates in days since
        1970, categories as indices. On a single integer axis, points can be fractions, since they
        are means."""
        pairs = zip(self.domain.axes, self.positions.T, strict=True)
        return np.stack([coordinate(axis, along) for axis, along in pairs], axis=1)

    def to_pandas(self) -> pd.DataFrame:
        """A data frame with a column for each axis, dates as times and categories by name, and
        ``count``, the number of rows that the point represents."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for (name, axis), along in zip(self.domain.items(), self.positions.T, strict=True):
            columns[free_name(name, columns)] = column_of(name, axis, along)
        return pd.DataFrame({**columns, "count": self.rows})


def points(estimate: Estimate) -> ReconstructedPoints:
    """The reconstructed points of an estimate."""
    found = estimate.inference.sorted_points()
    if found is None:
        raise NotAnswerable(
            "This release has no reconstructed points. Only releases with "
            'mechanism="sorted" have them, and views do not. Draw synthetic rows with '
            'sample(), or publish with mechanism="sorted".'
        )
    return ReconstructedPoints(estimate.partition.domain, *found)


def coordinate(axis: Axis, along: Floats) -> Floats:
    """Positions in the axis's own units. The middle of an integer's cell is that integer."""
    return places(axis, along) - (0.5 if isinstance(axis.whole, Integer | Category) else 0.0)


def column_of(name: str, axis: Axis, along: Floats) -> Any:
    """The column of one axis in a table of points."""
    if isinstance(axis.whole, Category):
        index = np.minimum(along, axis.declared - 1).astype(np.int64)
        (labels,) = slice_labels(name, axis, index, index + 1).values()
        return labels.to_pandas()
    found = coordinate(axis, along)
    if isinstance(axis.whole, Date):
        return (found * DAY).round().astype("datetime64[us]")
    return found
