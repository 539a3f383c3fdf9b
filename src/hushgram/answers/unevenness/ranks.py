"""Rows that were sorted along one axis, and published as the mean positions of their groups.

A group's mean is known but for its noise, and all of its rows lie between those of the groups next
to it. So a place that is certainly above the mean of a group has all rows of the groups before it
below, and none of the groups behind the next. That is how well the number of rows below a place is
known, and no better: many rows at one value can be on either side of it at once. ::

    groups     |     a    |     b    |     c    |     d    |
    means           •          •          •          •
    place                           x                          below x: all of a, perhaps b and c,
                                                               none of d
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.answers.unevenness.base import PartValues, Uneven, Unevenness
from hushgram.answers.unevenness.parts import PartUnevenness
from hushgram.answers.unevenness.rows import as_rows
from hushgram.declare.axis import Floats
from hushgram.mechanisms.inference.ranks import Reconstruction


@dataclass(frozen=True, eq=False)
class RankUnevenness(Unevenness):
    """What the groups of sorted rows tell about the rows below any place."""

    rows: Reconstruction
    parts: PartUnevenness

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        variance = self.variances_below(starts[:, 0]) + self.variances_below(stops[:, 0])
        between = self._of_variance(np.where(stops[:, 0] > starts[:, 0], variance, 0.0))
        return between.plus(self.parts.of_boxes(starts, stops))

    def of_weights(self, weights: Any) -> Uneven:
        rows = as_rows(weights)
        return self._of_changes(rows).plus(self.parts.of_weights(rows))

    def of_values(self, values: PartValues) -> Uneven:
        between = self._of_changes(values.mean[None])._replace(most=np.full(1, np.inf))
        return between.plus(self.parts.of_values(values))

    def _of_changes(self, rows: Any) -> Uneven:
        """A sum over parts is one over the rows below their edges, by how much weights change
        there."""
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return self._of_variance(np.diff(dense, prepend=0, append=0) ** 2 @ self._at_edges)

    def variances_below(self, places: Floats) -> Floats:
        """How far the number of rows below each place is off even without noise: by half a group,
        but at the ends of the axis."""
        known = (places <= 0) | (places >= self.parts.layout.domain.shape[0])
        return np.where(known, 0.0, (self.rows.lengths.max() / 2) ** 2)

    def _of_variance(self, variance: Floats) -> Uneven:
        zero = np.zeros(len(variance))
        return Uneven(variance, zero, np.full(len(variance), float(self.rows.rows)), zero)

    @cached_property
    def _at_edges(self) -> Floats:
        """For the edges of the parts, the first and the last one included."""
        lower, upper = self.parts.layout.boxes()
        return self.variances_below(np.append(lower[:, 0], upper[-1, 0]).astype(np.float64))
