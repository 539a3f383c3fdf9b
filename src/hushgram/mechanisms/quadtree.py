"""A quadtree of counts, with more budget towards the leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hierarchical import measure_tree, nested_grids
from hushgram.mechanisms.parameters import check_parameters, optional, whole_number
from hushgram.queries import Vault

MAX_LEAVES = 1 << 20
"""The most leaves of a tree whose height is not given."""


@dataclass(frozen=True, kw_only=True)
class Quadtree(Mechanism):
    """Halves every axis repeatedly, counts all boxes, and makes the counts consistent.

    Use it for maps whose boxes must not depend on the table.

    A range consists of a few large nodes and, along its border, many small ones. A level has twice
    as many nodes along a border as the one above, or 2^(d - 1) times as many on d axes. The
    variance of the sum is smallest if shares of the budget grow by the cube root of that (geometric
    budget), 2^(1/3) on two axes. Least squares over all levels, weighted by their variances,
    estimates the leaves. The tree has no root: the quadrants add up to the whole.

    Privacy: one `PartCounts` query per level; the levels and their shares are fixed by the domain.
    Proof: ``docs/proofs/quadtree.md``.

    Parameters
    ----------
    height
        How many times the axes are halved. By default down to the cells, or to at most 2^20 leaves:
        10 times for two continuous axes, as in the paper.

    References
    ----------
    Cormode, Procopiuc, Srivastava, Shen & Yu, *Differentially private spatial decompositions*,
    ICDE 2012.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> counts = hg.Counts(np.full((16, 16), 5))
    >>> release = hg.publish(counts, epsilon=1, mechanism="quadtree")
    >>> [m.partition.size for m in release.estimate.measurements]
    [4, 16, 64, 256]
    """

    name: ClassVar[str] = "quadtree"
    proof: ClassVar[str] = "quadtree"

    height: int | None = None

    def __post_init__(self) -> None:
        check_parameters(self, height=optional(whole_number(1)))

    def check(self, domain: Domain) -> None:
        quadtree_levels(domain, self.height)

    def estimate(self, vault: Vault) -> Estimate:
        levels = quadtree_levels(vault.domain, self.height)
        growth = 2 ** ((len(divisible_bins(vault.domain)) - 1) / 3)
        return measure_tree(vault, levels, [growth**level for level in range(len(levels))])


def divisible_bins(domain: Domain) -> list[int]:
    """The bins of the axes that can be halved."""
    return [axis.bins for axis in domain.axes if axis.ordered and axis.bins > 1]


@lru_cache(maxsize=64)
def quadtree_levels(domain: Domain, height: int | None) -> tuple[Grid, ...]:
    """Grids of 2, 4, 8, … slices per ordered axis.

    >>> from hushgram.declare.axis import Integer, Interval
    >>> [grid.slices for grid in quadtree_levels(Domain(x=Integer(0, 9), y=Integer(0, 2)), None)]
    [(2, 2), (4, 3), (8, 3), (10, 3)]
    >>> quadtree_levels(Domain(x=Interval(0, 1), y=Interval(0, 1)), None)[-1].slices
    (1024, 1024)
    """
    deepest = max(1, math.ceil(math.log2(max(divisible_bins(domain), default=1))))
    wanted = min(height or fitting_height(domain, deepest), deepest)
    return nested_grids(domain, [2**level for level in range(1, wanted + 1)])


def fitting_height(domain: Domain, deepest: int) -> int:
    """The largest height of a tree with at most `MAX_LEAVES` leaves, at least 1."""
    height = 1
    while height < deepest and count_leaves(domain, height + 1) <= MAX_LEAVES:
        height += 1
    return height


def count_leaves(domain: Domain, height: int) -> int:
    sides = (min(2**height, axis.bins) if axis.ordered else axis.bins for axis in domain.axes)
    return math.prod(side + axis.other for side, axis in zip(sides, domain.axes, strict=True))
