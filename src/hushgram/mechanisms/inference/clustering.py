"""Clusters of sorted values: bins with close counts share one noisy sum (AHP).

A cluster of L bins, each of which takes the noisy mean, errs by SSE + σ²/L: its bins differ from
their mean, and the noise of the sum, of variance σ² (``sigma2``), is spread over L bins. Three
ways to cut the sorted values, after Zhang, Chen, Xu, Meng & Xie, *Towards accurate histogram
publication under differential privacy*, SDM 2014: optimal, empirical, greedy. Each returns where
its clusters start.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.cluster_counts import RULES
from hushgram.mechanisms.inference.exact_sums import mean_beyond, prefix_sums
from hushgram.mechanisms.inference.isotonic import as_finite_row
from hushgram.mechanisms.inference.least_weight import cheapest_clusters, cost_of


def optimal_clusters(
    values: ArrayLike, sigma2: float, at_most: int | None = None
) -> NDArray[np.int64]:
    """The clusters of least cost, over all numbers of clusters, or all up to ``at_most``.

    On sorted values SSE is Monge, and σ²/L is convex in L, so their sum is Monge: once a later
    start is the better one for some end, it is for all further ends. That makes it a least-weight
    subsequence problem, see `least_weight`: O(n log n) time instead of the paper's O(n⁴), O(n)
    memory. A limit costs about twenty rounds of it, see `_limit_clusters`.

    >>> optimal_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8)
    array([0, 2, 5])
    >>> optimal_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8, at_most=2)
    array([0, 5])
    """
    row, noise = _check_sorted(values, sigma2)
    if at_most is not None and at_most < 1:
        raise BadInput(f"at_most must be 1 or more. Found {at_most}.")
    sums = prefix_sums(row)
    starts: NDArray[np.int64] = cheapest_clusters(row, sums, noise, 0.0)
    if at_most is not None and len(starts) > at_most:
        starts = _limit_clusters(row, sums, noise, at_most, starts)
    return starts


def empirical_clusters(values: ArrayLike, sigma2: float, rule: str = "best") -> NDArray[np.int64]:
    """The clusters of least cost, of at most as many usually of thumb allows.

    The paper bounds the number of clusters by a rule (`RULES`) because it knows the optimum only
    at O(n⁴), tries all four and keeps the best: that is "best", and as its programme is over "at
    most k" clusters, the rule that allows most always wins.

    >>> empirical_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=1, rule="square-root")
    array([0, 2, 5])
    """
    row, noise = _check_sorted(values, sigma2)
    if rule == "best":
        return optimal_clusters(row, noise, max(count(row) for count in RULES.values()))
    if rule not in RULES:
        raise BadInput(f"Unknown rule {rule!r}. Use best, {', '.join(RULES)}.")
    return optimal_clusters(row, noise, RULES[rule](row))


def greedy_clusters(values: ArrayLike, sigma2: float) -> NDArray[np.int64]:
    """The paper's Algorithm 3: go up the values, and open a cluster whenever that seems cheaper.

    A value v joins the current cluster C if ``err(C + v) < err(C) + err*(v)``, where ``err*(v)``
    is the smallest that v may cost in a cluster of its own and the next values: the least, over l,
    of ``(v - mean of l values)² + σ²/l²``. The loop over l as printed is quadratic on a run of
    equal values; here l jumps to the first size that could do, see `_fits_elsewhere`: the same
    clusters, O(n) but for a few jumps.

    >>> greedy_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8)
    array([0, 2, 5])
    """
    row, noise = _check_sorted(values, sigma2)
    starts: NDArray[np.int64] = _greedy(prefix_sums(row), noise)
    return starts


def _check_sorted(values: ArrayLike, sigma2: float) -> tuple[NDArray[np.float64], float]:
    row = as_finite_row(values)
    if not 0 < sigma2 < np.inf:
        raise BadInput(f"The variance of a cluster's noisy sum must be positive. Found {sigma2}.")
    if len(row) > np.iinfo(np.int32).max - 1:
        raise BadInput(f"{len(row):,} values are too many to cluster. The limit is 2^31 - 2.")
    falls = _first_fall(row)
    if falls:
        raise BadInput(
            f"Values to cluster must be sorted. Value {falls} is {row[falls]:g}, after "
            f"{row[falls - 1]:g}."
        )
    return row, float(sigma2)


def _limit_clusters(
    values: Any, sums: Any, sigma2: float, limit: int, many: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The best of ``limit`` clusters, fewer than the ``many`` that are best without a limit.

    A toll on every cluster lowers their number, and as the cost is Monge, the smallest cost is
    convex in the number: every number is best under some toll. The toll is the slope between a
    solution with too few clusters and one with too many; either it finds one in between, or both
    are best under it, and are spliced to the number wanted.

    Aggarwal, Schieber & Tokuyama, *Finding a minimum-weight k-link path in graphs with the concave
    Monge property*, Discrete & Computational Geometry 12, 1994.
    """
    few = np.zeros(1, np.int64)
    while len(few) < limit:
        dear, cheap = cost_of(sums, few, sigma2), cost_of(sums, many, sigma2)
        toll = (dear - cheap) / (len(many) - len(few))
        found = cheapest_clusters(values, sums, sigma2, toll)
        saved = dear + toll * len(few) - cost_of(sums, found, sigma2) - toll * len(found)
        if saved <= 1e-13 * dear or not len(few) < len(found) < len(many):
            return _splice(few, many, limit, len(sums) - 1)
        if len(found) <= limit:
            few = found
        else:
            many = found
    return few


def _splice(
    few: NDArray[np.int64], many: NDArray[np.int64], limit: int, n: int
) -> NDArray[np.int64]:
    """The first clusters of ``few`` and the last of ``many``, ``limit`` in all, no dearer.

    They meet where a cluster of ``many`` lies inside one of ``few``: there the Monge inequality
    allows to exchange the ends.
    """
    shift = len(many) - limit
    ahead = np.append(many, n)[shift : shift + len(few)]
    meet = int(np.argmin(np.append(few <= ahead, False))) - 1
    return np.concatenate([few[: meet + 1], many[meet + shift + 1 :]])


# The paper's greedy algorithm


@compiled()
def _greedy(sums: Any, sigma2: float) -> Any:
    n = len(sums) - 1
    starts = np.empty(n, np.int64)
    starts[0] = 0
    count = 1
    for place in range(1, n):
        start = starts[count - 1]
        size = place - start
        apart = mean_beyond(sums, start, place, place)
        joining = (apart * apart * size - sigma2 / size) / (size + 1)  # err(C + v) - err(C)
        if joining >= 0 and _fits_elsewhere(sums, place, joining, sigma2):
            starts[count] = place
            count += 1
    return starts[:count].copy()


@compiled()
def _fits_elsewhere(sums: Any, place: int, price: float, sigma2: float) -> bool:
    """Whether a cluster of the next values would cost this value no more than the price.

    The cost is ``(v - mean)² + σ²/l²``: the first term rises with the size l, for the values are
    sorted. So where it is known for one size, all larger ones must pay for their noise with what
    is left of the price, and the sizes up to the first that can are skipped.
    """
    size, left = 1, price
    while left > 0:
        needed = sqrt(sigma2 / left)
        if needed > len(sums) - 1 - place:
            return False
        size = max(size, int(needed))
        if size > len(sums) - 1 - place:
            return False
        apart = mean_beyond(sums, place, place + size, place)
        if apart * apart + sigma2 / size**2 <= price:
            return True
        left = price - apart * apart
        size += 1
    return False


@compiled()
def _first_fall(values: Any) -> int:
    """The first place where the values go down, 0 if they never do."""
    for place in range(1, len(values)):
        if values[place] < values[place - 1]:
            return place
    return 0
