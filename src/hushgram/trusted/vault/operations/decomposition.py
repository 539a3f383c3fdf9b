"""PrivTree's decomposition: halve an axis again and again where rows are, and show the leaves.

What is private about it is not that each decision has noise, for a row lies in a node of every
depth, but that few nodes on its way down can notice it. See ``docs/proofs/decomposition.md``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.partition import Cuts, Ints
from hushgram.queries import Decomposition
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity

LN_2 = Fraction(69_314_718_056, 10**11)
"""Not less than ln 2, and more by 6e-14."""

LARGEST = 2**63 - 1


class DecompositionOperation:
    proof: ClassVar[str] = "decomposition"
    additive: ClassVar[bool] = False

    def check(self, query: Decomposition, domain: Domain) -> None:
        if query.grid.domain != domain:
            raise BadInput("the grid cuts another domain than the vault's.")
        if len(domain) != 1 or not domain.axes[0].ordered:
            raise BadInput("a decomposition halves one axis with an order.")
        threshold: Any = query.threshold
        if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < 0:
            raise BadInput(f"a threshold is a whole number of rows, not {threshold!r}.")

    def sensitivity(self, query: Decomposition, table: Sensitivity) -> int:
        return table.counts

    def look(self, query: Decomposition, table: Table, domain: Domain) -> Ints:
        return table.count(query.grid)

    def perturb(self, query: Decomposition, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Where the leaves start; an "other" index has no place in the tree."""
        slices = query.grid.slices[0]
        sums = np.concatenate([[0], np.cumsum(exact[:slices])])
        rule = SplitRule.calibrated(query.threshold, scale, fan_out=2)
        return np.sort(np.concatenate(list(leaves(sums, rule, noise))))

    def answer(self, query: Decomposition, noisy: Ints, scale: Fraction) -> Cuts:
        return Cuts(query.grid.domain, (query.grid.cuts(0)[noisy],))


@dataclass(frozen=True)
class SplitRule:
    """Split a node at depth d iff max(count - θ - d·decay, -floor) + noise > 0."""

    threshold: int
    noise: Fraction
    """The scale λ of the discrete Laplace noise."""
    floor: int

    @classmethod
    @lru_cache(maxsize=64)
    def calibrated(cls, threshold: int, scale: Fraction, fan_out: int) -> SplitRule:
        """The least noise and decay of the proof, for 1/ε per row of ``scale`` and a fan-out β
        that is a power of two: λ = (1 + β² / ((2β-1)(β²-1))) · scale, floor = ⌈λ ln β - 1/2⌉.

        >>> SplitRule.calibrated(0, Fraction(100), fan_out=2)
        SplitRule(threshold=0, noise=Fraction(1300, 9), floor=100)
        """
        square = fan_out**2
        noise = scale * (1 + Fraction(square, (2 * fan_out - 1) * (square - 1)))
        logarithm = (fan_out.bit_length() - 1) * LN_2
        return cls(threshold, noise, math.ceil(noise * logarithm - Fraction(1, 2)))

    @property
    def decay(self) -> int:
        return 2 * self.floor + 1

    def split(self, counts: Ints, depth: int, noise: Noise) -> npt.NDArray[np.bool_]:
        """Which nodes of one depth split. Both sides of the comparison are moved up by what makes
        the left one a count, so that nothing leaves 64 bits."""
        bar = self.threshold + depth * self.decay
        least = min(max(bar - self.floor, 0), LARGEST)
        noisy = noise.add_discrete_laplace(np.maximum(counts, least) - least, self.noise)
        return noisy > min(bar - least, LARGEST)


def leaves(sums: Ints, rule: SplitRule, noise: Noise) -> Iterator[Ints]:
    """The starts of the leaves of each depth, from the sums of the cells before each place.

    A node of one cell is a leaf; a longer one asks the rule. All nodes of a depth draw their
    noise together: O(cells).
    """
    starts, stops = np.array([0]), np.array([len(sums) - 1])
    for depth in itertools.count():
        single = stops - starts == 1
        yield starts[single]
        starts, stops = starts[~single], stops[~single]
        if not len(starts):
            return
        split = rule.split(sums[stops] - sums[starts], depth, noise)
        yield starts[~split]
        starts, stops = halves(starts[split], stops[split])


def halves(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Both children of each node; the first is the longer one where the length is odd."""
    middles = (starts + stops + 1) // 2
    return np.concatenate([starts, middles]), np.concatenate([middles, stops])
