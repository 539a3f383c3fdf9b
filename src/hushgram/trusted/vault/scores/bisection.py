"""Integer scores of cutting a slice of counts in two, for every position.

Two scores, both multiplied by `SCALE` and rounded down:

``interpolation``
    the difference between the count up to a position and its share of the slice if rows were evenly
    spread: the error of a range that ends there, as long as the slice is not cut.
``deviation``
    minus the sum of |count - mean| on both sides (Acs, Castelluccia & Chen 2012).

With a sum S = qL + r over L cells, 0 ≤ r < L, the mean times m is mq + mr/L. No term exceeds S or
L², and up to `ceiling`, counts keep all terms within 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.geometry.partition import Ints

SCALE = 256
"""Scores are multiples of 1 / SCALE."""


def ceiling(cells: int) -> int:
    """Return the largest count that can be scored, for this many cells (at most 2^26).

    >>> ceiling(4096) == 2**40
    True
    """
    return 2**52 // cells


def split_scores(counts: Ints, starts: Ints, score: str) -> Ints:
    """Return the score of a cut before each cell, 0 where a slice already starts.

    O(n) for interpolation; O(n log n) for deviation, by a Fenwick tree over the counts' ranks.

    >>> counts, starts = np.array([9, 1, 1, 7, 7]), np.array([0, 3])
    >>> split_scores(counts, starts, "interpolation").tolist()      # |9 - 11/3|, |10 - 22/3|
    [0, 1365, 682, 0, 0]
    >>> split_scores(counts, starts, "deviation").tolist()
    [0, 0, -2048, 0, 0]
    """
    scores: Ints = _all_scores(counts, starts, score == "deviation")
    return scores


@compiled()
def _all_scores(counts: Any, starts: Any, deviation: bool) -> Any:
    scores = np.zeros(len(counts), np.int64)
    for place in range(len(starts)):
        start = starts[place]
        stop = starts[place + 1] if place + 1 < len(starts) else len(counts)
        if deviation:
            _add_deviations(counts[start:stop], scores[start:stop])
        else:
            _add_interpolations(counts[start:stop], scores[start:stop])
    return scores


@compiled()
def _add_interpolations(counts: Any, scores: Any) -> None:
    """Add, for every m, |sum of the first m counts - m / L of the total|."""
    length = len(counts)
    quotient, rest = divmod(counts.sum(), length)
    found = 0
    for m in range(1, length):
        found += counts[m - 1]
        whole = SCALE * (found - m * quotient)
        part = SCALE * m * rest
        above = -(-part // length)
        scores[m] += whole - above if whole >= above else part // length - whole


@compiled()
def _add_deviations(counts: Any, scores: Any) -> None:
    length = len(counts)
    values = np.unique(counts)
    ranks = np.searchsorted(values, counts) + 1
    left = _deviations(counts, ranks, values)
    right = _deviations(counts[::-1], ranks[::-1], values)
    for m in range(1, length):
        scores[m] -= left[m] + right[length - m]


@compiled()
def _deviations(counts: Any, ranks: Any, values: Any) -> Any:
    """Return Σ |count - mean| of the first m counts, for every m: twice the total by which counts
    are below the mean. Fenwick trees provide the number of such counts, and their sum."""
    found = np.zeros(len(counts) + 1, np.int64)
    many, sums = np.zeros((2, len(values) + 1), np.int64)
    total = 0
    for place in range(len(counts)):
        total += counts[place]
        rank = ranks[place]
        while rank <= len(values):
            many[rank] += 1
            sums[rank] += counts[place]
            rank += rank & -rank
        quotient, rest = divmod(total, place + 1)
        low, low_sum = _up_to(quotient, values, many, sums)
        part = 2 * SCALE * low * rest // (place + 1)
        found[place + 1] = 2 * SCALE * (low * quotient - low_sum) + part
    return found


@compiled()
def _up_to(limit: int, values: Any, many: Any, sums: Any) -> Any:
    """Return how many counts are at most ``limit``, and their sum, by descending the Fenwick
    trees."""
    step = 1
    while 2 * step <= len(values):
        step *= 2
    place, low, low_sum = 0, 0, 0
    while step:
        if place + step <= len(values) and values[place + step - 1] <= limit:
            place += step
            low += many[place]
            low_sum += sums[place]
        step //= 2
    return low, low_sum
