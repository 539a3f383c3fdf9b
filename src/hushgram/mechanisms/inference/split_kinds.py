"""Kinds of splits: how the rows of a node may be shared between its two halves.

======  =============================================================================
kind    the lower half of k rows has
======  =============================================================================
0       none or all of them
1 2 3   a beta-binomial number, of strength 1/4 (clumped), 1 (any number alike), 5
4 5     half of them, but for chance and for a share that differs by 5 % or by nothing
======  =============================================================================

A node's split is often of the same kind as the split above it. The probabilities were fitted on
public tables: see ``docs/mechanisms/tuning.md``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain

KINDS = 6
EMPTY_HALF = 0
BETAS = (1, 2, 3)
GAUSSIANS = (4, 5)

STRENGTHS = (0.0, 0.25, 1.0, 5.0, 0.0, 0.0)
"""Of the beta-binomial kinds: the smaller, the more uneven."""

SPREADS = (0.0, 0.0, 0.0, 0.0, 0.05, 0.0)
"""Of the nearly even kinds: the standard deviation of the lower half's share."""

UNEVENNESS = np.array([1 / 4, 1 / 6, 1 / 12, 1 / 44, 0.05**2, 0.0])
"""The mean square of the difference between the lower half's share and one half, without chance."""

TABLE = 1 << 14
"""Counts up to which weights are looked up."""


class Weights(NamedTuple):
    """Of a node with k rows the lower half has j with probability w(j) w(k - j) / W(k), if the
    split is of a beta-binomial kind: a row for each k below `TABLE`, with a number for each such
    kind and 1 as the fourth."""

    halves: Floats
    """w(k) = Γ(k + s) / (k! Γ(s)), for a strength s."""
    wholes: Floats
    """1 / W(k), the same for 2 s."""


@lru_cache(maxsize=1)
def weight_tables() -> Weights:
    """Those that all trees share."""
    from scipy.special import gammaln

    k = np.arange(TABLE)
    found = Weights(np.ones((TABLE, 4)), np.ones((TABLE, 4)))
    for place, kind in enumerate(BETAS):
        for times, table, sign in ((1, found.halves, 1), (2, found.wholes, -1)):
            strength = times * STRENGTHS[kind]
            log = gammaln(k + strength) - gammaln(k + 1) - math.lgamma(strength)
            table[:, place] = np.exp(sign * log)
    return found


START_ONE = np.array([0.026, 0.344, 0.369, 0.164, 0.086, 0.011])
TRANSITIONS_ONE = np.array(
    [
        [0.945, 0.028, 0.006, 0.008, 0.011, 0.002],
        [0.214, 0.468, 0.165, 0.077, 0.061, 0.015],
        [0.022, 0.073, 0.639, 0.192, 0.057, 0.017],
        [0.047, 0.006, 0.120, 0.540, 0.210, 0.076],
        [0.037, 0.006, 0.003, 0.210, 0.559, 0.185],
        [0.154, 0.001, 0.008, 0.068, 0.326, 0.444],
    ]
)
START_MORE = np.array([0.055, 0.505, 0.309, 0.110, 0.018, 0.002])
TRANSITIONS_MORE = np.array(
    [
        [0.446, 0.330, 0.074, 0.098, 0.041, 0.011],
        [0.190, 0.567, 0.168, 0.051, 0.018, 0.006],
        [0.026, 0.082, 0.584, 0.216, 0.060, 0.032],
        [0.068, 0.060, 0.260, 0.533, 0.068, 0.011],
        [0.002, 0.033, 0.190, 0.362, 0.342, 0.072],
        [0.044, 0.234, 0.050, 0.388, 0.187, 0.096],
    ]
)


class Prior(NamedTuple):
    """How likely kinds are: at a root, and after each other."""

    start: Floats
    transitions: Floats


ONE_AXIS = Prior(START_ONE / START_ONE.sum(), TRANSITIONS_ONE / TRANSITIONS_ONE.sum(1)[:, None])
MORE_AXES = Prior(
    START_MORE / START_MORE.sum(), TRANSITIONS_MORE / TRANSITIONS_MORE.sum(1)[:, None]
)


def halved_axes(domain: Domain) -> int:
    """How many axes can be halved."""
    return sum(axis.ordered and axis.bins > 1 for axis in domain.axes)


def prior_for(domain: Domain) -> Prior:
    """By the number of axes that can be halved."""
    return ONE_AXIS if halved_axes(domain) == 1 else MORE_AXES
