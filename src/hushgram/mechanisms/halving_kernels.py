"""Compiled: boxes cut into halves along their widest sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled()
def widest_axis(box: Any, slices: Any, ordered: Any) -> int:
    """The axis on which a box is widest, as a share of the whole, or -1 if it has but one slice on
    each that has an order."""
    found, most = -1, 0.0
    for axis in range(len(slices)):
        width = box[1, axis] - box[0, axis]
        if ordered[axis] and width > 1 and width / slices[axis] > most:
            found, most = axis, width / slices[axis]
    return found


@compiled()
def cut_widest(axes: Any, cuts: Any, shape: Any, slices: Any, ordered: Any, times: Any, finer: Any,
               finer_cuts: Any) -> int:  # fmt: skip
    """Write down a tree of cuts whose leaves are cut so many times more, each half too; returns how
    many nodes there are. ``left`` has for boxes that wait how many cuts are left, or -1 above the
    leaves that were there. O(nodes)"""
    boxes = np.empty((len(axes) + len(finer), 2, len(shape)), np.int64)
    left = np.empty(len(boxes), np.int64)
    boxes[0, 0], boxes[0, 1], left[0] = 0, shape, -1
    waiting, size, node, leaf = 1, 0, 0, 0
    while waiting:
        waiting -= 1
        box, axis, cut = boxes[waiting], -1, 0
        if left[waiting] < 0:
            axis, cut = axes[node], cuts[node]
            node += 1
            if axis < 0:
                left[waiting] = times[leaf]
                leaf += 1
        if left[waiting] > 0:
            axis = widest_axis(box, slices, ordered)
            cut = (box[0, axis] + box[1, axis] + 1) // 2
            left[waiting] -= 1
        finer[size], finer_cuts[size] = axis, cut if axis >= 0 else 0
        size += 1
        if axis >= 0:
            boxes[waiting + 1], left[waiting + 1] = box, left[waiting]
            boxes[waiting + 1, 1, axis] = boxes[waiting, 0, axis] = cut
            waiting += 2
    return size
