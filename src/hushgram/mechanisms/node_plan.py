"""Which nodes of a tree are counted, and with which share of the budget, so that the average range
suffers least from noise and unevenness.

The count of a node serves the ranges that cover it, and fixes what the nodes below it add up to.
The average range has the squared length S(w) within nodes of width w (`tree_sizing.caught`), so the
noise of variance V in a node whose nearest counted node above has width u costs V (S(w) - S(u)).
With the shares of a budget ε that minimise the sum, all nodes below v together cost 2 B(v) / ε²,

    B(v)^(1/3) = (S(w) - S(u))^(1/3) + (B(lower half) + B(upper half))^(1/3)

if v is counted, and B(lower half) + B(upper half) if it is not. A node that is not cut any further
costs the unevenness of its rows: for each node below it, the expected square of the difference
between the rows of its lower half and half of its rows. The cheapest of the three is found for
every node and every node above that may be the nearest counted one: O(nodes x depth).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hushgram.declare.axis import Floats
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import MAX_WEIGHT, WeightedNodes
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree, as_parts
from hushgram.mechanisms.inference.posterior import NodePosterior
from hushgram.mechanisms.inference.split_kinds import (
    EMPTY_HALF,
    UNEVENNESS,
    Prior,
    halved_axes,
)
from hushgram.mechanisms.tree_sizing import caught

EMPTIED = 0.0, 4.0
"""How many times more unevenness counts if one half is likely to be empty, on one axis and on more:
the count of an empty half shrinks to nothing, so cutting it off adds little noise."""

ROUNDS = 3
"""How often the tree is planned. Each round uses the budgets that the one before left for each
node."""


class NodePlan(NamedTuple):
    """What to count of a tree."""

    shares: Floats
    """The share of the remaining budget that each node gets: none if it is not counted, and all of
    it if it is a leaf."""
    is_leaf: npt.NDArray[np.bool_]
    """Where the tree ends."""

    def cut_off(self, tree: CutTree) -> tuple[CutTree, NodePlan]:
        """The tree down to the leaves of the plan, and the plan of its nodes."""
        rest, kept = tree.above(self.is_leaf)
        return rest, NodePlan(self.shares[kept], self.is_leaf[kept])

    def nodes(self, tree: CutTree, rows: float) -> tuple[WeightedNodes, Ints]:
        """The nodes to count, and their places in the tree. Weights are as fine as so many rows
        allow: weighted sums are whole numbers of 64 bits."""
        from hushgram.mechanisms.node_plan_kernels import fill_weights

        whole = min(MAX_WEIGHT, max(1, int(2**61 / max(rows, 1.0))))
        weights = np.zeros(len(tree), dtype=np.int64)
        fill_weights(tree.right, tree.roots, self.shares, whole, weights)
        asked = np.flatnonzero(weights)
        parts = as_parts(tree.leaves)
        return WeightedNodes(parts, tree.starts[asked], tree.stops[asked], weights[asked]), asked


LEAF_BONUS = 2.5, 7.0
"""How many times the cube root of a leaf's own cost counts with joint noise, on one axis and on
more. Slices and small boxes of a map consist of many leaves."""

LIGHTER = (0.7, 0.1, 0.5), (2.0, 0.5, 0.1)
"""How many times that of a root counts, of its halves, and of nodes whose halves are leaves, on one
axis and on more. With 0.4 for the root of a single axis, the average range would have the least
variance, but people often query the sum of all rows."""


def nested_nodes(tree: CutTree) -> NestedNodes:
    """All nodes of a tree, with the best weights for joint noise. Every level gets some weight,
    since a node's noise is the sum of its halves' noise, made smaller. The shares are those of a
    plan that counts all nodes, except that leaves get more, because all other noise is made up of
    theirs, and that nodes get less if their neighbours say nearly as much about them."""
    from hushgram.mechanisms.node_plan_kernels import fill_nested

    several = halved_axes(tree.leaves.domain) > 1
    bonus, lighter = LEAF_BONUS[several], LIGHTER[several]
    weights = np.zeros(len(tree), dtype=np.int64)
    fill_nested(tree.right, tree.roots, squared_lengths(tree), bonus, lighter, MAX_WEIGHT, weights)
    parts = as_parts(tree.leaves)
    return NestedNodes(WeightedNodes(parts, tree.starts, tree.stops, weights))


def plan_for_noise(tree: CutTree) -> NodePlan:
    """The best shares if all leaves are kept."""
    return plan(tree, np.zeros(len(tree)), 0.0)


def plan(tree: CutTree, uneven: Floats, epsilon: float) -> NodePlan:
    """The best plan for a budget. ``uneven`` has, for each node, the expected square of the
    difference between its lower half and half of it. With a budget of 0, the whole tree is kept."""
    from hushgram.mechanisms.node_plan_kernels import fill_plan

    found = NodePlan(np.zeros(len(tree)), np.zeros(len(tree), dtype=np.bool_))
    fill_plan(
        tree.right, tree.roots, tree.depths, squared_lengths(tree), uneven, epsilon, ROUNDS, *found
    )
    return found


def squared_lengths(tree: CutTree) -> Floats:
    """S(w) of every node: the product over the axes that can be halved."""
    lower, upper = tree.leaves.corners
    found = np.ones(len(tree))
    for place, axis in enumerate(tree.leaves.domain.axes):
        slices = tree.leaves.raster.slices[place]
        if axis.ordered and slices > 1:
            width = upper[tree.stops - 1, place] - lower[tree.starts, place]
            found *= caught_by(slices, width)
    return found


def caught_by(slices: int, width: Ints) -> Floats:
    """The squared length within nodes of these widths; for many nodes, from a table of widths."""
    if len(width) <= slices:
        return caught(slices, width.astype(np.float64))
    return np.asarray(caught(slices, np.arange(1.0, slices + 1))[width - 1])


def expected_unevenness(
    tree: CutTree, known: CutTree, found: NodePosterior, prior: Prior
) -> Floats:
    """The expected square of the difference between each node's lower half and half of its rows, in
    a tree that cuts the leaves of a known one further: from the posterior where that is known, and
    below from the prior, by the kinds that are likely to follow. It is raised where a half is
    likely to be empty."""
    from hushgram.mechanisms.node_plan_kernels import fill_unevenness

    places = known.places_in(tree)
    is_known = np.zeros(len(tree), dtype=np.bool_)
    is_known[places] = True
    means, variances = np.zeros((2, len(tree)))
    means[places], variances[places] = found.means, found.variances
    kinds = np.zeros((len(tree), found.kinds.shape[1]))
    kinds[places] = found.kinds
    uneven = np.zeros(len(tree))
    fill_unevenness(
        tree.right, is_known, means, variances, kinds, prior.transitions, UNEVENNESS, uneven
    )
    inner = np.flatnonzero(tree.right)
    uneven[inner] *= 1 + EMPTIED[halved_axes(tree.leaves.domain) > 1] * kinds[inner + 1, EMPTY_HALF]
    return uneven
