"""A kd-tree that is cut at private medians."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.tree import reconcile
from hushgram.mechanisms.kd import (
    KDTree,
    by_medians,
    fine_raster,
    level_shares,
    measure_levels,
    separate_other,
)
from hushgram.mechanisms.parameters import check_parameters, one_of
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class KDStandard(KDTree):
    """Cuts the domain at medians, then each half, and so on; counts the boxes of every level.

    Use it for maps if you want boxes with about the same number of rows.

    A box is cut near the median of its rows, along one axis after the other, so that boxes are
    small where there are many rows. Medians are chosen by the exponential mechanism. After every
    second cut, the boxes are counted; those with no more rows than the noise are not cut further.
    Lower levels get a larger share of the budget, and least squares makes all levels consistent.

    Beyond the paper: boxes are pruned while the tree grows, not afterwards, so that a box that
    stays whole is counted again on every level below; and a noisy number of rows determines the
    height.

    The hierarchical kd-tree of Inan et al., with which paper 004 compares, is
    ``kd-standard:budgets=equal,inference=none,prune=0``: medians by the exponential mechanism, the
    same price for the counts of every level, and the noisy counts of the last boxes without
    inference. The counts above them only determine which boxes are cut.

    Privacy: a `Total` query, unless ``height`` is given; two `Medians` queries per level, with
    equal shares; one `PartCounts` query per level, the last with the rest of the budget. The choice
    of boxes to cut depends only on the noisy counts of the level above. Proof:
    ``docs/proofs/kd.md``.

    Parameters
    ----------
    height
        Levels below the root, each with four times as many boxes: 0 to 10. By default chosen by the
        noisy number of rows, see `hushgram.mechanisms.kd.levels_for`.
    share
        The share of the budget for the medians: 30 %, as in the paper.
    prune
        Boxes with a noisy count of at most this many rows are not cut further, nor are those with a
        count within one standard deviation of zero. 32 rows, as in the paper.
    budgets
        How levels share the budget for counts: "geometric", more for lower ones, as in the paper;
        or "equal".
    inference
        "least-squares" combines the counts of all levels; "none" publishes the noisy counts of the
        last level.
    total_share
        The share of the budget for the number of rows: 2 %, as in `uniform-grid`.

    References
    ----------
    Cormode, Procopiuc, Shen, Srivastava & Yu, *Differentially private spatial decompositions*,
    ICDE 2012. Inan, Kantarcioglu, Ghinita & Bertino, *Private record matching using differential
    privacy*, EDBT 2010.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> points = np.zeros((64, 64), dtype=int)
    >>> points[40:44, 10:14] = 1000
    >>> release = hg.publish(hg.Counts(points), epsilon=1, mechanism="kd-standard")
    >>> lower, upper = release.estimate.partition.boxes()
    >>> bool(((lower >= [40, 10]) & (upper <= [44, 14])).all(axis=1).any())
    True
    """

    name: ClassVar[str] = "kd-standard"

    share: Fraction = Fraction(3, 10)
    prune: int = 32
    budgets: str = "geometric"
    inference: str = "least-squares"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(
            self, budgets=one_of("geometric", "equal"), inference=one_of("least-squares", "none")
        )

    def estimate(self, vault: Vault) -> Estimate:
        height = self.levels(vault)
        boxes, budget = separate_other(fine_raster(vault.domain)), vault.remaining
        medians = by_medians(vault, self.share * budget / max(2 * height, 1))
        prices = [
            share * (1 - self.share) * budget
            for share in level_shares(height, len(vault.domain), equal=self.budgets == "equal")
        ]
        measured = measure_levels(vault, boxes, [medians] * height, self.prune, prices)
        return Estimate.direct(measured[-1]) if self.inference == "none" else reconcile(measured)
