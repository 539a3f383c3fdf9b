"""Counts of the leaves of a forest, with noise that is small in every node with a large weight."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement, NestedCounts
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class NestedCountsOperation:
    proof: ClassVar[str] = "nested-counts"
    additive: ClassVar[bool] = False

    def check(self, query: NestedCounts, domain: Domain) -> None:
        if query.nodes.domain != domain:
            raise BadInput("The nodes belong to a different domain than the vault's.")

    def sensitivity(self, query: NestedCounts, table: Sensitivity) -> int:
        """Return how far one unit moves the leaves' counts. The noise is calibrated to a row that
        moves one leaf by one, whatever nodes are above it."""
        return table.counts

    def count(self, query: NestedCounts, table: Table, domain: Domain) -> Ints:
        return table.count(query.nodes.nodes.leaves)

    def perturb(self, query: NestedCounts, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        nodes = query.nodes
        return noise.add_nested_laplace(exact, nodes.right, nodes.nodes.weights, scale)

    def answer(self, query: NestedCounts, noisy: Ints, scale: Fraction) -> Measurement:
        """Return a measurement with the scale and the variance that a leaf with all the weight
        would have."""
        return Measurement(query.nodes, noisy, variance(scale), scale)
