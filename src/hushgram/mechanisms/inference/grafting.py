"""Trees of cuts in the format of `Boxes`, composed of smaller ones.

A tree consists of two arrays with an entry for each node in preorder, the lower half before the
upper one: the axis along which it is cut, -1 for a leaf, and the index at which the upper half
starts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hushgram.geometry.partition import Ints

Nodes = tuple[Ints, Ints]
"""The axes and the cuts of a tree's nodes."""

LEAF: Nodes = (np.array([-1]), np.array([0]))


def halve_slices(axis: int, starts: Ints) -> Nodes:
    """The tree that halves an axis repeatedly, down to slices with these starts.

    >>> [nodes.tolist() for nodes in halve_slices(0, np.array([0, 5, 7]))]
    [[0, -1, 0, -1, -1], [5, 0, 7, 0, 0]]
    """
    if len(starts) == 1:
        return LEAF
    middle = len(starts) // 2
    halves = [halve_slices(axis, half) for half in (starts[:middle], starts[middle:])]
    own = (np.array([axis]), starts[middle : middle + 1])
    axes, cuts = (np.concatenate(both) for both in zip(own, *halves, strict=True))
    return axes, cuts


def halve_grid(starts: Sequence[Ints]) -> Nodes:
    """The tree that halves one axis after the other, down to the cells of a grid, in their
    order."""
    tree = LEAF
    for axis in reversed(range(len(starts))):
        tree = graft(halve_slices(axis, starts[axis]), [tree] * len(starts[axis]))
    return tree


def graft(tree: Nodes, leaves: Sequence[Nodes]) -> Nodes:
    """The tree with another tree in place of each leaf.

    ::

            o                         o
           / \\      with  A, B       / \\
          *   *                      A   B
    """
    inner = np.flatnonzero(tree[0] >= 0)
    ends = np.flatnonzero(tree[0] < 0)
    sizes = np.ones(len(tree[0]), dtype=np.int64)
    sizes[ends] = [len(axes) for axes, _ in leaves]
    places = (np.cumsum(sizes) - sizes)[inner]
    found = []
    for nodes, parts in zip(tree, zip(*leaves, strict=True), strict=True):
        whole = np.empty(int(sizes.sum()), dtype=np.int64)
        own = np.zeros(len(whole), dtype=bool)
        own[places] = True
        whole[places] = nodes[inner]
        whole[~own] = np.concatenate(parts)
        found.append(whole)
    return found[0], found[1]


def place_tree(tree: Nodes, axes: Ints, corner: Ints) -> Nodes:
    """The same tree in a larger space, in which its axes are ``axes`` and it starts at
    ``corner``."""
    inner = tree[0] >= 0
    cut_axes = np.where(inner, axes[tree[0]], -1)
    return cut_axes, np.where(inner, tree[1] + corner[cut_axes], 0)
