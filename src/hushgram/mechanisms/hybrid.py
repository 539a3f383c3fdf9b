"""A coarse grid, and the sorted rows of its dense cells."""

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

MIN_GROUPS = 2
"""The smallest number of groups of a dense cell's rows."""

MAX_CELLS = 10**4
"""The most cells of the coarse grid along all ordered axes: each may take up to a millisecond."""


@dataclass(frozen=True, kw_only=True)
class Hybrid(Mechanism):
    """Counts a coarse grid, and resolves its dense cells by their sorted rows.

    Use it for data with a few very dense cells whose inside matters; `adaptive-grid` is usually
    more accurate.

    The grid is the one that `uniform-grid` would choose for the same noise. In every cell with a
    noisy count of two groups or more, the rows are sorted along the cell, as in `sorted`, and the
    noisy sums of groups of 2 √(m / ε₂) neighbours show where the m rows of the cell are. A row
    changes such a list by the length of a cell instead of an axis, so the noise is smaller by the
    number of cells. All other cells stay whole, as do cells at an "other" index of an axis that is
    not cut into single indices. If no cell is dense, the grid is counted a second time.

    Privacy: a small share of the budget pays for a noisy N, which determines the grid. The noisy
    counts determine which cells are dense, and the lengths of their lists: additional rows are cut
    off, and missing ones are padded, so that a list never reveals the number of rows. Cells have no
    rows in common, so all lists together cost as much as one. Replacing a row can change two of
    them, and the noise allows for that. Proof: ``docs/proofs/hybrid.md``.

    Parameters
    ----------
    total_share
        The share of the budget for the number of rows: 2 %, as for `uniform-grid`.
    alpha
        The share of the rest for the counts of the grid: 3/5.
    constant
        The number of rows, in units of the noise, to aim for in a cell of the grid: 10, as for
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
    """The grid of `uniform-grid` for a ``ratio`` of N ε / c, with at most about `MAX_CELLS` cells.

    >>> from hushgram.declare.axis import Interval
    >>> coarse_grid(Domain(x=Interval(0, 1), y=Interval(0, 1)), 1e9).slices
    (100, 100)
    """
    axes = max(1, sum(axis.ordered for axis in domain.axes))
    largest = MAX_CELLS ** ((axes + 2) / (2 * axes))
    return Grid(domain, slices_per_axis(domain, min(ratio, largest)))


def dense_cells(grid: Grid, counts: Measurement, epsilon: float) -> SortedCells:
    """The lists of the cells with enough rows for groups, where ``epsilon`` is that of Laplace
    noise with the variance of a count: see `measured_group`.

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
    dense = inside.divided & (rows >= MIN_GROUPS * sizes)
    fitting = np.minimum(sizes, LARGEST // inside.curve.span).astype(np.int64)
    return SortedCells(grid, np.where(dense, rows, 0), np.where(dense, fitting, 0))
