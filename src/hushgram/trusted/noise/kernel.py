"""The compiled look-up. This module imports numba, which takes half a second, so import it late."""

from __future__ import annotations

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.trusted.noise.digits import GUIDE_BITS
from hushgram.trusted.noise.entropy import WORD, Ints, Words

_PREFIX = np.uint64(WORD - GUIDE_BITS)


@compiled(nogil=True)
def look_up(
    words: Words, thresholds: Words, guide: Ints, shifts: Ints, turn: int, start: int, out: Ints
) -> int:
    """Fill ``out[start:]`` up to the first draw that its words do not decide, and return its
    index."""
    for i in range(start, out.size):
        value = 0
        sign = 0
        for j in range(shifts.size):
            word = words[j, i]
            k = guide[j, word >> _PREFIX]
            while thresholds[j, k] < word:
                k += 1
            if thresholds[j, k] == word or (j == 0 and k == turn):
                return i
            if j == 0:
                sign = k & 1
                k >>= 1
            value |= k << shifts[j]
        out[i] = value ^ -sign
    return out.size
