"""Unevenness of rows that were sorted along an axis or a curve, and published as means of groups.

The mean of a group is known up to its noise, and all of its rows are between those of the adjacent
groups. So below a position that is certainly above the mean of a group are all rows of the groups
before it, and no rows of the groups after the next. The number of rows below a position is not
known more precisely, since many rows with the same value can be on either side. ::

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
    """The uncertainty of the number of rows below any position, from groups of sorted rows."""

    rows: SortedParts
    parts: PartUnevenness

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        return self._between(starts, stops).plus(self.parts.of_boxes(starts, stops))

    def _between(self, starts: Floats, stops: Floats) -> Uneven:
        """The effect of the ends of boxes: two on one axis; on several, a box cuts the curve into
        many pieces."""
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
        """The effect of the changes of shares between parts: a sum over parts is a sum over the
        rows below their edges, weighted by these changes. Changes within one group affect at most
        that group."""
        changes = np.diff(shares[:, self.rows.order]) ** 2
        if not changes.size:
            return Uneven.none(len(shares))
        firsts = np.flatnonzero(np.diff(self.rows.groups, prepend=-1))
        unknown = np.minimum(np.add.reduceat(changes, firsts, axis=1), 1).sum(axis=1)
        partly = (shares.max(axis=1) > 0) & (shares.min(axis=1) < 1)
        return self._of_unknown(np.where(partly, np.maximum(unknown, 1.0), 0.0))

    def _of_unknown(self, places: Floats) -> Uneven:
        """The effect of unknown positions: even without noise, the number of rows below a position
        is only known to half a group, except at the ends of the list."""
        zero = np.zeros(len(places))
        variance = places * (self.rows.longest / 2) ** 2
        return Uneven(variance, zero, np.full(len(places), float(self.rows.rows)), zero)
