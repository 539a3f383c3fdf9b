"""The expected error of a count inside one partition, by the equations of paper 004. NONPRIVATE.

A partition of ``size`` cells has a noisy count with a budget of ``second``; before that, each of
its cells got one with a budget of ``first``. A query adds up ``cells`` of them. Uniform estimation
takes its share of the partition's count; least squares combines both counts.

The expected absolute value of a sum of Laplace variables and a constant is an integral over its
characteristic function, E|X| = 2/π ∫ (1 - Re φ(t)) / t² dt over t > 0, so none of the paper's
equations needs to be simulated.

References
----------
Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through
multidimensional partitioning*, Transactions on Data Privacy 2014, Section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hushgram.errors import BadInput


class LaplaceTerms(NamedTuple):
    """A number of independent Laplace variables with one scale."""

    scale: float
    many: int


@dataclass(frozen=True)
class PartitionQuery:
    """A count of some cells of one partition.

    >>> query = PartitionQuery(size=11, cells=5, first=0.05, second=0.15)
    >>> round(query.smooth_bound(gamma=5), 2), round(query.least_squares_error(), 1)
    (28.03, 37.0)
    """

    size: int
    cells: int
    first: float
    """The budget of the cells, α₁."""
    second: float
    """The budget of the partition, α₂."""

    def __post_init__(self) -> None:
        if not 1 <= self.cells <= self.size:
            raise BadInput(
                f"A query must have 1 to {self.size} cells of its partition. Found {self.cells}."
            )
        if not (self.first > 0 and self.second > 0):
            raise BadInput(f"Budgets must be positive. Found {self.first} and {self.second}.")

    @property
    def fewer(self) -> int:
        """The smaller of the two parts into which the query cuts the partition."""
        return min(self.cells, self.size - self.cells)

    def smooth_bound(self, gamma: float) -> float:
        """Return the bound on the expected error of uniform estimation on γ-smooth counts (equation
        7)."""
        return gamma * self.fewer + self.cells / (self.second * self.size)

    def sharp_smooth_bound(self, gamma: float) -> float:
        """Return the same with the smallest constant: the worst case has cells of two kinds, γ
        apart, with an error of γ s (n - s) / n."""
        apart = gamma * self.cells * (self.size - self.cells) / self.size
        return expected_absolute(apart, [LaplaceTerms(self.cells / self.size / self.second, 1)])

    def smoothest(self, epsilon: float, delta: float) -> float:
        """Return the largest γ for which uniform estimation is (ε, δ)-useful (equation 6); negative
        if the noise alone is too large."""
        noise = self.cells * math.log(delta) / (self.second * self.size)
        return (
            (epsilon + noise) / self.fewer
            if self.fewer
            else math.copysign(math.inf, epsilon + noise)
        )

    def uniform_error(self, inconsistency: float) -> float:
        """Return the expected error of uniform estimation if both counts differ by η (equation
        8)."""
        return expected_absolute(inconsistency, [LaplaceTerms(1 / self.first, self.cells)])

    def least_squares_error(self, *, weighted: bool = False) -> float:
        """Return the expected error of least squares (equation 9), which assumes that both counts
        are equally accurate; with ``weighted``, weighted by their variances, as in Hushgram."""
        return expected_absolute(0.0, self.least_squares_noise(weighted=weighted))

    def least_squares_noise(self, *, weighted: bool = False) -> list[LaplaceTerms]:
        """Return the noise terms of least squares: of the partition, of the query's cells, of the
        others."""
        ratio = (self.second / self.first) ** 2 if weighted else 1.0
        pulled = self.cells * ratio / (1 + ratio * self.size)
        return [
            LaplaceTerms(pulled / self.second, 1),
            LaplaceTerms((1 - pulled) / self.first, self.cells),
            LaplaceTerms(pulled / self.first, self.size - self.cells),
        ]


def expected_absolute(shift: float, terms: Sequence[LaplaceTerms]) -> float:
    """Return E|shift + Σ Laplace|, to six digits.

    >>> round(expected_absolute(0.0, [LaplaceTerms(2.0, 1)]), 6), expected_absolute(-3.0, [])
    (2.0, 3.0)
    """
    from scipy.integrate import quad

    known = [term for term in terms if term.scale > 0 and term.many > 0]
    if not known:
        return abs(shift)
    unit = math.sqrt(shift**2 + sum(2 * term.many * term.scale**2 for term in known))

    def integrand(t: float) -> float:
        if t < 1e-4:
            return 0.5  # (1 - Re φ(t)) / t² for variance 1 and small t
        smooth = sum(term.many * math.log1p((term.scale * t / unit) ** 2) for term in known)
        return (1 - math.cos(shift * t / unit) * math.exp(-smooth)) / t**2

    edges = [0.0, 1.0, 4.0, 16.0, 64.0, 256.0]
    inside = sum(quad(integrand, low, high, limit=400)[0] for low, high in pairwise(edges))
    beyond = 1 / edges[-1]  # where φ is almost 0
    return float(2 / math.pi * unit * (inside + beyond))


def laplace_sum_density(many: int, at: float, alpha: float) -> float:
    """Return the density of the sum of Laplace variables with scale 1 / α (equation 2).

    >>> round(laplace_sum_density(1, 0.0, 0.5), 6)
    0.25
    """
    from scipy.integrate import quad

    def integrand(v: float) -> float:
        return float(v ** (many - 1) * (abs(at) + v / (2 * alpha)) ** (many - 1) * math.exp(-v))

    area = quad(integrand, 0, 40 + 8 * many, limit=400)[0]
    scale = many * math.log(alpha / 2) - 2 * math.lgamma(many) - alpha * abs(at)
    return float(math.exp(scale) * area)


def smoothness(counts: Any) -> float:
    """Return the smallest γ for which counts are γ-smooth: their largest difference (definition
    4.1).

    >>> smoothness([3, 5, 4])
    2.0
    """
    return float(np.ptp(np.asarray(counts, dtype=np.float64))) if np.size(counts) else 0.0


def useful_budget(cells: int, epsilon: float, delta: float) -> float:
    """Return the budget for which noise on every cell is (ε, δ)-useful for all counting queries
    (theorem 4.2).

    >>> round(useful_budget(9, 100, 0.05), 3)
    0.467
    """
    return cells * math.log(cells / delta) / epsilon
