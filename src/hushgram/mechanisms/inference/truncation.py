"""The upper levels of a tree of cuts, as boxes."""

from __future__ import annotations

import numpy as np

from hushgram.geometry.partition import Boxes, Ints


def node_depths(axes: Ints) -> Ints:
    """The depth of each node of a tree in preorder.

    >>> node_depths(np.array([0, -1, 1, -1, -1])).tolist()
    [0, 1, 1, 2, 2]
    """
    found = np.empty(len(axes), dtype=np.int64)
    waiting = [0]
    for node, axis in enumerate(axes.tolist()):
        depth = waiting.pop()
        found[node] = depth
        if axis >= 0:
            waiting += [depth + 1, depth + 1]
    return found


def truncate_boxes(boxes: Boxes, depths: Ints, deepest: int) -> Boxes:
    """The boxes after only the cuts above a depth."""
    kept = depths <= deepest
    axes = np.where(depths < deepest, boxes.axes, -1)[kept]
    return Boxes(boxes.raster, axes, np.where(axes >= 0, boxes.cuts[kept], 0))


def nested_boxes(boxes: Boxes, levels: int) -> list[Boxes]:
    """``levels`` levels of a tree, from coarse ones to its leaves, or fewer if it is not deep
    enough. The ratio between the numbers of boxes of successive levels is about constant."""
    depths = node_depths(boxes.axes)
    nodes = np.bincount(depths)
    above = np.cumsum(np.bincount(depths[boxes.axes < 0], minlength=len(nodes)))
    sizes = nodes + np.concatenate([[0], above[:-1]])
    wanted = boxes.size ** (np.arange(1, levels) / levels)
    chosen = np.unique(np.searchsorted(sizes, wanted))
    return [
        *(truncate_boxes(boxes, depths, int(d)) for d in chosen if 1 < sizes[d] < boxes.size),
        boxes,
    ]
