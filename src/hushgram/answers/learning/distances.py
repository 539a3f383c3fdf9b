"""Distances between two releases of the same domain.

Both are spread over the cells of one lattice: all cuts of either release, or a given number of
slices. Rows are assumed to be evenly spread within a part.

``l1``, ``l2``   of the counts as they are, in rows: the sum of absolute differences, and the root
                 of the sum of squares
``kl``           Kullback and Leibler's divergence of the shares, in nats. Counts are made
                 non-negative by norm-sub first; then one more row is spread evenly over the domain
                 of each release, so that no share is zero. How fine the cells are does not matter
``emd``          the earth mover's distance of the shares: how far rows must move on average, in the
                 units of the axes, dates in days. After norm-sub; "other" on an axis with an order
                 has no position and is left out. Exact on one axis; on several, rows move between
                 the centres of cells, so that the error is at most the diagonal of a cell

Noise adds to a distance: two releases of the same table have a positive distance, too. So distances
are usually too large, by an unknown amount, and have no error bars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.answers.learning.density import place_end
from hushgram.answers.tables.units import check_moderate, places
from hushgram.declare.axis import Axis, Floats, Integer
from hushgram.declare.axis.numeric import Even
from hushgram.declare.domain import Domain
from hushgram.errors import MissingExtra, NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Cuts, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate

MAX_CELLS = 1 << 22
"""The most cells of a common lattice."""

POINTS = 1024
"""The number of cells for transport on several axes: the time grows with its cube."""

FLOOR = 1.0
"""The number of rows spread evenly over the domain for the Kullback-Leibler divergence."""


def distance(a: Any, b: Any, kind: str = "emd", *, slices: int | None = None) -> float:
    """Compute the distance between two releases, or estimates, of the same domain.

    Parameters
    ----------
    kind
        ``"emd"`` (default), ``"kl"`` of a from b, ``"l1"`` or ``"l2"``: see the module.
    slices
        The number of slices per axis to compare. By default, all cuts of either release; for the
        earth mover's distance on several axes, about 1,000 cells.

    Examples
    --------
    >>> import hushgram as hg
    >>> a, b = (hg.publish(hg.Counts(rows), epsilon=9) for rows in ([900, 0, 100], [0, 900, 100]))
    >>> 0.8 < hg.distance(a, b) < 1
    True
    """
    if kind not in KINDS:
        raise QuestionError(f"Unknown distance kind={kind!r}. Use {', '.join(KINDS)}.")
    first, second = (getattr(one, "estimate", one) for one in (a, b))
    if first.partition.domain != second.partition.domain:
        raise QuestionError(
            "Only releases of the same domain can be compared: the same names, axes and bins."
        )
    return float(KINDS[kind](first, second, slices))


def absolute(a: Estimate, b: Estimate, slices: int | None) -> float:
    lattice = common(a, b, slices)
    return float(np.abs(rows_in(lattice, a) - rows_in(lattice, b)).sum())


def euclidean(a: Estimate, b: Estimate, slices: int | None) -> float:
    lattice = common(a, b, slices)
    return float(np.sqrt(((rows_in(lattice, a) - rows_in(lattice, b)) ** 2).sum()))


def divergence(a: Estimate, b: Estimate, slices: int | None) -> float:
    lattice = common(a, b, slices)
    lower, upper = lattice.boxes()
    sizes = (upper - lower).prod(axis=1) / lattice.domain.cells
    p, q = (shares(rows_in(lattice, each, positive=True) + FLOOR * sizes) for each in (a, b))
    return max(float((p * np.log(p / q)).sum()), 0.0)


def earth_mover(a: Estimate, b: Estimate, slices: int | None) -> float:
    domain = a.partition.domain
    for name, axis in domain.items():
        if not axis.ordered:
            raise NotAnswerable(
                f'There is no distance between the categories of {name!r}. Use kind="l1" '
                'or kind="kl", or project to other axes.'
            )
        check_moderate(axis, name)
    if len(domain) == 1:
        return along_one(a, b, slices)
    return across_many(a, b, slices or max(int(POINTS ** (1 / len(domain)) + 1e-9), 2))


def along_one(a: Estimate, b: Estimate, slices: int | None) -> float:
    """The earth mover's distance on one axis: the area between the cumulative shares."""
    lattice = common(a, b, slices)
    axis = lattice.domain.axes[0]
    cuts = declared_cuts(lattice.cuts(0), axis)
    both = [below(rows_in(lattice, each, positive=True), cuts) for each in (a, b)]
    difference = both[1] - both[0]
    if isinstance(axis.whole, Integer):
        steps = np.interp(np.arange(1, axis.declared), cuts, difference)
        return float(np.abs(steps).sum())
    even_bins = isinstance(axis.whole, Even)
    knots = cuts if even_bins else np.arange(axis.declared + 1.0)
    return area(places(axis, knots), np.interp(knots, cuts, difference))


def declared_cuts(cuts: Ints, axis: Axis) -> Floats:
    """The starts of the slices of declared values, and the stop of the last."""
    return cuts[cuts <= axis.declared].astype(np.float64)


def below(rows: Floats, cuts: Floats) -> Floats:
    """The share of the rows below each cut, without "other", which comes after the last."""
    return np.concatenate([[0.0], np.cumsum(shares(rows[: len(cuts) - 1]))])


def area(places: Floats, heights: Floats) -> float:
    """The area between zero and a line through points, positive on both sides.

    >>> area(np.array([0.0, 2.0, 3.0]), np.array([-1.0, 1.0, 1.0]))
    2.0
    """
    left, right = np.abs(heights[:-1]), np.abs(heights[1:])
    both = left + right
    crosses = heights[:-1] * heights[1:] < 0
    mean = np.where(crosses, (left**2 + right**2) / np.where(both > 0, both, 1), both) / 2
    return float((mean * np.diff(places)).sum())


def across_many(a: Estimate, b: Estimate, slices: int) -> float:
    """The earth mover's distance on several axes: optimal transport between centres of cells."""
    try:
        import ot
    except ImportError:
        raise MissingExtra(
            "POT", "transport", "The earth mover's distance on several axes"
        ) from None
    domain = a.partition.domain
    lattice = even(domain, slices)
    lower, upper = lattice.boxes()
    ends = np.array([place_end(axis) for axis in domain.axes])
    somewhere = (lower < ends).all(axis=1)
    middles = ((lower + upper) / 2)[somewhere]
    points = np.stack(
        [places(axis, column) for axis, column in zip(domain.axes, middles.T, strict=True)], axis=1
    )
    p, q = (shares(rows_in(lattice, each, positive=True)[somewhere]) for each in (a, b))
    sources, targets = p > 0, q > 0
    cost = ot.dist(points[sources], points[targets], metric="euclidean")
    return float(ot.emd2(p[sources], q[targets], cost, numItermax=10**7))


def shares(rows: Floats) -> Floats:
    total = rows.sum()
    if not total > 0:
        raise NotAnswerable("A release counts no rows there, so it has no shares to compare.")
    return np.asarray(rows / total)


def common(a: Estimate, b: Estimate, slices: int | None) -> Lattice:
    """The lattice of all cuts of both estimates, or of equal slices."""
    domain = a.partition.domain
    if slices is not None:
        return even(domain, slices)
    starts = tuple(
        np.unique(np.concatenate([starts_of(each, place) for each in (a, b)]))
        for place in range(len(domain))
    )
    cells = np.prod([float(len(one)) for one in starts])
    if cells > MAX_CELLS:
        raise NotAnswerable(
            f"Together, the releases have {cells:,.0f} cells, too many to compare. Limit "
            "the slices per axis, for example slices=64."
        )
    return Cuts(domain, starts)


def even(domain: Domain, slices: int) -> Lattice:
    if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1:
        raise QuestionError(f"slices must be a positive whole number. Found {slices!r}.")
    starts = tuple(even_starts(axis, slices) for axis in domain.axes)
    if np.prod([float(len(one)) for one in starts]) > MAX_CELLS:
        raise NotAnswerable(f"slices={slices} gives too many cells. Use fewer.")
    return Cuts(domain, starts)


def even_starts(axis: Axis, slices: int) -> Ints:
    """The starts of equal slices of the declared values, and of "other" if it is a bin."""
    count = min(slices, axis.declared)
    starts = -(-np.arange(count, dtype=np.int64) * axis.declared // max(count, 1))
    return np.append(starts, np.arange(axis.declared, axis.bins))


def starts_of(estimate: Estimate, place: int) -> Ints:
    """The starts of parts along an axis, without "other"."""
    layout = boxed_layout(estimate)
    bins = layout.domain.axes[place].bins
    cuts = layout.cuts(place) if isinstance(layout, Lattice) else layout.boxes()[0][:, place]
    return cuts[cuts < bins]


def boxed_layout(estimate: Estimate) -> Boxed:
    if not isinstance(estimate.partition, Boxed):
        raise NotAnswerable(f"The parts of a {estimate.partition.kind} layout cannot be compared.")
    return estimate.partition


def rows_in(lattice: Lattice, estimate: Estimate, *, positive: bool = False) -> Floats:
    """The rows in each cell of a lattice; parts that are cut count in proportion.

    Divides the parts among the slices that they overlap, one axis after the other: O(parts +
    pieces).
    """
    lower, upper = boxed_layout(estimate).boxes()
    pieces = np.asarray(estimate.values, dtype=np.float64)
    if positive:
        pieces = norm_sub(pieces)
    parts, cells = np.arange(len(pieces)), np.zeros(len(pieces), dtype=np.int64)
    for place, length in enumerate(lattice.shape):
        cuts = lattice.cuts(place)
        start, stop = lower[parts, place], upper[parts, place]
        first = np.searchsorted(cuts, start, side="right") - 1
        reached = np.searchsorted(cuts, stop, side="left") - first
        offsets = np.cumsum(reached) - reached
        slices = np.arange(reached.sum()) - np.repeat(offsets - first, reached)
        pieces, parts, cells, start, stop = (
            np.repeat(each, reached) for each in (pieces, parts, cells, start, stop)
        )
        inside = np.minimum(cuts[slices + 1], stop) - np.maximum(cuts[slices], start)
        pieces = pieces * (inside / (stop - start))
        cells = cells * length + slices
    return np.bincount(cells, pieces, lattice.size).astype(np.float64)


KINDS: dict[str, Callable[[Estimate, Estimate, int | None], float]] = {
    "emd": earth_mover,
    "kl": divergence,
    "l1": absolute,
    "l2": euclidean,
}
