"""Sums and means of a measured column by area.

An area contains a share of each part's rows and of their values, like a range that cuts parts
(`hushgram.answers.tables.magnitudes`), with the shares that polygons cover.
"""

from __future__ import annotations

import numpy as np

from hushgram.answers.answer import Widths
from hushgram.answers.areas.counting import AreaSums
from hushgram.answers.tables.magnitudes import Magnitudes, RowsKnown, means_of, sums_of
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Floats
from hushgram.mechanisms.measured import Measured


def magnitudes_of_areas(
    counts: AreaSums, measured: Measured, kind: str, confidence: float
) -> Magnitudes:
    """The ``"sum"`` or the ``"mean"`` of each area."""
    added = AreaSums(measured.estimate, counts.weights)
    own = noise_width(measured.estimate, added.spread, confidence)
    amount = measured.amount
    uneven = uneven_width(counts.uneven, confidence, counts.values)
    mixed = (amount.high - amount.low) * rows_cut(counts) + amount.reach(measured.centre) * uneven
    rows = RowsKnown(
        counts.values, counts.widths(confidence), added.values, Widths(own, truth_width(own, mixed))
    )
    return (sums_of if kind == "sum" else means_of)(measured, rows)


def rows_cut(counts: AreaSums) -> Floats:
    """The sum over all parts that an area cuts of their rows times the shares inside and outside,
    plus as many as noise can hide."""
    inside = counts.weights - counts.weights**2
    cut = AreaSums(counts.estimate, inside)
    return np.asarray(np.maximum(cut.values, 0) + 2 * np.sqrt(cut.spread.variance))
