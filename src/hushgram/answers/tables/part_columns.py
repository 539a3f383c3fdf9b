"""The numbers of each part in the table of a release, from which a reader without Hushgram can form
an error.

``count``, and ``variance``, that of its noise, are followed by ``uneven``: how far rows can be from
lying evenly. For a sum of parts with shares w from 0 to 1, of which m are neither 0 nor 1,

    N  =  Σ w² variance                                     the noise
    U  =  Σ w (1 - w) uneven                                unevenly spread rows
    half the width of a 95 % interval  =  √(4.5 N + max(20, 4.5 √m) U)

With few parts that are cut, all of their rows can be at one place: 20 allows for it (Cantelli's
inequality). A cut can meet many parts at the same place: √m allows for that. This is on the safe
side, and `Release.count` says it more closely. Where parts were reconciled, as in trees, their
noise has negative covariances: N is far too large then for a sum of many parts. Rows that were
sorted are the exception, where N can be half of what it should be: take 2 N.

Two more columns are there only where they say something:

``uneven_group``  Cells with the same number share one value, and are one part: w is the mean of
                  their shares, ``count`` is the sum of theirs, and ``variance`` is the number of
                  cells, squared, times that of one. ``uneven`` is the group's, in each of its rows.
``uneven_whole``  The table is of a view that cuts parts, so that a whole row is not known either:
                  add (Σ w √uneven_whole)² to N.
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
"""Binary digits of these columns: with more, they would take as much of a file as all the rest."""

QUANTILE = 4.5**0.5
"""Standard deviations of noise that 95 % of it do not exceed, and a little more."""


def part_columns(estimate: Estimate) -> dict[str, Floats | Ints]:
    """The table's own columns, one entry for each part."""
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
    """Numbers from 0 on with few digits, never less.

    >>> round_up(np.array([0.0, 1.0, 1000.1, 1e300])).tolist()
    [0.0, 1.0, 1002.0, 1.001...e+300]
    """
    rest = (1 << (52 - DIGITS)) - 1
    return ((numbers.view(np.int64) + rest) & ~rest).view(np.float64)


def uneven_parts(estimate: Estimate, values: Floats, variances: Floats) -> Floats:
    """What rows inside of each part can do to a count that cuts it. The parts of a view say nothing
    about how clumped rows are, where what it views shares values."""
    if estimate.inference.viewed.groups() is not None:
        return np.maximum(values, 0) ** 2 * can_be_cut(estimate)
    return uneven_inside(estimate, values, variances)


def uneven_inside(estimate: Estimate, values: Floats, variances: Floats) -> Floats:
    """ρ c² + (1 - ρ) c for the c rows of each part, by how clumped rows are."""
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    clumped = coherent_share(clumping_of(layout, values, variances))
    own = clumped * values**2 + max(1 - clumped, 0) * np.maximum(values, 0)
    return np.asarray(own * can_be_cut(estimate), dtype=np.float64)


def coherent_share(clumping: Clumping) -> float:
    """The clumping ρ so that ρ √m, for any number m of parts that a cut meets at one place, is no
    less than what neighbours tell."""
    many = 2.0 ** np.arange(1, clumping.coherence.shape[1] + 1)
    together = clumping.shares[:, None] + clumping.coherence * (many - 1)
    return float(max(clumping.shares.max(), (together / np.sqrt(many)).max()))


def can_be_cut(estimate: Estimate) -> Floats:
    """0 for parts with one whole number or one category on each axis, 1 for all others."""
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
    """The same for groups of cells that share one value.

    A sum over a share w of a group's n cells is off by no more than the root of w (1 - w) n D, for
    the sum D of the squares by which cells differ from their mean (Cauchy and Schwarz). A first
    count of the cells shows D, except for its noise. Without one, all rows can be in one cell.
    """
    sizes = np.bincount(groups.labels)
    sums = np.bincount(groups.labels, np.asarray(estimate.values, dtype=np.float64))
    look = estimate.inference.first_look(estimate.measurements)
    if look is None:
        return np.asarray(np.maximum(sums, 0) ** 2, dtype=np.float64)
    values = look.values.astype(np.float64)
    means = np.bincount(groups.labels, values) / sizes
    squares = np.bincount(groups.labels, (values - means[groups.labels]) ** 2)
    noise = look.variance * (sizes - 1)
    doubt = look.variance * np.sqrt(5 * (sizes - 1))  # of the squares of Laplace variables
    differ = np.maximum(squares - noise, 0) + doubt
    inside = np.zeros(len(sizes))
    cells = uneven_inside(estimate, values, np.full(len(values), look.variance))
    np.maximum.at(inside, groups.labels, cells)
    return np.asarray(sizes * (differ + inside), dtype=np.float64)


def uneven_whole(estimate: Estimate) -> Floats:
    """What is not known of the whole parts of a view, as a variance."""
    return np.asarray((uneven_widths(estimate, 0.95) / QUANTILE) ** 2, dtype=np.float64)
