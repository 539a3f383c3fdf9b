"""Compiled walks through the tree of halves (see `Halving`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled(nogil=True)
def fill_places(cells: Any, shape: Any, slices: Any, bits: Any, others: Any, found: Any) -> None:
    """Fill in the place of each cell: a bit per "other" slice, then a bit per axis and depth."""
    dims, deepest = len(shape), bits.max()
    at = np.empty(dims, np.int64)
    for row in range(len(cells)):
        rest = cells[row]
        for axis in range(dims - 1, -1, -1):
            at[axis] = rest % shape[axis]
            rest //= shape[axis]
        place = 0
        for axis in others:
            other = at[axis] == slices[axis]
            place = place << 1 | other
            if other:
                at[axis] = 0
        for axis in range(dims):
            at[axis] = (at[axis] << bits[axis]) // slices[axis]
        for depth in range(deepest):
            for axis in range(dims):
                if bits[axis] > depth:
                    place = place << 1 | (at[axis] >> (bits[axis] - 1 - depth) & 1)
        found[row] = place


@compiled()
def slices_in(region: int, axis: int, slices: Any, others: Any) -> int:
    """The number of slices of an axis in a region: one if it is at "other"."""
    for place in range(len(others)):
        if others[place] == axis and region >> (len(others) - 1 - place) & 1:
            return 1
    return int(slices[axis])


@compiled()
def lower_end(span: int, prefix: int, depth: int) -> int:
    """The first slice of a node: ceil(span x prefix / 2^depth)."""
    return -((-span * prefix) >> depth)


@compiled()
def fill_single(slices: Any, bits: Any, others: Any, single: Any) -> None:
    for region in range(len(single)):
        single[region] = True
        for axis in range(len(slices)):
            if slices_in(region, axis, slices, others) > 1:
                single[region] = False


@compiled()
def fill_children(
    paths: Any,
    prefixes: Any,
    depth: int,
    used: int,
    halved: Any,
    slices: Any,
    bits: Any,
    others: Any,
    found: Any,
    numbers: Any,
    single: Any,
) -> int:
    """Fill in all children that have slices, in order, and return their number. The lowest ``used``
    bits of a path lead from the root to its node; the bits above are the number of its region."""
    filled = 0
    for node in range(len(paths)):
        region = paths[node] >> used
        for child in range(1 << len(halved)):
            numbers[filled] = prefixes[node]
            for place in range(len(halved)):
                bit = child >> (len(halved) - 1 - place) & 1
                numbers[filled, halved[place]] = prefixes[node, halved[place]] << 1 | bit
            inside, alone = True, True
            for axis in range(len(slices)):
                span = slices_in(region, axis, slices, others)
                reached, number = min(depth + 1, bits[axis]), numbers[filled, axis]
                width = lower_end(span, number + 1, reached) - lower_end(span, number, reached)
                inside &= width > 0
                alone &= width == 1
            if inside:
                found[filled] = paths[node] << len(halved) | child
                single[filled] = alone
                filled += 1
    return filled


@compiled()
def bit_axes(bits: Any, others: Any) -> Any:
    """The axis and the depth of each bit of a place; depth -1 for an "other" bit."""
    turns = np.empty((len(others) + bits.sum(), 2), np.int64)
    turns[: len(others), 0] = others
    turns[: len(others), 1] = -1
    filled = len(others)
    for depth in range(bits.max()):
        for axis in range(len(bits)):
            if bits[axis] > depth:
                turns[filled, 0] = axis
                turns[filled, 1] = depth
                filled += 1
    return turns


@compiled()
def nested_cuts(starts: Any, slices: Any, bits: Any, others: Any, axes: Any, cuts: Any) -> bool:
    """Write the tree with these leaves as binary cuts in preorder (see `Boxes`): one cut per bit of
    a place, without the bits that do not separate any leaves of a node. False if impossible."""
    turns = bit_axes(bits, others)
    length = len(turns)
    stack = np.empty((length + 2, 3), np.int64)
    stack[0] = 0, len(starts), 0
    waiting, node = 1, 0
    while waiting:
        waiting -= 1
        first, last, turn = stack[waiting]
        middle = last
        while last - first > 1:
            if turn == length:
                return False
            high = np.int64(1) << (length - 1 - turn)
            middle = first
            if not starts[first] & high:
                middle += np.searchsorted(starts[first:last], starts[first] // high * high + high)
            if first < middle < last:
                break
            turn += 1
        if last - first == 1:
            axes[node], cuts[node] = -1, 0
            node += 1
            continue
        axes[node] = turns[turn, 0]
        cuts[node] = cut_at(starts[first], turn, turns, slices)
        node += 1
        stack[waiting] = middle, last, turn + 1
        stack[waiting + 1] = first, middle, turn + 1
        waiting += 2
    return node == len(axes)


@compiled()
def nested_cuts_each(
    starts: Any, offsets: Any, slices: Any, bits: Any, others: Any, axes: Any, cuts: Any
) -> bool:
    """Write many trees one after the other (see `nested_cuts`)."""
    node = 0
    for number in range(len(offsets) - 1):
        own = starts[offsets[number] : offsets[number + 1]]
        stop = node + 2 * len(own) - 1
        if not nested_cuts(own, slices, bits, others, axes[node:stop], cuts[node:stop]):
            return False
        node = stop
    return True


@compiled()
def cut_at(start: int, turn: int, turns: Any, slices: Any) -> int:
    """The first slice of the upper half of the node that contains ``start``, halved at a turn."""
    axis, depth = turns[turn]
    if depth < 0:
        return int(slices[axis])
    number = 0
    for before in range(turn):
        if turns[before, 0] == axis and turns[before, 1] >= 0:
            number = number << 1 | (start >> (len(turns) - 1 - before) & 1)
    return int(lower_end(slices[axis], 2 * number + 1, depth + 1))
