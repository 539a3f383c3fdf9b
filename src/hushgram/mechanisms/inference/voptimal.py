"""V-optimal histograms: a given number of contiguous groups with the least squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.isotonic import as_finite_row

LIMIT = 2 * 10**10
"""Additions that the dynamic programme may take: some ten seconds."""


def v_optimal_groups(values: ArrayLike, groups: int) -> NDArray[np.int64]:
    """The start of each of ``groups`` contiguous groups that minimise the sum of squared errors.

    ``M(s, t) = min over k of M(k, t - 1) + SSE(values[k:s])``, then back from ``M(n, groups)``.
    O(n² groups) time, O(n groups) memory; larger than `LIMIT` is refused.

    Jagadish et al., *Optimal histograms with quality guarantees*, VLDB 1998; Shi & Zhou, §3.2.

    >>> v_optimal_groups([4, 3, 3, 7, 6, 5, 2, 3], 3)
    array([0, 3, 6])
    """
    row = _check_groups(values, groups)
    starts: NDArray[np.int64] = _trace(row, _fill(row, groups))
    return starts


def v_optimal_table(values: ArrayLike, groups: int) -> NDArray[np.float64]:
    """The paper's table: ``table[s, t]`` is the least error of the first s values in t groups.

    Infinite where s < t, and in column 0 below its first row.

    >>> v_optimal_table([4, 3, 3], 2)[1:, 1:].round(2).tolist()
    [[0.0, inf], [0.5, 0.0], [0.67, 0.0]]
    """
    table: NDArray[np.float64] = _fill(_check_groups(values, groups), groups)
    return table.T


def _check_groups(values: ArrayLike, groups: int) -> NDArray[np.float64]:
    row = as_finite_row(values)
    if not 1 <= groups <= len(row):
        raise BadInput(f"{groups} groups of {len(row)} values: ask for 1 to {len(row)} groups.")
    if len(row) ** 2 * groups > LIMIT:
        raise BadInput(
            f"{groups} groups of {len(row):,} values take {len(row) ** 2 * groups:.1e} steps, and "
            f"{LIMIT:.0e} are allowed. Ask for fewer groups, or let a penalty choose their number: "
            "`best_segments` (the mechanism noise-first) does a million values in a second."
        )
    return row


@compiled()
def _fill(values: Any, groups: int) -> Any:
    """M as ``table[t, s]``, so that the inner loop reads straight on."""
    n = len(values)
    table = np.full((groups + 1, n + 1), np.inf)
    table[0, 0] = 0.0
    means, errors = np.zeros(n), np.zeros(n)
    for s in range(1, n + 1):
        _extend(means, errors, s, values[s - 1])
        table[1, s] = errors[0]
        for t in range(2, min(groups, s) + 1):
            table[t, s] = _least(table[t - 1, t - 1 : s], errors[t - 1 : s])
    return table


@compiled()
def _extend(means: Any, errors: Any, s: int, value: float) -> None:
    """Append a value to all groups that end at s: mean and squared error from k on, for each k.

    Welford's update: no sums of squares, so nothing cancels.
    """
    for k in range(s):
        apart = value - means[k]
        means[k] += apart / (s - k)
        errors[k] += apart * (value - means[k])


@compiled(fastmath={"nnan", "nsz"})  # no NaN comes here, and so the minimum is vectorised
def _least(left: Any, right: Any) -> Any:
    best = left[0] + right[0]
    for k in range(1, len(left)):
        best = min(best, left[k] + right[k])
    return best


@compiled()
def _trace(values: Any, table: Any) -> Any:
    """The starts, last one first: O(n) for each, cheaper than to remember them all."""
    s = len(values)
    starts = np.zeros(len(table) - 1, np.int64)
    for t in range(len(table) - 1, 1, -1):
        best, found = np.inf, s - 1
        mean, error = 0.0, 0.0
        for k in range(s - 1, t - 2, -1):
            apart = values[k] - mean
            mean += apart / (s - k)
            error += apart * (values[k] - mean)
            if table[t - 1, k] + error < best:
                best, found = table[t - 1, k] + error, k
        s = found
        starts[t - 1] = s
    return starts
