"""Sums and means whose bounds nobody knows: found first, and what clamping takes is allowed for.

A quarter of epsilon finds bounds, as `hushgram.find_bounds` does. Values beyond count as the
nearest bound; an eighth counts these rows, below and above. How far out they lie cannot be told
without telling about single rows. The interval allows for `FURTHER` times the distance between the
bounds on average, which covers the tails of most columns, and Pareto's from α = 2 on; the answer
says how many rows lie beyond. The rest is spent on the sum or mean.
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
"""The shares of epsilon for bounds, and for the number of rows beyond."""

FURTHER = 1.0
"""How much further out the rows beyond can lie on average, in distances between the bounds."""

FAR = 2.0**65
"""Further than any value is looked for."""


def add_clamped(
    table: Table, budget: BudgetPool, domain: Domain, kind: type[Sum], spending: Spending
) -> NoisyAmount | None:
    """A sum or mean of the column of a domain on which every row has its place."""
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
    """The rows below and above, and the variance of the noise."""
    counted = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
    below, _, above = counted.values.tolist()
    return below, above, counted.variance
