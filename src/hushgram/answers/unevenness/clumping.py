"""The clumping of rows within the parts of a release, estimated from its own parts.

Nothing was counted within a part. But two neighbours together are a larger part whose inside was
counted: the lower neighbour has some of the pair's c rows. If rows were evenly spread, it would
have its share s of the pair's width, up to a deviation of √(c s (1 - s)); if they were all at one
place, it would have none or all of them. One number, the *clumping* ρ, describes everything in
between:

    variance of the rows below a cut at s  =  s (1 - s) (ρ c² + (1 - ρ) c)

It is 0 for independent positions, and 1 for rows at one place. All pairs of neighbours along an
axis together determine ρ for cuts across it, after subtracting the variance of their noise. Two
adjacent pairs together determine ρ for parts four times as large. From these to pairs, ρ decreases
if the density changes smoothly, and increases if many rows share single places; this trend is
assumed to continue into the parts.

A cut across many parts divides them all at the same place, and a street along the cut is on the
same side in all of them. So the deviations of these parts are *coherent*:

    covariance of the rows of two parts below a cut  =  s (1 - s) κ c c'

Pairs of neighbours that are side by side determine κ, too; it decreases with the number of parts
that are cut, and is estimated for windows of 2, 4, 8, … of them.

Parts cannot show what is the same in all of them: if bins start at whole numbers, rows may have
whole numbers as values, too. Then all rows with a number are below a cut just above it, as many as
in a whole step. The *grain* of an axis is one step as a share of a bin. It only matters between
whole numbers: at a whole number, its rows are above the cut in the table, too.
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
"""The safety factor for the estimated clumping."""

SLOWEST, FASTEST = 1 / 3, 3 / 2
"""The smallest and the largest ratio of the clumping within parts to that between them: it
decreases to a quarter if the density changes evenly."""

MIN_ON_A_LINE = 0.4
"""The smallest clumping along a single ordered axis. Numbers reported by people are heaped at round
values, where bins start: the rows of a bin can be at its lower end although all bins look
similar."""

MIN_CLUMPING = 0.02
"""The smallest clumping on several axes."""

A_STEP = 0.52
"""The deviation with a 95 % interval of ± 1."""

LARGEST_WHOLE = 2.0**53
"""All larger doubles are whole numbers."""

MAX_PAIRS = 1 << 17
"""About the number of pairs of neighbours that are compared; of more, only one slab in several."""


@dataclass(frozen=True, eq=False)
class Clumping:
    """The clumping within parts, estimated from neighbours."""

    shares: Floats
    """ρ for cuts across each axis."""
    coherence: Floats
    """κ for cuts across each axis: axes x windows of 2, 4, 8, … parts."""
    grains: Floats
    """The share of a bin by which all rows may be shifted in the same direction, for each axis."""

    @classmethod
    def largest(cls, axes: int) -> Clumping:
        """The clumping to assume if nothing is known: all rows of a part are at one place, and
        probably on the same side of a cut as those of other parts."""
        return cls(np.ones(axes), np.full((axes, 1), 0.5), np.zeros(axes))

    def grain_variance(self, axis: int, places: Floats, rows: Floats) -> Floats:
        """The variance due to the grain, for cuts at these places along the indices: a 95 %
        interval covers one step. At a known whole number, it is zero."""
        grain = self.grains[axis]
        if not grain:
            return np.zeros(len(rows))
        steps = places / grain
        between = ~(np.abs(steps - np.round(steps)) < 1e-9)
        return np.asarray(np.where(between, (A_STEP * grain * rows) ** 2, 0.0))

    def coherence_of(self, axis: int, parts: Floats) -> Floats:
        """κ for cuts across an axis that divide this number of parts."""
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
    """The numbers of adjacent parts: the lower and the upper one of each pair."""

    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of neighbours along an axis: the deviation of the lower one's rows from its share, and
    the rows of both."""

    deviation: Floats
    deviation_noise: Floats
    rows: Floats
    rows_noise: Floats
    even: Floats
    """s (1 - s) for the lower one's share s."""
    slab: Ints
    """The number of the slab of each pair. Pairs in a slab have the same bounds along the axis."""
    place: Ints
    """The position of each pair in its slab, from 0."""


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
    """One step as a share of a bin, if bins start at whole numbers: the largest of 1, 10, 100, …
    that divides all edges and is less than a bin. Else 0.

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
    common = least if least > MIN_CLUMPING else 0.0
    return share, [min(max(trend * kappa, common), 1.0) for kappa in coherence_of(pairs)]


def find_pairs(
    layout: Boxed, values: Floats, variances: Floats
) -> Iterator[tuple[Pairs | None, Pairs | None]]:
    """For each axis, the pairs of neighbours along it, and the pairs of adjacent pairs; None if
    there are none."""
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
    """The smallest clumping of each axis. Adjacent categories have nothing in common."""
    lines = sum(axis.ordered and axis.size > 1 for axis in domain.axes)
    least = MIN_ON_A_LINE if lines == 1 else MIN_CLUMPING
    return [least if axis.ordered else MIN_ON_A_LINE for axis in domain.axes]


def pairs_of(axis: int, parts: Parts, neighbours: Neighbours) -> Pairs:
    """The pairs of neighbours along an axis, sorted by slab and by position in the slab."""
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
    picked = np.flatnonzero(slab % slabs_per_pick(len(order)) == 0)
    one, other = first[order[picked]], second[order[picked]]
    return compare_parts(
        (values[one], values[other]),
        (variances[one], variances[other]),
        (middle[picked] - start[picked]) / (stop[picked] - start[picked]),
        (slab[picked], place[picked]),
    )


def slabs_per_pick(pairs: int) -> int:
    """The number of slabs of which one is used."""
    return -(-pairs // MAX_PAIRS)


def compare_parts(
    values: tuple[Floats, Floats],
    variances: tuple[Floats, Floats],
    share: Floats,
    where: tuple[Ints, Ints],
) -> Pairs:
    """The pairs, from the counts of the lower and the upper parts, the lower one's share of the
    width, and the slab and position of each pair."""
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
    """The same as `find_boxes` for a lattice, where two adjacent slices are a slab."""
    cuts, shape = layout.cuts(axis), layout.shape
    # The first of the other axes varies fastest in a slab.
    order = [axis, *(other for other in reversed(range(len(shape))) if other != axis)]
    tables = [
        table.reshape(shape).transpose(order).reshape(shape[axis], -1)
        for table in (values, variances)
    ]
    even = shape[axis] // 2 * 2
    joined = [table[:even:2] + table[1:even:2] for table in tables]
    return compare_slices(cuts, *tables), compare_slices(cuts[: even + 1 : 2], *joined)


def compare_slices(cuts: Ints, values: Floats, variances: Floats) -> Pairs | None:
    """The pairs of adjacent slices between cuts, from counts of slices x positions in a slab."""
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
    """The parts that are adjacent along an axis and have the same bounds on all others."""
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
    """Neighbours joined into one part each: the first two of a run, the next two, and so on."""
    first, second = neighbours
    new = np.concatenate([[True], second[:-1] != first[1:]])
    number = np.arange(len(first))
    place = number - np.maximum.accumulate(np.where(new, number, 0))
    even = np.flatnonzero(place & 1 == 0)
    first, second = first[even], second[even]
    upper = parts.upper.take(first, axis=0)
    upper[:, axis] = parts.upper[second, axis]
    sums = (column[first] + column[second] for column in (parts.values, parts.variances))
    return Parts(parts.lower.take(first, axis=0), upper, *sums)


def share_of(pairs: Pairs) -> float:
    """ρ from the sums over all pairs. One more pair, with its rows at one place, is added as a
    safeguard against too few pairs."""
    spread = pairs.deviation**2 - pairs.deviation_noise - pairs.even * pairs.rows
    whole = pairs.even * (pairs.rows**2 - pairs.rows_noise - pairs.rows)
    typical = float(np.sqrt((whole**2).mean()))
    clumped, all_together = spread.sum() + typical, whole.sum() + typical
    if not 0 < all_together < np.inf:  # a forged release may have noise of any size
        return 1.0
    return float(np.clip(clumped / all_together, 0.0, 1.0))


def coherence_of(pairs: Pairs) -> list[float]:
    """κ for windows of 2, 4, 8, … adjacent pairs, from the products of two different pairs, in
    which noise cancels."""
    found, window, longest = [], 2, int(pairs.place.max()) + 1
    scaled = pairs.rows * np.sqrt(pairs.even)
    while window < 2 * longest:
        # Windows start again in each slab, so that none contains pairs of two slabs.
        new = np.concatenate([[True], (np.diff(pairs.slab) != 0) | (pairs.place[1:] % window == 0)])
        starts = np.flatnonzero(new)
        together = cross_products(pairs.deviation, starts)
        rows = cross_products(scaled, starts)
        found.append(float(np.clip(together / rows, 0.0, 1.0)) if rows > 0 else 0.0)
        window *= 2
    return found or [0.0]


def cross_products(values: Floats, starts: Ints) -> float:
    """The sum over runs of the products of any two different values, each counted twice."""
    return float((np.add.reduceat(values, starts) ** 2).sum() - (values**2).sum())
