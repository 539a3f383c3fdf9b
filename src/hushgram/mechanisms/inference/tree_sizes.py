"""How many rows the trees of a forest hold: empirical Bayes over combinations of categories.

A single tree may hold any number of rows. Among many trees, the noisy counts of all of them show
which numbers are common: if most trees are nearly empty, a noisy 2 is probably noise. Without this,
each of the empty trees would keep a small positive count, and their sum would be far too large.

The probabilities of the numbers are those under which all noisy counts together are most likely
(Kiefer & Wolfowitz, 1956), with a little for every number.
"""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

FEWEST_TREES = 8
"""With fewer trees, all numbers of rows are equally likely."""

STEP = 0.5
"""The distance between the smallest numbers, in standard deviations of the middle tree."""

EVEN_STEPS = 20
"""So many numbers have the same distance. Above them, each is larger by `GROWTH`."""

GROWTH = 1.1

ROUNDS = 100
"""Of expectation and maximisation."""


def weigh_sizes(means: Floats, variances: Floats, lo: Ints, length: Ints, spacing: float) -> Floats:
    """How likely each number of rows is beforehand, for windows of ``length`` numbers from ``lo``
    on, in units of ``spacing``: one after the other, each divided by its largest entry. ``means``
    and ``variances`` are what is known of each tree from its noisy counts alone.

    >>> noisy = np.array([1.2, -0.8, 0.3, -1.5, 0.9, 0.1, -0.4, 0.2, 50.0])
    >>> start, width = np.zeros(9, dtype=np.int64), np.full(9, 10)
    >>> weigh_sizes(noisy, np.ones(9), start, width, 1.0)[:3].round(2).tolist()
    [1.0, 0.0, 0.0]
    """
    if len(means) < FEWEST_TREES:
        return np.ones(int(length.sum()))
    knots = lay_knots(means, variances, spacing)
    chances = fit_chances(means, variances, knots)
    widths = np.gradient(knots)
    begins = np.cumsum(length) - length
    places = np.arange(int(length.sum())) + np.repeat(lo - begins, length)
    found = np.interp(places * spacing, knots, [0.0, *(chances / widths)[1:]]) * spacing
    found[places == 0] = chances[0]
    found /= np.repeat(np.maximum.reduceat(found, begins), length)
    return np.asarray(found)


def lay_knots(means: Floats, variances: Floats, spacing: float) -> Floats:
    """Numbers of rows from 0 to beyond the largest tree: close together where they are small."""
    deviations = np.sqrt(variances)
    step = max(STEP * float(np.median(deviations)), spacing)
    farthest = float((np.maximum(means, 0) + 10 * deviations).max()) + 10 * spacing
    even = step * np.arange(EVEN_STEPS + 1)
    times = max(int(np.ceil(np.log(farthest / even[-1]) / np.log(GROWTH))), 0)
    return np.concatenate([even, even[-1] * GROWTH ** np.arange(1, times + 1)])


def fit_chances(means: Floats, variances: Floats, knots: Floats) -> Floats:
    """The probability of each knot. Noise is taken for normal."""
    within = np.gradient(knots) ** 2 / 6
    within[0] = 0.0
    spread = variances[:, None] + within
    logs = -((means[:, None] - knots) ** 2) / (2 * spread) - np.log(spread) / 2
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances = np.full(len(knots), 1 / len(knots))
    for _ in range(ROUNDS):
        chances = chances * ((1 / (likely @ chances)) @ likely) / len(means)
    some = 1 / (len(means) + 1)
    return np.asarray((1 - some) * chances + some / len(knots))
