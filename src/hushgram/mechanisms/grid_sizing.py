"""Grid sizing: the number of slices per axis, from a noisy number of rows.

Small cells have much noise, large ones hide where the rows are. `UniformGrid` explains how the two
are balanced; other mechanisms use its rule with their own constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import MAX_PARTS, Grid
from hushgram.queries import PartCounts, Total, Vault


class NoisyRows(NamedTuple):
    """A noisy number of rows N, and the ε of the noise of later counts."""

    number: int
    epsilon: float

    @property
    def signal_to_noise(self) -> float:
        """N ε: the number of rows in units of the noise."""
        return self.number * self.epsilon


def noisy_rows(vault: Vault, share: Fraction) -> NoisyRows:
    """Spend a share of the budget on the number of rows."""
    total = vault.ask(Total(share * vault.epsilon))
    return NoisyRows(total.value, noise_level(vault))


def noise_level(vault: Vault) -> float:
    """The ε of Laplace noise with the variance of counts paid with the remaining budget."""
    whole = Grid(vault.domain, (1,) * len(vault.domain))
    return math.sqrt(2 / max(vault.variance(PartCounts(whole, vault.remaining)), 1e-300))


def even_slices(domain: Domain, side: int) -> tuple[int, ...]:
    """``side`` slices per ordered axis, or one per bin if it has fewer bins. Categories keep their
    cells.

    >>> from hushgram.declare.axis import Interval, Integer
    >>> even_slices(Domain(x=Interval(0, 1), y=Integer(0, 9)), 360)
    (360, 10)
    """
    return tuple(min(side, axis.bins) if axis.ordered else axis.bins for axis in domain.axes)


def slices_per_axis(domain: Domain, ratio: float) -> tuple[int, ...]:
    """Slices per axis, where ``ratio`` is N ε / c: the signal-to-noise ratio over a constant.

    An axis with fewer indices than the rule gives it slices keeps them all and leaves the rest to
    the other axes. The width of slices is rounded down to whole indices: if some slices had one
    index and some two, counts of rows concentrated on a single index would be blurred.

    >>> from hushgram.declare.axis import Interval, Integer
    >>> slices_per_axis(Domain(x=Interval(0, 1), y=Interval(0, 1)), 160_000.0)
    (400, 400)
    >>> slices_per_axis(Domain(x=Interval(0, 1), y=Integer(0, 1)), 160_000.0)
    (1859, 2)
    """
    slices = [axis.bins for axis in domain.axes]
    free = [place for place, axis in enumerate(domain.axes) if axis.ordered]
    while free:
        others = domain.axes
        fixed = math.prod(others[p].size for p in range(len(others)) if p not in free)
        side = slices_per_side(ratio / fixed, len(free), MAX_PARTS // fixed)
        small = [place for place in free if domain.axes[place].bins <= side]
        if not small:
            for place in free:
                slices[place] = side
            break
        free = [place for place in free if place not in small]
    return round_to_whole_widths(domain, slices)


def round_to_whole_widths(domain: Domain, slices: Sequence[int]) -> tuple[int, ...]:
    """The number of slices per axis after rounding their width down to whole indices.

    >>> from hushgram.declare.axis import Integer
    >>> round_to_whole_widths(Domain(x=Integer(0, 255), y=Integer(0, 255)), (201, 57))
    (256, 64)
    """
    found = tuple(a.bins // (a.bins // m) for a, m in zip(domain.axes, slices, strict=True))
    parts = math.prod(m + a.other for a, m in zip(domain.axes, found, strict=True))
    return found if parts <= MAX_PARTS else tuple(slices)


def slices_per_side(ratio: float, axes: int, parts: int) -> int:
    """Slices per side of a grid with equal sides: the balance, rounded as in the paper's Table II.

    There are at least 100 cells in total, the paper's 10 x 10, and at most ``parts``.
    """
    balanced = round(max(ratio, 0.0) ** (2 / (axes + 2)))
    least = round(100 ** (1 / axes))
    most = int(max(parts, 1) ** (1 / axes))
    return int(max(1, min(max(least, balanced), most)))
