"""A tree of errors as nested levels, with which an index answers many queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.levels import MIN_VARIANCE, NestedLevels

MIN_SHARE = 1e-3
"""The smallest share of a node's error for one of its halves: shares of least squares are strictly
between 0 and 1."""


@dataclass(frozen=True, eq=False)
class TreeLevels(NestedLevels):
    """A level has the nodes of one depth, and the leaves above it.

    In least squares, a half gets the share own / (own + sibling's own) of a correction, and the
    variance own x sibling's own / (own + sibling's own) remains between the halves. So a share s
    and a variance e between halves correspond to halves with the own variances e / (1 - s) and e /
    s.
    """

    members: tuple[Ints, ...]
    """The nodes of each level."""
    tree: CutTree
    own: Floats

    @classmethod
    def of_errors(cls, tree: CutTree, shares: Floats, errors: Floats, totals: Floats) -> TreeLevels:
        """The levels of a tree with these shares, errors between halves, and total variances."""
        own = totals.copy()
        inner = np.flatnonzero(tree.right)
        share = np.clip(shares[inner], MIN_SHARE, 1 - MIN_SHARE)
        own[inner + 1] = errors[inner] / (1 - share)
        own[tree.right[inner]] = errors[inner] / share
        own = np.maximum(own, MIN_VARIANCE)
        depths, is_leaf = tree.depths, tree.right == 0
        levels, members = [], []
        for depth in range(int(depths.max()) + 1):
            here = (depths == depth) | (is_leaf & (depths < depth))
            levels.append(tree.cut_off(here))
            members.append(np.flatnonzero(here))
        return cls(tuple(levels), (MIN_VARIANCE,) * len(levels), tuple(members), tree, own)

    @cached_property
    def parents(self) -> list[Ints]:
        found = []
        for above, below in zip(self.members, self.members[1:], strict=False):
            place = np.searchsorted(above, below, side="right") - 1  # a node or its lower half
            found.append(place)
        return found

    @property
    def steps(self) -> list[tuple[Ints, Ints, Ints]]:
        """For each level, its nodes, those of the level below, and the parents of the latter."""
        return list(zip(self.members, self.members[1:], self.parents, strict=False))

    @cached_property
    def spreads(self) -> tuple[list[Floats], list[Floats]]:
        own = [self.own[nodes] for nodes in self.members]
        sums = [self.sum_children(level, own[level + 1]) for level in range(len(own) - 1)]
        return own, [*sums, np.zeros(len(own[-1]))]
