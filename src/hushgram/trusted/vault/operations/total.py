"""The number of rows in the domain, with discrete Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Ints
from hushgram.queries import NoisyTotal, Total
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class TotalOperation:
    proof: ClassVar[str] = "total"
    additive: ClassVar[bool] = True

    def check(self, query: Total, domain: Domain) -> None:
        """Accept every domain."""

    def sensitivity(self, query: Total, table: Sensitivity) -> int:
        return table.total

    def count(self, query: Total, table: Table, domain: Domain) -> Ints:
        """Count the coarsest grid and add its parts: there is one, and one for each "other"
        index."""
        coarsest = table.count(Grid(domain, (1,) * len(domain)))
        return np.array([coarsest.sum()], dtype=np.int64)

    def perturb(self, query: Total, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Add noise, unless the scale is zero: then the number is public."""
        return noise.add_discrete_laplace(exact, scale) if scale else exact

    def answer(self, query: Total, noisy: Ints, scale: Fraction) -> NoisyTotal:
        return NoisyTotal(int(noisy[0]), variance(scale) if scale else 0.0, scale)
