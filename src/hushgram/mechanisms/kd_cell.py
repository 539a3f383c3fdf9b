"""A kd-tree that is cut at the medians of noisy cells."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid, Raster
from hushgram.mechanisms.deserved import noisy_rows, slices_for
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.kd import KDTree, by_cells, grow, levels_for, separated
from hushgram.mechanisms.parameters import checked, positive_number
from hushgram.queries import Counts, Vault


@dataclass(frozen=True, kw_only=True)
class KDCell(KDTree):
    """Count the cells of a grid, cut at their medians, and count the boxes of every level.

    One part of the budget buys noisy counts of a fine, even grid. All cuts are made on these, at
    no further cost: a box is cut nearest to the median of its noisy cells, along one axis after
    the other. The other part buys the counts of the boxes of every level, with larger shares
    for the lower ones; least squares makes them agree. It is `kd-standard` with another way to find
    medians, which costs the same whatever the height.

    This is what Cormode et al. call kd-cell, after Xiao, Xiong & Yuan, whose own method cuts where
    the cells' variance falls most (`dpcube`). The hierarchical kd-tree of Inan et al., with which
    their later paper compares, is described there by its reference alone; it finds a private
    median for every node, and is nearest to `kd-standard`.

    Beyond the papers: cells whose counts may well be noise are taken as empty while medians are
    chosen, without which errors on DPBench's arrays are two to four times as large.

    Privacy: a `Total` query; a `Counts` query on the cells; one `Counts` query per level, the
    last with what remains. Cuts depend on the noisy cells alone, and which boxes are cut on the
    noisy counts of the level above.

    Parameters
    ----------
    height, total_share
        As in `kd-standard`; the number of rows is always bought, for the grid.
    prune
        As there, but 0 by default: cuts cost nothing, and the noise alone decides.
    share
        The share of the budget for the cells: a half, as in `dpcube`'s paper.
    constant
        Rows per cell of the grid, in units of the noise: as in `uniform-grid`, but 0.25 instead
        of 10, since cells only serve to find medians.

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
        checked(self, constant=positive_number)

    def check(self, domain: Domain) -> None:
        Grid(domain, slices_for(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        rows = noisy_rows(vault, self.total_share).worth
        grid = Grid(vault.domain, slices_for(vault.domain, rows / self.constant))
        cells = vault.ask(Counts(grid, self.share * vault.remaining))
        height = levels_for(rows, vault.domain) if self.height is None else self.height
        boxes = separated(Raster(grid.domain, grid.slices))
        return grow(vault, boxes, [by_cells(cells, grid.shape)] * height, self.prune)
