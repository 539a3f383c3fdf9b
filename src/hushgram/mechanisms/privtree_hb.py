"""A tree of counts over the leaves of PrivTree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.geometry.partition import MAX_PARTS, Boxes, Cuts
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hierarchical import measure_tree
from hushgram.mechanisms.parameters import check_parameters, whole_number
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.tree_sizing import best_tree
from hushgram.queries import Vault


@dataclass(frozen=True, kw_only=True)
class PrivTreeHB(PrivTree):
    """Halves the domain where there are many rows, and counts the resulting boxes and larger ones
    above them.

    Use it for ranges on one or two axes that are crowded in some places and empty in others.

    `privtree` spends no counts on empty space, and `hb` answers large ranges with few counts; this
    mechanism does both. A small part of the budget pays for PrivTree's leaves. The rest pays for
    the tree over them that is best for ranges, with least squares over its levels: that of `hb` for
    the same number of cells. On one axis, a node consists of consecutive leaves; on more axes, it
    is a box of PrivTree's own tree, the largest with that many leaves. The tree has no root, since
    only the count of everything needs it.

    Privacy: a `Decomposition` query, then one `PartCounts` query per level; the levels depend only
    on the leaves. Proof: ``docs/proofs/privtree.md``.

    Parameters
    ----------
    share
        The share of the budget for the decomposition. By default, a fifth on one axis and two
        fifths on more.
    threshold
        The number of rows that a node needs to be split, a whole number. 0, as in PrivTree's paper.
    start
        Nodes above this depth are always split. 1: see `privtree`.
    further
        How many more times to halve every leaf along its longest side, regardless of its rows. This
        is free, and worthwhile with many rows. 0 by default; `auto` chooses it by the number of
        rows.

    References
    ----------
    Zhang, Xiao & Xie, *PrivTree: a differentially private algorithm for hierarchical
    decompositions*, SIGMOD 2016. Qardaji, Yang & Li, *Understanding hierarchical methods for
    differentially private histograms*, VLDB 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> counts = np.zeros(1024, dtype=int)
    >>> counts[700] = 10_000
    >>> release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="privtree-hb")
    >>> len(release.estimate.values) < 100, int(np.argmax(release.to_array()))
    (True, 700)
    """

    name: ClassVar[str] = "privtree-hb"
    proof: ClassVar[str] = "privtree"

    shares: ClassVar[tuple[Fraction, Fraction]] = Fraction(1, 5), Fraction(2, 5)

    further: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(self, further=whole_number(0))

    def estimate(self, vault: Vault) -> Estimate:
        leaves = halve_repeatedly(self.leaves(vault), self.further)
        return measure_tree(vault, *levels_above(leaves))


def halve_repeatedly(leaves: Cuts | Boxes, times: int) -> Cuts | Boxes:
    """The parts after halving each of them ``times`` times, or until nothing is left to halve, or
    there would be too many.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> halve_repeatedly(Cuts(Domain(x=Integer(0, 9)), (np.array([0, 3]),)), 10**12).size
    10
    """
    for _ in range(times):
        if 2 * leaves.size > MAX_PARTS:
            break
        finer = halve_parts(leaves)
        if finer.size == leaves.size:
            break
        leaves = finer
    return leaves


def halve_parts(leaves: Cuts | Boxes) -> Cuts | Boxes:
    """The parts after halving each with two slices or more along its longest side.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> halve_parts(Cuts(Domain(x=Integer(0, 9)), (np.array([0, 1, 5]),))).starts[0].tolist()
    [0, 1, 3, 5, 7]
    """
    if isinstance(leaves, Cuts):
        ends = leaves.cuts(0)[: leaves.slices[0] + 1]
        return Cuts(leaves.domain, (np.unique([ends[:-1], (ends[:-1] + ends[1:]) // 2]),))
    lower, upper = leaves.corners
    longest = (upper - lower).argmax(axis=1)
    low, high = (np.take_along_axis(c, longest[:, None], 1)[:, 0] for c in (lower, upper))
    return leaves.cut(np.where(high - low > 1, longest, -1), (low + high) // 2)


def levels_above(leaves: Cuts | Boxes) -> tuple[list[Cuts | Boxes], tuple[float, ...]]:
    """The levels of the best tree for ranges over the leaves, and their shares of the budget.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> fine = Cuts(Domain(x=Integer(0, 999)), (np.arange(0, 1000, 2),))
    >>> levels, shares = levels_above(fine)
    >>> [(level.size, level.starts[0][:3].tolist()) for level in levels], shares
    ([(20, [0, 50, 100]), (500, [0, 2, 4])], (0.468, 0.532))
    """
    if isinstance(leaves, Cuts):
        best = best_tree((math.prod(leaves.slices),))
        return [*(join_slices(leaves, nodes) for nodes in best.sides), leaves], best.shares
    lengths = even_lengths(leaves.size, leaves.raster.slices)
    best = best_tree(lengths)
    nodes = [math.prod(min(side, length) for length in lengths) for side in best.sides]
    return [*(subtrees(leaves, number) for number in nodes), leaves], best.shares


def even_lengths(count: int, slices: Sequence[int]) -> tuple[float, ...]:
    """The lengths of a grid of ``count`` cells: equal on every axis, up to its number of slices.

    >>> even_lengths(100, (256, 256)), even_lengths(100, (2, 50, 1))
    ((10.0, 10.0), (1, 2, 50))
    """
    lengths: list[float] = []
    for axes, most in zip(range(len(slices), 0, -1), sorted(slices), strict=True):
        lengths.append(min(most, (count / math.prod(lengths)) ** (1 / axes)))
    return tuple(lengths)


def join_slices(leaves: Cuts, nodes: int) -> Cuts:
    """The slices joined to ``nodes`` larger ones: leaf i of k is in ``i * nodes // k``."""
    starts = leaves.starts[0]
    first = -(-np.arange(nodes) * len(starts) // nodes)
    return Cuts(leaves.domain, (starts[first],))


def subtrees(leaves: Boxes, nodes: float) -> Boxes:
    """About ``nodes`` boxes of the tree of cuts: those with at most twice the average number of
    leaves, since the halves of a larger box may have the average number."""
    return leaves.join(int(2 * leaves.size / nodes))
