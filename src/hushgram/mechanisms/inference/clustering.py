"""Clusters of sorted values: bins with similar counts share one noisy sum (AHP).

If each of the L bins of a cluster gets the noisy mean, the squared error is SSE + σ²/L: the bins
differ from their mean, and the noise of the sum, of variance σ² (``sigma2``), is spread over L
bins. There are three ways to cut the sorted values, after Zhang, Chen, Xu, Meng & Xie, *Towards
accurate histogram publication under differential privacy*, SDM 2014: optimal, empirical, greedy.
Each returns the starts of its clusters.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.cluster_counts import RULES
from hushgram.mechanisms.inference.exact_sums import mean_excess, prefix_sums
from hushgram.mechanisms.inference.isotonic import as_finite_row
from hushgram.mechanisms.inference.least_weight import cheapest_clusters, cost_of


def optimal_clusters(
    values: ArrayLike, sigma2: float, at_most: int | None = None
) -> NDArray[np.int64]:
    """The clusters with the smallest cost, over all numbers of clusters or up to ``at_most``.

    On sorted values SSE is Monge, and σ²/L is convex in L, so their sum is Monge: if a later start
    is better for some end, it is better for all further ends. That makes it a least-weight
    subsequence problem, see `least_weight`: O(n log n) time instead of the paper's O(n⁴), and O(n)
    memory. With a limit it takes about twenty times as long, see `_limit_clusters`.

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
    """The clusters with the smallest cost, at most as many as a rule of thumb allows.

    The paper bounds the number of clusters by a rule (`RULES`) because its exact algorithm is
    O(n⁴). It tries all four rules and keeps the best result. That is "best" here: since its
    program allows "at most k" clusters, the rule that allows most always wins.

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
    """The paper's Algorithm 3: go up the values, and start a cluster whenever that seems cheaper.

    A value v joins the current cluster C if ``err(C + v) < err(C) + err*(v)``, where ``err*(v)`` is
    the smallest possible cost of v in a new cluster with the next values: the minimum over l of
    ``(v - mean of l values)² + σ²/l²``. The loop over l as printed is quadratic on a run of equal
    values. Here l jumps to the first size that is possible, see `_fits_elsewhere`, which gives the
    same clusters in O(n) apart from a few jumps.

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
    """The best ``limit`` clusters, which must be fewer than ``many``, the best without a limit.

    A toll on every cluster reduces their number. Since the cost is Monge, the minimum is convex in
    the number of clusters, so every number is optimal under some toll. The toll tried is the slope
    between a solution with too few clusters and one with too many. Either it yields one in between,
    or both are optimal under it, and are spliced to the right number.

    Aggarwal, Schieber & Tokuyama, *Finding a minimum-weight k-link path in graphs with the concave
    Monge property*, Discrete & Computational Geometry 12, 1994.
    """
    few = np.zeros(1, np.int64)
    while len(few) < limit:
        cost_few, cost_many = cost_of(sums, few, sigma2), cost_of(sums, many, sigma2)
        toll = (cost_few - cost_many) / (len(many) - len(few))
        found = cheapest_clusters(values, sums, sigma2, toll)
        saved = cost_few + toll * len(few) - cost_of(sums, found, sigma2) - toll * len(found)
        if saved <= 1e-13 * cost_few or not len(few) < len(found) < len(many):
            return _splice(few, many, limit, len(sums) - 1)
        if len(found) <= limit:
            few = found
        else:
            many = found
    return few


def _splice(
    few: NDArray[np.int64], many: NDArray[np.int64], limit: int, n: int
) -> NDArray[np.int64]:
    """The first clusters of ``few`` and the last of ``many``, ``limit`` in total, at no higher
    cost.

    They meet where a cluster of ``many`` is inside one of ``few``: there the Monge inequality
    allows exchanging the ends.
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
        excess = mean_excess(sums, start, place, place)
        joining = (excess * excess * size - sigma2 / size) / (size + 1)  # err(C + v) - err(C)
        if joining >= 0 and _fits_elsewhere(sums, place, joining, sigma2):
            starts[count] = place
            count += 1
    return starts[:count].copy()


@compiled()
def _fits_elsewhere(sums: Any, place: int, price: float, sigma2: float) -> bool:
    """Whether the cost of this value in a cluster with the next ones would be at most the price.

    The cost is ``(v - mean)² + σ²/l²``, and its first term increases with the size l, because the
    values are sorted. Once it is known for one size, the noise of any larger one must fit into the
    rest of the price, so all sizes with too much noise are skipped.
    """
    size, left = 1, price
    while left > 0:
        needed = sqrt(sigma2 / left)
        if needed > len(sums) - 1 - place:
            return False
        size = max(size, int(needed))
        if size > len(sums) - 1 - place:
            return False
        excess = mean_excess(sums, place, place + size, place)
        if excess * excess + sigma2 / size**2 <= price:
            return True
        left = price - excess * excess
        size += 1
    return False


@compiled()
def _first_fall(values: Any) -> int:
    """The first place where the values decrease, 0 if they never do."""
    for place in range(1, len(values)):
        if values[place] < values[place - 1]:
            return place
    return 0
