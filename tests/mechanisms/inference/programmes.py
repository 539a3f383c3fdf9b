"""The slow programmes that the kernels are judged by: written from the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

Cost = Callable[[float, int], float]
"""What a group costs, from its squared error and its size."""


@st.composite
def rows(draw: st.DrawFn, max_size: int = 18) -> list[float]:
    """Values with many ties, some far from the others, on any scale."""
    few = st.integers(0, draw(st.sampled_from([1, 3, 9, 100])))
    value = st.one_of(few, few, few, st.sampled_from([0, 10**9, -(10**9)]))
    offset, scale = draw(st.sampled_from([0.0, 0.0, 1e9, -3e6])), draw(SCALES)
    found = draw(st.lists(value, min_size=1, max_size=max_size))
    return [v * scale + offset for v in found]


SCALES = st.sampled_from([1.0, 1.0, 0.1, 2.0**-20, 1e6])


def squared_error(values: Sequence[float]) -> float:
    """Two passes and a correction: exact but for the last digits."""
    mean = math.fsum(values) / len(values)
    apart = [value - mean for value in values]
    return max(0.0, math.fsum(a * a for a in apart) - math.fsum(apart) ** 2 / len(values))


def cost_of(values: Sequence[float], starts: Sequence[int], cost: Cost) -> float:
    """What a partition costs; and that it is one."""
    ends = [*(int(start) for start in starts), len(values)]
    assert ends[0] == 0
    assert all(a < b for a, b in pairwise(ends))
    return math.fsum(cost(squared_error(values[a:b]), b - a) for a, b in pairwise(ends))


def least_cost(values: Sequence[float], cost: Cost) -> float:
    """The O(n²) programme over the start of the last group."""
    least = [0.0]
    for end in range(1, len(values) + 1):
        groups = ((start, values[start:end]) for start in range(end))
        least.append(min(least[start] + cost(squared_error(g), len(g)) for start, g in groups))
    return least[-1]


def least_cost_of_at_most(values: Sequence[float], cost: Cost, limit: int) -> float:
    """The same, over the number of groups too."""
    n = len(values)
    costs = {
        (i, j): cost(squared_error(values[i:j]), j - i) for j in range(n + 1) for i in range(j)
    }
    least = [0.0] + [math.inf] * n
    best = math.inf
    for _ in range(min(limit, n)):
        least = [math.inf] + [
            min(least[i] + costs[i, j] for i in range(j)) for j in range(1, n + 1)
        ]
        best = min(best, least[n])
    return best


def least_cost_of_many(
    values: np.ndarray, cost: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> float:
    """The O(n²) programme for some thousand values of moderate size."""
    centred = (values - values.mean()).astype(np.longdouble)
    total = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    least = np.zeros(len(values) + 1, np.longdouble)
    for end in range(1, len(values) + 1):
        size = np.arange(end, 0, -1)
        error = squares[end] - squares[:end] - (total[end] - total[:end]) ** 2 / size
        least[end] = (least[:end] + cost(np.maximum(error, 0), size)).min()
    return float(least[-1])


def literal_greedy(values: Sequence[float], sigma2: float) -> tuple[list[int], float]:
    """Algorithm 3 of Zhang et al. as printed, in fractions; and how narrow its closest call was.

    (Its j++ is indented into the "else" there, where it would never end.)
    """
    exact, noise = [Fraction(value) for value in values], Fraction(sigma2)

    def err(cluster: list[Fraction]) -> Fraction:
        mean = sum(cluster) / len(cluster)
        return sum(((v - mean) ** 2 for v in cluster), Fraction(0)) + noise / len(cluster)

    def least_err(j: int) -> Fraction:
        sizes = range(1, len(exact) - j + 1)
        return min((exact[j] - sum(exact[j : j + k]) / k) ** 2 + noise / k**2 for k in sizes)

    starts, narrowest = [0], math.inf
    for j in range(1, len(exact)):
        joined = err(exact[starts[-1] : j + 1])
        apart = err(exact[starts[-1] : j]) + least_err(j)
        narrowest = min(narrowest, float(abs(joined - apart) / apart))
        if not joined < apart:
            starts.append(j)
    return starts, narrowest
