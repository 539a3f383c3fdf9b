"""Compiled: halving boxes along their widest sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition.cutting import copy_box


@compiled(forceinline=True)
def widest_axis(boxes: Any, box: int, slices: Any, ordered: Any) -> int:
    """The ordered axis on which a box is widest, as a share of the whole; -1 if it has a single
    slice on each of them."""
    found, most = -1, 0.0
    for axis in range(len(slices)):
        width = boxes[box, 1, axis] - boxes[box, 0, axis]
        if ordered[axis] and width > 1 and width / slices[axis] > most:
            found, most = axis, width / slices[axis]
    return found


@compiled(forceinline=True)
def middle_of(lower: int, upper: int, depth: int, slices: Any) -> int:
    """The cut that halves a side. On a single axis it is that of `Halving`, so that the tree can be
    recovered from the published slices: with n cells, slice j of depth k starts at
    ceil(n j / 2^k)."""
    if len(slices) > 1:
        return int((lower + upper + 1) // 2)
    number = (lower << depth) // slices[0]
    return int(-(-slices[0] * (2 * number + 1) >> (depth + 1)))


@compiled()
def cut_widest(axes: Any, cuts: Any, depths: Any, times: Any, shape: Any, slices: Any, ordered: Any,
               finer: Any, finer_cuts: Any) -> int:  # fmt: skip
    """Write the tree in which each leaf, of the given depth, is cut ``times`` more times, and
    return its number of nodes. O(nodes)"""
    size = len(axes) + len(finer)
    boxes = np.empty((size, 2, len(shape)), np.int64)  # a stack
    left, depth = np.empty((2, size), np.int64)  # remaining cuts, -1 above the old leaves
    boxes[0, 0], boxes[0, 1], left[0] = 0, shape, -1
    waiting, size, node, leaf = 1, 0, 0, 0
    while waiting:
        waiting -= 1
        axis, cut = -1, 0
        if left[waiting] < 0:
            axis, cut = axes[node], cuts[node]
            node += 1
            if axis < 0:
                left[waiting], depth[waiting] = times[leaf], depths[leaf]
                leaf += 1
        if left[waiting] > 0:
            axis = widest_axis(boxes, waiting, slices, ordered)
            if axis >= 0:
                lower, upper = boxes[waiting, 0, axis], boxes[waiting, 1, axis]
                cut = middle_of(lower, upper, depth[waiting], slices)
            left[waiting] -= 1
            depth[waiting] += 1
        finer[size], finer_cuts[size] = axis, cut
        size += 1
        if axis >= 0:
            copy_box(boxes, waiting, waiting + 1)
            left[waiting + 1], depth[waiting + 1] = left[waiting], depth[waiting]
            boxes[waiting + 1, 1, axis] = boxes[waiting, 0, axis] = cut
            waiting += 2
    return size
