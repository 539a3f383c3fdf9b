"""A tree of counts with the branching that is best for ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hierarchical import measure_tree, nested_grids
from hushgram.mechanisms.tree_sizing import best_tree
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class HB(Mechanism):
    """Counts the cells and coarser cells above them, in the tree that is best for ranges.

    Use it for ranges along axes on which most cells have rows.

    With few levels, each gets more budget; with many levels, a range needs fewer nodes. The tree
    and the shares of the budget are those with the smallest variance of the average range after
    least squares, see `range_variance`: two levels from 37 cells on, three from 612. On several
    axes, most cells of a range are at its border, and most of the budget goes to the cells. Least
    squares over all levels, weighted by their variances, estimates the cells. The tree has no root,
    since only the count of everything needs it.

    Privacy: one `PartCounts` query per level; the levels and their shares are fixed by the domain.
    Proof: ``docs/proofs/hierarchical.md``.

    References
    ----------
    Qardaji, Yang & Li, *Understanding hierarchical methods for differentially private
    histograms*, VLDB 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> release = hg.publish(hg.Counts(np.full(4096, 5)), epsilon=1, mechanism="hb")
    >>> [m.partition.size for m in release.estimate.measurements]
    [14, 224, 4096]
    """

    name: ClassVar[str] = "hb"
    proof: ClassVar[str] = "hierarchical"

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        return measure_tree(vault, *best_levels(vault.domain))


@lru_cache(maxsize=64)
def best_levels(domain: Domain) -> tuple[tuple[Grid, ...], tuple[float, ...]]:
    """The levels of the best tree over a domain's cells, and their shares of the budget."""
    lengths = tuple(axis.bins for axis in domain.axes if axis.ordered and axis.bins > 1)
    best = best_tree(lengths or (1,))
    return nested_grids(domain, [*best.sides, max(lengths, default=1)]), best.shares
