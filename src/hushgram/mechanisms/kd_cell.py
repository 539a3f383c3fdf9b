"""A kd-tree that is cut at the medians of noisy cells."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Raster
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows, slices_per_axis
from hushgram.mechanisms.kd import KDTree, by_cells, grow, levels_for, separate_other
from hushgram.mechanisms.parameters import check_parameters, positive_number
from hushgram.queries import PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class KDCell(KDTree):
    """Counts a fine grid, cuts it at the medians of the noisy counts, and counts the boxes of every
    level.

    Use it for maps if you want a deep tree with about the same number of rows in each box.

    One part of the budget pays for noisy counts of a fine uniform grid. These determine all cuts,
    at no further cost: a box is cut nearest to the median of its noisy cells, along one axis after
    the other. The other part pays for the counts of the boxes of every level, with larger shares
    for the lower ones; least squares makes them consistent. Unlike in `kd-standard`, the cost of
    the medians does not depend on the height.

    This is what Cormode et al. call kd-cell, after Xiao, Xiong & Yuan, whose own method cuts where
    the variance of the cells decreases most (`dpcube`). Their later paper compares with the
    hierarchical kd-tree of Inan et al., which it only cites: see `kd-standard`, which has
    parameters for it.

    Beyond the papers: cells whose counts are probably noise are treated as empty when medians are
    chosen.

    Privacy: a `Total` query; a `PartCounts` query on the cells; one `PartCounts` query per level,
    the last with the rest of the budget. Cuts depend only on the noisy cells, and the choice of
    boxes to cut only on the noisy counts of the level above. Proof: ``docs/proofs/kd.md``.

    Parameters
    ----------
    height
        Levels below the root, each with four times as many boxes: 0 to 10. By default chosen by the
        noisy number of rows, as in `kd-standard`.
    prune
        Boxes with a noisy count of at most this many rows are not cut further. 0 by default, since
        cuts are free: then only boxes whose count may be noise stay whole.
    share
        The share of the budget for the cells: half, as in `dpcube`'s paper.
    total_share
        The share of the budget for the number of rows, which determines the grid: 2 %, as in
        `uniform-grid`.
    constant
        The number of rows, in units of the noise, to aim for in a cell of the grid: 0.25. That is
        less than in `uniform-grid`, since cells are only used to find medians.

    References
    ----------
    Cormode, Procopiuc, Shen, Srivastava & Yu, *Differentially private spatial decompositions*,
    ICDE 2012. Xiao, Xiong & Yuan, *Differentially private data release through multidimensional
    partitioning*, SDM 2010.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.zeros((64, 64), dtype=int)
    >>> points[40:44, 10:14] = 1000
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="kd-cell")
    >>> release.estimate.partition.size < 1000
    True
    """

    name: ClassVar[str] = "kd-cell"

    share: Fraction = Fraction(1, 2)
    constant: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(self, constant=positive_number)

    def check(self, domain: Domain) -> None:
        Grid(domain, slices_per_axis(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        rows = noisy_rows(vault, self.total_share).signal_to_noise
        grid = Grid(vault.domain, slices_per_axis(vault.domain, rows / self.constant))
        cells = vault.ask(PartCounts(grid, self.share * vault.remaining))
        height = levels_for(rows, vault.domain) if self.height is None else self.height
        raster = Raster(grid.domain, grid.slices)
        cuts = [by_cells(cells, raster)] * height
        return grow(vault, separate_other(raster), cuts, self.prune)
