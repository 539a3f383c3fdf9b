"""Joint noise: its exact distribution, and many draws at once. NONPRIVATE."""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.trusted.noise import Native
from hushgram.trusted.noise.nested import NestedLaw


class ExactLaw:
    """The distribution of the leaves' noise by its definition, from the tables, without any
    rounding: (4) and (5) of ``docs/proofs/nested-counts.md``, then sinh between multiples."""

    def __init__(self, law: NestedLaw) -> None:
        self.law = law
        self.ring = law.ring
        self.own = [self.factors(node) for node in range(len(law.right))]

    def table(self, node: int) -> list[Fraction]:
        row = self.law.tables[self.law.alike[node]]
        return [Fraction(row[min(k, self.ring - k)]) for k in range(self.ring)]

    def factors(self, node: int) -> list[Fraction]:
        """Return a node's factor in a likelihood, for each place: for inner nodes, its table
        divided by the sum over its halves; for leaves, its table divided by the sum over the
        numbers at that place."""
        table, ring = self.table(node), self.ring
        if self.law.right[node]:
            low, high = self.table(node + 1), self.table(int(self.law.right[node]))
            both = [sum(low[j] * high[k - j] for j in range(ring)) for k in range(ring)]
            return [one / other for one, other in zip(table, both, strict=True)]
        decay = Fraction(float(self.law.decays[node]))
        return [
            one * (1 - decay**ring) / (decay**k + decay ** (ring - k))
            for k, one in enumerate(table)
        ]

    def multiples(self, z: tuple[int, ...]) -> Fraction:
        """Return the likelihood of multiples of the spacing, up to a constant."""
        found, waiting = Fraction(1), list(z)
        totals: dict[int, int] = {}
        for node in range(len(self.law.right) - 1, -1, -1):
            upper = int(self.law.right[node])
            if upper:
                totals[node] = totals[node + 1] + totals[upper]
            else:
                totals[node] = waiting.pop()
                found *= Fraction(float(self.law.decays[node])) ** abs(totals[node])
            found *= self.own[node][totals[node] % self.ring]
        return found

    def leaves(self, z: tuple[int, ...]) -> Decimal:
        """Return the likelihood of integers, up to a constant: the sum over all neighbouring
        multiples, by sinh."""
        spacing = self.law.spacing
        if spacing == 1:
            return as_decimal(self.multiples(z))
        total = Decimal(0)
        for near in itertools.product(*((k // spacing, k // spacing + 1) for k in z)):
            share = Decimal(1)
            for k, multiple in zip(z, near, strict=True):
                share *= sinh(self.law.cost * (spacing - abs(k - spacing * multiple)))
            if share:
                total += share * as_decimal(self.multiples(near))
        return total


def as_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def sinh(x: Fraction) -> Decimal:
    grown = as_decimal(x).exp()
    return (grown - 1 / grown) / 2


def largest_loss(law: NestedLaw) -> Decimal:
    """Return the largest change of the logarithm of a probability by one row: near zero, half a
    ring away, and beyond it, in every combination of leaves."""
    with localcontext() as context:
        context.prec = 60
        exact = ExactLaw(law)
        spacing, reach = law.spacing, law.ring * law.spacing
        values = [-reach - 1, -reach // 2, -1, 0, spacing, reach // 2 - 1, reach // 2]
        worst = Decimal(0)
        for z in itertools.product(values, repeat=len(law.leaves)):
            here = exact.leaves(z)
            for leaf in range(len(z)):
                moved = exact.leaves((*z[:leaf], z[leaf] + 1, *z[leaf + 1 :]))
                worst = max(worst, abs((moved / here).ln()))
        return worst


class Repeated(Native):
    """Draws joint noise for many runs in one call, a row for each."""

    def __init__(self, runs: int) -> None:
        self.runs = runs

    def add_nested_laplace(self, values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
        law = copies_of(NestedLaw.of(right, weights, scale), self.runs)
        return np.asarray(values + law.draw().reshape(self.runs, -1).astype(np.int64))


def copies_of(law: NestedLaw, copies: int) -> NestedLaw:
    """Return the distribution for this many independent copies of a forest."""
    size = len(law.right)
    offsets = np.repeat(np.arange(copies) * size, size)
    right = np.tile(law.right, copies)
    return replace(
        law,
        right=np.where(right > 0, right + offsets, 0),
        is_root=np.tile(law.is_root, copies),
        leaves=np.flatnonzero(right == 0),
        decays=np.tile(law.decays, copies),
        alike=np.tile(law.alike, copies),
    )
