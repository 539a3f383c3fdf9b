"""The compiled look-up. Importing this module imports numba: half a second, so do it late."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from hushgram.trusted.noise.digits import GUIDE_BITS
from hushgram.trusted.noise.entropy import WORD

_PREFIX = np.uint64(WORD - GUIDE_BITS)


def _look_up(
    words: npt.NDArray[np.uint64],
    thresholds: npt.NDArray[np.uint64],
    guide: npt.NDArray[np.int64],
    shifts: npt.NDArray[np.int64],
    turn: int,
    start: int,
    out: npt.NDArray[np.int64],
) -> int:
    """Fill ``out[start:]`` up to the first draw that the words alone do not decide; its index."""
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


def _compiled() -> Any:
    try:
        return njit(cache=True, nogil=True)(_look_up)
    except RuntimeError:  # no folder to keep it in
        return njit(nogil=True)(_look_up)


look_up = _compiled()


def _announce_compiling() -> None:
    """Tell a person at a terminal why the first call takes a second."""
    kept = look_up.stats.cache_path
    if sys.stderr.isatty() and not (kept and any(Path(kept).glob("kernel._look_up-*.nbi"))):
        sys.stderr.write("Hushgram: compiling once …\n")


_announce_compiling()
