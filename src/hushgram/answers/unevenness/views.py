"""Unevenness within the parts of a view, from that of the viewed parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.unevenness.base import (
    PartValues,
    Uneven,
    Unevenness,
    cell_weights,
    of_each,
)
from hushgram.answers.unevenness.rows import ROUNDING, as_rows
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.inference.view import View


@dataclass(frozen=True, eq=False)
class ViewUnevenness(Unevenness):
    """The effect of unevenly spread rows within the parts of a view."""

    view: View
    below: Unevenness
    layout: Boxed

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        layout: Boxed = self.layout
        ends = starts, stops
        for view in self.view.chain:
            if not (view.keeps_boxes and isinstance(layout, Lattice)):
                return of_each(self.of_weights, cell_weights(self.layout, starts, stops))
            cuts = [layout.cuts(axis) for axis in range(len(layout.domain))]
            ends, layout = view.locate_boxes(cuts, *ends), view.source
        return self.below.of_boxes(*ends)

    def of_weights(self, weights: Any) -> Uneven:
        """The effect if all viewed parts of a cut part are cut in the same proportion."""
        return self.below.of_weights(as_rows(weights) @ self.view.rows)

    def of_values(self, values: PartValues) -> Uneven:
        """The effect on the viewed parts, which have shares in parts of the view; elsewhere g is
        0."""
        entries = self.view.rows.tocoo()
        shares, parts, own = entries.data, entries.row, entries.col
        below = PartialSums(own, entries.shape[1])
        mean = below.add(shares * values.mean[parts])
        square = values.variance[parts] + (values.mean[parts] - mean[own]) ** 2
        outside = np.maximum(1 - below.add(shares), 0)
        nothing = np.where(outside > ROUNDING, 0.0, np.inf)
        return self.below.of_values(
            PartValues(
                mean,
                below.add(shares * square) + outside * mean**2,
                below.least(values.lowest[parts], nothing),
                -below.least(-values.highest[parts], nothing),
            )
        )


class PartialSums(NamedTuple):
    """Entries that belong to parts."""

    parts: Ints
    size: int

    def add(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.parts, values, self.size), dtype=np.float64)

    def least(self, values: Floats, start: Floats) -> Floats:
        found = start.copy()
        np.minimum.at(found, self.parts, values)
        return found
