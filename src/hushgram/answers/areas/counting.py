"""Counts and shares of areas, with intervals.

An area covers a share of each part, from 0 to 1: its count is a weighted sum of parts, like that of
a box. Its noise follows from the inference, and the error due to unevenly spread rows in parts cut
by the border from `hushgram.answers.unevenness`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.answers.answer import Widths
from hushgram.answers.areas.overlap import BoxTree
from hushgram.answers.areas.placing import AreasOnAxes, Plane
from hushgram.answers.counting.intervals import Spread, half_width, kurtosis_of
from hushgram.answers.counting.question import Question
from hushgram.answers.tables.middles import product, shares_of
from hushgram.answers.tables.olap import covariances
from hushgram.answers.unevenness.base import Uneven
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.parts import A_ROW
from hushgram.answers.unevenness.rows import count_entries, row_sums
from hushgram.answers.unevenness.widths import noise_width, truth_width, uneven_width
from hushgram.declare.axis import Floats
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Boxed
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.base import MAX_ROWS
from hushgram.mechanisms.inference.weights import Matrix, membership, sum_powers

MAX_DENSE = 1 << 25
"""The most weights, including zeros, that are processed together."""


def area_weights(
    layout: Boxed, placed: AreasOnAxes, plane: Plane, where: Question, areas: int
) -> Matrix:
    """The matrix areas x parts of the share of each part in each area and in ``where``."""
    named = sorted({plane.across, plane.up} & {*where})
    if named:
        raise QuestionError(
            f"The areas already determine which rows of {named[0]!r} are counted. Remove "
            "it from where."
        )
    lower, upper = layout.boxes()
    names = layout.domain.names
    axes = [names.index(plane.across), names.index(plane.up)]
    if len(names) == 2:
        return BoxTree.of(lower[:, axes], upper[:, axes]).cover(placed.rings, areas)
    sides = np.concatenate([lower[:, axes], upper[:, axes]], axis=1)
    boxes, place = np.unique(sides, axis=0, return_inverse=True)
    covered = BoxTree.of(boxes[:, :2], boxes[:, 2:]).cover(placed.rings, areas)
    others = product(layout, shares_of(layout, where))
    found = covered @ membership(place.reshape(-1), others).T.tocsr()
    found.eliminate_zeros()
    return found


@dataclass(frozen=True, eq=False)
class AreaSums:
    """Weighted sums of an estimate's parts, one per area."""

    estimate: Estimate
    weights: Matrix

    @cached_property
    def values(self) -> Floats:
        return np.asarray(self.weights @ np.asarray(self.estimate.values, dtype=np.float64))

    def widths(self, confidence: float) -> Widths:
        """Half the widths of the intervals of the counts."""
        noise = noise_width(self.estimate, self.spread, confidence)
        uneven = uneven_width(self.uneven, confidence, self.values)
        return Widths(noise, truth_width(noise, uneven))

    def shares(self, confidence: float) -> tuple[Floats, Widths]:
        """Each count as a share of all rows of the release, and half the widths of its intervals;
        NaN if all rows could be noise."""
        estimate, everything = self.estimate, np.ones(len(self.estimate.values))
        total, variance = (
            float(estimate.values.sum(dtype=np.float64)),
            estimate.moments(everything)[0],
        )
        if not total > float(half_width(Spread(variance, None), confidence)):
            unknown = np.full(len(self.values), np.nan)
            return unknown, Widths(unknown, unknown)
        shares = self.values / total
        own = self.spread.variance
        if estimate.inference.is_linear:
            with_all = self.weights @ covariances(estimate, everything)
            noise = np.maximum(own - 2 * shares * with_all + shares**2 * variance, 0)
        else:  # an upper bound
            noise = (np.sqrt(own) + np.abs(shares) * variance**0.5) ** 2
        width = noise_width(estimate, Spread(noise, None), confidence)
        whole = uneven_width(unevenness_of(estimate).of_weights(everything), confidence)[0]
        uneven = uneven_width(self.uneven, confidence, self.values) + np.abs(shares) * whole
        return shares, Widths(width / total, truth_width(width, uneven) / total)

    @cached_property
    def spread(self) -> Spread:
        """The noise of the counts, and its shape if each part was counted once."""
        inference, measurements = self.estimate.inference, self.estimate.measurements
        found = np.concatenate(
            [inference.viewed.row_variances(rows, measurements) for rows in self._below()]
        )
        if not inference.is_direct:
            return Spread(found, None)
        ones, squares, fourths = (sum_powers(self.weights, power) for power in (1, 2, 4))
        largest = self.weights.max(axis=1).toarray().reshape(-1)
        whole = squares >= ones * (1 - 1e-12)
        return Spread(found, kurtosis_of(squares, fourths), largest, whole)

    @cached_property
    def uneven(self) -> Uneven:
        """The effect of unevenly spread rows on the counts. It is at least one row if any part is
        cut."""
        evidence = unevenness_of(self.estimate)
        each = [evidence.of_weights(rows) for rows in self._some()]
        found = Uneven(*(np.concatenate(column) for column in zip(*each, strict=True)))
        cut = row_sums(self.weights - self.weights**2) > 0
        cut |= count_entries(self.weights) == 0  # too small for a share
        return found._replace(
            variance=np.where(cut, np.maximum(found.variance, A_ROW**2), found.variance),
            most=np.where(cut, np.maximum(found.most, 1.0), found.most),
        )

    def _some(self) -> Iterator[Matrix]:
        """The weights of a batch of areas at a time."""
        sorted_rows = self.estimate.inference.viewed.sorted_parts() is not None
        fit = max(MAX_DENSE // self.weights.shape[1], 1) if sorted_rows else MAX_ROWS
        for first in range(0, self.weights.shape[0], min(fit, MAX_ROWS)):
            yield self.weights[first : first + min(fit, MAX_ROWS)]

    def _below(self) -> Iterator[Matrix]:
        """The weights of each batch on the parts below all views."""
        view = self.estimate.inference.view
        yield from (rows @ view.rows if view else rows for rows in self._some())
