"""Clusters of sorted values: bins with close counts share one noisy sum (AHP).

A cluster of L bins, each of which takes the noisy mean, errs by SSE + σ²/L: its bins differ from
their mean, and the noise of the sum, of variance σ² (``sigma2``), is spread over L bins. Three
ways to cut the sorted values, after Zhang, Chen, Xu, Meng & Xie, *Towards accurate histogram
publication under differential privacy*, SDM 2014: optimal, empirical, greedy. Each returns where
its clusters start.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushgram.base.compiled import compiled
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.isotonic import finite

SUM, SUM_LOW, SQUARES, SQUARES_LOW = range(4)
"""A row of prefix sums: each is an unevaluated sum of two doubles, 106 bits together."""


def optimal_clusters(
    values: ArrayLike, sigma2: float, at_most: int | None = None
) -> NDArray[np.int64]:
    """The clusters of least cost, over all numbers of clusters, or all up to ``at_most``.

    On sorted values SSE is Monge, and σ²/L is convex in L, so their sum is Monge: once a later
    start is the better one for some end, it is for all further ends. That makes it a least-weight
    subsequence problem: a queue of starts, each best for a stretch of ends, the stretches found
    by galloping and bisection. O(n log n) time instead of the paper's O(n⁴), O(n) memory. A limit
    costs some twenty rounds of it, see `_limited`.

    Hirschberg & Larmore, *The least weight subsequence problem*, SIAM J. Computing 16, 1987;
    Galil & Park, *A linear-time algorithm for concave one-dimensional dynamic programming*, 1990.

    >>> optimal_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8)
    array([0, 2, 5])
    >>> optimal_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8, at_most=2)
    array([0, 5])
    """
    row, noise = _checked(values, sigma2)
    if at_most is not None and at_most < 1:
        raise BadInput(f"at most {at_most} clusters: ask for one or more.")
    sums = _prefix_sums(row)
    starts: NDArray[np.int64] = _cheapest(row, sums, noise, 0.0)
    if at_most is not None and len(starts) > at_most:
        starts = _limited(row, sums, noise, at_most, starts)
    return starts


def empirical_clusters(values: ArrayLike, sigma2: float, rule: str = "best") -> NDArray[np.int64]:
    """The clusters of least cost among those that are no more than a rule of thumb allows.

    The paper bounds the number of clusters by a rule (`RULES`) because it knows the optimum only
    at O(n⁴), tries all four and keeps the best: that is "best", and as its programme is over "at
    most k" clusters, the rule that allows most always wins.

    >>> empirical_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=1, rule="square-root")
    array([0, 2, 5])
    """
    row, noise = _checked(values, sigma2)
    if rule == "best":
        return optimal_clusters(row, noise, max(count(row) for count in RULES.values()))
    if rule not in RULES:
        raise BadInput(f"no rule is called {rule!r}. Known: best, {', '.join(RULES)}.")
    return optimal_clusters(row, noise, RULES[rule](row))


def greedy_clusters(values: ArrayLike, sigma2: float) -> NDArray[np.int64]:
    """The paper's Algorithm 3: go up the values, and open a cluster whenever that seems cheaper.

    A value v joins the current cluster C if ``err(C + v) < err(C) + err*(v)``, where ``err*(v)``
    is the least that v may cost in a cluster of its own and the next values: the least, over l,
    of ``(v - mean of l values)² + σ²/l²``. The loop over l as printed is quadratic on a run of
    equal values; here l jumps to the first size that could do, see `_fits_elsewhere`: the same
    clusters, O(n) but for a few jumps.

    >>> greedy_clusters([1, 1, 3, 3, 4, 6, 7], sigma2=8)
    array([0, 2, 5])
    """
    row, noise = _checked(values, sigma2)
    starts: NDArray[np.int64] = _greedy(_prefix_sums(row), noise)
    return starts


def _checked(values: ArrayLike, sigma2: float) -> tuple[NDArray[np.float64], float]:
    row = finite(values)
    if not 0 < sigma2 < np.inf:
        raise BadInput(f"the variance of a cluster's noisy sum must be positive; found {sigma2}.")
    if len(row) > np.iinfo(np.int32).max - 1:
        raise BadInput(f"{len(row):,} values are too many to cluster; 2^31 - 2 is the limit.")
    falls = _first_fall(row)
    if falls:
        raise BadInput(
            f"values to cluster must be sorted; value {falls} is {row[falls]:g}, after "
            f"{row[falls - 1]:g}."
        )
    return row, float(sigma2)


# How many clusters


def square_root(values: NDArray[np.float64]) -> int:
    return ceil(sqrt(len(values)))


def sturges(values: NDArray[np.float64]) -> int:
    return ceil(1 + log2(len(values)))


def doane(values: NDArray[np.float64]) -> int:
    """Sturges, and more for skew data.

    The skewness is √n Σd³ / (Σd²)^1.5; the paper's lacks the √n, and so its rule hardly differs
    from Sturges'.
    """
    n = len(values)
    apart = values - values.mean()
    apart /= np.abs(apart).max() or 1.0  # so that cubes of small values do not vanish
    squares = float(apart @ apart)
    if n < 3 or squares == 0:
        return sturges(values)
    skewness = sqrt(n) * float(apart @ (apart * apart)) / squares**1.5
    scale = sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return ceil(1 + log2(n) + log2(1 + abs(skewness) / scale))


def rice(values: NDArray[np.float64]) -> int:
    return ceil(2 * float(np.cbrt(len(values))))


RULES: dict[str, Callable[[NDArray[np.float64]], int]] = {
    "square-root": square_root,
    "sturges": sturges,
    "doane": doane,
    "rice": rice,
}


def _limited(
    values: Any, sums: Any, sigma2: float, limit: int, many: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The best of ``limit`` clusters, fewer than the ``many`` that are best without a limit.

    A toll on every cluster lowers their number, and as the cost is Monge, the least cost is convex
    in the number: every number is best under some toll. The toll is the slope between a solution
    with too few clusters and one with too many; either it finds one in between, or both are best
    under it, and are spliced to the number wanted.

    Aggarwal, Schieber & Tokuyama, *Finding a minimum-weight k-link path in graphs with the concave
    Monge property*, Discrete & Computational Geometry 12, 1994.
    """
    few = np.zeros(1, np.int64)
    while len(few) < limit:
        dear, cheap = _cost(sums, few, sigma2), _cost(sums, many, sigma2)
        toll = (dear - cheap) / (len(many) - len(few))
        found = _cheapest(values, sums, sigma2, toll)
        saved = dear + toll * len(few) - _cost(sums, found, sigma2) - toll * len(found)
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


# Compiled loops


@compiled()
def _first_fall(values: Any) -> int:
    """The first place where the values go down, 0 if they never do."""
    for place in range(1, len(values)):
        if values[place] < values[place - 1]:
            return place
    return 0


@compiled()
def _cheapest(values: Any, sums: Any, sigma2: float, toll: float) -> Any:
    """Where the clusters start at the least of SSE + σ²/L + toll, summed over clusters."""
    n = len(sums) - 1
    least = np.empty(n + 1)
    last = np.empty(n + 1, np.int32)
    queue = np.empty(n + 1, np.int32)  # starts; each is the best one …
    since = np.empty(n + 1, np.int32)  # … from this end up to the next one's
    least[0] = 0.0
    queue[0], since[0] = 0, 1
    head, tail = 0, 0
    for end in range(1, n + 1):
        while head < tail and since[head + 1] <= end:
            head += 1
        last[end] = queue[head]
        if end < n and values[end - 1] == values[end] and _idle(sums, queue[head], end, sigma2):
            continue
        least[end] = _total(sums, least, queue[head], end, sigma2) + toll
        while since[tail] > end and _wins(sums, least, end, queue[tail], since[tail], sigma2):
            tail -= 1
        first = _overtakes(sums, least, end, queue[tail], max(since[tail], end), sigma2)
        if first <= n:
            tail += 1
            queue[tail], since[tail] = end, first
    return _trace(last)


@compiled()
def _idle(sums: Any, start: int, end: int, sigma2: float) -> bool:
    """Whether no cluster need begin at ``end``, between two equal values.

    Let the cluster before hold a values below v, their mean d below it, then m times v; the one
    after, m' times v, then c values above, their mean e above it. Of both costs only
    (σ² - (ad)²)/(a + m) + (σ² - (ce)²)/(c + m') depends on m, where m + m' is given. Unless both
    numerators are positive, it is least where m or m' is 0. If they are, write ad = σ sin x and
    ce = σ sin y: one cluster is as good as two if cos(x + y) ≥ -1/2, so if x ≤ 30°. There remain
    σ²/4 < (ad)² < σ². Without this a long run of zeros, AHP's common case, takes eighty times as
    long.
    """
    deficit = _mean_beyond(sums, start, end, end) * (end - start)
    return not sigma2 / 4 < deficit * deficit < sigma2


@compiled()
def _overtakes(sums: Any, least: Any, late: int, early: int, lost: int, sigma2: float) -> int:
    """The first end for which it is better to start at ``late``; at ``lost`` it is not yet so."""
    n = len(sums) - 1
    won, step = n + 1, 1
    while won > n and lost < n:  # it is near as a rule, and galloping stays in the cache
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
    return _total(sums, least, late, end, sigma2) < _total(sums, least, early, end, sigma2)


@compiled()
def _total(sums: Any, least: Any, start: int, end: int, sigma2: float) -> Any:
    return least[start] + _squared_error(sums, start, end) + sigma2 / (end - start)


@compiled()
def _trace(last: Any) -> Any:
    """The starts on the cheapest way to the end, in order."""
    count, end = 0, len(last) - 1
    while end > 0:
        end = last[end]
        count += 1
    starts = np.empty(count, np.int64)
    end = len(last) - 1
    for index in range(count - 1, -1, -1):
        end = last[end]
        starts[index] = end
    return starts


@compiled()
def _cost(sums: Any, starts: Any, sigma2: float) -> float:
    """What these clusters cost together."""
    cost = 0.0
    for index in range(len(starts)):
        end = starts[index + 1] if index + 1 < len(starts) else len(sums) - 1
        cost += _squared_error(sums, starts[index], end) + sigma2 / (end - starts[index])
    return cost


@compiled()
def _greedy(sums: Any, sigma2: float) -> Any:
    n = len(sums) - 1
    starts = np.empty(n, np.int64)
    starts[0] = 0
    count = 1
    for place in range(1, n):
        start = starts[count - 1]
        size = place - start
        apart = _mean_beyond(sums, start, place, place)
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
        apart = _mean_beyond(sums, place, place + size, place)
        if apart * apart + sigma2 / size**2 <= price:
            return True
        left = price - apart * apart
        size += 1
    return False


# Sums that do not cancel


@compiled()
def _prefix_sums(values: Any) -> Any:
    """Sums of the first values and of their squares, around the median, in twice the digits.

    In plain doubles the error of a cluster far from the centre drowns: values near 1e8 have squares
    near 1e16, known to the nearest whole number.
    """
    sums = np.zeros((len(values) + 1, 4))
    centre = values[len(values) // 2]
    for place in range(len(values)):
        apart, low = _sum(values[place], -centre)
        square, square_low = _product(apart, apart)
        square_low += 2 * apart * low
        sums[place + 1, SUM], sums[place + 1, SUM_LOW] = _add(
            sums[place, SUM], sums[place, SUM_LOW], apart, low
        )
        sums[place + 1, SQUARES], sums[place + 1, SQUARES_LOW] = _add(
            sums[place, SQUARES], sums[place, SQUARES_LOW], square, square_low
        )
    return sums


@compiled()
def _squared_error(sums: Any, start: int, end: int) -> Any:
    """SSE of ``values[start:end]``: Σx² - (Σx)²/L, the large terms subtracted exactly."""
    total, low = _between(sums, start, end, SUM)
    squares, squares_low = _between(sums, start, end, SQUARES)
    mean = total / (end - start)
    rest = _less(total, low, mean, end - start)
    product, product_low = _product(mean, total)
    error = (squares - product) + (squares_low - product_low - mean * (low + rest))
    return max(error, 0.0)


@compiled()
def _mean_beyond(sums: Any, start: int, end: int, place: int) -> Any:
    """By how much the mean of ``values[start:end]`` exceeds one value."""
    total, low = _between(sums, start, end, SUM)
    value, value_low = _between(sums, place, place + 1, SUM)
    size = end - start
    return (_less(total, low, value, size) - value_low * size) / size


@compiled()
def _between(sums: Any, start: int, end: int, column: int) -> Any:
    """The sum of a stretch, from two prefix sums."""
    return _add(
        sums[end, column], sums[end, column + 1], -sums[start, column], -sums[start, column + 1]
    )


@compiled()
def _less(total: float, low: float, factor: float, size: float) -> Any:
    """``total + low - factor * size``, rounded at the end only."""
    product, product_low = _product(factor, float(size))
    return (total - product) + (low - product_low)


@compiled()
def _add(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The sum of two pairs of doubles, as a pair (Dekker 1971)."""
    high, low = _sum(a, b)
    low += a_low + b_low
    total = high + low
    return total, low - (total - high)


@compiled()
def _sum(a: float, b: float) -> tuple[float, float]:
    """``a + b`` and the error of its rounding (Knuth)."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


@compiled()
def _product(a: float, b: float) -> tuple[float, float]:
    """``a * b`` and the error of its rounding (Dekker; Veltkamp's split in halves)."""
    product = a * b
    a_high = a * 134217729.0
    a_high -= a_high - a
    b_high = b * 134217729.0
    b_high -= b_high - b
    a_low, b_low = a - a_high, b - b_high
    low = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, low
