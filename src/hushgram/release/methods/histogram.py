"""The protocol of scikit-hep's Unified Histogram Interface, so that hist and mplhep plot it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    from hushgram.release.uhi import PlottableAxis


class UnifiedHistogram(Record):
    """The protocol of scikit-hep's Unified Histogram Interface, so that hist and mplhep plot it."""

    @property
    def kind(self) -> str:
        """The kind of numbers: counts."""
        return "COUNT"

    @property
    def axes(self) -> tuple[PlottableAxis, ...]:
        """The axes in the form that hist and mplhep read."""
        from hushgram.release.uhi import plottable

        return tuple(plottable(self.grid, place) for place in range(len(self.domain)))

    def values(self, flow: bool = False) -> Floats:
        """The count of each cell of the grid. There are no overflow bins, whatever ``flow`` is."""
        return np.asarray(self.estimate.values, dtype=np.float64).reshape(self.grid.shape)

    def counts(self, flow: bool = False) -> Floats:
        """The same as `values`."""
        return self.values()

    def variances(self, flow: bool = False) -> Floats:
        """The variance of each cell's noise."""
        return self.estimate.variances().reshape(self.grid.shape)
