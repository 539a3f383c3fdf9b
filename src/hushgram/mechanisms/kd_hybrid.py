"""A kd-tree that is cut at private medians on some levels and in the middle on the others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.kd import (
    KDTree,
    by_medians,
    by_midpoints,
    fine_raster,
    grow,
    separate_other,
)
from hushgram.mechanisms.parameters import check_parameters, one_of, positive_share
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class KDHybrid(KDTree):
    """Cuts the domain at medians first and in the middle later; counts the boxes of every level.

    Use it for maps if you want boxes with about the same number of rows, at a lower cost than
    `kd-standard`.

    Near the root, medians are worth their price: boxes have many rows, so medians are accurate.
    Further down, boxes have few rows, which are more evenly spread, and cutting in the middle is
    free. So the first levels are those of `kd-standard`, and the others those of a quadtree, or the
    other way round, depending on ``order``.

    Privacy: a `Total` query, unless ``height`` is given; two `Medians` queries for each level that
    is cut at medians, with equal shares; one `PartCounts` query per level, the last with the rest
    of the budget. The choice of boxes to cut depends only on the noisy counts of the level above.
    Proof: ``docs/proofs/kd.md``.

    Parameters
    ----------
    height
        Levels below the root, each with four times as many boxes: 0 to 10. By default chosen by the
        noisy number of rows, as in `kd-standard`.
    prune
        Boxes with a noisy count of at most this many rows are not cut further. 0 by default, since
        most cuts are free: then only boxes whose count may be noise stay whole.
    switch
        The share of levels that are cut at medians: a third, and at least one level. The paper
        switches about half-way down.
    order
        Which levels come first: "kd-first", as in Cormode et al.; or "quadtree-first", as described
        by Qardaji, Yang & Li, where the lowest levels are cut at medians.
    share
        The share of the budget for the medians: 15 %.
    total_share
        The share of the budget for the number of rows: 2 %, as in `uniform-grid`.

    References
    ----------
    Cormode, Procopiuc, Shen, Srivastava & Yu, *Differentially private spatial decompositions*,
    ICDE 2012. Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.zeros((64, 64), dtype=int)
    >>> points[40:44, 10:14] = 1000
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="kd-hybrid")
    >>> release.estimate.partition.size < 1000
    True
    """

    name: ClassVar[str] = "kd-hybrid"

    switch: Fraction = Fraction(1, 3)
    order: str = "kd-first"
    share: Fraction = Fraction(3, 20)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(self, switch=positive_share, order=one_of("kd-first", "quadtree-first"))

    def estimate(self, vault: Vault) -> Estimate:
        height = self.levels(vault)
        boxes, budget = separate_other(fine_raster(vault.domain)), vault.remaining
        private = max(1, round(self.switch * height))
        medians = by_medians(vault, self.share * budget / (2 * private))
        cuts = ([medians] * private + [by_midpoints] * height)[:height]
        if self.order == "quadtree-first":
            cuts.reverse()
        return grow(vault, boxes, cuts, self.prune, (1 - self.share) * budget)
