"""Expected true counts, given noisy ones: empirical Bayes for many cells.

All cells have the same unknown prior, a mixture of levels from zero upwards, with the weights of
maximum likelihood for all noisy counts together. Sorted noise looks like a smooth rise, which an
average over neighbours would keep; expectations do not.

Robbins, *An empirical Bayes approach to statistics*, 1956; Kiefer & Wolfowitz, *Consistency of the
maximum likelihood estimator in the presence of infinitely many incidental parameters*, 1956.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

KNOTS = 400
"""The number of ranks at which expectations are computed; in between they are interpolated. The
largest KNOTS / 4 counts are always computed."""

ROUNDS = 300
"""Rounds of expectation maximisation. With 60, the prior of a table of noise only is too wide."""


class ExpectedCounts(NamedTuple):
    """The mean and the variance of the true count of every cell."""

    means: Floats
    variances: Floats


def expect_counts(ascending: Floats, variance: float) -> ExpectedCounts:
    """The means and variances, given sorted counts with Laplace noise of this variance: O(n).

    >>> expect_counts(np.array([-3.0, 0.0, 2.0, 48.0, 52.0]), 8.0).means.round().tolist()
    [0.0, 0.0, 1.0, 48.0, 52.0]
    """
    starts = _knots(ascending)
    sizes = np.diff([*starts, len(ascending)])
    centres = np.add.reduceat(ascending, starts) / sizes
    spread = np.add.reduceat((ascending - np.repeat(centres, sizes)) ** 2, starts) / sizes
    levels = np.unique(np.maximum([0, *centres], 0))
    means, variances = _posterior(centres, sizes, levels, max(variance, 1e-12))
    if len(centres) > 1:  # add the differences within a knot, unless they are noise
        variances += spread * np.clip(np.gradient(means, centres), 0, 1) ** 2
    expected = ExpectedCounts(
        np.interp(ascending, centres, means), np.repeat(np.minimum(variances, variance), sizes)
    )
    return _limit_variance(expected, max(float(ascending.var()) - variance, 0.0))


def _limit_variance(expected: ExpectedCounts, most: float) -> ExpectedCounts:
    """Scale the means and variances to a total variance of at most ``most``, the variance of noisy
    counts minus that of their noise. Without this, the prior of a table of noise only is too wide
    after any number of rounds."""
    means, variances = expected
    found = float(means.var() + variances.mean())
    if found <= most:
        return expected
    middle = means.mean()
    share = most / found
    return ExpectedCounts(middle + (means - middle) * np.sqrt(share), variances * share)


def _knots(ascending: Floats) -> Ints:
    """The starts of knots: evenly spaced ranks and all of the largest counts. Equal counts share a
    knot."""
    n = len(ascending)
    ranks = np.linspace(0, n - 1, KNOTS).astype(np.int64)
    ranks = np.unique(np.concatenate([ranks, np.arange(max(n - KNOTS // 4, 0), n)]))
    return np.unique(np.searchsorted(ascending, ascending[ranks]))


def _posterior(
    centres: Floats, sizes: Ints, levels: Floats, variance: float
) -> tuple[Floats, Floats]:
    """The mean and the variance of the true count at each knot, by maximum likelihood of the
    prior's weights."""
    distance = np.abs(centres[:, None] - levels) / np.sqrt(variance / 2)
    likelihood = np.exp(distance.min(axis=1, keepdims=True) - distance)
    weights = np.full(len(levels), 1 / len(levels))
    for _ in range(ROUNDS):
        weights = weights * ((sizes / (likelihood @ weights)) @ likelihood) / sizes.sum()
    total = likelihood @ weights
    means = likelihood @ (weights * levels) / total
    return means, np.maximum(likelihood @ (weights * levels**2) / total - means**2, 0.0)
