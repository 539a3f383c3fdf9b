"""The median of an ordered axis, with noise calibrated to the table."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Grid, Ints
from hushgram.queries import SmoothMedian
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.ranked import Ranked, smooth_spread
from hushgram.trusted.vault.sensitivity import Sensitivity

SHIFT, RATE = Fraction(60, 61) * Fraction(21, 29), Fraction(60, 61) * Fraction(20, 29)
"""Shares of epsilon for moving the median and for changing its noise. Their squares add up, as the
legs of a right triangle, not the shares themselves."""

STEPS = 1 << 20
"""Steps of the noise per half an index. The index of a row is a whole number of steps."""


class SmoothMedianOperation:
    proof: ClassVar[str] = "smooth-median"
    additive: ClassVar[bool] = False

    def check(self, query: SmoothMedian, domain: Domain) -> None:
        if len(domain) != 1 or not domain.axes[0].ordered or domain.axes[0].other:
            raise DomainError(
                "A median needs exactly one axis with an order that counts every row. "
                'Declare one numeric or date axis, with outside="drop" or "clamp".'
            )
        Grid.of_cells(domain)

    def sensitivity(self, query: SmoothMedian, table: Sensitivity) -> int:
        return table.counts

    def count(self, query: SmoothMedian, table: Table, domain: Domain) -> Ints:
        """Return the counts of all cells."""
        return table.count(Grid.of_cells(domain))

    def perturb(self, query: SmoothMedian, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Return twice the index of the noisy median, clamped to the axis.

        Noise is added in steps, so that it can be much smaller than an index if many rows share the
        median. The sum is rounded.
        """
        ranked = Ranked(exact)
        spread = smooth_spread(ranked, SHIFT / scale / STEPS, RATE / scale)
        noisy = ranked.median_twice * STEPS + noise.discrete_cauchy(spread)
        nearest = (noisy + STEPS // 2) // STEPS
        return np.array([min(max(nearest, 0), 2 * ranked.highest)])

    def answer(self, query: SmoothMedian, noisy: Ints, scale: Fraction) -> Fraction:
        return Fraction(int(noisy[0]), 2)
