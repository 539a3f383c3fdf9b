"""Grouping and isotonic regression as Shi & Zhou print them. NONPRIVATE.

The pipeline of their §3 and §4, for comparisons and for their figures only. It protects nobody:

1. the groups are optimised on the true counts, and nothing is paid for what they tell;
2. the noisy counts are sorted by the order of the true ones, which reveals that order, also unpaid;
3. every bin of a group shows the group's mean again, each time with fresh noise that is scaled as
   if it were shown once.

Nothing of it can be published: it takes and gives plain arrays, and its noise has a seed. The
mechanism that keeps the idea and pays for it is `hushgram.mechanisms.isotonic`.

Shi & Zhou, *Difference privacy histogram release based on isotonic regression*, 2015. Two errors
of theirs are not repeated: isotonic regression pools back (their Algorithm 1 does not), and the
errors carry the right names (their §4 swaps "with" and "without").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from hushgram.declare.axis import Floats
from hushgram.mechanisms.inference.isotonic import isotonic
from hushgram.mechanisms.inference.voptimal import v_optimal_groups


class Stages(NamedTuple):
    """The histogram after each step, a number per bin. NONPRIVATE."""

    grouped: Floats
    """Group means: H*."""

    noisy: Floats
    """With noise: Hm."""

    isotonic: Floats
    """In the true order: Hs."""


class Errors(NamedTuple):
    """Sums of squares over all bins, as in the paper's Fig. 6."""

    structure: float
    """Of the group means against the counts, eq. 7: E(H*)."""

    noise: float
    """Of the noisy histogram against the group means, eq. 4."""

    total_noisy: float
    """Without isotonic regression: E(Hm)."""

    total_isotonic: float
    """With it: E(Hs)."""


def nonprivate_grouping(counts: ArrayLike, groups: int, epsilon: float, rng: Generator) -> Stages:
    """Group by the true counts, add noise of scale 1 / (group size · epsilon), restore the true
    order. NONPRIVATE: see the top of this file.

    >>> stages = nonprivate_grouping([4, 3, 3, 7, 6, 5, 2, 3], 3, 1e9, np.random.default_rng(1))
    >>> stages.grouped.round(2).tolist()
    [3.33, 3.33, 3.33, 6.0, 6.0, 6.0, 2.5, 2.5]
    """
    true = np.asarray(counts, dtype=np.float64)
    starts = v_optimal_groups(true, groups)
    sizes = np.diff([*starts, len(true)])
    grouped = np.repeat(np.add.reduceat(true, starts) / sizes, sizes)
    noisy = grouped + rng.laplace(scale=1 / (np.repeat(sizes, sizes) * epsilon))
    return Stages(grouped, noisy, in_true_order(true, noisy))


def in_true_order(true: ArrayLike, noisy: ArrayLike) -> Floats:
    """§4: isotonic regression of the noisy counts along the order of the true ones. NONPRIVATE."""
    order = np.argsort(true, kind="stable")
    restored = np.empty(len(order))
    restored[order] = isotonic(np.asarray(noisy, dtype=np.float64)[order])
    return restored


def squared_error(first: ArrayLike, second: ArrayLike) -> float:
    """The paper's measure of every error: the sum of the squared differences."""
    return float(((np.asarray(first) - np.asarray(second)) ** 2).sum())


def errors(counts: ArrayLike, stages: Stages) -> Errors:
    """The errors of one run."""
    return Errors(
        squared_error(counts, stages.grouped),
        squared_error(stages.grouped, stages.noisy),
        squared_error(counts, stages.noisy),
        squared_error(counts, stages.isotonic),
    )


def mean_errors(
    counts: ArrayLike, groups: int, epsilon: float, *, runs: int, rng: Generator
) -> Errors:
    """The errors on average: a group of bars of Fig. 6."""
    found = [errors(counts, nonprivate_grouping(counts, groups, epsilon, rng)) for _ in range(runs)]
    return Errors(*np.mean(found, axis=0).tolist())
