"""Compiled loops over many lists of scores. This module imports numba, so import it late.

All sums are of unsigned 64-bit integers that cannot wrap; see ``docs/proofs/noise.md``, section 6.
"""

from __future__ import annotations

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.trusted.noise.entropy import Ints, Words

_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@compiled()
def high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return floor(a · b / 2⁶⁴)."""
    a_low, a_high = a & _LOWER, a >> _HALF
    b_low, b_high = b & _LOWER, b >> _HALF
    middle = a_high * b_low + (a_low * b_low >> _HALF)
    other = a_low * b_high + (middle & _LOWER)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF)


@compiled()
def fill_powers(base_low: np.uint64, base_high: np.uint64, low: Words, high: Words) -> None:
    """Write bounds on 2⁶⁴ · xᵍ for g = 1, 2, …, given bounds on 2⁶⁴ · x. Entries for g = 0 are not
    valid."""
    low[0] = high[0] = _ZERO
    if low.size > 1:
        low[1], high[1] = base_low, base_high
    for g in range(2, low.size):
        low[g] = high_product(low[g - 1], base_low)
        high[g] = high_product(high[g - 1], base_high) + _ONE


@compiled()
def choose_each(
    scores: Ints, many: Ints, starts: Ints, words: Words, low: Words, high: Words, chosen: Ints
) -> None:
    """Write for each list the score whose share of the weights contains its word, or -1 if the word
    is too close to the end of a share."""
    reach = np.uint64(low.size)
    for k in range(words.size):
        start, stop = starts[k], starts[k + 1]
        best = np.int64(-(2**63))
        for i in range(start, stop):
            if many[i] > 0 and scores[i] > best:
                best = scores[i]
        least, most = _ZERO, _ZERO
        for i in range(start, stop):
            times = np.uint64(many[i])
            gap = np.uint64(best) - np.uint64(scores[i])
            if times > _ZERO:
                least += times * low[gap] if gap < reach else _ZERO
                most += times * high[gap] if gap < reach else times
        begin = high_product(words[k], least)
        end = high_product(words[k], most) + _TWO
        chosen[k] = -1
        low_sum, high_sum = _ZERO, _ZERO
        for i in range(start, stop):
            before = high_sum
            times = np.uint64(many[i])
            gap = np.uint64(best) - np.uint64(scores[i])
            if times > _ZERO:
                low_sum += times * low[gap] if gap < reach else _ZERO
                high_sum += times * high[gap] if gap < reach else times
            if low_sum >= end:
                if before <= begin:
                    chosen[k] = i
                break
