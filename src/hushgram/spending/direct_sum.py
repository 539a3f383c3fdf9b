"""The sum and the mean of all rows, between bounds that are declared or were found.

The sum S = Σ (v - c) around a centre c and the number of rows N are separate queries. A mean is c +
S / N: best around the middle of the bounds, with half of the budget each. A sum is S + c N. Around
0 it does not need N, except to bound the effect of rounding. A budget ε that is divided optimally
between noise of sizes a and b leaves (a^(2/3) + b^(2/3))^(3/2) / ε. Proof:
``docs/proofs/direct.md``.

Counts have no rows with amounts. Instead, the rows' indices are listed, padded to a fixed length m
with the largest index R, and summed. The padding cancels out of the distance to R:

    m R - Σ places = Σ (R - place)    over the rows,

if there are at most m rows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Mean, Sum, finest_step
from hushgram.errors import DomainError
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.partition import Grid, Merged
from hushgram.queries import PartSums, SortedSums, Total
from hushgram.spending.noisy_amount import NoisyAmount

if TYPE_CHECKING:
    from hushgram.queries import Vault

LARGEST_SUM = 2**62
"""The largest sum of a list of indices, which leaves as much again for the noise."""

STEPS = 64
"""The budget is divided between the two queries in multiples of one over this."""

Summed = Integer | Interval | Regular
"""Axes whose values can be added up: they are linear in the index."""


def measure_of(kind: type[Sum], domain: Domain, *, whole: bool) -> Sum:
    """Return the measure that an axis declares. Values are rounded as little as possible, and not
    at all if the column's type says that they are ``whole`` numbers."""
    axis = summed_axis(domain)
    (column,) = domain.names
    if whole and isinstance(axis, Integer):
        return kind(column, axis.lo, axis.hi, step=1, outside=axis.outside)  # type: ignore[arg-type]
    step = finest_step(axis.lo, axis.hi)
    return kind(column, axis.lo, axis.hi, step=step, outside=axis.outside)  # type: ignore[arg-type]


def add_carried(vault: Vault, measure: Sum, *, exact: bool, rows: int = 1) -> NoisyAmount:
    """Add up an amount over all rows of a vault, for its whole budget. ``rows`` is the most rows of
    a unit that count."""
    amount = measure.amount
    centre, share = mean_plan(amount) if isinstance(measure, Mean) else sum_plan(amount, rows)
    if not share and not exact:
        share = Fraction(1, STEPS)
    count, variance = 0, 0.0
    if share:
        found = vault.ask(Total(share * vault.remaining))
        count, variance = found.value, found.variance
    everything = all_rows(vault.domain)
    above = vault.ask(PartSums(everything, amount, centre, vault.remaining))
    step = float(amount.step)
    return NoisyAmount(
        int(above.values[0]), above.variance, count, variance, step * centre, step,
        *measure.ends(exact=exact), 0.0 if exact else step / 2,
    )  # fmt: skip


def all_rows(domain: Domain) -> Grid | Merged:
    """Return a partition with a single part."""
    cells = Grid.of_cells(domain)
    return cells if cells.size == 1 else Merged(cells, np.zeros(cells.size, dtype=np.int64))


def mean_plan(amount: Amount) -> tuple[int, Fraction]:
    """Return the centre for a mean, and the share of the budget for the number of rows."""
    return amount.middle, Fraction(1, 2)


def sum_plan(amount: Amount, rows: int = 1) -> tuple[int, Fraction]:
    """Return the same for a sum: the centre with the least noise.

    >>> one = Amount("x", 0, 100, Fraction(1)), Amount("x", 90, 110, Fraction(1))
    >>> [sum_plan(amount) for amount in one]
    [(0, Fraction(0, 1)), (100, Fraction(53, 64))]
    """
    nearest = min(max(0, amount.low), amount.high)

    def noise(centre: int) -> float:
        sizes = rows * abs(centre), amount.reach_of(rows, centre)
        return sum((float(size) ** (2 / 3) for size in sizes), 0.0)

    centre = min((nearest, amount.middle), key=noise)
    if not centre:
        return 0, Fraction(0)
    return centre, count_share(rows * abs(centre), amount.reach_of(rows, centre))


def add_rows(vault: Vault) -> NoisyAmount:
    """Add up the only axis over all rows of counts, for the whole budget."""
    axis = summed_axis(vault.domain)
    span = axis.bins - 1
    last, step = value_of_index(axis, span), step_of(axis)
    share = count_share(abs(last), step * span)
    rows = vault.ask(Total(share * vault.remaining))
    length = LARGEST_SUM // max(span, 1)
    places = vault.ask(SortedSums(SortedGroups(vault.domain, length, length), vault.remaining))
    missing = length * span - int(places.values[0])
    return NoisyAmount(
        -missing, places.variance, rows.value, rows.variance, last, step,
        value_of_index(axis, 0), last, 0.0 if isinstance(axis, Integer) else step / 2,
    )  # fmt: skip


def count_share(count: float, places: float) -> Fraction:
    """Return the share of the budget for the number of rows that minimises the noise: with weights
    a and b and shares p and q, a² / p² + b² / q² is smallest at p : q = a^(2/3) : b^(2/3).

    >>> count_share(120, 120), count_share(0, 5)
    (Fraction(1, 2), Fraction(1, 64))
    """
    first, second = count ** (2 / 3), places ** (2 / 3)
    share = round(STEPS * first / (first + second)) if first + second else STEPS // 2
    return Fraction(min(max(share, 1), STEPS - 1), STEPS)


def summed_axis(domain: Domain) -> Summed:
    """Return the only axis, or raise if its values cannot be added up."""
    axis = domain.axes[0]
    if len(domain) == 1 and isinstance(axis, Summed) and not axis.other:
        return axis
    raise DomainError(
        "A sum or mean needs exactly one numeric axis with equal bins that counts every row. Use "
        'Integer, Interval or Regular, with outside="drop" or "clamp".'
    )


def value_of_index(axis: Summed, index: int) -> int | float:
    """Return the whole number at an index, or the middle of its bin."""
    return (
        axis.edge(index) if isinstance(axis, Integer) else axis.lo + (index + 0.5) * step_of(axis)
    )


def step_of(axis: Summed) -> int | float:
    return 1 if isinstance(axis, Integer) else axis.span / axis.bins
