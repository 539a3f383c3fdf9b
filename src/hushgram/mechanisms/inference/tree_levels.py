"""A tree of errors as nested levels, which an index answers many questions by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.levels import NestedLevels

LEAST = 1e-3
"""The least share of a node's error that one of its halves is taken to have: a share of least
squares lies between 0 and 1."""


@dataclass(frozen=True, eq=False)
class TreeLevels(NestedLevels):
    """Nodes of one depth are a level; leaves that lie higher go on through all below it.

    Least squares hand a share of own / (own + sibling's own) down, and leave own x sibling's own /
    (own + sibling's own) unknown. So a share s and an error of variance e between halves are those
    of halves with e / (1 - s) and e / s for their own.
    """

    members: tuple[Ints, ...]
    """The nodes of each level."""
    tree: CutTree
    own: Floats

    @classmethod
    def of_errors(cls, tree: CutTree, shares: Floats, errors: Floats, totals: Floats) -> TreeLevels:
        own = totals.copy()
        inner = np.flatnonzero(tree.right)
        share = np.clip(shares[inner], LEAST, 1 - LEAST)
        own[inner + 1] = errors[inner] / (1 - share)
        own[tree.right[inner]] = errors[inner] / share
        own = np.maximum(own, QUIETEST)
        depths, is_leaf = tree.depths, tree.right == 0
        levels, members = [], []
        for depth in range(int(depths.max()) + 1):
            here = (depths == depth) | (is_leaf & (depths < depth))
            levels.append(tree.cut_off(here))
            members.append(np.flatnonzero(here))
        return cls(tuple(levels), (QUIETEST,) * len(levels), tuple(members), tree, own)

    @cached_property
    def parents(self) -> list[Ints]:
        found = []
        for above, below in zip(self.members, self.members[1:], strict=False):
            place = np.searchsorted(above, below, side="right") - 1  # a node or its lower half
            found.append(place)
        return found

    @property
    def steps(self) -> list[tuple[Ints, Ints, Ints]]:
        """The nodes of a level, those of the level below, and the parents of these."""
        return list(zip(self.members, self.members[1:], self.parents, strict=False))

    @cached_property
    def spreads(self) -> tuple[list[Floats], list[Floats]]:
        own = [self.own[nodes] for nodes in self.members]
        sums = [self.sum_children(level, own[level + 1]) for level in range(len(own) - 1)]
        return own, [*sums, np.zeros(len(own[-1]))]


QUIETEST = 1e-100
"""No variance is taken for less: nothing must be divided by zero."""
