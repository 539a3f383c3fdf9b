"""A tree of counts with the branching that suits ranges best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hierarchical import measure_tree, nested_grids, tree_levels
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class HB(Mechanism):
    """Counts the cells and coarser cells above them, in the tree that suits ranges best.

    Use it for ranges along axes on which most cells hold rows.

    Few levels leave more budget for each, many levels need fewer nodes per range. For n cells and
    branching b the average range has a variance proportional to (b - 1) h³ - 2 (b + 1) h² / 3, h
    the height; the least one wins. On several axes the borders of a range hold most of its cells,
    and few, wide levels are best: there all trees of t, t b, t b², … slices per side are compared
    by their average variance after least squares, see `range_variance`. Least squares over all
    levels, weighted by their variances, finds the cells. The tree has no root, since only the count
    of everything needs it.

    Privacy: one `PartCounts` query per level; the levels are fixed by the domain. Proof:
    ``docs/proofs/hierarchical.md``.

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
        return measure_tree(vault, best_levels(vault.domain))


@lru_cache(maxsize=64)
def best_levels(domain: Domain) -> tuple[Grid, ...]:
    """The levels of the best tree over a domain's cells."""
    lengths = tuple(axis.bins for axis in domain.axes if axis.ordered and axis.bins > 1)
    if len(lengths) > 1:
        return nested_grids(domain, best_sides(lengths))
    levels = tree_levels(domain, best_branching(max(lengths, default=1)))
    return levels[1:] or levels


def best_sides(lengths: Sequence[int]) -> list[int]:
    """Slices per side on each level of the best tree over axes of these lengths.

    >>> best_sides((256, 256)), best_sides((1024, 1024)), best_sides((16, 16, 16, 16))
    ([41, 256], [57, 285, 1024], [16])
    """
    longest = max(lengths)
    tops = np.arange(1, min(longest, 1025))
    found = [([longest], float(range_variance(lengths, np.array([[longest]]))[0]))]
    for height in range(2, 2 + math.ceil(math.log(longest, 4))):
        branching = np.ceil((longest / tops) ** (1 / (height - 1)) - 1e-9)
        sides = [tops * branching**level for level in range(height - 1)]
        sides.append(np.full(len(tops), longest))
        variances = range_variance(lengths, np.array(sides))
        best = int(variances.argmin())
        found.append(([int(side[best]) for side in sides], float(variances[best])))
    return min(found, key=lambda one: one[1])[0]


def range_variance(lengths: Sequence[int], sides: Any) -> Floats:
    """The variance of the average box of cells after least squares over a tree, in units of that
    of a count with the whole budget: for levels x candidates of slices per side.

    Level l has 1/h of the budget and K_l cells to a node. What is constant on the nodes of level
    l, and adds up to 0 over those of the level above, is known with variance h² / (K_l + K_(l+1)
    + …); a box has the squared length S_l - S_(l-1) there, if S_l sums, over the nodes, the
    square of how many of their cells it holds, divided by K_l. S_l is a product over axes. Exact
    where all nodes of a level are alike.
    """
    widths = [np.maximum(length / sides, 1.0) for length in lengths]
    nodes = np.prod(widths, axis=0)
    lengths_within = np.prod(
        [caught(length, width) for length, width in zip(lengths, widths, strict=True)], axis=0
    )
    known = np.cumsum(nodes[::-1], axis=0)[::-1]
    steps = np.diff(lengths_within, axis=0, prepend=0)
    return np.asarray(len(sides) ** 2 * (steps / known).sum(axis=0))


def caught(cells: int, width: Floats) -> Floats:
    """S for one axis: the mean over all ranges of the sum, over slices of so many cells, of the
    square of how many of them the range holds, divided by the width.

    Two cells u <= v of 1 … n lie in u (n + 1 - v) of n (n + 1) / 2 ranges.
    """
    spread = (cells + 1) ** 2 / 4 - (cells**2 - width**2) / 12
    return 2 / (cells + 1) * (spread - (cells + 1) * (width**2 - 1) / (6 * width))


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
