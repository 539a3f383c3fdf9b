"""The sums of groups of the sorted rows, each with discrete Laplace noise of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.estimate import Measurement
from hushgram.partition import Grid, Ints
from hushgram.queries import SortedSums
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class SortedSumsOperation:
    proof: ClassVar[str] = "sorted-sums"
    additive: ClassVar[bool] = True

    def check(self, query: SortedSums, domain: Domain) -> None:
        if query.groups.domain != domain:
            raise BadInput("the groups are those of another domain than the vault's.")

    def sensitivity(self, query: SortedSums, table: Sensitivity) -> int:
        """The number of rows at or below each index but the last moves by ``below``, and the
        sums by as much per index."""
        return table.below * query.groups.span

    def look(self, query: SortedSums, table: Table, domain: Domain) -> Ints:
        return query.groups.sums(table.count(Grid.of_cells(domain)))

    def perturb(self, query: SortedSums, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """A scale of zero means a single cell: every sum is zero, as everybody knows."""
        return noise.add_discrete_laplace(exact, scale) if scale else exact

    def answer(self, query: SortedSums, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.groups, noisy, variance(scale) if scale else 0.0, scale)
