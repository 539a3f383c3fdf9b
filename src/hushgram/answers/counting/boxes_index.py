"""An index of an estimate's parts: answers many boxes at once, each in O(parts at its border).

The parts and the measured nodes above them form a tree. Siblings are joined into larger boxes, a
few at a time in the order of the Hilbert curve. A query walks the tree from the top: a box within
the query adds its sum, one outside nothing, and only boxes that are cut are entered.

Variances are exact. If nested counts were combined by least squares (`Tree`), a child's estimate is
that of its own subtree plus a share of its parent's correction. As a consequence, the variance of a
weighted sum of parts is

    sum over leaves a² own  -  sum over inner nodes a² (sums - own),

where ``own`` is the variance of a node's estimate from its own subtree, ``sums`` that of the sum of
its children's, and ``a`` a node's weight: the average of its children's, weighted by ``own``. Below
a node within the query, all weights are 1, and the sum is the node's ``own``; so here, too, only
nodes that are cut are entered. Joints were not measured: their ``own`` equals their ``sums``, and
they contribute nothing. Counts that were measured once are a tree with one level.
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
        """The index of an estimate: O(n log n) for n parts and measured nodes."""
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
        """The sums over boxes with these starts and stops on each axis, in units of indices."""
        from hushgram.answers.counting.boxes_walk import walk

        return Sums(*walk(self.nodes, self.levels, starts, stops).T)


def arrange(tree: NestedLevels) -> tuple[list[Ints], Ints]:
    """The nodes of each level in an order that keeps siblings together and neighbours in space
    close to each other; and the start of each node's children.

    Nodes are numbered through all levels in that order: the children of a node end where those of
    the next start, and leaves have none.
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
    """The position of each box's middle on a Hilbert curve through the axes that are cut."""
    return places_along_curve(*level.boxes())


def places_along_curve(lower: Ints, upper: Ints) -> Ints:
    from hushgram.geometry.hilbert import MAX_BITS, bits_for, places

    middle = (lower + upper) // 2
    middle = middle[:, (lower != lower[0]).any(axis=0)]
    if middle.shape[1] == 0:
        return np.zeros(len(middle), dtype=np.int64)
    needed, bits = bits_for((int(middle.max()) + 1,)), MAX_BITS // middle.shape[1]
    return places(middle >> max(needed - bits, 0), min(needed, bits))
