"""A non-negative view of noisy counts: the expectation of each, given all of them.

Every cell has the same unknown prior, a mixture of non-negative levels. Its weights maximise the
likelihood of the noisy counts, by expectation maximisation. A cell's value is the mean of the
levels given its noisy count. Everything is computed from the release alone.

Robbins, *An empirical Bayes approach to statistics*, 1956; Kiefer & Wolfowitz, *Consistency of the
maximum likelihood estimator in the presence of infinitely many incidental parameters*, 1956.
"""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats

LEVELS = 120
ROUNDS = 2000
"""The likelihood is flat where most counts are zero and the noise is larger than most others: after
150 rounds the prior is still too wide there."""


def posterior_means(noisy: Floats, scale: float, rounds: int = ROUNDS) -> Floats:
    """Return the expected counts, given counts with Laplace noise of this scale. O(values x levels)
    per round.

    >>> posterior_means(np.array([0.0, 1.0, -1.0, 0.0, 50.0, 49.0]), 1.0).round().tolist()
    [0.0, 0.0, 0.0, 0.0, 50.0, 50.0]
    """
    values, inverse, times = np.unique(noisy, return_inverse=True, return_counts=True)
    top = max(float(values[-1]), 2.0)
    least = min(scale / 20, top / 2)
    levels = np.concatenate([[0.0], np.geomspace(least, top, LEVELS)])
    apart = np.abs(values[:, None] - levels) / scale
    likely = np.exp(apart.min(axis=1, keepdims=True) - apart)
    weights = np.full(len(levels), 1 / len(levels))
    for _ in range(rounds):
        weights = weights * ((times / (likely @ weights)) @ likely) / len(noisy)
    return np.asarray((likely @ (weights * levels) / (likely @ weights))[inverse])
