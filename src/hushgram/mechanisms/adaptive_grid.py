"""A coarse grid whose dense cells are divided further."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import MAX_PARTS, Grid, Ints, Refined
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import (
    even_slices,
    noise_level,
    noisy_rows,
    slices_per_axis,
)
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.parameters import (
    check_parameters,
    optional,
    positive_number,
    positive_share,
    whole_number,
)
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class AdaptiveGrid(Mechanism):
    """Splits dense areas of a coarse grid into smaller cells (AG).

    Use it for maps where rows are dense in some places and rare in others.

    A uniform grid is too fine where there are few rows and too coarse where there are many. Here
    the first grid has a quarter of the slices per side of `uniform-grid`'s. A cell with a noisy
    count of N' rows is cut into m x m smaller ones, where m is √(N' ε₂ / c₂) rounded up, or
    (N' ε₂ / c₂)^(2/(d+2)) for d axes. Least squares makes the two levels consistent.

    Privacy: a small share of the budget pays for a noisy N, which determines the first grid; the
    noisy counts of that grid determine the second. With ``m1``, N is not needed. The paper uses the
    true N for free. Proof: ``docs/proofs/adaptive-grid.md``.

    Parameters
    ----------
    m1
        Slices per ordered axis of the first grid: a public number, not learned from the table. With
        ``c2``, this is the paper's A_{m1,c2}. By default a quarter of `uniform-grid`'s.
    c2
        The number of rows, in units of the noise, to aim for in a cell of the second grid: the
        paper's c₂. By default half of ``constant``.
    total_share
        The share of the budget for the number of rows: 2 %, as for `uniform-grid`.
    alpha
        The share of the rest for the first grid: the paper's α = 1/2.
    constant
        The number of rows, in units of the noise, to aim for in a cell of a uniform grid: the
        paper's c = 10.

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

    m1: int | None = None
    c2: float | None = None
    total_share: Fraction = Fraction(1, 50)
    alpha: Fraction = Fraction(1, 2)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(self, m1=optional(whole_number(1)), c2=optional(positive_number))
        check_parameters(
            self, total_share=positive_share, alpha=positive_share, constant=positive_number
        )

    def check(self, domain: Domain) -> None:
        Grid(domain, even_slices(domain, self.m1) if self.m1 else slices_per_axis(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        grid = self._first_grid(vault)
        coarse = vault.ask(PartCounts(grid, self.alpha * vault.remaining))
        per_cell = self.c2 or self.constant / 2
        ratio = coarse.values.astype(np.float64) * noise_level(vault) / per_cell
        refined = Refined(grid, publishable_slices(grid, ratio))
        fine = vault.ask(PartCounts(refined, vault.remaining))
        return Estimate.infer(refined, [coarse, fine], Tree.of([coarse, fine]))

    def _first_grid(self, vault: Vault) -> Grid:
        if self.m1:
            return Grid(vault.domain, even_slices(vault.domain, self.m1))
        rows = noisy_rows(vault, self.total_share)
        return coarse_grid(vault.domain, rows.signal_to_noise / self.constant)


def coarse_grid(domain: Domain, ratio: float) -> Grid:
    """The first grid, where ``ratio`` is N ε / c: uniform-grid's for a sixteenth of that, which on
    two axes has a quarter of the slices per side.

    >>> from hushgram.declare.axis import Interval
    >>> coarse_grid(Domain(x=Interval(0, 1), y=Interval(0, 1)), 160_000.0).slices
    (100, 100)
    """
    return Grid(domain, slices_per_axis(domain, ratio / 16))


def publishable_slices(grid: Grid, ratio: Floats) -> Ints:
    """The slices of each cell on each axis, reduced until all parts can be published."""
    while True:
        sizes = slices_per_cell(grid, ratio)
        if sizes.prod(axis=1, dtype=np.float64).sum() <= MAX_PARTS:
            return sizes
        ratio = ratio / 2


def slices_per_cell(grid: Grid, ratio: Floats) -> Ints:
    """The slices of each cell on each axis, where ``ratio`` is the cell's N' ε₂ / c₂.

    Categories and "other" indices are separate slices already. As in `slices_per_axis`, an axis
    with fewer indices than the rule gives it slices keeps them all and leaves the rest to the other
    axes, and the width of slices is rounded down to whole indices.

    >>> from hushgram.declare.axis import Interval, Integer
    >>> grid = Grid(Domain(x=Interval(0, 1), y=Integer(0, 3)), (1, 1))
    >>> slices_per_cell(grid, np.array([1600.0])).tolist()
    [[55, 4]]
    >>> slices_per_cell(Grid(Domain(y=Integer(0, 25)), (1,)), np.array([80.0])).tolist()  # not 19
    [[26]]
    """
    lower, upper = grid.boxes()
    widths = upper - lower
    free = widths > 1
    rest = np.maximum(ratio, 0.0)
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
