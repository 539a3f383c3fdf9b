"""A coarse grid, and the sorted rows inside its dense cells."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.measured.sorted_cells import Inside, SortedCells
from hushgram.geometry.measured.sorted_groups import LARGEST
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noise_level, noisy_rows, slices_per_axis
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.mechanisms.parameters import check_parameters, positive_number, positive_share
from hushgram.queries import CellSums, Measurement, PartCounts, Vault

FEWEST = 2
"""Groups that the rows of a dense cell make, at least."""

MOST = 10**4
"""The maximum number of cells of the coarse grid along all ordered axes: zooms take up to a
millisecond."""


@dataclass(frozen=True, kw_only=True)
class Hybrid(Mechanism):
    """Counts a coarse grid, and resolves its dense cells by their sorted rows.

    Use it for data with a few very dense cells whose inside matters; `adaptive-grid` is usually
    more accurate.

    The grid is the one that `uniform-grid` would choose for the same noise. In every cell whose
    noisy count is enough for two or more groups, the rows are sorted along the cell, as in
    `sorted`, and the noisy sums of groups of 2 √(m / ε₂) neighbours show where in the cell its m
    rows are. One row moves such a list by the length of a cell instead of an axis, so the noise is
    smaller by a factor of the number of cells. All other cells stay whole, and so do cells at an
    "other" index of an axis that is not divided into its indices. If no cell is dense, the grid is
    counted a second time.

    Privacy: a small share of the budget pays for a noisy N, which decides the grid; the noisy
    counts decide which cells are dense, and how long their lists are: longer lists are cut off and
    shorter ones padded, so a list never shows how many rows there are. No row is in two cells, so
    all lists together cost as much as one. A replaced row can change two of them, and the noise
    allows for that. Proof: ``docs/proofs/hybrid.md``.

    Parameters
    ----------
    total_share
        The share of the budget that pays for the number of rows: 2 %, as for `uniform-grid`.
    alpha
        The share of the rest for the counts of the grid: 3/5.
    constant
        How many rows, in units of the noise, a cell of the grid should contain: 10, as for
        `uniform-grid`.

    References
    ----------
    Fang & Chang, *Adaptive differentially private histogram of low-dimensional data*, PETS 2012,
    section 7.1.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.zeros((100, 100), dtype=int)
    >>> points[:10, :10] = 100
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="hybrid")
    >>> release.to_array().shape
    (100, 100)
    """

    name: ClassVar[str] = "hybrid"
    proof: ClassVar[str] = "hybrid"

    total_share: Fraction = Fraction(1, 50)
    alpha: Fraction = Fraction(3, 5)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(
            self, total_share=positive_share, alpha=positive_share, constant=positive_number
        )

    def check(self, domain: Domain) -> None:
        coarse_grid(domain, 0.0)

    def estimate(self, vault: Vault) -> Estimate:
        rows = noisy_rows(vault, self.total_share)
        level = float(self.alpha) * rows.epsilon
        grid = coarse_grid(vault.domain, rows.number * level / self.constant)
        if not Inside.of(grid).axes:
            return Estimate.direct(vault.ask(PartCounts(grid, vault.remaining)))
        counts = vault.ask(PartCounts(grid, self.alpha * vault.remaining))
        cells = dense_cells(grid, counts, noise_level(vault))
        if not cells.size:
            again = vault.ask(PartCounts(grid, vault.remaining))
            return Estimate.infer(grid, [counts, again], Tree.of([counts, again]))
        zoomed = Zoomed.of([counts, vault.ask(CellSums(cells, vault.remaining))])
        return Estimate.infer(zoomed.layout, zoomed.measurements, zoomed)


def coarse_grid(domain: Domain, ratio: float) -> Grid:
    """The grid of `uniform-grid`, where ``ratio`` is N ε / c, but of about `MOST` cells at most.

    >>> from hushgram.declare.axis import Interval
    >>> coarse_grid(Domain(x=Interval(0, 1), y=Interval(0, 1)), 1e9).slices
    (100, 100)
    """
    axes = max(1, sum(axis.ordered for axis in domain.axes))
    return Grid(domain, slices_per_axis(domain, min(ratio, MOST ** ((axes + 2) / (2 * axes)))))


def dense_cells(grid: Grid, counts: Measurement, epsilon: float) -> SortedCells:
    """The lists of the cells whose rows make some groups, where ``epsilon`` is that of Laplace
    noise with the variance that a count would have: see `measured_group`.

    >>> from hushgram.declare.axis import Integer
    >>> grid = Grid(Domain(x=Integer(0, 99)), (3,))
    >>> counts = Measurement(grid, np.array([-3, 15, 400]), 2.0, Fraction(1))
    >>> cells = dense_cells(grid, counts, 1.0)
    >>> cells.rows.tolist(), cells.group.tolist()
    ([0, 0, 400], [0, 0, 40])
    """
    inside = Inside.of(grid)
    rows = np.maximum(counts.values, 1)
    sizes = np.maximum(np.rint(2 * np.sqrt(rows / epsilon)), 1)
    dense = inside.divided & (rows >= FEWEST * sizes)
    fitting = np.minimum(sizes, LARGEST // inside.curve.span).astype(np.int64)
    return SortedCells(grid, np.where(dense, rows, 0), np.where(dense, fitting, 0))
