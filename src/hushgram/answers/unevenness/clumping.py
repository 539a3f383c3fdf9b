"""How clumped rows are inside the parts of a release, according to its own parts.

Nothing was counted inside a part. But two neighbours of one size, taken together, are a part twice
as large whose inside was counted: the lower neighbour has some of the pair's c rows. If rows lay
evenly, this would be its share s of the pair's width, give or take the root of c s (1 - s); if they
were all at one place, none or all of them. What lies between is described by one number, the
*clumping* ρ:

    variance of the rows below a cut at s  =  s (1 - s) (ρ c² + (1 - ρ) c)

0 for rows that are independent of each other, 1 for rows at one place. All pairs of neighbours
along an axis together tell ρ for cuts across it, once the variance of their noise is taken off.
Two pairs next to each other, taken together, tell the same for parts four times as large. From
there to pairs ρ falls where density changes smoothly, and it grows where single places are shared
by many rows; it is taken to go on in the same way into the parts.

A cut across many parts meets them all at the same place, and a street along the cut is on one side
of it in all of them. So the deviations of parts that a cut meets are *coherent*:

    covariance of the rows of two parts below a cut  =  s (1 - s) κ c c'

Pairs of neighbours that lie side by side tell κ as well; it falls with the number of parts that
the cut meets, and is found for windows of 2, 4, 8, … of them.

Parts cannot tell about what is alike in all of them: where bins start at whole numbers, so may the
rows. A cut just above a whole number has on its lower side all rows that have this number, as many
as belong to a whole step. The *grain* of an axis is the share of a bin that one step is. It matters
between whole numbers only: at one of them, its rows are on the upper side in the table, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Axis, Floats, Regular, Variable
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxed, Ints, Lattice

MARGIN = 1.25
"""How many times as large as it seems clumping is assumed to be."""

SLOWEST, FASTEST = 1 / 3, 3 / 2
"""How many times as large, at least and at most, clumping inside of parts is assumed to be as
between them: it falls to a quarter where density changes evenly."""

LEAST_ON_A_LINE = 0.4
"""The least clumping along the only axis with an order. Numbers that people report pile up at round
values, and bins begin there: rows of a bin can lie at its lower end while bins look alike."""

LEAST = 0.02
"""The least clumping on several axes."""

A_STEP = 0.52
"""The deviation whose 95 % interval reaches 1."""

LARGEST_WHOLE = 2.0**53
"""Beyond, all doubles are whole."""

MOST_PAIRS = 1 << 17
"""Pairs of neighbours that are looked at, or about that many: of more, one slab in several."""


@dataclass(frozen=True, eq=False)
class Clumping:
    """What neighbours show about the inside of parts."""

    shares: Floats
    """ρ for cuts across each axis."""
    coherence: Floats
    """κ for cuts across each axis: axes x windows of 2, 4, 8, … parts."""
    grains: Floats
    """The share of a bin of each axis that rows may be off by, all in the same direction."""

    @classmethod
    def largest(cls, axes: int) -> Clumping:
        """All rows of a part at one place, and more often than not on the same side of a cut as
        those of other parts: what to expect if nothing is known."""
        return cls(np.ones(axes), np.full((axes, 1), 0.5), np.zeros(axes))

    def grain_variance(self, axis: int, places: Floats, rows: Floats) -> Floats:
        """Of that many rows in parts that are cut at places along the indices: a 95 % interval
        reaches one step. Between two steps only, where the place is known."""
        grain = self.grains[axis]
        if not grain:
            return np.zeros(len(rows))
        steps = places / grain
        between = ~(np.abs(steps - np.round(steps)) < 1e-9)
        return np.asarray(np.where(between, (A_STEP * grain * rows) ** 2, 0.0))

    def coherence_of(self, axis: int, parts: Floats) -> Floats:
        """κ for cuts across an axis that meet that many parts."""
        places = np.log2(np.maximum(parts, 2)) - 1
        curve = self.coherence[axis]
        return np.asarray(np.interp(places, np.arange(len(curve)), curve), dtype=np.float64)


class Parts(NamedTuple):
    """Boxes with noisy counts."""

    lower: Ints
    upper: Ints
    values: Floats
    variances: Floats


class Neighbours(NamedTuple):
    """The numbers of parts that touch: the lower one of each pair, and the upper one."""

    first: Ints
    second: Ints


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
    """The clumping of each axis: O(parts log parts), or O(parts) for a lattice."""
    found = find_pairs(layout, values, variances)
    each = [
        clumping_along(*pairs, least)
        for pairs, least in zip(found, least_clumping(layout.domain), strict=True)
    ]
    longest = max(len(curve) for _, curve in each)
    coherence = [curve + [curve[-1]] * (longest - len(curve)) for _, curve in each]
    grains = np.array([grain_of(axis) for axis in layout.domain.axes])
    return Clumping(np.array([share for share, _ in each]), np.array(coherence), grains)


def grain_of(axis: Axis) -> float:
    """One step of whole numbers as a share of a bin, where bins start at these: of 1, 10, 100, …
    the largest that all edges are multiples of and that is less than a bin. Elsewhere 0.

    >>> grain_of(Regular(20, 0, 100)), grain_of(Regular(100, 0, 100)), grain_of(Regular(9, 0, 1))
    (0.2, 0.0, 0.0)
    >>> grain_of(Regular(100, 0, 200_000)), grain_of(Variable([0, 18, 65, 120]))
    (0.5, 0.02127659574468085)
    """
    whole = axis.whole
    if isinstance(whole, Regular):
        width = (whole.hi - whole.lo) / whole.count
        edges = np.array([whole.lo, width])
    elif isinstance(whole, Variable):
        edges = np.array(whole.edges)
        width = float(np.median(np.diff(edges)))
    else:
        return 0.0
    if width <= 1 or np.abs(edges).max() > LARGEST_WHOLE or (edges % 1).any():
        return 0.0
    step = 1.0
    while 10 * step < width and not (edges % (10 * step)).any():
        step *= 10
    return float(step / width)


def clumping_along(
    pairs: Pairs | None, above: Pairs | None, least: float
) -> tuple[float, list[float]]:
    """ρ for cuts across an axis, and κ for windows of 2, 4, 8, … parts."""
    if pairs is None:
        return 1.0, [0.0]
    trend = 1.0
    if above is not None:
        twice, once = share_of(above), share_of(pairs)
        trend = min(max(once / twice, SLOWEST), FASTEST) if twice > 0 else FASTEST
    share = min(max(MARGIN * trend * share_of(pairs), least), 1.0)
    common = least if least > LEAST else 0.0
    return share, [min(max(trend * kappa, common), 1.0) for kappa in coherence_of(pairs)]


def find_pairs(
    layout: Boxed, values: Floats, variances: Floats
) -> Iterator[tuple[Pairs | None, Pairs | None]]:
    """For each axis the neighbours along it, and the neighbours of two pairs; None if there are
    none."""
    axes = range(len(layout.domain))
    if isinstance(layout, Lattice):
        yield from (find_slices(axis, layout, values, variances) for axis in axes)
    else:
        parts = Parts(*layout.boxes(), values, variances)
        yield from (find_boxes(axis, parts) for axis in axes)


def find_boxes(axis: int, parts: Parts) -> tuple[Pairs | None, Pairs | None]:
    neighbours = neighbours_along(axis, parts)
    if len(neighbours.first) == 0:
        return None, None
    joined = join_pairs(axis, parts, neighbours)
    above = neighbours_along(axis, joined)
    return (
        pairs_of(axis, parts, neighbours),
        pairs_of(axis, joined, above) if len(above.first) else None,
    )


def least_clumping(domain: Domain) -> list[float]:
    """The least clumping of each axis. Categories next to each other have nothing in common."""
    lines = sum(axis.ordered and axis.size > 1 for axis in domain.axes)
    least = LEAST_ON_A_LINE if lines == 1 else LEAST
    return [least if axis.ordered else LEAST_ON_A_LINE for axis in domain.axes]


def pairs_of(axis: int, parts: Parts, neighbours: Neighbours) -> Pairs:
    """Neighbours along an axis as one part each, those of a slab side by side."""
    from hushgram.base.sorting import lexsort_digits

    lower, upper, values, variances = parts
    first, second = neighbours
    start, middle, stop = lower[first, axis], lower[second, axis], upper[second, axis]
    others = [lower[first, other] for other in range(lower.shape[1]) if other != axis]
    order = lexsort_digits([*others, stop, middle, start])
    start, middle, stop = start[order], middle[order], stop[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = start[1:] != start[:-1]
    new[1:] |= middle[1:] != middle[:-1]
    new[1:] |= stop[1:] != stop[:-1]
    slab = np.cumsum(new) - 1
    place = np.arange(len(order)) - np.flatnonzero(new)[slab]
    some = np.flatnonzero(slab % slabs_per_pick(len(order)) == 0)
    one, other = first[order[some]], second[order[some]]
    return compare_parts(
        (values[one], values[other]),
        (variances[one], variances[other]),
        (middle[some] - start[some]) / (stop[some] - start[some]),
        (slab[some], place[some]),
    )


def slabs_per_pick(pairs: int) -> int:
    """One slab in that many is looked at."""
    return -(-pairs // MOST_PAIRS)


def compare_parts(
    values: tuple[Floats, Floats],
    variances: tuple[Floats, Floats],
    share: Floats,
    where: tuple[Ints, Ints],
) -> Pairs:
    """The lower and the upper part of each pair; the share of its width that the lower one has; its
    slab and its place there."""
    return Pairs(
        values[0] * (1 - share) - values[1] * share,
        variances[0] * (1 - share) ** 2 + variances[1] * share**2,
        values[0] + values[1],
        variances[0] + variances[1],
        share * (1 - share),
        *where,
    )


def find_slices(
    axis: int, layout: Lattice, values: Floats, variances: Floats
) -> tuple[Pairs | None, Pairs | None]:
    """The same as `find_boxes` for a lattice, where two slices next to each other are a slab."""
    cuts, shape = layout.cuts(axis), layout.shape
    # The first of the other axes runs fastest in a slab.
    order = [axis, *(other for other in reversed(range(len(shape))) if other != axis)]
    tables = [
        table.reshape(shape).transpose(order).reshape(shape[axis], -1)
        for table in (values, variances)
    ]
    even = shape[axis] // 2 * 2
    joined = [table[:even:2] + table[1:even:2] for table in tables]
    return compare_slices(cuts, *tables), compare_slices(cuts[: even + 1 : 2], *joined)


def compare_slices(cuts: Ints, values: Floats, variances: Floats) -> Pairs | None:
    """Slices between cuts, with counts of slices x places in a slab."""
    slices, each = values.shape
    if slices < 2:
        return None
    first = np.arange(0, slices - 1, slabs_per_pick((slices - 1) * each))
    share = (cuts[first + 1] - cuts[first]) / (cuts[first + 2] - cuts[first])
    return compare_parts(
        (values[first].reshape(-1), values[first + 1].reshape(-1)),
        (variances[first].reshape(-1), variances[first + 1].reshape(-1)),
        np.repeat(share, each),
        (np.repeat(first, each), np.tile(np.arange(each), len(first))),
    )


def neighbours_along(axis: int, parts: Parts) -> Neighbours:
    """The parts that touch along an axis and have the same bounds on all others."""
    from hushgram.base.sorting import lexsort_digits

    lower, upper = parts.lower, parts.upper
    others = [other for other in range(lower.shape[1]) if other != axis]
    bounds = [side[:, other] for other in others for side in (lower, upper)]
    order = lexsort_digits([lower[:, axis], *bounds])
    first, second = order[:-1], order[1:]
    touch = upper[first, axis] == lower[second, axis]
    for bound in bounds:
        touch &= bound[first] == bound[second]
    return Neighbours(first[touch], second[touch])


def join_pairs(axis: int, parts: Parts, neighbours: Neighbours) -> Parts:
    """Neighbours as one part each: of a run of them the first two, the next two, and so on."""
    first, second = neighbours
    new = np.concatenate([[True], second[:-1] != first[1:]])
    number = np.arange(len(first))
    place = number - np.maximum.accumulate(np.where(new, number, 0))
    some = np.flatnonzero(place & 1 == 0)
    first, second = first[some], second[some]
    upper = parts.upper.take(first, axis=0)
    upper[:, axis] = parts.upper[second, axis]
    sums = (column[first] + column[second] for column in (parts.values, parts.variances))
    return Parts(parts.lower.take(first, axis=0), upper, *sums)


def share_of(pairs: Pairs) -> float:
    """ρ by the sums over all pairs. One pair more, of rows at one place, stands for what so few
    could have missed."""
    spread = pairs.deviation**2 - pairs.deviation_noise - pairs.even * pairs.rows
    whole = pairs.even * (pairs.rows**2 - pairs.rows_noise - pairs.rows)
    typical = float(np.sqrt((whole**2).mean()))
    clumped, all_together = spread.sum() + typical, whole.sum() + typical
    if not 0 < all_together < np.inf:  # a forged release may have noise of any size
        return 1.0
    return float(np.clip(clumped / all_together, 0.0, 1.0))


def coherence_of(pairs: Pairs) -> list[float]:
    """κ for windows of 2, 4, 8, … pairs side by side: what the products of two of them have in
    common. No pair is a window of its own, so that noise has no say."""
    found, window, longest = [], 2, int(pairs.place.max()) + 1
    scaled = pairs.rows * np.sqrt(pairs.even)
    while window < 2 * longest:
        # Windows start again in each slab, so that two never lie in one.
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
