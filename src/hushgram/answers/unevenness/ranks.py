"""Rows that were sorted along an axis or a curve, and published as the mean positions of groups.

A group's mean is known except for its noise, and all of its rows are between those of the groups
next to it. So a place that is certainly above the mean of a group has all rows of the groups before
it below, and none of the groups behind the next. That is how well the number of rows below a place
is known, and no better: many rows at one value can be on either side of it at once. ::

    groups     |     a    |     b    |     c    |     d    |
    means           •          •          •          •
    place                           x                          below x: all of a, perhaps b and c,
                                                               none of d
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.answers.unevenness.base import PartValues, Uneven, Unevenness, cell_weights, of_each
from hushgram.answers.unevenness.parts import PartUnevenness
from hushgram.answers.unevenness.rows import as_rows
from hushgram.declare.axis import Floats
from hushgram.mechanisms.inference.ranks import SortedParts


@dataclass(frozen=True, eq=False)
class RankUnevenness(Unevenness):
    """What the groups of sorted rows show about the rows below any place."""

    rows: SortedParts
    parts: PartUnevenness

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        return self._between(starts, stops).plus(self.parts.of_boxes(starts, stops))

    def _between(self, starts: Floats, stops: Floats) -> Uneven:
        """On one axis a box has two ends; on several it cuts the curve in many pieces."""
        if starts.shape[1] > 1:
            return of_each(self._of_shares, cell_weights(self.parts.layout, starts, stops))
        last = self.parts.layout.domain.shape[0]
        unknown = 1.0 * (starts[:, 0] > 0) + (stops[:, 0] < last)
        return self._of_unknown(np.where(stops[:, 0] > starts[:, 0], unknown, 0.0))

    def of_weights(self, weights: Any) -> Uneven:
        rows = as_rows(weights)
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return self._of_shares(dense).plus(self.parts.of_weights(rows))

    def of_values(self, values: PartValues) -> Uneven:
        changes = np.diff(values.mean[self.rows.order]) ** 2
        between = self._of_unknown(changes.sum(keepdims=True))._replace(most=np.full(1, np.inf))
        return between.plus(self.parts.of_values(values))

    def _of_shares(self, shares: Floats) -> Uneven:
        """A sum over parts is one over the rows below their edges, by how much shares change there.
        What lies at the edges in one group is at most that group."""
        changes = np.diff(shares[:, self.rows.order]) ** 2
        if not changes.size:
            return Uneven.none(len(shares))
        firsts = np.flatnonzero(np.diff(self.rows.groups, prepend=-1))
        unknown = np.minimum(np.add.reduceat(changes, firsts, axis=1), 1).sum(axis=1)
        partly = (shares.max(axis=1) > 0) & (shares.min(axis=1) < 1)
        return self._of_unknown(np.where(partly, np.maximum(unknown, 1.0), 0.0))

    def _of_unknown(self, places: Floats) -> Uneven:
        """The rows below a place are known to half a group, even without noise, unless it is an end
        of the list."""
        zero = np.zeros(len(places))
        variance = places * (self.rows.longest / 2) ** 2
        return Uneven(variance, zero, np.full(len(places), float(self.rows.rows)), zero)
