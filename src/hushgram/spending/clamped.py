"""Sums and means whose bounds nobody knows: found first, and what clamping takes is allowed for.

A quarter of epsilon finds bounds, as `hushgram.find_bounds` does. An eighth counts the rows beyond
them, in wider and wider bins to either side. Bounds are moved outwards to the last bin that has
more rows than noise explains; values beyond count as the nearest bound. How far out these lie
cannot be told without telling about single rows. The interval allows for `FURTHER` times the
distance between the bounds on average, which covers the tails of most columns, and Pareto's above
α = 1.5; the answer says how many rows lie beyond. The rest is spent on the sum or mean.
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
"""The shares of epsilon for bounds, and for the number of rows beyond."""

WIDER = (0.5, 2.0, 8.0, 64.0, 2.0**12, 2.0**24)
"""How far beyond the bounds rows are counted apart, in distances between the bounds."""

SURE = 0.999
"""How sure it is that the rows of a bin are not noise, before bounds are moved there."""

FURTHER = 2.0
"""How much further out the rows beyond can lie on average, in distances between the bounds."""

ZERO = 2.0**-64
"""Values as close to 0 count as 0 when bounds are found. If all bounds lie there, they say nothing
of how large the few other values can be."""

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
    """The edges of the bins below and above, in order. One is 0, since many columns end there.

    >>> below, above = edges_beyond(1.0, 5.0)
    >>> below[-3:], above[:3]
    ([-7.0, -1.0, 0.0], [7.0, 13.0, 37.0])
    """
    apart = [0.0, *(away * (high - low) for away in WIDER)]
    below = {-FAR, min(low, 0.0), *(low - one for one in apart)} - {low}
    above = {FAR, max(high, 0.0), *(high + one for one in apart)} - {high}
    return sorted(x for x in below if x >= -FAR), sorted(x for x in above if x <= FAR)


class Outer(NamedTuple):
    """Bounds that were moved outwards, and what is known of the rows beyond."""

    low: float
    high: float
    beyond: Beyond


def move_outwards(counted: Measurement, home: int) -> Outer | None:
    """Bounds around all bins with more rows than noise explains, and the ``home`` bin between the
    bounds that were found; None if these include the first or the last bin, which are boundless."""
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
