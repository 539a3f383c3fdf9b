"""Signed sums of cells, each with independent discrete Laplace noise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import ContrastRows
from hushgram.geometry.partition import Grid, Ints
from hushgram.queries import Linear, Measurement
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.sensitivity import Sensitivity


class LinearOperation:
    proof: ClassVar[str] = "linear"
    additive: ClassVar[bool] = True

    def check(self, query: Linear, domain: Domain) -> None:
        if query.contrasts.domain != domain:
            raise BadInput("The contrasts belong to a different domain than the vault's.")

    def sensitivity(self, query: Linear, table: Sensitivity) -> int:
        """Return how far one unit moves the sums. A row moves each contrast that covers its cell by
        1, and no other."""
        contrasts = query.contrasts
        reach = [covering(contrasts.rows(a), n) for a, n in enumerate(contrasts.domain.shape)]
        return table.counts * math.prod(reach)

    def count(self, query: Linear, table: Table, domain: Domain) -> Ints:
        return query.contrasts.sums(table.count(Grid.of_cells(domain)))

    def perturb(self, query: Linear, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        return noise.add_discrete_laplace(exact, scale)

    def answer(self, query: Linear, noisy: Ints, scale: Fraction) -> Measurement:
        return Measurement(query.contrasts, noisy, variance(scale), scale)


def covering(rows: ContrastRows, indices: int) -> int:
    """Return the largest number of rows that cover one index of an axis. O(rows + indices).

    >>> covering(ContrastRows(np.array([0, 1]), np.array([2, 3]), np.array([2, 3])), 3)
    2
    """
    opened = np.bincount(rows.starts, minlength=indices + 1)
    closed = np.bincount(rows.stops, minlength=indices + 1)
    return int(np.cumsum(opened - closed).max())
