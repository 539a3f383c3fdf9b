"""The boundaries of groups of adjacent cells, chosen by the exponential mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Cuts, Ints
from hushgram.queries import Boundaries
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity


class BoundariesOperation:
    """Boundaries are chosen from the last to the first, each with an equal share of the budget."""

    proof: ClassVar[str] = "boundaries"
    additive: ClassVar[bool] = False

    def check(self, query: Boundaries, domain: Domain) -> None:
        from hushgram.queries.boundary_limits import fits_64_bits, max_groups

        if query.grid.domain != domain or len(domain) != 1:
            raise BadInput("Boundaries need a grid of the vault's domain, with one axis.")
        for value in (query.groups, query.bound):
            if type(value) is not int:  # numpy integers overflow 64 bits silently
                raise BadInput(f"groups and bound must be whole numbers. Found {value!r}.")
        cells = query.grid.slices[0]
        if not 2 <= query.groups <= cells:
            raise BadInput(
                f"The number of groups must be from 2 to {cells}, the number of cells. Found "
                f"{query.groups}."
            )
        if query.bound < 1 or not fits_64_bits(cells, query.bound):
            raise BadInput(f"{query.bound} is not a possible bound on the counts of {cells} cells.")
        if query.groups > max_groups(cells):
            raise BadInput(f"{query.groups} groups of {cells} cells take too long to compute.")

    def sensitivity(self, query: Boundaries, table: Sensitivity) -> int:
        """Return how far the score of any boundary moves: (2 · bound - 1) for each row."""
        from hushgram.queries.boundary_limits import SCALE

        return SCALE * (2 * query.bound - 1) * table.counts

    def count(self, query: Boundaries, table: Table, domain: Domain) -> Ints:
        """Return the counts of the cells without "other", limited to the public bound."""
        return np.minimum(table.count(query.grid)[: query.grid.slices[0]], query.bound)

    def perturb(self, query: Boundaries, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Return the cell at which each group starts."""
        from hushgram.trusted.vault.scores.boundaries import errors_until, least_errors

        boundaries = query.groups - 1
        rate = 1 / (2 * boundaries * scale)
        least = least_errors(exact, boundaries)
        starts = np.zeros(query.groups, dtype=np.int64)
        stop = len(exact)
        for before in range(boundaries, 0, -1):
            errors = least[before, before:stop] + errors_until(exact, stop)[before:]
            stop = before + noise.exponential(-errors, rate)
            starts[before] = stop
        return starts

    def answer(self, query: Boundaries, noisy: Ints, scale: Fraction) -> Cuts:
        return Cuts(query.grid.domain, (query.grid.cuts(0)[noisy],))
