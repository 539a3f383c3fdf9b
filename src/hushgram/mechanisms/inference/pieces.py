"""A tree divided for parallel processing: into small subtrees, and a top above them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree

BATCH = 4096
"""About the number of nodes that a core processes at a time."""


class Pieces(NamedTuple):
    """The largest subtrees with at most a given number of nodes, and the nodes above them.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> from hushgram.geometry.partition import Grid
    >>> pieces = Pieces.of(CutTree.of(Grid.of_cells(Domain(x=Integer(0, 7)))), 3)
    >>> pieces.begins.tolist(), pieces.ends.tolist()
    ([2, 5, 9, 12], [5, 8, 12, 15])
    >>> pieces.top.tolist(), pieces.right.tolist()
    ([0, 1, 2, 5, 8, 9, 12], [4, 3, 0, 0, 6, 0, 0])
    """

    begins: Ints
    """The roots of the pieces."""
    ends: Ints
    """One past the last node of each piece."""
    top: Ints
    """The nodes of the top: all above the pieces, and their roots."""
    right: Ints
    """The upper half of each node of the top, as its number there; 0 for the root of a piece."""

    @classmethod
    def of(cls, tree: CutTree, most: int) -> Pieces:
        """The pieces of a tree with at most ``most`` nodes each. O(nodes)"""
        sizes = 2 * (tree.stops - tree.starts) - 1
        inner = np.flatnonzero(sizes > most)
        in_top = np.zeros(len(tree), dtype=np.bool_)
        for nodes in (tree.roots, inner, inner + 1, tree.right[inner]):
            in_top[nodes] = True
        top = np.flatnonzero(in_top)
        begins = top[sizes[top] <= most]
        right = np.zeros(len(top), dtype=np.int64)
        right[sizes[top] > most] = np.searchsorted(top, tree.right[inner])
        return cls(begins, begins + sizes[begins], top, right)

    def run(self, work: Callable[..., None], *columns: Ints) -> None:
        """Process all pieces on all cores. ``work`` is called with the starts and ends of a batch
        of pieces, and with their entries of ``columns``."""
        batch = np.cumsum(self.ends - self.begins) // BATCH
        edges = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(batch)]

        def step(begin: int, end: int) -> None:
            work(*(column[begin:end] for column in (self.begins, self.ends, *columns)))

        if len(edges) == 2:
            return step(*edges)
        with ThreadPoolExecutor(min(os.cpu_count() or 1, len(edges) - 1)) as pool:
            list(pool.map(step, edges[:-1], edges[1:]))
        return None
