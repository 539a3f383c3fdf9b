"""Non-negative counts on request, as needed for sampling and for distances between shares."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.mechanisms.inference.isotonic import as_finite_row


def norm_sub(values: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The nearest non-negative values with the same total: O(n log n).

    Negative values become zero, and the difference is subtracted from the others, equally until
    they are zero, too: ``max(values - shift * weights, 0)`` with the shift that preserves the
    total. This minimises ``sum((x - values)**2 / weights)``. Single values are less noisy than
    before, but no longer unbiased: sums over many small ones are too large. If the total is not
    positive, all values become zero.

    Parameters
    ----------
    values
        Counts with noise.
    weights
        How easily each value changes, all positive: variances, or 1 (default).

    References
    ----------
    Wang, Lopuhaä-Zwakenberg, Li, Skoric & Li, *Locally differentially private frequency
    estimation with consistency*, NDSS 2020; as a projection: Duchi et al., ICML 2008.

    Examples
    --------
    >>> norm_sub([10, -4, 5, 1]).tolist()
    [8.5, 0.0, 3.5, 0.0]
    >>> norm_sub([3, -4]).tolist()
    [0.0, 0.0]
    """
    given = as_finite_row(values)
    moves = np.ones(len(given)) if weights is None else as_finite_row(weights)
    if moves.shape != given.shape or moves.min() <= 0:
        raise BadInput(
            f"{len(given)} values need {len(given)} positive weights. Found {len(moves)}, the "
            f"smallest {moves.min():g}."
        )
    total = math.fsum(given)
    if total <= 0:
        return np.zeros(len(given))
    if given.min() >= 0:
        return given.copy()
    return np.maximum(given - shift_of(given, moves, total) * moves, 0)


def shift_of(values: Floats, weights: Floats, total: float) -> float:
    """The amount to subtract from each value per unit of its weight.

    If the k values with the largest ratios to their weights remain, they must be shifted by
    ``(their sum - total) / their weight``. The correct k is the largest for which the last of them
    remains positive.
    """
    order = np.argsort(-(values / weights), kind="stable")
    shifts = (np.cumsum(values[order]) - total) / np.cumsum(weights[order])
    stays = np.flatnonzero(values[order] / weights[order] > shifts)
    kept = order[: stays[-1] + 1]
    return (math.fsum(values[kept]) - total) / math.fsum(weights[kept])
