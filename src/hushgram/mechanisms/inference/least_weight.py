"""The cheapest way to cut sorted values into clusters: a least-weight subsequence.

``least[end]`` is the smallest cost of the first ``end`` values. Their last cluster starts
somewhere,

    least[end] = min over start of  least[start] + SSE(start, end) + σ²/(end - start) + toll

and as the cost is Monge, a later start that has once become the better one stays so. So each start
that is worth anything is the best one for a single stretch of ends, and the stretches follow each
other in the order of the starts. They are kept in a queue::

        ends      1  2  3  4  5  6  7  8  9 10 11 12
        start 0   [--------)
        start 3            [--------------)
        start 5                           [---------   since[tail] = 10
                     ^ end, for which the head is best

A new start can only be best for the last ends. It is compared with the tail: where it wins at once,
the tail is dropped; else the first end at which it wins is found by galloping and bisection.
O(n log n) time, O(n) memory.

Hirschberg & Larmore, *The least weight subsequence problem*, SIAM J. Computing 16, 1987;
Galil & Park, *A linear-time algorithm for concave one-dimensional dynamic programming*, 1990.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.backtrack import trace_starts
from hushgram.mechanisms.inference.exact_sums import mean_beyond, squared_error


@compiled()
def cheapest_clusters(values: Any, sums: Any, sigma2: float, toll: float) -> Any:
    """Where the clusters start at least of SSE + σ²/L + toll, summed over clusters.

    See the drawing above: ``queue[head:tail + 1]`` holds starts, and each is the best one from the
    end ``since`` on, up to that of the next.
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
        if end < n and values[end - 1] == values[end] and _idle(sums, queue[head], end, sigma2):
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
def _idle(sums: Any, start: int, end: int, sigma2: float) -> bool:
    """Whether no cluster need begin at ``end``, between two equal values.

    Let the cluster before hold a values below v, their mean d below it, then m times v; the one
    after, m' times v, then c values above, their mean e above it. Of both costs only
    (σ² - (ad)²)/(a + m) + (σ² - (ce)²)/(c + m') depends on m, where m + m' is given. Unless both
    numerators are positive, it is smallest where m or m' is 0. If they are, write ad = σ sin x and
    ce = σ sin y: one cluster is as good as two if cos(x + y) ≥ -1/2, so if x ≤ 30°. There remain
    σ²/4 < (ad)² < σ². Without this a long run of zeros, AHP's common case, takes eighty times as
    long.
    """
    deficit = mean_beyond(sums, start, end, end) * (end - start)
    return not sigma2 / 4 < deficit * deficit < sigma2


@compiled()
def _overtakes(sums: Any, least: Any, late: int, early: int, lost: int, sigma2: float) -> int:
    """The first end for which it is better to start at ``late``; at ``lost`` it is not yet so."""
    n = len(sums) - 1
    won, step = n + 1, 1
    while won > n and lost < n:  # it is near usually, and galloping stays in the cache
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
    """Whether the last cluster of the values up to ``end`` does better to start at ``late``."""
    return _cost_to(sums, least, late, end, sigma2) < _cost_to(sums, least, early, end, sigma2)


@compiled()
def _cost_to(sums: Any, least: Any, start: int, end: int, sigma2: float) -> Any:
    """The least cost of the values up to ``end``, if the last cluster starts at ``start``."""
    return least[start] + squared_error(sums, start, end) + sigma2 / (end - start)


@compiled()
def cost_of(sums: Any, starts: Any, sigma2: float) -> float:
    """What these clusters cost together."""
    cost = 0.0
    for index in range(len(starts)):
        end = starts[index + 1] if index + 1 < len(starts) else len(sums) - 1
        cost += squared_error(sums, starts[index], end) + sigma2 / (end - starts[index])
    return cost
