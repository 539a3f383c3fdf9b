"""Grouping and isotonic regression as Shi & Zhou print them. NONPRIVATE.

The pipeline of their §3 and §4, only for comparisons and for their figures. It protects nobody:

1. the groups are optimised on the true counts, at no cost, although they reveal something;
2. the noisy counts are sorted in the order of the true ones, which reveals it, also at no cost;
3. every bin of a group publishes the group's mean, each time with fresh noise calibrated to a
   single publication.

Nothing of it can be published: inputs and outputs are plain arrays, and its noise has a seed. The
mechanism `hushgram.mechanisms.isotonic` is the private version of the idea.

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
    """The noisy counts: Hm."""

    isotonic: Floats
    """After isotonic regression in the true order: Hs."""


class Errors(NamedTuple):
    """Sums of squares over all bins, as in the paper's Fig. 6."""

    structure: float
    """The error of the group means, eq. 7: E(H*)."""

    noise: float
    """The error of the noisy histogram relative to the group means, eq. 4."""

    total_noisy: float
    """The total error without isotonic regression: E(Hm)."""

    total_isotonic: float
    """The total error with isotonic regression: E(Hs)."""


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
    """Apply isotonic regression to the noisy counts in the order of the true ones (§4).
    NONPRIVATE."""
    order = np.argsort(true, kind="stable")
    restored = np.empty(len(order))
    restored[order] = isotonic(np.asarray(noisy, dtype=np.float64)[order])
    return restored


def squared_error(first: ArrayLike, second: ArrayLike) -> float:
    """Return the sum of squared differences, the paper's error measure."""
    return float(((np.asarray(first) - np.asarray(second)) ** 2).sum())


def errors(counts: ArrayLike, stages: Stages) -> Errors:
    """Return the errors of one run."""
    return Errors(
        squared_error(counts, stages.grouped),
        squared_error(stages.grouped, stages.noisy),
        squared_error(counts, stages.noisy),
        squared_error(counts, stages.isotonic),
    )


def mean_errors(
    counts: ArrayLike, groups: int, epsilon: float, *, runs: int, rng: Generator
) -> Errors:
    """Return the mean errors: a group of bars of Fig. 6."""
    found = [errors(counts, nonprivate_grouping(counts, groups, epsilon, rng)) for _ in range(runs)]
    return Errors(*np.mean(found, axis=0).tolist())
