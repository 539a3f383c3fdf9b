"""Integer squared errors of contiguous groups: the scores of boundaries.

The squared error of a group of L counts x with sum S is Σx² - S²/L, a fraction. Here it is
multiplied by `SCALE` and rounded down, once for every group; sums and minima of such errors are
exact. With S = qL + r, 0 ≤ r < L, it is Σx² - q²L - 2qr - r²/L: no term exceeds Σx² or L², and
`fits` says when all of them stay inside 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Ints
from hushgram.trusted.vault.scores.level_claims import Row, fill_row, group_error


def least_errors(counts: Ints, groups: int) -> Ints:
    """Return ``table[j, i]``: the least total error of the first i counts in j groups, for 1 ≤ j ≤
    i.

    O(n² groups) time in the worst case, usually about O(n groups); O(n groups) memory.

    >>> least_errors(np.array([4, 3, 3]), 2)[1:, 1:].tolist()
    [[0, 128, 170], [0, 0, 0]]
    """
    sums, squares = _sums(counts)
    table = np.zeros((groups + 1, len(sums)), dtype=np.int64)
    _fill_first(sums, squares, table[1])
    for row in range(2, groups + 1):
        fill_row(Row(sums, squares, table[row - 1]), row - 1, table[row])
    return table


def errors_until(counts: Ints, stop: int) -> Ints:
    """Return the error of the group ``counts[k:stop]``, for every k < stop. O(n).

    >>> errors_until(np.array([4, 3, 3]), 3).tolist()
    [170, 0, 0]
    """
    errors = np.empty(stop, dtype=np.int64)
    _errors(*_sums(counts), stop, errors)
    return errors


def _sums(counts: Ints) -> tuple[Ints, Ints]:
    """Return the sums, and the sums of squares, of the first i counts."""
    sums, squares = np.zeros((2, len(counts) + 1), dtype=np.int64)
    np.cumsum(counts, out=sums[1:])
    np.cumsum(counts * counts, out=squares[1:])
    return sums, squares


@compiled()
def _fill_first(sums: Any, squares: Any, into: Any) -> None:
    for stop in range(1, len(into)):
        into[stop] = group_error(sums, squares, 0, stop)


@compiled()
def _errors(sums: Any, squares: Any, stop: int, errors: Any) -> None:
    for start in range(stop):
        errors[start] = group_error(sums, squares, start, stop)
