"""Sums of amounts around a public centre, each with independent discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement, PartSums
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class PartSumsOperation:
    proof: ClassVar[str] = "part-sums"
    additive: ClassVar[bool] = True

    def check(self, query: PartSums, domain: Domain) -> None:
        if query.partition.domain != domain:
            raise BadInput("The partition belongs to a different domain than the vault's.")
        if (
            type(query.centre) is not int
            or not query.amount.low <= query.centre <= query.amount.high
        ):
            raise BadInput(
                "A centre must be a whole number of steps between the bounds of the amount."
            )

    def sensitivity(self, query: PartSums, table: Sensitivity) -> int:
        """Return how far one unit moves the sums. A row moves only its own part, by its distance
        from the centre."""
        return table.sums(query.amount, query.centre)

    def count(self, query: PartSums, table: Table, domain: Domain) -> Ints:
        found = table.add_up(query.partition, query.amount)
        return found.above - (query.centre - query.amount.low) * found.rows

    def perturb(self, query: PartSums, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        return noise.add_discrete_laplace(exact, scale)

    def answer(self, query: PartSums, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.partition, noisy, variance(scale), scale)
