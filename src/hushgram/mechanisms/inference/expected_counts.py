"""What true counts are to be expected, given noisy ones: empirical Bayes for many cells.

Every cell has the same unknown prior, a mixture of levels from zero upwards; its weights are those
under which all noisy counts together are most likely. Sorted noise looks like a smooth rise, which
an average over neighbours takes for the truth; expectations do not.

Robbins, *An empirical Bayes approach to statistics*, 1956; Kiefer & Wolfowitz, *Consistency of the
maximum likelihood estimator in the presence of infinitely many incidental parameters*, 1956.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

KNOTS = 400
"""Ranks at which expectations are computed; the largest quarter as many counts are all among them.
Between them expectations are interpolated."""

ROUNDS = 300
"""Of expectation and maximisation. With 60, the prior of a table that is all noise is too wide."""


class ExpectedCounts(NamedTuple):
    """For every cell, the mean and the variance of its true count."""

    means: Floats
    variances: Floats


def expect_counts(ascending: Floats, variance: float) -> ExpectedCounts:
    """Means and variances given sorted counts with Laplace noise of this variance, O(n).

    >>> expect_counts(np.array([-3.0, 0.0, 2.0, 48.0, 52.0]), 8.0).means.round().tolist()
    [0.0, 0.0, 1.0, 48.0, 52.0]
    """
    starts = _knots(ascending)
    sizes = np.diff([*starts, len(ascending)])
    centres = np.add.reduceat(ascending, starts) / sizes
    spread = np.add.reduceat((ascending - np.repeat(centres, sizes)) ** 2, starts) / sizes
    levels = np.unique(np.maximum([0, *centres], 0))
    means, variances = _posterior(centres, sizes, levels, max(variance, 1e-12))
    if len(centres) > 1:  # what differs within a knot, as far as it is more than noise
        variances += spread * np.clip(np.gradient(means, centres), 0, 1) ** 2
    expected = ExpectedCounts(
        np.interp(ascending, centres, means), np.repeat(np.minimum(variances, variance), sizes)
    )
    return _limit_variance(expected, max(float(ascending.var()) - variance, 0.0))


def _limit_variance(expected: ExpectedCounts, most: float) -> ExpectedCounts:
    """True counts vary by no more than noisy ones do beyond their noise: the prior of a table that
    is all noise is still wider than that after any number of rounds."""
    means, variances = expected
    found = float(means.var() + variances.mean())
    if found <= most:
        return expected
    middle = means.mean()
    share = most / found
    return ExpectedCounts(middle + (means - middle) * np.sqrt(share), variances * share)


def _knots(ascending: Floats) -> Ints:
    """Where knots start: at even ranks and each of the largest counts; equal counts share one."""
    n = len(ascending)
    ranks = np.linspace(0, n - 1, KNOTS).astype(np.int64)
    ranks = np.unique(np.concatenate([ranks, np.arange(max(n - KNOTS // 4, 0), n)]))
    return np.unique(np.searchsorted(ascending, ascending[ranks]))


def _posterior(
    centres: Floats, sizes: Ints, levels: Floats, variance: float
) -> tuple[Floats, Floats]:
    apart = np.abs(centres[:, None] - levels) / np.sqrt(variance / 2)
    likely = np.exp(apart.min(axis=1, keepdims=True) - apart)
    weights = np.full(len(levels), 1 / len(levels))
    for _ in range(ROUNDS):
        weights = weights * ((sizes / (likely @ weights)) @ likely) / sizes.sum()
    total = likely @ weights
    means = likely @ (weights * levels) / total
    return means, np.maximum(likely @ (weights * levels**2) / total - means**2, 0.0)
