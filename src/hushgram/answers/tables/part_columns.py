"""The columns of each part in the table of a release, from which readers without Hushgram can
compute errors.

``count`` and ``variance``, the variance of its noise, are followed by ``uneven``, a measure of how
unevenly its rows may be spread. For a sum of parts with shares w from 0 to 1, of which m are
neither 0 nor 1,

    N  =  Σ w² variance                                     the noise
    U  =  Σ w (1 - w) uneven                                unevenly spread rows
    half the width of a 95 % interval  =  √(4.5 N + max(20, 4.5 √m) U)

If few parts are cut, all of their rows can be at the same place: 20 allows for that (Cantelli's
inequality). A cut can divide many parts at the same place: √m allows for that. This is
conservative, and `Release.count` is more precise. If parts were combined by least squares, as in
trees, their noise has negative covariances, and N is far too large for a sum of many parts. Sorted
rows are the exception, where N can be half of what it should be: use 2 N.

Two more columns are only present if needed:

``uneven_group``  Cells with the same number share one value, and are one part: w is the mean of
                  their shares, ``count`` is their sum, and ``variance`` is that of one cell times
                  the squared number of cells. ``uneven`` is the group's, repeated in each row.
``uneven_whole``  The table is of a view that cuts parts, so even whole rows have such an error: add
                  (Σ w √uneven_whole)² to N.
"""

from __future__ import annotations

import numpy as np

from hushgram.answers.tables.olap import uneven_widths
from hushgram.answers.unevenness.clumping import Clumping, clumping_of
from hushgram.declare.axis import Category, Floats, Integer
from hushgram.geometry.partition import Boxed, Ints, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.groups import Groups

ROUNDED = ("uneven", "uneven_whole")

DIGITS = 8
"""The number of bits of these columns: with more, they would take as much space as all others."""

QUANTILE = 4.5**0.5
"""Slightly more than the number of standard deviations that 95 % of noise does not exceed."""


def part_columns(estimate: Estimate) -> dict[str, Floats | Ints]:
    """The columns of the table, without labels, with one entry per part."""
    variances = estimate.variances()
    columns: dict[str, Floats | Ints] = {"count": estimate.values, "variance": variances}
    groups = estimate.inference.groups()
    if groups is not None:
        uneven = round_up(uneven_groups(estimate, groups))[groups.labels]
        return {**columns, "uneven": uneven, "uneven_group": groups.labels}
    values = np.asarray(estimate.values, dtype=np.float64)
    columns["uneven"] = round_up(uneven_parts(estimate, values, variances))
    if estimate.inference.view is not None:
        whole = uneven_whole(estimate)
        if whole.any():
            columns["uneven_whole"] = round_up(whole)
    return columns


def round_up(numbers: Floats) -> Floats:
    """Non-negative numbers, rounded up to few digits.

    >>> round_up(np.array([0.0, 1.0, 1000.1, 1e300])).tolist()
    [0.0, 1.0, 1002.0, 1.001...e+300]
    """
    rest = (1 << (52 - DIGITS)) - 1
    return ((numbers.view(np.int64) + rest) & ~rest).view(np.float64)


def uneven_parts(estimate: Estimate, values: Floats, variances: Floats) -> Floats:
    """The effect of the rows within each part on a count that cuts it. If the viewed parts share
    values, the parts of a view contain no information about clumping."""
    if estimate.inference.viewed.groups() is not None:
        return np.maximum(values, 0) ** 2 * can_be_cut(estimate)
    return uneven_inside(estimate, values, variances)


def uneven_inside(estimate: Estimate, values: Floats, variances: Floats) -> Floats:
    """ρ c² + (1 - ρ) c for the c rows of each part, where ρ is their clumping."""
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    clumped = coherent_share(clumping_of(layout, values, variances))
    own = clumped * values**2 + max(1 - clumped, 0) * np.maximum(values, 0)
    return np.asarray(own * can_be_cut(estimate), dtype=np.float64)


def coherent_share(clumping: Clumping) -> float:
    """The smallest ρ for which ρ √m is at least the estimated clumping of m parts that are cut at
    the same place, for any m."""
    parts = 2.0 ** np.arange(1, clumping.coherence.shape[1] + 1)
    together = clumping.shares[:, None] + clumping.coherence * (parts - 1)
    return float(max(clumping.shares.max(), (together / np.sqrt(parts)).max()))


def can_be_cut(estimate: Estimate) -> Floats:
    """0 for parts with a single integer or category on each axis, 1 for all others."""
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    ones = np.ones(layout.size)
    if not all(isinstance(axis.whole, Integer | Category) for axis in layout.domain.axes):
        return ones
    if isinstance(layout, Lattice):
        widths = [np.diff(layout.cuts(axis)) for axis in range(len(layout.domain))]
        if all((width == 1).all() for width in widths):
            return 0 * ones
    lower, upper = layout.boxes()
    return np.asarray((upper - lower > 1).any(axis=1), dtype=np.float64)


def uneven_groups(estimate: Estimate, groups: Groups) -> Floats:
    """The effect of the rows within each group of cells with the same value.

    A sum over a share w of a group's n cells is off by at most the square root of w (1 - w) n D,
    where D is the sum of squared differences of cells from their mean (Cauchy-Schwarz). The first
    counts of the cells determine D, except for their noise. Without them, all rows can be in one
    cell.
    """
    sizes = np.bincount(groups.labels)
    sums = np.bincount(groups.labels, np.asarray(estimate.values, dtype=np.float64))
    first = estimate.inference.first_counts(estimate.measurements)
    if first is None:
        return np.asarray(np.maximum(sums, 0) ** 2, dtype=np.float64)
    values = first.values.astype(np.float64)
    means = np.bincount(groups.labels, values) / sizes
    squares = np.bincount(groups.labels, (values - means[groups.labels]) ** 2)
    noise = first.variance * (sizes - 1)
    deviation = first.variance * np.sqrt(5 * (sizes - 1))  # of squared Laplace variables
    differences = np.maximum(squares - noise, 0) + deviation
    inside = np.zeros(len(sizes))
    cells = uneven_inside(estimate, values, np.full(len(values), first.variance))
    np.maximum.at(inside, groups.labels, cells)
    return np.asarray(sizes * (differences + inside), dtype=np.float64)


def uneven_whole(estimate: Estimate) -> Floats:
    """The error of the whole parts of a view due to uneven rows, as a variance."""
    return np.asarray((uneven_widths(estimate, 0.95) / QUANTILE) ** 2, dtype=np.float64)
