"""V-optimal histograms: a given number of contiguous groups with the smallest squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.isotonic import as_finite_row
from hushgram.mechanisms.inference.segments import add_value, cap_pieces

LIMIT = 2 * 10**7
"""Values times groups: takes 160 MB, and about ten seconds if values are noisy."""


def v_optimal_groups(values: ArrayLike, groups: int) -> NDArray[np.int64]:
    """The start of each of ``groups`` contiguous groups that minimise the sum of squared errors.

    ``M(s, t) = min over k of M(k, t - 1) + SSE(values[k:s])``, then backtracking from
    ``M(n, groups)``. O(n groups) memory, and about the same time, by the functional pruning of
    `best_segments`: the cost of a new segment there is M(s, t - 1) here. Raises above `LIMIT`.

    Jagadish et al., *Optimal histograms with quality guarantees*, VLDB 1998; Shi & Zhou, §3.2.
    Rigaill, *A pruned dynamic programming algorithm to recover the best segmentations with 1 to
    K_max change-points*, Journal de la Société Française de Statistique 156, 2015.

    >>> v_optimal_groups([4, 3, 3, 7, 6, 5, 2, 3], 3)
    array([0, 3, 6])
    """
    row = _check_groups(values, groups)
    starts: NDArray[np.int64] = _trace(row, _fill(row - np.median(row), groups))
    return starts


def v_optimal_table(values: ArrayLike, groups: int) -> NDArray[np.float64]:
    """The paper's table: ``table[s, t]`` is the smallest error of the first s values in t groups.

    Infinite for s < t, and in column 0 below its first row.

    >>> v_optimal_table([4, 3, 3], 2)[1:, 1:].round(2).tolist()
    [[0.0, inf], [0.5, 0.0], [0.67, 0.0]]
    """
    row = _check_groups(values, groups)
    table: NDArray[np.float64] = _fill(row - np.median(row), groups)
    return table.T


def _check_groups(values: ArrayLike, groups: int) -> NDArray[np.float64]:
    row = as_finite_row(values)
    if not 1 <= groups <= len(row):
        raise BadInput(
            f"The number of groups must be from 1 to {len(row)}, the number of values. Found "
            f"{groups}."
        )
    if len(row) * groups > LIMIT:
        raise BadInput(
            f"Values times groups must be at most {LIMIT:,}. Found {groups:,} groups of "
            f"{len(row):,} values. Use fewer groups, or let a penalty choose their number: "
            "`best_segments` (the mechanism noise-first) takes about a second for a "
            "million values."
        )
    return row


@compiled()
def _fill(values: Any, groups: int) -> Any:
    """M as ``table[t, s]``, so that the inner loop reads memory sequentially."""
    n = len(values)
    table = np.full((groups + 1, n + 1), np.inf)
    table[0, 0] = 0.0
    for t in range(1, groups + 1):
        _fill_row(values, table[t - 1], t - 1, table[t])
    return table


@compiled()
def _fill_row(values: Any, before: Any, first: int, into: Any) -> None:
    """Fill in the row for one more group than ``before``, which starts at ``first`` or later."""
    lowest, highest = values.min(), values.max()
    pieces, spare = np.empty((32, 5)), np.empty((32, 5))
    pieces[0] = (highest, 0.0, before[first], 0.0, float(first))
    count = 1
    for place in range(first, len(values)):
        if place > first:
            if 2 * count + 1 > len(spare):
                spare = np.empty((4 * count, 5))
            count = cap_pieces(pieces, count, lowest, before[place], place, spare)
            pieces, spare = spare, pieces
        if count == 0:  # all values are equal
            pieces[0] = (highest, 0.0, before[place], 0.0, float(place))
            count = 1
        into[place + 1], _ = add_value(pieces, count, values[place])


@compiled()
def _trace(values: Any, table: Any) -> Any:
    """The starts, found from the last to the first: O(n) for each, cheaper than storing them
    all."""
    s = len(values)
    starts = np.zeros(len(table) - 1, np.int64)
    for t in range(len(table) - 1, 1, -1):
        best, found = np.inf, s - 1
        mean, error = 0.0, 0.0
        for k in range(s - 1, t - 2, -1):
            difference = values[k] - mean
            mean += difference / (s - k)
            error += difference * (values[k] - mean)
            if table[t - 1, k] + error < best:
                best, found = table[t - 1, k] + error, k
        s = found
        starts[t - 1] = s
    return starts
