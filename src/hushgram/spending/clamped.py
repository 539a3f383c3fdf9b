"""Sums and means without declared bounds: find bounds first, and allow for the effect of clamping.

A quarter of epsilon finds bounds, as `hushgram.find_bounds` does. Values beyond the bounds count as
the nearest bound, and an eighth of epsilon counts these rows, below and above. Publishing how far
beyond they are would reveal single rows. The interval assumes that they are on average at most
`FURTHER` times the distance between the bounds beyond them, which covers the tails of most columns,
and Pareto tails from α = 2 on. The answer says how many rows are beyond. The rest of epsilon is
spent on the sum or mean.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from hushgram.declare.axis import Axis, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum, finest_step
from hushgram.geometry.partition import Grid
from hushgram.queries import PartCounts, Vault
from hushgram.spending.bounds import LADDERS, search
from hushgram.spending.charge import Spending
from hushgram.spending.direct_sum import add_carried
from hushgram.spending.noisy_amount import Beyond, NoisyAmount

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.vault.budget_pool import BudgetPool

FINDING, BEYOND = Fraction(1, 4), Fraction(1, 8)
"""The shares of epsilon for finding bounds, and for counting the rows beyond them."""

FURTHER = 1.0
"""The assumed average distance of rows beyond the bounds, as a multiple of the distance between the
bounds."""

FAR = 2.0**65
"""Larger than every value that the search for bounds considers."""


def add_clamped(
    table: Table, budget: BudgetPool, domain: Domain, kind: type[Sum], spending: Spending
) -> NoisyAmount | None:
    """Compute a sum or mean of a column without declared bounds; None if no bounds are found. Every
    row must have an index in the domain."""
    (column,) = domain.names
    epsilon = spending.epsilon

    def open_vault(axis: Axis, part: Fraction) -> Vault:
        return budget.open_vault(table, Domain({column: axis}), part)

    found = search(open_vault, epsilon * FINDING, LADDERS["interval"], 1)
    if found is None:
        return None
    low, high = found.edge(0), found.edge(found.bins)
    measure = kind(column, low, high, step=finest_step(low, high))
    laden = table.carrying([measure.amount])  # without rows that have no number
    apart = Domain({column: Variable((-FAR, low, high, FAR), outside="clamp")})
    beyond = count_beyond(budget.open_vault(laden, apart, epsilon * BEYOND))
    vault = budget.open_vault(laden, domain, epsilon - epsilon * FINDING - epsilon * BEYOND)
    answer = add_carried(vault, measure, exact=False, rows=spending.unit.rows)
    return replace(answer, beyond=Beyond(*beyond, FURTHER * (high - low)))


def count_beyond(vault: Vault) -> tuple[int, int, float]:
    """Return the noisy number of rows below and above the bounds, and the variance of the noise."""
    counted = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
    below, _, above = counted.values.tolist()
    return below, above, counted.variance
