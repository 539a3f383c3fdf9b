"""Compiled: a pseudorandom permutation of numbers in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled(nogil=True)
def shuffle_range(start: int, stop: int, size: int, keys: Any) -> Any:
    """The numbers at positions ``start`` to ``stop`` in a secret permutation of 0, …, ``size - 1``.

    A Feistel network, keyed by four 32-bit integers, permutes the numbers with just enough bits; a
    number that is too large is permuted again until it fits. O(1) for each, in constant memory.
    """
    bits = 2
    while size > (1 << bits):
        bits += 1
    low = bits // 2
    high = bits - low
    found = np.empty(stop - start, np.int64)
    for row in range(stop - start):
        number = start + row
        while True:
            left, right = number >> low, number & ((1 << low) - 1)
            for turn in range(0, len(keys), 2):
                left = (left ^ mix_bits(right, keys[turn])) & ((1 << high) - 1)
                right = (right ^ mix_bits(left, keys[turn + 1])) & ((1 << low) - 1)
            number = (left << low) | right
            if number < size:
                break
        found[row] = number
    return found


@compiled(inline="always")
def mix_bits(number: int, key: int) -> Any:
    """A number scrambled with a key, by the finaliser of MurmurHash3."""
    mixing = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(key)
    mixing = (mixing ^ (mixing >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixing = (mixing ^ (mixing >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return np.int64((mixing ^ (mixing >> np.uint64(33))) >> np.uint64(1))
