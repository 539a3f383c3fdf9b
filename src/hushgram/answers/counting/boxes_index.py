"""An index of an estimate's parts: many boxes at once, each in time that its border takes.

The parts and what was measured above them form a tree; siblings are joined, a few at a time and
neighbours on the Hilbert curve first, into larger boxes. A question walks the tree from above:
a box inside it adds its sum, one outside nothing, and only boxes that it cuts are entered.

Variances are exact. Where nested counts were reconciled by least squares (`Tree`), a child's
estimate is that of its own subtree plus a share of what its parent knows better. Carried through,
the variance of a weighted sum of parts is

    sum over leaves a² own  -  sum over inner nodes a² (sums - own),

``own`` the variance of a node's estimate from its own subtree, ``sums`` that of the sum of its
children's, and ``a`` a node's weight: the mean of its children's, weighted by ``own``. Below a
node that lies inside the question all weights are 1, and the sum is the node's ``own``; so only
nodes that are cut are entered here too. A joint was not measured: its ``own`` is its ``sums``, and
it takes no part. Counts that were measured once are a tree of one level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushgram.answers.counting.sums import Sums
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.levels import NestedLevels

if TYPE_CHECKING:
    from hushgram.answers.counting.boxes_walk import BoxNodes


@dataclass(frozen=True, eq=False)
class BoxIndex:
    nodes: BoxNodes
    levels: int

    @classmethod
    def of(cls, estimate: Estimate, tree: NestedLevels) -> BoxIndex:
        """O(n log n) for n parts and measured nodes."""
        from hushgram.answers.counting.boxes_walk import BoxNodes, fill_in, lay_out

        orders, below = arrange(tree)
        source, parent, first, children = lay_out(below, len(orders[0]))
        measured, leaf = source >= 0, children == 0
        own, sums, values = np.full(len(source), -1.0), *np.zeros((2, len(source)))
        spreads = [spread[order] for spread, order in zip(tree.spreads[0], orders, strict=True)]
        own[measured] = np.concatenate(spreads)[source[measured]]
        parts = orders[-1][source[leaf] - (len(below) - 1 - len(orders[-1]))]
        values[leaf] = estimate.values[parts]
        lower, upper = tree.levels[-1].boxes()
        boxes = np.repeat([np.inf, -np.inf], lower.shape[1])[:, None] * np.ones(len(source))
        boxes[:, leaf] = np.concatenate([lower, upper], axis=1)[parts].T
        fill_in(parent, boxes, values, own, sums)
        return cls(BoxNodes(boxes, first, children, values, own, sums), len(orders))

    def ask(self, starts: Floats, stops: Floats) -> Sums:
        """The sums over boxes, given by where they start and stop on each axis, in indices."""
        from hushgram.answers.counting.boxes_walk import walk

        return Sums(*walk(self.nodes, self.levels, starts, stops).T)


def arrange(tree: NestedLevels) -> tuple[list[Ints], Ints]:
    """The nodes of each level in an order that keeps the children of one parent together, and
    near each other what is near in space; and where the children of each node begin.

    Nodes are numbered through all levels, in that order: the children of one end where those of
    the next begin, and leaves have none.
    """
    orders = [np.argsort(along_curve(tree.levels[0]), kind="stable")]
    first: list[Ints] = []
    offset = 0
    for level, parents in zip(tree.levels[1:], tree.parents, strict=True):
        rank = np.empty(len(orders[-1]), dtype=np.int64)
        rank[orders[-1]] = np.arange(len(rank))
        offset += len(rank)
        children = np.bincount(rank[parents], minlength=len(rank))
        first.append(offset + np.cumsum(children) - children)
        orders.append(np.lexsort((along_curve(level), rank[parents])))
    leaves = len(orders[-1])
    return orders, np.concatenate([*first, np.full(leaves + 1, offset + leaves)])


def along_curve(level: Boxed) -> Ints:
    """Where the middle of each box lies on a Hilbert curve, through the axes that are cut."""
    return places_along_curve(*level.boxes())


def places_along_curve(lower: Ints, upper: Ints) -> Ints:
    from hushgram.geometry.hilbert import LONGEST, bits_for, places

    middle = (lower + upper) // 2
    middle = middle[:, (lower != lower[0]).any(axis=0)]
    if middle.shape[1] == 0:
        return np.zeros(len(middle), dtype=np.int64)
    needed, bits = bits_for((int(middle.max()) + 1,)), LONGEST // middle.shape[1]
    return places(middle >> max(needed - bits, 0), min(needed, bits))
