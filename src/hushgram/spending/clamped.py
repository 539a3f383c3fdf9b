"""Sums and means without declared bounds: find bounds first, and allow for the effect of clamping.

A quarter of epsilon finds bounds, as `hushgram.find_bounds` does. An eighth counts the rows beyond
them, in bins that get wider with the distance. Bounds then move outwards to the last bin with more
rows than noise explains, and values beyond them count as the nearest bound. Publishing how far
beyond they are would reveal single rows. The interval assumes that they are on average at most
`FURTHER` times the distance between the bounds beyond them, which covers the tails of most columns,
and Pareto tails from α = 1.5 on. The answer says how many rows are beyond. The rest of epsilon is
spent on the sum or mean.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hushgram.declare.axis import Axis, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum, finest_step
from hushgram.geometry.partition import Grid
from hushgram.queries import Measurement, PartCounts, Vault
from hushgram.spending.bounds import LADDERS, search
from hushgram.spending.charge import Spending
from hushgram.spending.direct_sum import add_carried
from hushgram.spending.noisy_amount import Beyond, NoisyAmount
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.vault.budget_pool import BudgetPool

FINDING, BEYOND = Fraction(1, 4), Fraction(1, 8)
"""The shares of epsilon for finding bounds, and for counting the rows beyond them."""

WIDER = (0.5, 2.0, 8.0, 64.0, 2.0**12, 2.0**24)
"""The edges of the outer bins: distances from the bounds, as multiples of their difference."""

SURE = 0.999
"""The confidence that the rows of a bin are not noise, before bounds move there."""

FURTHER = 2.0
"""The assumed average distance of rows beyond the bounds, as a multiple of the distance between the
bounds."""

ZERO = 2.0**-64
"""The search for bounds treats values this close to 0 as 0. Bounds this close say nothing about how
large the few other values can be."""

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
    if max(-low, high) <= ZERO:
        return None
    below, above = edges_beyond(low, high)
    bins = Domain({column: Variable((*below, low, high, *above), outside="clamp")})
    numbers = table.carrying([measure_between(kind, column, low, high).amount])
    vault = budget.open_vault(numbers, bins, epsilon * BEYOND)
    counted = vault.ask(PartCounts(Grid.of_cells(bins), vault.remaining))
    outer = move_outwards(counted, len(below))
    if outer is None:
        return None
    measure = measure_between(kind, column, outer.low, outer.high)
    rest = epsilon - epsilon * FINDING - epsilon * BEYOND
    vault = budget.open_vault(table.carrying([measure.amount]), domain, rest)
    answer = add_carried(vault, measure, exact=False, rows=spending.unit.rows)
    return replace(answer, beyond=outer.beyond)


def measure_between(kind: type[Sum], column: str, low: float, high: float) -> Sum:
    return kind(column, low, high, step=finest_step(low, high))


def edges_beyond(low: float, high: float) -> tuple[list[float], list[float]]:
    """Return the edges of the outer bins, below and above. One is 0: many columns end there.

    >>> below, above = edges_beyond(1.0, 5.0)
    >>> below[-3:], above[:3]
    ([-7.0, -1.0, 0.0], [7.0, 13.0, 37.0])
    """
    apart = [0.0, *(away * (high - low) for away in WIDER)]
    below = {-FAR, min(low, 0.0), *(low - one for one in apart)} - {low}
    above = {FAR, max(high, 0.0), *(high + one for one in apart)} - {high}
    return sorted(x for x in below if x >= -FAR), sorted(x for x in above if x <= FAR)


class Outer(NamedTuple):
    """Bounds after they moved outwards, and the rows beyond them."""

    low: float
    high: float
    beyond: Beyond


def move_outwards(counted: Measurement, home: int) -> Outer | None:
    """Return bounds around the ``home`` bin, between the bounds that were found, and around all
    bins with more rows than noise explains. None if the first or the last bin is one of these: they
    have no outer edge."""
    (axis,) = counted.partition.domain.axes
    noise = NoisyNumber(0, (NoiseTerm(1, counted.variance),)).interval(SURE)[1]
    full = [home, *np.flatnonzero(counted.values > noise).tolist()]
    first, last = min(full), max(full)
    if first == 0 or last == axis.bins - 1:
        return None
    below, above = counted.values[:first], counted.values[last + 1 :]
    low, high = float(axis.edge(first)), float(axis.edge(last + 1))
    rows, bins = (int(below.sum()), int(above.sum())), (len(below), len(above))
    return Outer(low, high, Beyond(*rows, counted.variance, FURTHER * (high - low), bins))
