"""A coarse grid whose cells are cut again, finer where more rows are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import MAX_PARTS, Grid, Ints, Refined
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.deserved import noise_level, noisy_rows, slices_for
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.parameters import checked, positive_number, positive_share
from hushgram.queries import Counts, Vault


@dataclass(frozen=True, kw_only=True)
class AdaptiveGrid(Mechanism):
    """Count a coarse grid, then cut its cells again, each as finely as its rows deserve (AG).

    An even grid is too fine where few rows are and too coarse where there are many. Here the
    first grid is four times coarser per side than `uniform-grid`'s, and each of its cells with a
    noisy count of N' rows is cut into m x m, m = √(N' ε₂ / c₂) rounded up, (N' ε₂ / c₂)^(2/(d+2))
    per side for d axes. Least squares makes the two levels agree.

    Privacy: a small share of the budget buys a noisy N, which decides the first grid; the noisy
    counts of that grid decide the second. The paper takes the true N for free.

    Parameters
    ----------
    total_share
        The share of the budget that buys N: 2 %, as for `uniform-grid`.
    alpha
        The share of the rest that buys the first grid: the paper's α = 1/2.
    constant
        The paper's c = 10, and c₂ = c / 2.

    References
    ----------
    Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.zeros((100, 100), dtype=int)
    >>> points[:10, :10] = 100
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="adaptive-grid")
    >>> sizes = release.estimate.partition.sizes
    >>> sizes[0].tolist(), float(sizes.mean()) < 2
    ([10, 10], True)
    """

    name: ClassVar[str] = "adaptive-grid"
    proof: ClassVar[str] = "adaptive-grid"
    intervals: ClassVar[str] = "approximate"
    because: ClassVar[str] = (
        "The noisy counts of the first grid decide how its cells are cut, and are averaged "
        "into the result."
    )

    total_share: Fraction = Fraction(1, 50)
    alpha: Fraction = Fraction(1, 2)
    constant: float = 10.0

    def __post_init__(self) -> None:
        checked(self, total_share=positive_share, alpha=positive_share, constant=positive_number)

    def check(self, domain: Domain) -> None:
        Grid(domain, slices_for(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        rows = noisy_rows(vault, self.total_share)
        grid = coarse_grid(vault.domain, rows.worth / self.constant)
        coarse = vault.ask(Counts(grid, self.alpha * vault.remaining))
        deserved = coarse.values.astype(np.float64) * noise_level(vault) / (self.constant / 2)
        refined = Refined(grid, fitting_sizes(grid, deserved))
        fine = vault.ask(Counts(refined, vault.remaining))
        return Estimate.infer(refined, [coarse, fine], Tree.of([coarse, fine]))


def coarse_grid(domain: Domain, deserved: float) -> Grid:
    """The first grid, where ``deserved`` is N ε / c: as uniform-grid's for a sixteenth of that,
    which on two axes has a fourth of the slices per side.

    >>> from hushgram.declare.axis import Interval
    >>> coarse_grid(Domain(x=Interval(0, 1), y=Interval(0, 1)), 160_000.0).slices
    (100, 100)
    """
    return Grid(domain, slices_for(domain, deserved / 16))


def fitting_sizes(grid: Grid, deserved: Floats) -> Ints:
    """The slices of each cell on each axis, with no more parts in all than can be published."""
    while True:
        sizes = sizes_for(grid, deserved)
        if sizes.prod(axis=1, dtype=np.float64).sum() <= MAX_PARTS:
            return sizes
        deserved = deserved / 2


def sizes_for(grid: Grid, deserved: Floats) -> Ints:
    """The slices of each cell on each axis, where ``deserved`` is N' ε₂ / c₂ of each cell.

    A category is a slice of its own already, and so is an "other" index. As in `slices_for`, an
    axis with fewer indices than it deserves slices keeps them all, and leaves the rest to the
    others; and slices are as wide as whole indices allow, rounded down, which on DPBench's arrays
    of 256 x 256 cells lowers the error by some 15 %.

    >>> from hushgram.declare.axis import Interval, Integer
    >>> grid = Grid(Domain(x=Interval(0, 1), y=Integer(0, 3)), (1, 1))
    >>> sizes_for(grid, np.array([1600.0])).tolist()
    [[55, 4]]
    >>> sizes_for(Grid(Domain(y=Integer(0, 25)), (1,)), np.array([80.0])).tolist()  # not 19
    [[26]]
    """
    lower, upper = grid.boxes()
    widths = upper - lower
    free = widths > 1
    rest = np.maximum(deserved, 0.0)
    sizes = widths
    for _ in grid.slices:
        side = np.ceil(rest ** (2 / (free.sum(axis=1) + 2)))
        side = np.maximum(side, 1)[:, np.newaxis]
        sizes = np.where(free, np.minimum(side, widths), widths)
        small = free & (widths <= side)
        if not small.any():
            break
        rest = rest / np.where(small, widths, 1).prod(axis=1)
        free = free & ~small
    whole = widths // sizes.astype(np.int64)
    return widths // whole
