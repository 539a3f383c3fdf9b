"""Unevenness within parts that are boxes with independent counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from hushgram.answers.unevenness.base import PartValues, Uneven, Unevenness
from hushgram.answers.unevenness.clumping import Clumping, clumping_of
from hushgram.answers.unevenness.rows import (
    SURE,
    as_rows,
    clean,
    count_entries,
    farther_end,
    farthest,
    root,
)
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Lattice

CHUNK = 1 << 14
"""The number of queries that are processed together."""

A_ROW = 0.52
"""The smallest deviation if a part is cut: a 95 % interval of ± one row."""

CANCELLED = 1e-9
"""The share of two numbers up to which their difference is put down to rounding."""

LEAST = 1e-300
"""A lower limit for squared variances, which avoids division by zero."""


@dataclass(frozen=True, eq=False)
class PartUnevenness(Unevenness):
    """The effect of unevenly spread rows within boxes with independent counts."""

    layout: Boxed
    rows: Floats
    noise: Floats
    """The variance of each part's rows."""
    measured: bool = True
    """Whether the noise did not influence the positions of the parts, so neighbours are
    comparable."""

    @cached_property
    def clumping(self) -> Clumping:
        if not self.measured:
            return Clumping.largest(len(self.layout.domain))
        return clumping_of(self.layout, self.rows, self.noise)

    @cached_property
    def squares(self) -> Floats:
        """The square of each part's rows, minus its noise."""
        return np.asarray(self.rows**2 - self.noise)

    def of_boxes(self, starts: Floats, stops: Floats) -> Uneven:
        found = Uneven.none(len(starts))
        cutting = np.flatnonzero(self.may_cut(starts, stops))
        for first in range(0, len(cutting), CHUNK):
            chunk = cutting[first : first + CHUNK]
            for column, numbers in zip(
                found, self._of_chunk(starts[chunk], stops[chunk]), strict=True
            ):
                column[chunk] = numbers
        return found

    def may_cut(self, starts: Floats, stops: Floats) -> Any:
        """Which boxes may cut parts, because they do not end at slices."""
        if not isinstance(self.layout, Lattice):
            return np.ones(len(starts), dtype=bool)
        found = np.zeros(len(starts), dtype=bool)
        for axis in range(starts.shape[1]):
            cuts = self.layout.cuts(axis)
            for places in (starts[:, axis], stops[:, axis]):
                after = np.minimum(np.searchsorted(cuts, places), len(cuts) - 1)
                found |= cuts[after] != places
        return found

    def _of_chunk(self, starts: Floats, stops: Floats) -> Uneven:
        """The effect on boxes that may cut parts."""
        from hushgram.answers.unevenness.cut_walk import (
            FOURTHS,
            PARTS,
            PLAIN,
            ROOTS,
            ROWS,
            SQUARES,
        )

        sums, reach = self._cut_sums(starts, stops)
        variance, fourths = np.zeros((2, len(starts)))
        inside = np.maximum(reach[:, :2].sum(axis=1), 0)
        for axis, share in enumerate(self.clumping.shares):
            for side in (0, 1):
                here = sums[:, axis, side].T
                kappa = self.clumping.coherence_of(axis, here[PARTS])
                together = kappa * np.maximum(here[ROOTS] ** 2 - here[PLAIN], 0)
                own = share * here[SQUARES] + (1 - share) * np.maximum(here[ROWS], 0)
                # All parts of a side are cut at about the same place: c follows from √t c and t c.
                rows = here[ROOTS] ** 2 / np.maximum(here[ROWS], 1e-9)
                places = (starts, stops)[side][:, axis]
                grain = self.clumping.grain_variance(axis, places, np.minimum(rows, inside))
                variance += np.maximum(own, 0) + together + grain
                # Coherent parts are like a single one.
                fourths += share**4 * here[FOURTHS] + (kappa * together) ** 2 + grain**2
        alone = np.minimum(fourths / np.maximum(variance, 1e-9) ** 2, 1)
        most = reach[:, :2].max(axis=1) + SURE * np.sqrt(reach[:, 2])
        cut = sums[..., PARTS].any(axis=(1, 2))
        variance = np.where(cut, np.maximum(variance, A_ROW**2), 0.0)
        most = np.where(cut, np.maximum(most, 1.0), 0.0)
        return Uneven(variance, alone, most, np.zeros(len(starts)))

    @cached_property
    def _cut_sums(self) -> Callable[[Floats, Floats], tuple[Floats, Floats]]:
        """The function that finds the parts that boxes cut."""
        from hushgram.answers.counting.boxes_index import along_curve
        from hushgram.answers.unevenness.cut_walk import (
            cut_boxes,
            cut_slice_sums,
            cut_slices,
            cut_sums,
        )

        if isinstance(self.layout, Lattice):
            cuts = [self.layout.cuts(axis) for axis in range(len(self.layout.domain))]
            return partial(cut_slice_sums, cut_slices(cuts, self.rows, self.noise))
        order = np.argsort(along_curve(self.layout), kind="stable")
        boxes = cut_boxes(*self.layout.boxes(), order, self.rows, self.noise)
        return partial(cut_sums, boxes)

    def of_weights(self, weights: Any) -> Uneven:
        shares = as_rows(weights)
        return self._of_spread(clean(shares - shares**2), farther_end(shares))

    def of_values(self, values: PartValues) -> Uneven:
        return self._of_spread(values.variance[None], values.reach[None])

    def _of_spread(self, spread: Any, reach: Any) -> Uneven:
        """The effect, from the variance of g over each part and its largest distance from the mean.
        The side of a query that cuts a part is unknown here, so the largest clumping is used, and
        all parts are assumed to be cut by the same side."""
        if not spread.max():
            return Uneven.none(spread.shape[0])
        share = float(self.clumping.shares.max())
        own = share * (spread @ self.squares) + (1 - share) * (spread @ self.rows)
        plain, roots = spread @ self.rows**2, root(spread) @ self.rows
        kappa = self.clumping.coherence.max(axis=0)
        places = np.log2(np.maximum(count_entries(spread), 2)) - 1
        pairs = roots**2 - plain  # a single part has none: what is left then is rounding
        pairs = np.where(pairs > CANCELLED * plain, pairs, 0.0)
        together = pairs * np.interp(places, np.arange(len(kappa)), kappa)
        grain = np.zeros(spread.shape[0])
        if self.layout.size == self.layout.domain.cells:  # else bins may be whole inside of parts
            cut = (spread > 0).astype(np.float64) @ np.maximum(self.rows, 0)
            anywhere = np.full(len(cut), np.nan)
            grain = self.clumping.grain_variance(int(self.clumping.grains.argmax()), anywhere, cut)
        variance = np.maximum(own, 0) + together + grain
        fourths = share**4 * (spread**2 @ np.maximum(self.squares, 0) ** 2) + grain**2
        alone = np.minimum(fourths, variance**2) / np.maximum(variance**2, LEAST)
        most = farthest(reach, self.rows, self.noise)
        return Uneven(variance, alone, most, np.zeros(len(variance)))
