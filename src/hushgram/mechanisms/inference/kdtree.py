"""A kd-tree over the cells of an array: boxes of similar values.

A box is cut where the squared error around the means of its two sides is smallest. A cut into n₁
and n₂ of its n cells reduces the error by n₁ n₂ / n times the squared difference of the two means.
This gain only needs sums, which come from a summed-area table of integers and are exact. The errors
themselves are added up over the smaller side of each cut; that of the larger side is the rest.
Cutting a box of sides s₁, …, s_d takes O(2^d (s₁ + … + s_d)), and the errors O(n log n) in total.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.geometry.partition.cutting import keep_inner, leaves_below

MAX_TOTAL = 2.0**61
"""If absolute values add up to more, their lowest bits are dropped, so that no sum overflows."""

SMALL = 1e-6
"""An error that is a smaller share of its parent's is added up again: it may be a rounding
error."""


def pruned_tree(
    values: Ints, penalty: float, tail: float = 0.0, *, longest: bool = False
) -> tuple[Ints, Ints]:
    """Of all prunings of the tree of best cuts, the one with the smallest error plus
    ``penalty + tail / cells`` for each leaf, in the format of `Boxes`.

    A cut through the middle of a box may gain little and yet be necessary to separate a spike, so
    its gain includes that of all cuts below it (Breiman et al. 1984). ``longest`` only cuts every
    box along its longest side.

    >>> axes, cuts = pruned_tree(np.array([[0, 0, 0], [0, 9, 9]]), 1.0)
    >>> axes.tolist(), cuts.tolist()
    ([0, -1, 1, -1, -1], [1, 0, 1, 0, 0])
    """
    cells, scale = centre_cells(values)
    penalty, tail = penalty * scale, tail * scale
    kept: tuple[Ints, Ints] = prune(*grow(*cells, penalty, 0.0, tail, longest), penalty, tail)
    return kept


def prune_again(
    tree: tuple[Ints, Ints],
    cells: Ints,
    values: Floats,
    precisions: Floats,
    penalty: float,
    tail: float = 0.0,
) -> tuple[Ints, Ints]:
    """Prune a tree by better values of its leaves: each leaf has a number of cells, a value, and
    the precision (inverse variance) of this value.

    The gain of a cut is the decrease of the squared error, weighted by precision. A cut and those
    below it must gain more than ``penalty + tail / cells`` for each leaf. O(leaves)

    >>> tree, cells = (np.array([0, -1, 1, -1, -1]), np.array([1, 0, 1, 0, 0])), np.array([3, 1, 2])
    >>> prune_again(tree, cells, np.array([0.0, 1.0, 9.0]), np.ones(3), 5.0)[0].tolist()
    [0, -1, 1, -1, -1]
    >>> prune_again(tree, cells, np.array([0.0, 1.0, 2.0]), np.ones(3), 5.0)[0].tolist()
    [-1]
    """
    gains, sizes = gains_of_cuts(tree[0], cells, values, precisions)
    kept: tuple[Ints, Ints] = prune(*tree, gains, sizes, penalty, tail)
    return kept


def threshold_tree(values: Ints, variance: float, *, longest: bool = False) -> tuple[Ints, Ints]:
    """Cut every box with more than this variance of values, the paper's rule.

    >>> threshold_tree(np.array([[0, 0, 0], [0, 9, 9]]), 1.0)[0].tolist()
    [0, -1, 1, -1, -1]
    """
    cells, scale = centre_cells(values)
    axes, cuts, _, _ = grow(*cells, 0.0, variance * scale, 0.0, longest)
    return axes, cuts


def centre_cells(values: Ints) -> tuple[tuple[Ints, Ints, Ints], float]:
    """The centred values, their summed-area table and their shape; and the factor by which their
    squares were scaled down."""
    total, shift = float(np.abs(values.astype(np.float64)).sum()), 0
    while total / 2.0**shift > MAX_TOTAL:
        shift += 1
    small = values >> shift
    centred = small - round(float(small.mean()))
    table = np.zeros(tuple(n + 1 for n in values.shape), dtype=np.int64)
    table[(slice(1, None),) * values.ndim] = centred
    for axis in range(values.ndim):
        np.cumsum(table, axis=axis, out=table)
    shape = np.array(values.shape, dtype=np.int64)
    return (centred.reshape(-1), table.reshape(-1), shape), 0.25**shift


@compiled()
def grow(
    cells: Any, table: Any, shape: Any, least: float, rate: float, tail: float, longest: bool
) -> tuple[Any, Any, Any, Any]:
    """Cut boxes at their best places while their error exceeds ``least + rate * n + 3 * tail / n``
    for n cells. Returns the axis, cut, gain and number of cells of each node in preorder.

    Two leaves cost ``tail / n₁ + tail / n₂``, at least four times as much as one.
    """
    dims = len(shape)
    axes, cuts = np.empty(64, np.int64), np.empty(64, np.int64)
    sizes = np.empty(64, np.int64)
    gains = np.empty(64)
    boxes, errors = np.empty((64, 2, dims), np.int64), np.empty(64)
    line = np.empty(shape.max() + 1, np.int64)
    boxes[0, 0] = 0
    boxes[0, 1] = shape
    errors[0] = error_of(cells, shape, boxes[0])
    nodes, waiting = 0, 1
    while waiting:
        waiting -= 1
        if nodes == len(axes):
            axes, cuts, gains, sizes = longer(axes), longer(cuts), longer(gains), longer(sizes)
        if waiting + 2 > len(boxes):
            boxes, errors = longer(boxes), longer(errors)
        box, error = boxes[waiting].copy(), errors[waiting]
        size = volume(box)
        axes[nodes], cuts[nodes], gains[nodes], sizes[nodes] = -1, 0, 0.0, size
        if size > 1 and error > least + rate * size + 3 * tail / size:
            axis, cut, gain = best_cut(table, shape, box, longest, line)
            axes[nodes], cuts[nodes], gains[nodes] = axis, cut, gain
            lower, upper = boxes[waiting + 1], boxes[waiting]
            lower[:], upper[:] = box, box
            lower[1, axis] = upper[0, axis] = cut
            small, large = waiting, waiting + 1
            if volume(lower) < volume(upper):
                small, large = large, small
            errors[small] = error_of(cells, shape, boxes[small])
            errors[large] = error - gain - errors[small]
            if errors[large] < SMALL * error:
                errors[large] = error_of(cells, shape, boxes[large])
            waiting += 2
        nodes += 1
    return axes[:nodes].copy(), cuts[:nodes].copy(), gains[:nodes].copy(), sizes[:nodes].copy()


@compiled()
def longer(array: Any) -> Any:
    """The array at twice its length."""
    return np.concatenate((array, array))


@compiled()
def volume(box: Any) -> int:
    """The number of cells in a box."""
    cells = 1
    for axis in range(box.shape[1]):
        cells *= box[1, axis] - box[0, axis]
    return cells


@compiled()
def best_cut(table: Any, shape: Any, box: Any, longest: bool, line: Any) -> tuple[int, int, float]:
    """The axis and place of the cut with the largest gain, the first if there are several, and its
    gain."""
    dims = len(shape)
    size = volume(box)
    only = np.argmax(box[1] - box[0]) if longest else -1
    best_axis, best_place, best = -1, 0, -1.0
    for axis in range(dims):
        start, stop = box[0, axis], box[1, axis]
        if stop - start < 2 or (longest and axis != only):
            continue
        sums_before(table, shape, box, axis, line)
        slab = size // (stop - start)
        total = line[stop - start]
        for place in range(1, stop - start):
            before, behind = float(slab * place), float(size - slab * place)
            difference = line[place] / before - (total - line[place]) / behind
            gain = difference * difference * (before * behind / size)
            if gain > best:
                best_axis, best_place, best = axis, start + place, gain
    return best_axis, best_place, best


@compiled()
def sums_before(table: Any, shape: Any, box: Any, axis: int, line: Any) -> None:
    """Fill in the sum of the box's cells before each of its places along an axis.

    It is a signed sum over the corners of the other axes: 2^(d-1) reads for each place.
    """
    dims = len(shape)
    start, places = box[0, axis], box[1, axis] - box[0, axis] + 1
    line[:places] = 0
    for corner in range(1 << (dims - 1)):
        offset, stride, step, sign, rest = 0, 1, 0, 1, corner
        for other in range(dims - 1, -1, -1):
            if other == axis:
                step = stride
                offset += start * stride
            else:
                if rest & 1:
                    offset += box[0, other] * stride
                    sign = -sign
                else:
                    offset += box[1, other] * stride
                rest >>= 1
            stride *= shape[other] + 1
        base = table[offset]
        for place in range(places):
            line[place] += sign * (table[offset + place * step] - base)


@compiled()
def error_of(cells: Any, shape: Any, box: Any) -> float:
    """The squared error of a box's cells around their mean, in two passes over the cells."""
    size = volume(box)
    dims = len(shape)
    width = box[1, dims - 1] - box[0, dims - 1]
    place = box[0].copy()
    total, squares = 0, 0.0
    for is_second in range(2):
        mean = total / size
        for _ in range(size // width):
            row = place[0]
            for axis in range(1, dims):
                row = row * shape[axis] + place[axis]
            if is_second:
                for cell in range(row, row + width):
                    deviation = cells[cell] - mean
                    squares += deviation * deviation
            else:
                for cell in range(row, row + width):
                    total += cells[cell]
            for axis in range(dims - 2, -1, -1):
                place[axis] += 1
                if place[axis] < box[1, axis]:
                    break
                place[axis] = box[0, axis]
    return squares


@compiled()
def prune(
    axes: Any, cuts: Any, gains: Any, sizes: Any, penalty: float, tail: float
) -> tuple[Any, Any]:
    """Undo cuts whose gain, together with those below them, is less than the cost of their
    leaves."""
    leaves = leaves_below(axes)
    worth = np.zeros(len(axes))
    for node in range(len(axes) - 1, -1, -1):
        if axes[node] >= 0:
            lower, upper = node + 1, node + 2 * leaves[node + 1]
            cost = penalty + tail * (1 / sizes[lower] + 1 / sizes[upper] - 1 / sizes[node])
            worth[node] = max(0.0, gains[node] - cost + worth[lower] + worth[upper])
    kept_axes, kept_cuts = np.empty(len(axes), np.int64), np.empty(len(axes), np.int64)
    count = keep_inner(axes, cuts, worth > 0, kept_axes, kept_cuts)
    return kept_axes[:count].copy(), kept_cuts[:count].copy()


@compiled()
def gains_of_cuts(axes: Any, cells: Any, values: Any, precisions: Any) -> tuple[Any, Any]:
    """The gain and the number of cells of each node, from the leaves' values and precisions."""
    leaves = leaves_below(axes)
    gains, sizes = np.zeros(len(axes)), np.empty(len(axes), np.int64)
    means, weights = np.empty(len(axes)), np.empty(len(axes))
    leaf = len(values)
    for node in range(len(axes) - 1, -1, -1):
        if axes[node] < 0:
            leaf -= 1
            sizes[node], means[node], weights[node] = cells[leaf], values[leaf], precisions[leaf]
        else:
            lower, upper = node + 1, node + 2 * leaves[node + 1]
            sizes[node] = sizes[lower] + sizes[upper]
            weights[node] = weights[lower] + weights[upper]
            share, difference = weights[upper] / weights[node], means[upper] - means[lower]
            means[node] = means[lower] + share * difference
            gains[node] = weights[lower] * share * difference * difference
    return gains, sizes
