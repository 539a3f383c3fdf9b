"""The cheapest division of sorted values into clusters: a least-weight subsequence problem.

``least[end]`` is the minimum cost of the first ``end`` values, over the start of the last cluster:

    least[end] = min over start of  least[start] + SSE(start, end) + σ²/(end - start) + toll

Since the cost is Monge, a later start that is better for some end is better for all further ends.
So each start that is ever the best one is so for a single range of ends, and these ranges are in
the order of the starts. They are kept in a queue::

        ends      1  2  3  4  5  6  7  8  9 10 11 12
        start 0   [--------)
        start 3            [--------------)
        start 5                           [---------   since[tail] = 10
                     ^ end: the head is best here

A new start can only be best for the last ends. It is compared with the tail: if it wins at the
tail's first end, the tail is dropped; else galloping and bisection find the first end at which it
wins. O(n log n) time, O(n) memory.

Hirschberg & Larmore, *The least weight subsequence problem*, SIAM J. Computing 16, 1987;
Galil & Park, *A linear-time algorithm for concave one-dimensional dynamic programming*, 1990.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.backtrack import trace_starts
from hushgram.mechanisms.inference.exact_sums import mean_excess, squared_error


@compiled()
def cheapest_clusters(values: Any, sums: Any, sigma2: float, toll: float) -> Any:
    """The starts of the clusters that minimise the sum of SSE + σ²/L + toll over clusters.

    See the drawing above: ``queue[head:tail + 1]`` holds starts, and each is the best one from the
    end ``since`` up to that of the next.
    """
    n = len(sums) - 1
    least = np.empty(n + 1)
    last = np.empty(n + 1, np.int32)
    queue = np.empty(n + 1, np.int32)
    since = np.empty(n + 1, np.int32)
    least[0] = 0.0
    queue[0], since[0] = 0, 1
    head, tail = 0, 0
    for end in range(1, n + 1):
        while head < tail and since[head + 1] <= end:
            head += 1
        last[end] = queue[head]
        if end < n and values[end - 1] == values[end] and _no_start(sums, queue[head], end, sigma2):
            continue
        least[end] = _cost_to(sums, least, queue[head], end, sigma2) + toll
        while since[tail] > end and _wins(sums, least, end, queue[tail], since[tail], sigma2):
            tail -= 1
        first = _overtakes(sums, least, end, queue[tail], max(since[tail], end), sigma2)
        if first <= n:
            tail += 1
            queue[tail], since[tail] = end, first
    return trace_starts(last[1:])


@compiled()
def _no_start(sums: Any, start: int, end: int, sigma2: float) -> bool:
    """Whether no cluster needs to start at ``end``, between two equal values v.

    Let the cluster before have a values below v, their mean d below it, then m times v; the one
    after has m' times v, then c values above, their mean e above it. Of both costs, only (σ² -
    (ad)²)/(a + m) + (σ² - (ce)²)/(c + m') depends on m, for fixed m + m'. Unless both numerators
    are positive, it is smallest where m or m' is 0. If they are, write ad = σ sin x and ce = σ sin
    y: one cluster is no worse than two if cos(x + y) ≥ -1/2, so if x ≤ 30°. The remaining case is
    σ²/4 < (ad)² < σ². Without this check, a long run of zeros, AHP's common case, takes eighty
    times as long.
    """
    deficit = mean_excess(sums, start, end, end) * (end - start)
    return not sigma2 / 4 < deficit * deficit < sigma2


@compiled()
def _overtakes(sums: Any, least: Any, late: int, early: int, lost: int, sigma2: float) -> int:
    """The first end for which it is better to start at ``late``; for ``lost`` it is not yet."""
    n = len(sums) - 1
    won, step = n + 1, 1
    while won > n and lost < n:  # it is usually near, and galloping stays in the cache
        probe = min(lost + step, n)
        if _wins(sums, least, late, early, probe, sigma2):
            won = probe
        else:
            lost = probe
            step *= 2
    while won - lost > 1:
        middle = (lost + won) // 2
        if _wins(sums, least, late, early, middle, sigma2):
            won = middle
        else:
            lost = middle
    return won


@compiled()
def _wins(sums: Any, least: Any, late: int, early: int, end: int, sigma2: float) -> Any:
    """Whether the last cluster of the values up to ``end`` is better started at ``late``."""
    return _cost_to(sums, least, late, end, sigma2) < _cost_to(sums, least, early, end, sigma2)


@compiled()
def _cost_to(sums: Any, least: Any, start: int, end: int, sigma2: float) -> Any:
    """The minimum cost of the values up to ``end`` if the last cluster starts at ``start``."""
    return least[start] + squared_error(sums, start, end) + sigma2 / (end - start)


@compiled()
def cost_of(sums: Any, starts: Any, sigma2: float) -> float:
    """The total cost of clusters with these starts."""
    cost = 0.0
    for index in range(len(starts)):
        end = starts[index + 1] if index + 1 < len(starts) else len(sums) - 1
        cost += squared_error(sums, starts[index], end) + sigma2 / (end - starts[index])
    return cost
