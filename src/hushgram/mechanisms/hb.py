"""A tree of counts with the branching that suits ranges best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from hushgram.domain import Domain
from hushgram.estimate import Estimate
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.hierarchical import measure_tree, tree_levels
from hushgram.partition import Grid
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class HB(Mechanism):
    """Count every node of a tree whose branching makes the average range most accurate.

    Few levels leave more budget for each, many levels need fewer nodes per range. For n cells
    and branching b the average range has a variance proportional to
    (b - 1) h³ - 2 (b + 1) h² / 3, h the height; the least one wins. Least squares over all
    levels, weighted by their variances, finds the cells. The tree has no root: only the whole asks
    for it, and without it ranges are a seventh more accurate on DPBench's arrays.

    Privacy: one `Counts` query per level; the levels are fixed by the domain.

    References
    ----------
    Qardaji, Yang & Li, *Understanding hierarchical methods for differentially private
    histograms*, VLDB 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> release = hg.publish(hg.Counts(np.full(4096, 5)), epsilon=1, mechanism="hb")
    >>> [m.partition.size for m in release.estimate.measurements]
    [16, 256, 4096]
    """

    name: ClassVar[str] = "hb"
    proof: ClassVar[str] = "hierarchical"

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        longest = max((axis.bins for axis in vault.domain.axes if axis.ordered), default=1)
        levels = tree_levels(vault.domain, best_branching(longest))
        return measure_tree(vault, levels[1:] or levels)


def best_branching(cells: int) -> int:
    """The branching with the least average variance over all ranges of so many cells.

    >>> [best_branching(n) for n in (1, 2, 16, 256, 4096, 10**6)]
    [2, 2, 16, 16, 16, 16]
    """
    if cells <= 2:
        return 2
    return min(range(2, min(cells, 1024) + 1), key=lambda b: average_variance(cells, b))


def average_variance(cells: int, branching: int) -> float:
    height = math.ceil(math.log(cells, branching) - 1e-9)
    return (branching - 1) * height**3 - 2 * (branching + 1) * height**2 / 3
