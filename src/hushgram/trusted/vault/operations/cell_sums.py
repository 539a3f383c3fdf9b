"""The sums of groups of each cell's sorted rows, each with independent discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import CellSums, Measurement
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class CellSumsOperation:
    proof: ClassVar[str] = "cell-sums"
    additive: ClassVar[bool] = True

    def check(self, query: CellSums, domain: Domain) -> None:
        if query.cells.domain != domain:
            raise BadInput("The cells belong to a different domain than the vault's.")
        if not query.cells.size:
            raise BadInput("No cell has a list of sorted rows. Ask for counts instead.")

    def sensitivity(self, query: CellSums, table: Sensitivity) -> int:
        """Return how far one unit moves the sums. Adding or removing a row moves its cell's list by
        the length of the cell. A replaced row may leave one cell and enter another, so it moves two
        lists, as for counts."""
        return table.counts * query.cells.span

    def count(self, query: CellSums, table: Table, domain: Domain) -> Ints:
        found = table.occupied_cells(query.cells.inside.raster)
        return query.cells.sums(found.cells, found.rows)

    def perturb(self, query: CellSums, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        return noise.add_discrete_laplace(exact, scale)

    def answer(self, query: CellSums, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.cells, noisy, variance(scale), scale)
