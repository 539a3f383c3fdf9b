"""What the values of all rows add up to, between public bounds.

The sum of a list of places that is padded with the last one tells how far the rows are below it,
all together and however many they are: with m places up to R,

    m R - Σ places = Σ (R - place)    over the rows,

as long as the table has at most m rows. The sum of values is the number of rows times the last
value, less that. Both parts are queries that the vault has anyway; the budget is divided between
them so that the noise of the sum is least. Proof: ``docs/proofs/direct.md``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hushgram.declare.axis import Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.queries import SortedSums, Total
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber

if TYPE_CHECKING:
    from hushgram.queries import Vault

LARGEST_SUM = 2**62
"""What a list of places adds up to, at the most: as much again is left for the noise."""

STEPS = 64
"""Steps in which the budget is divided between the two parts."""

SURE = 10.0
"""Standard deviations of noise that nobody meets."""

Summed = Integer | Interval | Regular
"""Axes whose values can be added up: those of an index are a multiple of it."""


def add_rows(vault: Vault) -> NoisyNumber:
    """The sum of the only axis over all rows, for the whole budget."""
    axis = summed_axis(vault.domain)
    span = axis.bins - 1
    last, step = value_of_index(axis, span), step_of(axis)
    share = count_share(abs(last), step * span)
    rows = vault.ask(Total(share * vault.remaining))
    length = LARGEST_SUM // max(span, 1)
    places = vault.ask(SortedSums(SortedGroups(vault.domain, length, length), vault.remaining))
    missing = length * span - int(places.values[0])
    terms = NoiseTerm(last, rows.variance), NoiseTerm(step, places.variance)
    most = max(rows.value, 0) + SURE * rows.variance**0.5
    blur = 0.0 if isinstance(axis, Integer) else step / 2 * most
    return NoisyNumber(rows.value * last - step * missing, terms, blur)


def count_share(count: float, places: float) -> Fraction:
    """The share of a budget for the number of rows, if the noise of both parts is to be least: with
    weights a and b and shares p and q, a² / p² + b² / q² is least at p : q = a^(2/3) : b^(2/3).

    >>> count_share(120, 120), count_share(0, 5)
    (Fraction(1, 2), Fraction(1, 64))
    """
    first, second = count ** (2 / 3), places ** (2 / 3)
    share = round(STEPS * first / (first + second)) if first + second else STEPS // 2
    return Fraction(min(max(share, 1), STEPS - 1), STEPS)


def summed_axis(domain: Domain) -> Summed:
    """The only axis, if its values can be added up."""
    axis = domain.axes[0]
    if len(domain) == 1 and isinstance(axis, Summed) and not axis.other:
        return axis
    raise DomainError(
        "A sum is of one numeric axis with equal bins, on which every row has its place. Declare "
        'Integer, Interval or Regular, with outside="drop" or "clamp".'
    )


def value_of_index(axis: Summed, index: int) -> int | float:
    """A whole number, or the middle of a bin."""
    return (
        axis.edge(index) if isinstance(axis, Integer) else axis.lo + (index + 0.5) * step_of(axis)
    )


def step_of(axis: Summed) -> int | float:
    return 1 if isinstance(axis, Integer) else axis.span / axis.bins
