"""How clumped rows are inside the parts of a release, as its own parts tell.

Nothing was counted inside a part. But two neighbours of one size, taken together, are a part twice
as large whose inside was counted: the lower neighbour has some of the pair's c rows. If rows lay
evenly, this would be its share s of the pair's width, give or take the root of c s (1 - s); if they
were all at one place, none or all of them. What lies between is described by one number, the
*clumping* ρ:

    variance of the rows below a cut at s  =  s (1 - s) (ρ c² + (1 - ρ) c)

0 for rows that lie independently of each other, 1 for rows at one place. All pairs of neighbours
along an axis together tell ρ for cuts across it, once the variance of their noise is taken off.
It is about the same inside of the parts as between them: streets, towns and heaped numbers repeat
at every scale.

A cut across many parts meets them all at the same place, and a street along the cut is on one side
of it in all of them. So the deviations of parts that a cut meets are *coherent*:

    covariance of the rows of two parts below a cut  =  s (1 - s) κ c c'

Pairs of neighbours that lie side by side tell κ as well; it falls with the number of parts that
the cut meets, and is found for windows of 2, 4, 8, … of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxed, Ints

MARGIN = 1.3
"""The clumping inside parts is taken to be so many times that between them."""

LEAST_ON_A_LINE = 0.3
"""The least clumping along the only axis with an order. Numbers that people tell are heaped at
round values, and bins begin there: rows of a bin can lie at its lower end while bins look alike."""

LEAST = 0.02
"""The least clumping on several axes."""

MOST_PAIRS = 1 << 18
"""Pairs of neighbours that are looked at, at the most."""


@dataclass(frozen=True, eq=False)
class Clumping:
    """What neighbours tell about the inside of parts."""

    shares: Floats
    """ρ for cuts across each axis."""
    coherence: Floats
    """κ for cuts across each axis: axes x windows of 2, 4, 8, … parts."""

    def coherence_of(self, axis: int, parts: Floats) -> Floats:
        """κ for cuts across an axis that meet so many parts."""
        places = np.log2(np.maximum(parts, 2)) - 1
        return np.interp(places, np.arange(self.coherence.shape[1]), self.coherence[axis])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Neighbours along an axis, as one part each: how far the lower one's rows are from its share,
    and the rows of both."""

    deviation: Floats
    deviation_noise: Floats
    rows: Floats
    rows_noise: Floats
    even: Floats
    """s (1 - s) for the lower one's share s."""
    slab: Ints
    """Pairs with the same number have the same bounds along the axis."""
    place: Ints
    """Their places side by side, from 0 in each slab."""


def clumping_of(layout: Boxed, values: Floats, variances: Floats) -> Clumping:
    """The clumping of each axis: O(parts log parts)."""
    lower, upper = layout.boxes()
    each = [
        pairs_along(axis, lower, upper, values, variances) for axis in range(len(layout.domain))
    ]
    least = least_clumping(layout.domain)
    shares = [share_of(pairs, floor) for pairs, floor in zip(each, least, strict=True)]
    curves = [
        [max(kappa, floor * (floor > LEAST)) for kappa in coherence_of(pairs)]
        for pairs, floor in zip(each, least, strict=True)
    ]
    longest = max(map(len, curves))
    coherence = [curve + [curve[-1]] * (longest - len(curve)) for curve in curves]
    return Clumping(np.array(shares), np.array(coherence))


def least_clumping(domain: Domain) -> list[float]:
    """The least clumping of each axis. Categories next to each other have nothing in common."""
    lines = sum(axis.ordered and axis.size > 1 for axis in domain.axes)
    least = LEAST_ON_A_LINE if lines == 1 else LEAST
    return [least if axis.ordered else LEAST_ON_A_LINE for axis in domain.axes]


def pairs_along(
    axis: int, lower: Ints, upper: Ints, values: Floats, variances: Floats
) -> Pairs | None:
    """Neighbours along an axis with the same bounds on all others; None if there are none."""
    first, second = neighbours_along(axis, lower, upper)
    if len(first) == 0:
        return None
    start, middle, stop = lower[first, axis], lower[second, axis], upper[second, axis]
    others = [lower[first, other] for other in range(lower.shape[1]) if other != axis]
    order = np.lexsort([*others, stop, middle, start])[:MOST_PAIRS]
    first, second, start, middle, stop = (
        each[order] for each in (first, second, start, middle, stop)
    )
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(start) != 0) | (np.diff(middle) != 0) | (np.diff(stop) != 0)
    begins = np.flatnonzero(new)
    slab = np.cumsum(new) - 1
    share = (middle - start) / (stop - start)
    return Pairs(
        values[first] * (1 - share) - values[second] * share,
        variances[first] * (1 - share) ** 2 + variances[second] * share**2,
        values[first] + values[second],
        variances[first] + variances[second],
        share * (1 - share),
        slab,
        np.arange(len(order)) - begins[slab],
    )


def neighbours_along(axis: int, lower: Ints, upper: Ints) -> tuple[Ints, Ints]:
    """The parts that touch along an axis and have the same bounds on all others."""
    others = [other for other in range(lower.shape[1]) if other != axis]
    bounds = [side[:, other] for other in others for side in (lower, upper)]
    order = np.lexsort([lower[:, axis], *bounds])
    first, second = order[:-1], order[1:]
    touch = upper[first, axis] == lower[second, axis]
    for bound in bounds:
        touch &= bound[first] == bound[second]
    return first[touch], second[touch]


def share_of(pairs: Pairs | None, least: float) -> float:
    """ρ by the sums over all pairs. One pair more, of rows at one place, stands for what so few
    could have missed."""
    if pairs is None:
        return 1.0
    spread = pairs.deviation**2 - pairs.deviation_noise - pairs.even * pairs.rows
    whole = pairs.even * (pairs.rows**2 - pairs.rows_noise - pairs.rows)
    typical = float(np.sqrt((whole**2).mean()))
    clumped, all_together = spread.sum() + typical, whole.sum() + typical
    if all_together <= 0:
        return 1.0
    return float(np.clip(MARGIN * clumped / all_together, least, 1.0))


def coherence_of(pairs: Pairs | None) -> list[float]:
    """κ for windows of 2, 4, 8, … pairs side by side: what the products of two of them have in
    common. No pair is a window of its own, so that noise has no say."""
    if pairs is None:
        return [0.0]
    found, window, longest = [], 2, int(pairs.place.max()) + 1
    scaled = pairs.rows * np.sqrt(pairs.even)
    while window < 2 * longest:
        # Windows start anew in each slab, so that two never lie in one.
        new = np.concatenate([[True], (np.diff(pairs.slab) != 0) | (pairs.place[1:] % window == 0)])
        starts = np.flatnonzero(new)
        together = cross_products(pairs.deviation, starts)
        rows = cross_products(scaled, starts)
        found.append(float(np.clip(together / rows, 0.0, 1.0)) if rows > 0 else 0.0)
        window *= 2
    return found or [0.0]


def cross_products(values: Floats, starts: Ints) -> float:
    """The sum over runs of the products of any two of their values, each counted twice."""
    return float((np.add.reduceat(values, starts) ** 2).sum() - (values**2).sum())
