"""Weighted counts of nodes, each with independent discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Ints
from hushgram.queries import Measurement, NodeCounts
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class NodeCountsOperation:
    proof: ClassVar[str] = "node-counts"
    additive: ClassVar[bool] = True

    def check(self, query: NodeCounts, domain: Domain) -> None:
        if query.nodes.domain != domain:
            raise BadInput("The nodes belong to a different domain than the vault's.")

    def sensitivity(self, query: NodeCounts, table: Sensitivity) -> int:
        """Return how far one unit moves the counts. A row moves every node that contains its leaf
        by the node's weight, and no other."""
        return table.counts * query.nodes.cover

    def count(self, query: NodeCounts, table: Table, domain: Domain) -> Ints:
        return query.nodes.sums(table.count(query.nodes.leaves))

    def perturb(self, query: NodeCounts, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        return noise.add_discrete_laplace(exact, scale)

    def answer(self, query: NodeCounts, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.nodes, noisy, variance(scale), scale)
