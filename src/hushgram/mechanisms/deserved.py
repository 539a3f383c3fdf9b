"""What a noisy number of rows deserves: slices enough to tell where they lie, and no more.

Fine cells carry much noise, coarse ones blur where rows lie. `UniformGrid` tells how the two are
balanced; other mechanisms take its rule with constants of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import MAX_PARTS, Grid
from hushgram.queries import Counts, Total, Vault


class NoisyRows(NamedTuple):
    """A noisy number of rows N, and the ε of the noise that counts will have."""

    number: int
    epsilon: float

    @property
    def worth(self) -> float:
        """N ε: the rows in units of the noise."""
        return self.number * self.epsilon


def noisy_rows(vault: Vault, share: Fraction) -> NoisyRows:
    """The number of rows, bought with a share of the budget."""
    total = vault.ask(Total(share * vault.epsilon))
    return NoisyRows(total.value, noise_level(vault))


def noise_level(vault: Vault) -> float:
    """The ε of Laplace noise with the variance that counts will really have."""
    whole = Grid(vault.domain, (1,) * len(vault.domain))
    return math.sqrt(2 / max(vault.variance(Counts(whole, vault.remaining)), 1e-300))


def slices_for(domain: Domain, deserved: float) -> tuple[int, ...]:
    """Slices per axis, where ``deserved`` is N ε / c.

    An axis with fewer indices than it deserves slices keeps them all, and leaves the rest to
    the others. Slices are as wide as whole indices allow, rounded down: where some had one index
    and some two, rows that crowd at one index would blur (on DPBench's arrays of 256 x 256 cells
    the error at ε = 1 is a sixth lower for it).

    >>> from hushgram.declare.axis import Interval, Integer
    >>> slices_for(Domain(x=Interval(0, 1), y=Interval(0, 1)), 160_000.0)
    (400, 400)
    >>> slices_for(Domain(x=Interval(0, 1), y=Integer(0, 1)), 160_000.0)
    (1859, 2)
    """
    slices = [axis.bins for axis in domain.axes]
    free = [place for place, axis in enumerate(domain.axes) if axis.ordered]
    while free:
        others = domain.axes
        fixed = math.prod(others[p].size for p in range(len(others)) if p not in free)
        side = side_for(deserved / fixed, len(free), MAX_PARTS // fixed)
        small = [place for place in free if domain.axes[place].bins <= side]
        if not small:
            for place in free:
                slices[place] = side
            break
        free = [place for place in free if place not in small]
    return whole_indices(domain, slices)


def whole_indices(domain: Domain, slices: Sequence[int]) -> tuple[int, ...]:
    """As many slices as there are of the width that so many have, in whole indices rounded down.

    >>> from hushgram.declare.axis import Integer
    >>> whole_indices(Domain(x=Integer(0, 255), y=Integer(0, 255)), (201, 57))
    (256, 64)
    """
    found = tuple(a.bins // (a.bins // m) for a, m in zip(domain.axes, slices, strict=True))
    parts = math.prod(m + a.other for a, m in zip(domain.axes, found, strict=True))
    return found if parts <= MAX_PARTS else tuple(slices)


def side_for(deserved: float, axes: int, parts: int) -> int:
    """Slices per side of a grid of equal sides: the balance, rounded as in the paper's Table II.

    There are never fewer than 100 cells in all, the paper's 10 x 10, nor more than ``parts``.
    """
    balanced = round(max(deserved, 0.0) ** (2 / (axes + 2)))
    least = round(100 ** (1 / axes))
    most = int(max(parts, 1) ** (1 / axes))
    return int(max(1, min(max(least, balanced), most)))
