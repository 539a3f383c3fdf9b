"""An even grid, as fine as the number of rows deserves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.domain import Domain
from hushgram.estimate import Estimate
from hushgram.mechanisms.base import Mechanism, positive_share
from hushgram.partition import MAX_PARTS, Grid
from hushgram.queries import Counts, Total, Vault


@dataclass(frozen=True, kw_only=True)
class UniformGrid(Mechanism):
    """Cut every axis evenly, finer for more rows and more budget (UG).

    Fine cells carry much noise, coarse ones blur where rows lie. With m slices on each of d
    axes, a range that covers a fixed part of the domain sums noise over some m^d cells, and
    errs by the rows in border cells, about 1/m of them. Balancing the two gives
    m = (N ε / c)^(2 / (d + 2)), the paper's √(N ε / c) for d = 2. Categories keep their cells,
    and each of their combinations is taken to hold an equal share of the rows.

    Privacy: a small share of the budget buys a noisy N, which alone decides the grid; the rest
    buys the counts. The paper takes the true N for free, which is not private.

    Parameters
    ----------
    total_share
        The share of the budget that buys N. At 2 % the noise in N moves m by less than one for
        all but tiny tables.
    constant
        The paper's c = 10.

    References
    ----------
    Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.ones((64, 64), dtype=int)
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="uniform-grid")
    >>> release.estimate.partition.shape[0] < 64
    True
    """

    name: ClassVar[str] = "uniform-grid"
    proof: ClassVar[str] = "uniform-grid"
    intervals: ClassVar[str] = "exact"
    because: ClassVar[str] = (
        "The grid follows from the number of rows alone, and each cell has noise of its own."
    )

    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "total_share", positive_share(self.total_share, "total_share"))

    def check(self, domain: Domain) -> None:
        Grid(domain, slices_for(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        total = vault.ask(Total(self.total_share * vault.epsilon))
        deserved = total.value * noise_level(vault) / self.constant
        grid = Grid(vault.domain, slices_for(vault.domain, deserved))
        return Estimate.direct(vault.ask(Counts(grid, vault.remaining)))


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

    >>> from hushgram.axis import Interval, Integer
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

    >>> from hushgram.axis import Integer
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
