"""The number of rows in every part, each with independent discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement, PartCounts
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class CountsOperation:
    proof: ClassVar[str] = "counts"
    additive: ClassVar[bool] = True

    def check(self, query: PartCounts, domain: Domain) -> None:
        if query.partition.domain != domain:
            raise BadInput("The partition belongs to a different domain than the vault's.")

    def sensitivity(self, query: PartCounts, table: Sensitivity) -> int:
        return table.counts

    def count(self, query: PartCounts, table: Table, domain: Domain) -> Ints:
        return table.count(query.partition)

    def perturb(self, query: PartCounts, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        return noise.add_discrete_laplace(exact, scale)

    def answer(self, query: PartCounts, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.partition, noisy, variance(scale), scale)
