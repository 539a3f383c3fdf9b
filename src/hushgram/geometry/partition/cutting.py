"""Compiled walks through a tree of cuts in preorder (see `Boxes`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled(forceinline=True)
def copy_box(boxes: Any, one: int, other: int) -> None:
    """Copy the corners of a box. A loop is faster than an assignment of slices."""
    for axis in range(boxes.shape[2]):
        boxes[other, 0, axis] = boxes[one, 0, axis]
        boxes[other, 1, axis] = boxes[one, 1, axis]


@compiled()
def leaf_corners(axes: Any, cuts: Any, shape: Any, lower: Any, upper: Any) -> bool:
    """Fill in the corners of the leaves; False if the nodes do not form a valid tree. O(nodes)"""
    dims = len(shape)
    stack = np.empty((len(axes) + 1, 2, dims), np.int64)
    stack[0, 0] = 0
    stack[0, 1] = shape
    waiting, leaf = 1, 0
    for node in range(len(axes)):
        if waiting == 0:
            return False
        waiting -= 1
        if axes[node] < 0:
            if leaf == len(lower):
                return False
            for axis in range(dims):
                lower[leaf, axis] = stack[waiting, 0, axis]
                upper[leaf, axis] = stack[waiting, 1, axis]
            leaf += 1
            continue
        axis, cut = axes[node], cuts[node]
        if axis >= dims or not stack[waiting, 0, axis] < cut < stack[waiting, 1, axis]:
            return False
        if waiting + 2 > len(stack):
            return False
        copy_box(stack, waiting, waiting + 1)
        stack[waiting + 1, 1, axis] = cut
        stack[waiting, 0, axis] = cut
        waiting += 2
    return waiting == 0


@compiled()
def upper_halves(axes: Any) -> Any:
    """The node at which each inner node's upper half starts, and the leaf number of each leaf."""
    found = np.empty(len(axes), np.int64)
    waiting = np.empty(len(axes) + 1, np.int64)
    depth, leaf = 0, 0
    for node in range(len(axes)):
        if node and axes[node - 1] < 0:  # after a leaf comes the upper half that was opened last
            depth -= 1
            found[waiting[depth]] = node
        if axes[node] < 0:
            found[node] = leaf
            leaf += 1
        else:
            waiting[depth] = node
            depth += 1
    return found


@compiled(nogil=True)
def find_leaves(axes: Any, cuts: Any, slices: Any, found: Any) -> None:
    """Fill in the leaf that contains each row of slices: O(depth) each."""
    above = upper_halves(axes)
    for row in range(len(found)):
        node = 0
        while axes[node] >= 0:
            node = above[node] if slices[row, axes[node]] >= cuts[node] else node + 1
        found[row] = above[node]


@compiled()
def leaves_inside(axes: Any, cuts: Any, above_axes: Any, above_cuts: Any, found: Any) -> bool:
    """Fill in the number of leaves within each leaf of the tree above; False unless this tree is
    that one with further cuts. O(nodes)"""
    below = leaves_below(axes)
    node = leaf = 0
    for old in range(len(above_axes)):
        if above_axes[old] < 0:
            found[leaf] = below[node]
            leaf += 1
            node += 2 * below[node] - 1
        elif axes[node] != above_axes[old] or cuts[node] != above_cuts[old]:
            return False
        else:
            node += 1
    return True


@compiled()
def leaves_below(axes: Any) -> Any:
    """The number of leaves below each node. An inner node is followed by the subtrees of its lower
    and its upper half, and a subtree with n leaves has 2 n - 1 nodes. O(nodes)"""
    found = np.ones(len(axes), np.int64)
    for node in range(len(axes) - 1, -1, -1):
        if axes[node] >= 0:
            lower = found[node + 1]
            found[node] = lower + found[node + 2 * lower]
    return found


@compiled()
def keep_inner(axes: Any, cuts: Any, inner: Any, kept: Any, kept_cuts: Any) -> int:
    """Copy the ``inner`` nodes at the top of the tree, with a leaf for each subtree below them.
    Returns the number of nodes. O(nodes)"""
    leaves = leaves_below(axes)
    node = filled = 0
    while node < len(axes):
        kept[filled] = axes[node] if inner[node] else -1
        kept_cuts[filled] = cuts[node] if inner[node] else 0
        node += 1 if inner[node] else 2 * leaves[node] - 1
        filled += 1
    return filled
