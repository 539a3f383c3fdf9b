"""Summed-area tables: many boxes at once, each in constant time.

The sum over a box with fractional ends is a difference of the cumulative sum at its corners,
interpolated linearly between cuts: a quarter of a slice counts as a quarter. Building takes
O(cells); a box on d axes takes at most 4^d look-ups, or 2^d if its ends are cuts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats


def cumulative_sums(values: Any) -> Any:
    """The cumulative sum along every axis, with a leading slice of zeros."""
    table = np.zeros(tuple(n + 1 for n in values.shape), dtype=values.dtype)
    table[(slice(1, None),) * values.ndim] = values
    for axis in range(values.ndim):
        np.cumsum(table, axis=axis, out=table)
    return table


def box_sums(table: Any, starts: Floats, stops: Floats) -> Floats:
    """The sums over boxes; ``starts`` and ``stops`` are boxes x axes, in units of slices."""
    shape = np.array(table.shape, dtype=np.int64)
    strides = np.ones_like(shape)
    strides[:-1] = np.cumprod(shape[:0:-1])[::-1]
    flat = np.ascontiguousarray(table).reshape(-1)
    return np.asarray(_box_sums(flat, shape, strides, starts, stops))


@compiled(parallel=True)
def _box_sums(flat: Any, shape: Any, strides: Any, starts: Any, stops: Any) -> Any:
    boxes, axes = starts.shape
    sums = np.empty(boxes)
    for box in prange(boxes):
        places = np.empty((axes, 4), np.int64)
        shares = np.empty((axes, 4))
        terms = np.empty(axes, np.int64)
        for axis in range(axes):
            found = 0
            for side in range(2):
                end = starts[box, axis] if side else stops[box, axis]
                sign = -1.0 if side else 1.0
                below = min(int(end), shape[axis] - 2)
                beyond = end - below
                if beyond < 1:
                    places[axis, found] = below * strides[axis]
                    shares[axis, found] = sign * (1 - beyond)
                    found += 1
                if beyond > 0:
                    places[axis, found] = (below + 1) * strides[axis]
                    shares[axis, found] = sign * beyond
                    found += 1
            terms[axis] = found
        combinations = 1
        for axis in range(axes):
            combinations *= terms[axis]
        total = 0.0
        for combination in range(combinations):
            rest, place, share = combination, 0, 1.0
            for axis in range(axes):
                term = rest % terms[axis]
                rest //= terms[axis]
                place += places[axis, term]
                share *= shares[axis, term]
            total += share * flat[place]
        sums[box] = total
    return sums
