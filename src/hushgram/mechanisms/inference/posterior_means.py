"""The posterior means of a tree's counts, and the variances of their errors.

Given all noisy counts, a node and its lower half are nearly normal: the half is a share of the node
and an error of its own. From the root downwards this makes a tree of errors,

    lower half = share x node + error,    upper half = (1 - share) x node - error,

independent of each other. The error of a weighted sum of parts is then a sum of such errors. On the
way up, a node's weight is the mean of its halves' weights, by the share, and the error between them
has the difference of their weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.partition import Partition, same_parts
from hushgram.mechanisms.inference.aligned import align_trees
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.levels import NestedLevels
from hushgram.mechanisms.inference.noisy_nodes import leaves_of, noisy_nodes
from hushgram.mechanisms.inference.posterior import (
    LATTICES,
    NodeValues,
    NoisyNodes,
    expect_nodes,
    least_squares,
    usual_lattice,
)
from hushgram.mechanisms.inference.split_kinds import prior_for
from hushgram.mechanisms.inference.tree_levels import TreeLevels
from hushgram.mechanisms.inference.tree_sizes import FEWEST_TREES
from hushgram.mechanisms.inference.weights import Matrix, membership
from hushgram.queries import Measurement

DISTRUST = 0.15
"""How much of the squared difference between posterior mean and least squares is added to a
variance: the prior describes public tables, and this table may be different."""

KNOWN = 8.0
"""A node keeps its least-squares count if that is so many times its standard deviation, and if the
same holds for its sibling and all nodes above."""

A_ROW = 0.5
"""The standard deviation below which a count is known to the row."""


@dataclass(frozen=True, eq=False)
class PosteriorMeans(Inference):
    """The posterior means of a tree's leaves, from weighted counts of its nodes."""

    kind: ClassVar[str] = "posterior"
    has_moments_only: ClassVar[bool] = True
    measurements: tuple[Measurement, ...]
    """They say around which counts errors are found, and stay as they are."""
    stated: str | None = None
    """The lattice of counts that a release states; None for the usual one."""

    @classmethod
    def of(cls, measurements: Sequence[Measurement], stated: str | None = None) -> PosteriorMeans:
        """Refused, unless all are nodes of one tree."""
        found = cls(tuple(measurements), stated)
        found.noisy  # noqa: B018
        return found

    @cached_property
    def tree(self) -> CutTree:
        if not self.measurements:
            raise BadInput("Posterior means need counts of nodes, but there are none.")
        leaves, *others = (leaves_of(one) for one in self.measurements)
        if not all(same_parts(one, leaves) for one in others):
            raise BadInput("All nodes must consist of the same leaves.")
        tree = CutTree.of(leaves)
        if not tree.is_whole:
            raise BadInput("A leaf must not combine categories, or 'other' with declared values.")
        return tree

    @property
    def lattice(self) -> str:
        """The name of the lattice of counts."""
        return usual_lattice(self.tree) if self.stated is None else self.stated

    @cached_property
    def noisy(self) -> NoisyNodes:
        return noisy_nodes(self.tree, self.measurements)

    @property
    def is_linear(self) -> bool:
        return False

    @property
    def noise_margin(self) -> float:
        """The posterior of a few counts has wider tails than a normal deviation."""
        return 1.15

    @cached_property
    def found(self) -> NodeValues:
        """What its own measurements say."""
        return self.expect(self.noisy, self.fitted)

    def expect(self, noisy: NoisyNodes, fitted: NodeValues) -> NodeValues:
        """The posterior, corrected where sums are known better without the prior: those of single
        nodes, and those over many trees. Among very many leaves even a slightly wrong prior adds up
        to a wrong sum."""
        found = self.expect_each(noisy, fitted)
        if len(self.tree.roots) >= FEWEST_TREES:
            found = NodeValues(align_trees(self.tree, *fitted, *found), found.variances)
        return found

    def expect_each(self, noisy: NoisyNodes, fitted: NodeValues) -> NodeValues:
        """The posterior, but for nodes that are known well without it."""
        from hushgram.mechanisms.inference.cut_tree_kernels import anchor, find_known

        tree, deviations = self.tree, np.sqrt(fitted.variances)
        prior, lattice = prior_for(tree.leaves.domain), LATTICES[self.lattice]
        if deviations.max() < A_ROW:  # whole rows are told apart, which least squares do not know
            return expect_nodes(tree, noisy, prior, lattice)
        is_known, is_settled = np.zeros((2, len(tree)), dtype=np.bool_)
        find_known(tree.right, tree.roots, fitted.means, deviations, KNOWN, is_known, is_settled)
        rest, kept = tree.above(is_settled)
        left = noisy.ending_at(is_settled, fitted).some(kept)
        found = NodeValues(fitted.means.copy(), fitted.variances.copy())
        found.means[kept], found.variances[kept] = expect_nodes(rest, left, prior, lattice)
        anchor(tree.right, tree.roots, fitted.means, is_known, *found)
        return found

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        if len(measurements) == len(self.measurements) and all(
            map(same_values, measurements, self.measurements)
        ):
            return self.found.means[self.tree.ends]
        noisy = noisy_nodes(self.tree, measurements)
        return self.expect(noisy, least_squares(self.tree, noisy)).means[self.tree.ends]

    @cached_property
    def fitted(self) -> NodeValues:
        """Least squares, which know nothing of other tables."""
        return least_squares(self.tree, self.noisy)

    def unbiased_values(self) -> tuple[Floats, Floats]:
        return self.fitted.means[self.tree.ends], self.fitted.variances[self.tree.ends]

    @cached_property
    def errors(self) -> TreeErrors:
        return TreeErrors.of(self.tree, self.found, self.fitted.means)

    def terms(self, weights: Floats, measurements: Sequence[Measurement]) -> Floats:
        from hushgram.mechanisms.inference.cut_tree_kernels import add_up_errors

        found = np.zeros(2 * len(self.tree))
        add_up_errors(self.tree.right, self.tree.roots, *self.errors, weights, found)
        return found

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        return self.errors.totals[self.tree.ends]

    def row_variances(self, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
        """All rows at once, from the leaves upwards. O(depth x entries)"""
        shares, own, totals = self.errors
        found = np.zeros(rows.shape[0])
        for above, below, parents in reversed(self.levels.steps):
            whole = above[parents]
            is_same, is_lower = below == whole, below == whole + 1
            share = np.where(is_lower, shares[whole], 1 - shares[whole])
            apart = rows @ membership(parents, np.where(is_same, 0.0, 2.0 * is_lower - 1))
            found += np.asarray((apart**2) @ own[above])
            rows = rows @ membership(parents, np.where(is_same, 1.0, share))
        return np.asarray(found + (rows**2) @ totals[self.levels.members[0]])

    @cached_property
    def levels(self) -> TreeLevels:
        return TreeLevels.of_errors(self.tree, *self.errors)

    def nested_levels(self, measurements: Sequence[Measurement]) -> NestedLevels:
        return self.levels

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if not same_parts(partition, leaves_of(self.measurements[0])):
            raise BadInput("The parts must be the leaves of the nodes.")

    def to_json(self) -> dict[str, Any]:
        """Releases that state no lattice have the fine one, as all earlier releases do."""
        stated = {} if self.lattice == "fine" else {"lattice": self.lattice}
        return {"kind": self.kind, **stated}

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], measurements: Sequence[Measurement]
    ) -> PosteriorMeans:
        stated = data.get("lattice", "fine")
        if stated not in LATTICES:
            raise BadInput(
                f"Unknown lattice {stated!r}. Read this release with a newer version of Hushgram."
            )
        return cls.of(measurements, stated)


class TreeErrors(NamedTuple):
    """The errors that the nodes of a tree have."""

    shares: Floats
    """Which share of its own error a node hands to its lower half."""
    own: Floats
    """The variance of the error between its halves."""
    totals: Floats
    """The variance of each node."""

    @classmethod
    def of(cls, tree: CutTree, found: NodeValues, unbiased: Floats) -> TreeErrors:
        from hushgram.mechanisms.inference.cut_tree_kernels import fill_errors

        made = cls(*np.zeros((3, len(tree))))
        changed = unbiased - found.means
        fill_errors(tree.right, tree.roots, found.variances, changed, DISTRUST, *made)
        if len(tree.roots) >= FEWEST_TREES:
            made.totals[tree.roots] += (1 - DISTRUST) * changed[tree.roots] ** 2
        return made


def same_values(one: Measurement, other: Measurement) -> bool:
    return one.values is other.values
