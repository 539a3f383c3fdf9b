"""Compiled: lay out a tree of boxes, and walk it once per query (see `BoxIndex`).

A walk takes nodes from a stack. A measured node stays open until everything above it on the stack
is done, and only then adds its part of the variance::

    waiting   [ a | b | c  d ]        c and d, then b, are below the open node x, which was pushed
              closes_at: 1            on top of a: x closes when one node is left, a
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hushgram.answers.counting.sums import COLUMNS, FOURTHS, LARGEST, PARTIAL, VALUE, VARIANCE
from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

FANOUT = 16
"""The most boxes that are joined into one: they are processed together, without branches."""

BATCH = 256
"""The number of queries that one thread processes at a time."""


class BoxNodes(NamedTuple):
    """Nodes, each before its children, which are adjacent."""

    boxes: Floats
    """Lower bounds on each axis, then upper ones: 2 axes x nodes."""
    first: Ints
    """The first child."""
    children: Ints
    """The number of children; 0 for a leaf, which is a part."""
    values: Floats
    own: Floats
    """The variance of a node's estimate from its own subtree."""
    sums: Floats
    """The variance of the sum of its children's estimates."""


@compiled()
def lay_out(below: Ints, roots: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Nodes, each before its children, which are adjacent: the number of each among the levels (-1
    for a joint of siblings), its parent, the start of its children and their number.

    More than `FANOUT` siblings are joined in equal runs, and these again, so that the children of
    one node are either all leaves or all inner nodes. O(nodes)
    """
    most = 2 * len(below) + 2
    source, parent, first, children = np.zeros((4, most), np.int64)
    waiting = np.empty((most, 3), np.int64)
    waiting[0] = (0, 0, roots)
    source[0], parent[0] = -1, -1
    depth, size = 1, 1
    while depth:
        depth -= 1
        node, start, stop = waiting[depth]
        siblings = stop - start
        run = 1
        while run * FANOUT < siblings:
            run *= FANOUT
        first[node], children[node] = size, (siblings + run - 1) // run
        for child in range(children[node]):
            a = start + siblings * child // children[node]
            b = start + siblings * (child + 1) // children[node]
            parent[size] = node
            source[size] = a if run == 1 else -1
            if run == 1:
                a, b = below[a], below[a + 1]
            if a < b:
                waiting[depth] = (size, a, b)
                depth += 1
            size += 1
    return source[:size], parent[:size], first[:size], children[:size]


@compiled()
def fill_in(parent: Ints, boxes: Floats, values: Floats, own: Floats, sums: Floats) -> None:
    """Fill in the bounding boxes and sums of inner nodes, from the leaves upwards. Joints were not
    measured, so their ``own`` is their ``sums``. O(nodes)"""
    axes = len(boxes) // 2
    for node in range(len(parent) - 1, 0, -1):
        if own[node] < 0:
            own[node] = sums[node]
        above = parent[node]
        for axis in range(axes):
            boxes[axis, above] = min(boxes[axis, above], boxes[axis, node])
            boxes[axes + axis, above] = max(boxes[axes + axis, above], boxes[axes + axis, node])
        values[above] += values[node]
        sums[above] += own[node]
    own[0] = sums[0]


@compiled(parallel=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def walk(nodes: BoxNodes, levels: int, starts: Floats, stops: Floats) -> Floats:
    """The sums of each query, a row each: see `Sums`."""
    boxes, first, children, values, own, sums = nodes
    questions, axes = starts.shape
    found = np.empty((questions, COLUMNS))
    for batch in prange((questions + BATCH - 1) // BATCH):
        waiting = np.empty(len(first) + 1, np.int64)
        opened, closes_at = np.empty(levels, np.int64), np.empty(levels, np.int64)
        reached_before = np.empty(levels)
        share = np.empty(FANOUT)
        for question in range(batch * BATCH, min((batch + 1) * BATCH, questions)):
            value, partial, variance, reached, fourths, largest = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            waiting[0] = 0
            depth, still_open = 1, 0
            while depth or still_open:
                if still_open and depth == closes_at[still_open - 1]:
                    # Everything below a measured node is done: average its children's weights.
                    still_open -= 1
                    node = opened[still_open]
                    weight = reached / sums[node]
                    variance -= weight * weight * (sums[node] - own[node])
                    reached = reached_before[still_open] + weight * own[node]
                    continue
                depth -= 1
                node = waiting[depth]
                if own[node] != sums[node]:
                    opened[still_open], closes_at[still_open] = node, depth
                    reached_before[still_open] = reached
                    reached = 0.0
                    still_open += 1
                a, size = first[node], children[node]
                for child in range(size):
                    share[child] = 1.0
                for axis in range(axes):
                    start, stop = starts[question, axis], stops[question, axis]
                    lower, upper = boxes[axis, a : a + size], boxes[axes + axis, a : a + size]
                    for child in range(size):
                        low, high = lower[child], upper[child]
                        inside = min(high, stop) - max(low, start)
                        share[child] *= max(inside, 0.0) / (high - low)
                if children[a]:
                    # Boxes within the query are added as a whole; those that it cuts are pushed.
                    for child in range(size):
                        weight = share[child]
                        if weight == 1.0:
                            value += values[a + child]
                            variance += own[a + child]
                            reached += own[a + child]
                            fourths += own[a + child]
                            largest = 1.0
                        elif weight > 0.0:
                            waiting[depth] = a + child
                            depth += 1
                    continue
                # Leaves are all of one level, so they have the same noise.
                ones, twos, fours = 0.0, 0.0, 0.0
                for child in range(size):
                    weight = share[child]
                    part = weight * values[a + child]
                    value += part
                    partial += part if weight < 1.0 else 0.0
                    ones += weight
                    twos += weight * weight
                    fours += weight * weight * weight * weight
                    largest = max(largest, weight)
                variance += twos * own[a]
                reached += ones * own[a]
                fourths += fours * own[a]
            found[question, VALUE] = value
            found[question, PARTIAL] = partial
            found[question, VARIANCE] = variance
            found[question, FOURTHS] = fourths
            found[question, LARGEST] = largest
    return found
