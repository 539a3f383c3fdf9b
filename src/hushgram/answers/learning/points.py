"""The rows that a sorted release reconstructs: distinct points, each standing for many rows."""

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
    """Points, and how many rows each stands for: Fang & Chang's reconstructed data.

    A point is the noisy mean place of a group of rows, after isotonic regression; groups at one
    place are one point. ``positions`` are along the axes' indices, points x axes, where index i
    reaches from i to i + 1.
    """

    domain: Domain
    positions: Floats
    rows: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def coordinates(self) -> Floats:
        """The points in the axes' own units, points x axes: numbers as they are, dates in days
        since 1970, categories by their index. On a single axis, whole numbers need not be
        whole: a point is a mean."""
        pairs = zip(self.domain.axes, self.positions.T, strict=True)
        return np.stack([coordinate(axis, along) for axis, along in pairs], axis=1)

    def to_pandas(self) -> pd.DataFrame:
        """A data frame with a column for each axis, dates as times and categories by name, and
        ``count``: how many rows the point stands for."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for (name, axis), along in zip(self.domain.items(), self.positions.T, strict=True):
            columns[free_name(name, columns)] = column_of(name, axis, along)
        return pd.DataFrame({**columns, "count": self.rows})


def points(estimate: Estimate) -> ReconstructedPoints:
    """The points that an estimate's rows were reconstructed as."""
    found = estimate.inference.sorted_points()
    if found is None:
        raise NotAnswerable(
            "This release has no reconstructed points. Only releases with "
            'mechanism="sorted" have them, and views do not. Draw synthetic rows with '
            'sample(), or publish with mechanism="sorted".'
        )
    return ReconstructedPoints(estimate.partition.domain, *found)


def coordinate(axis: Axis, along: Floats) -> Floats:
    """Positions in the axis's own units. The middle of a whole number's cell is that number."""
    return places(axis, along) - (0.5 if isinstance(axis.whole, Integer | Category) else 0.0)


def column_of(name: str, axis: Axis, along: Floats) -> Any:
    """One axis of a table of points."""
    if isinstance(axis.whole, Category):
        index = np.minimum(along, axis.declared - 1).astype(np.int64)
        (labels,) = slice_labels(name, axis, index, index + 1).values()
        return labels.to_pandas()
    found = coordinate(axis, along)
    if isinstance(axis.whole, Date):
        return (found * DAY).round().astype("datetime64[us]")
    return found
