"""The sums of groups of the sorted rows, each with independent discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement, SortedSums
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class SortedSumsOperation:
    proof: ClassVar[str] = "sorted-sums"
    additive: ClassVar[bool] = True

    def check(self, query: SortedSums, domain: Domain) -> None:
        if query.groups.domain != domain:
            raise BadInput("The groups belong to a different domain than the vault's.")

    def sensitivity(self, query: SortedSums, table: Sensitivity) -> int:
        """Return how far one unit moves the sums. The number of rows at or below each place except
        the last moves by ``below``, and the sums by as much per place."""
        return table.below * query.groups.span

    def count(self, query: SortedSums, table: Table, domain: Domain) -> Ints:
        """On one axis, count all cells; on several axes, find the occupied ones."""
        curve = query.groups.curve
        if len(domain) == 1:
            found = Occupied.among(curve.raster, table.count(curve.raster))
        else:
            found = table.occupied_cells(curve.raster)
        places = curve.places(found.cells)
        order = np.argsort(places, kind="stable")
        return query.groups.sums(places[order], found.rows[order])

    def perturb(self, query: SortedSums, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Add noise, unless the scale is zero: then there is a single cell, and every sum is
        publicly zero."""
        return noise.add_discrete_laplace(exact, scale) if scale else exact

    def answer(self, query: SortedSums, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.groups, noisy, variance(scale) if scale else 0.0, scale)
