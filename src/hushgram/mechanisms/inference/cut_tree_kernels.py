"""Compiled walks through a `CutTree`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition.cutting import copy_box, leaves_below


@compiled()
def walk_cuts(axes: Any, cuts: Any, shape: Any, declared: Any, ordered: Any) -> Any:
    """The nodes of a tree of cuts that join neither categories nor "other" with the rest: their
    numbers, upper halves, first leaves, ends of leaves, and whether they are roots. O(nodes)"""
    count, dims = len(axes), len(shape)
    boxes = np.empty((count + 1, 2, dims), np.int64)  # a stack
    above = np.empty(count + 1, np.int64)
    places, right, starts, stops = np.zeros((4, count), np.int64)
    is_root = np.zeros(count, np.bool_)
    below = leaves_below(axes)
    boxes[0, 0], boxes[0, 1] = 0, shape
    above[0] = -1
    waiting, size, leaf = 1, 0, 0
    for node in range(count):
        waiting -= 1
        parent, whole = above[waiting], True
        for axis in range(dims):
            low, high = boxes[waiting, 0, axis], boxes[waiting, 1, axis]
            if low < declared[axis] < high:
                whole = False
            if not ordered[axis] and high - low > 1:
                whole = False
        if whole:
            places[size], starts[size], stops[size] = node, leaf, leaf + below[node]
            is_root[size] = parent < 0
            if parent >= 0 and size != parent + 1:
                right[parent] = size
            parent = size
            size += 1
        axis = axes[node]
        if axis < 0:
            leaf += 1
            continue
        copy_box(boxes, waiting, waiting + 1)
        boxes[waiting + 1, 1, axis] = cuts[node]
        boxes[waiting, 0, axis] = cuts[node]
        above[waiting] = above[waiting + 1] = parent
        waiting += 2
    return places[:size], right[:size], starts[:size], stops[:size], is_root[:size]


@compiled()
def fill_depths(right: Any, depths: Any) -> None:
    for v in range(len(right)):
        if right[v]:
            depths[v + 1] = depths[right[v]] = depths[v] + 1


@compiled()
def find_nodes(ends: Any, starts: Any, stops: Any, first: Any, last: Any, found: Any) -> bool:
    """Find the nodes from leaf ``first`` up to leaf ``last``; False if one is missing. ``ends`` has
    the node of each leaf; larger nodes that start at the same leaf come right before it."""
    for n in range(len(first)):
        if not 0 <= first[n] < len(ends):
            return False
        v = ends[first[n]]
        while v > 0 and starts[v - 1] == first[n] and stops[v] < last[n]:
            v -= 1
        if v < 0 or stops[v] != last[n]:
            return False
        found[n] = v
    return True


@compiled()
def match_nodes(right: Any, other: Any, found: Any) -> None:
    """Fill in the number of each node in another tree; ``found`` has it for the roots, and -1
    elsewhere."""
    for v in range(len(right)):
        match = found[v]
        if right[v] and match >= 0 and other[match]:
            found[v + 1], found[right[v]] = match + 1, other[match]


@compiled()
def fit_squares(right: Any, roots: Any, precision: Any, noisy: Any, values: Any,
                variances: Any) -> None:  # fmt: skip
    """Least squares: the best linear estimate of every node and its variance, if node v was
    measured as ``noisy[v]`` with variance ``1 / precision[v]``, or not at all (precision 0)."""
    count = len(right)
    own, sums, totals = np.empty((3, count))
    for v in range(count - 1, -1, -1):
        if right[v] == 0:
            own[v] = 1 / max(precision[v], MIN_PRECISION)
            values[v] = noisy[v] if precision[v] > 0 else 0.0
            continue
        a, b = v + 1, right[v]
        sums[v], totals[v] = own[a] + own[b], values[a] + values[b]
        below = 1 / sums[v]
        own[v] = 1 / (precision[v] + below)
        values[v] = own[v] * (precision[v] * noisy[v] + below * totals[v])
    for root in roots:
        variances[root] = own[root]
    for v in range(count):
        if right[v] == 0:
            continue
        missing = (values[v] - totals[v]) / sums[v]
        for half in (v + 1, right[v]):
            values[half] += own[half] * missing
            share = own[half] / sums[v]
            variances[half] = max(own[half] - share * share * (sums[v] - variances[v]), 0.0)


@compiled()
def fill_precisions(right: Any, rates: Any, precisions: Any) -> None:
    """Fill in the precision that a factor exp(-rate |noise|) of each node adds to that of its
    halves, whose total noise is approximated as normal. Leaves have Laplace noise."""
    variances = np.empty(len(right))
    for v in range(len(right) - 1, -1, -1):
        if right[v] == 0:
            precisions[v] = rates[v] ** 2 / 2
            variances[v] = 1 / max(precisions[v], MIN_PRECISION)
            continue
        below = variances[v + 1] + variances[right[v]]
        variances[v] = below * find_narrow_variance(rates[v] * math.sqrt(below))
        precisions[v] = max(1 / variances[v] - 1 / below, 0.0)


@compiled()
def find_narrow_variance(rate: float) -> float:
    """The variance of P(z) ∝ exp(-z² / 2 - rate |z|)."""
    if rate > 10:
        square = rate * rate
        return 2 / square * (1 - 5 / square + 37 / square**2)
    mills = math.sqrt(math.pi / 2) * math.exp(rate * rate / 2) * math.erfc(rate / math.sqrt(2.0))
    return 1 + rate * rate - rate / mills


MIN_PRECISION = 1e-60
"""A precision that stands for no information."""


@compiled()
def widen_upwards(right: Any, lo: Any, hi: Any) -> None:
    """Move the start of each window up to the sum of its halves' starts, and its end beyond that:
    negative counts of halves were cut off, and their siblings may be large."""
    for v in range(len(right) - 1, -1, -1):
        if right[v]:
            lo[v] = max(lo[v], lo[v + 1] + lo[right[v]])
            hi[v] = max(hi[v], lo[v] + 1)


@compiled()
def fill_errors(right: Any, roots: Any, variances: Any, changed: Any, distrust: float, shares: Any,
                own: Any, totals: Any) -> None:  # fmt: skip
    """Fill in the tree of errors of nodes with these variances, from the roots downwards. The share
    ``distrust`` of the squared change due to the prior is added to each error."""
    for root in roots:
        totals[root] = variances[root] + distrust * changed[root] ** 2
    for v in range(len(right)):
        if right[v] == 0:
            continue
        a, b = v + 1, right[v]
        shared = (variances[v] + variances[a] - variances[b]) / 2
        share = 0.5
        if variances[v] > 0:
            share = min(max(shared / variances[v], 0.0), 1.0)
        between = variances[a] - 2 * share * shared + share * share * variances[v]
        moved = changed[a] - share * changed[v]
        shares[v] = share
        own[v] = max(between, 0.0) + distrust * moved * moved
        totals[a] = share * share * totals[v] + own[v]
        totals[b] = (1 - share) * (1 - share) * totals[v] + own[v]


@compiled()
def add_up_errors(right: Any, roots: Any, shares: Any, own: Any, totals: Any, weights: Any,
                  found: Any) -> None:  # fmt: skip
    """Fill in the variances of the errors that add up to that of a weighted sum of leaves: first of
    each node's division between its halves, then of each root."""
    count = len(right)
    weight = np.empty(count)
    leaf = len(weights)
    for v in range(count - 1, -1, -1):
        if right[v] == 0:
            leaf -= 1
            weight[v] = weights[leaf]
            continue
        low, high = weight[v + 1], weight[right[v]]
        weight[v] = shares[v] * low + (1 - shares[v]) * high
        found[v] = (low - high) ** 2 * own[v]
    for root in roots:
        found[count + root] = weight[root] ** 2 * totals[root]


@compiled()
def fill_kept(right: Any, is_leaf: Any, kept: Any) -> None:
    """Fill in which nodes are leaves or above them."""
    is_below = np.zeros(len(right), np.bool_)
    for v in range(len(right)):
        kept[v] = not is_below[v]
        if right[v]:
            is_below[v + 1] = is_below[right[v]] = is_below[v] or is_leaf[v]


@compiled()
def find_known(right: Any, roots: Any, fitted: Any, deviations: Any, times: float, is_known: Any,
               is_settled: Any) -> None:  # fmt: skip
    """Fill in which nodes are known: their counts exceed ``times`` their deviations, and so do
    those of their siblings and of all nodes above. And which are settled: all nodes below are
    known, too."""
    for root in roots:
        is_known[root] = fitted[root] > times * deviations[root]
    for v in range(len(right)):
        if right[v]:
            a, b = v + 1, right[v]
            good = fitted[a] > times * deviations[a] and fitted[b] > times * deviations[b]
            is_known[a] = is_known[b] = is_known[v] and good
    for v in range(len(right) - 1, -1, -1):
        is_settled[v] = is_known[v]
        if right[v]:
            is_settled[v] &= is_settled[v + 1] and is_settled[right[v]]


@compiled()
def anchor(right: Any, roots: Any, fitted: Any, is_known: Any, means: Any, variances: Any) -> None:
    """Replace the means of known nodes by least squares, from the roots downwards. The changes are
    passed on to nodes below in proportion to the covariance of a half with the whole."""
    moved = np.zeros(len(right))
    for root in roots:
        moved[root] = fitted[root] - means[root] if is_known[root] else 0.0
    for v in range(len(right)):
        if right[v] == 0:
            continue
        a, b = v + 1, right[v]
        if is_known[a]:
            moved[a], moved[b] = fitted[a] - means[a], fitted[b] - means[b]
        else:
            share = 0.5
            if variances[v] > 0:
                share = (variances[v] + variances[a] - variances[b]) / 2 / variances[v]
            share = min(max(share, 0.0), 1.0)
            moved[a], moved[b] = share * moved[v], (1 - share) * moved[v]
    for v in range(len(right)):
        means[v] += moved[v]
