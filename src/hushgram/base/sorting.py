"""Sorting integers by their digits, in linear time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hushgram.base.compiled import compiled

Ints = npt.NDArray[np.int64]

MAX_BITS = 63
"""Bits of a non-negative 64-bit integer."""

DIGIT = 11
"""Bits of a digit: few enough that the table of its values stays in the CPU cache."""


@compiled(nogil=True)
def sort_digits(numbers: Any, carried: Any, shift: int, bits: int) -> Any:
    """The numbers, stably sorted by ``bits`` of their bits above the lowest ``shift``, and
    ``carried`` in the same order, which may be empty. O(n) for each digit

    >>> sort_digits(np.array([70, 3, 5]), np.array([1, 2, 3]), 0, 12)
    (array([ 3,  5, 70]), array([2, 3, 1]))
    """
    mask = np.int64((1 << DIGIT) - 1)
    for low in range(shift, shift + bits, DIGIT):
        mask &= (np.int64(1) << min(DIGIT, shift + bits - low)) - 1
        starts = np.zeros(mask + 2, np.int64)
        for number in numbers:
            starts[((number >> low) & mask) + 1] += 1
        starts = np.cumsum(starts)
        moved, moved_carried = np.empty_like(numbers), np.empty_like(carried)
        for place in range(len(numbers)):
            digit = (numbers[place] >> low) & mask
            moved[starts[digit]] = numbers[place]
            if len(carried):
                moved_carried[starts[digit]] = carried[place]
            starts[digit] += 1
        numbers, carried = moved, moved_carried
    return numbers, carried


def lexsort_digits(keys: Sequence[Ints]) -> Ints:
    """`numpy.lexsort` of integers: the order by the last key, and by the one before it for ties.

    >>> lexsort_digits([np.array([5, 3, 4]), np.array([1, 1, 0])]).tolist()
    [2, 1, 0]
    """
    order = np.arange(len(keys[0]))
    for key, bits in join_keys(keys):
        _, order = sort_digits(key[order], order, 0, bits)
    return order


def join_keys(keys: Sequence[Ints]) -> Iterator[tuple[Ints, int]]:
    """Combine keys into as few integers as possible, each with its number of bits: combined keys
    need only one pass over the data."""
    joined, bits = np.zeros(len(keys[0]), dtype=np.int64), 0
    for key in keys:
        least = int(key.min(initial=0))
        width = (int(key.max(initial=0)) - least).bit_length()
        if bits + width > MAX_BITS:
            yield joined, bits
            joined, bits = np.zeros_like(joined), 0
        joined = joined | (key - least) << bits
        bits += width
    yield joined, bits
