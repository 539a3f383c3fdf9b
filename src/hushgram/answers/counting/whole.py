"""Counts as whole numbers, none of them negative, that add up: for tables that must look like
counts.

Every part gets a whole number, so whatever is added up from parts, each total of each table, agrees
with every other. Parts are put in the order of a Hilbert curve and halved again and again. From the
top down, the whole number of a node is divided between its two halves: each gets its own unbiased
count and, by its variance, a share of what is left over, rounded, and neither less than zero nor
more than there is. So a node differs from its unbiased count where that, or the count of a node
above, is negative or nearly so, and elsewhere by one row from rounding.

The price is bias. Where there are hardly any rows, noise below zero is cut off and noise above it
stays: many nearly empty parts together come out too large, and since the total stays as it was,
crowded ones a little too small. Fitting from the top keeps this within each neighbourhood, where
cutting off all parts at once (`norm_sub`) moves rows from the crowded to the empty everywhere.
The unbiased counts remain the ones to compute with.

Abowd et al., *The 2020 Census disclosure avoidance system TopDown algorithm*, Harvard Data Science
Review, 2022, fits non-negative whole numbers from the top down in the same spirit.
"""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.hilbert import LONGEST, places
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate

MOST_ROWS = 2**52
"""Below, a double holds a sum to half a row."""

FINEST = 20
"""Bits of each axis that order the parts."""


def whole_counts(estimate: Estimate) -> Ints:
    """A whole number from 0 on for each part; all together the total, rounded: O(n log n).

    >>> import hushgram as hg
    >>> from tests.samples import cells, estimate_of
    >>> whole_counts(estimate_of(cells(x=hg.Integer(0, 3)), [10, -4, 5, 1])).tolist()
    [6, 0, 5, 1]
    """
    values = np.asarray(estimate.values, dtype=np.float64)
    total = max(float(values.sum()), 0.0)
    if not total < MOST_ROWS:
        raise NotAnswerable(
            f"Whole numbers need a total below {MOST_ROWS:,} rows. Found about {total:.3g}."
        )
    order = nearby_order(estimate.partition)
    sums, weights = pyramid(values[order]), pyramid(estimate.variances()[order])
    node: Ints = np.array([round(total)], dtype=np.int64)
    for halves, shares in zip(sums[1:], weights[1:], strict=True):
        node = divide(node, halves, shares)
    found = np.empty(len(values), dtype=np.int64)
    found[order] = node[: len(values)]
    return found


def nearby_order(layout: object) -> Ints:
    """The parts along a Hilbert curve: neighbours stay together when the order is halved."""
    if not isinstance(layout, Boxed):
        raise NotAnswerable("Whole numbers need a release whose parts are boxes of values.")
    lower, _ = layout.boxes()
    sizes = np.array(layout.domain.shape, dtype=np.int64)
    bits = min(FINEST, LONGEST // len(sizes))
    if bits < 1:
        return np.arange(len(lower))
    return np.argsort(places((lower << bits) // sizes, bits), kind="stable")


def pyramid(numbers: Floats) -> list[Floats]:
    """Sums of pairs, of pairs of pairs and so on: the whole first, the numbers last, with zeros up
    to a power of two."""
    levels = [np.append(numbers, np.zeros((1 << (len(numbers) - 1).bit_length()) - len(numbers)))]
    while len(levels[-1]) > 1:
        levels.append(levels[-1].reshape(-1, 2).sum(axis=1))
    return levels[::-1]


def divide(node: Ints, halves: Floats, weights: Floats) -> Ints:
    """Each node's whole number between its two halves."""
    pairs, moved = halves.reshape(-1, 2), weights.reshape(-1, 2)
    both = moved.sum(axis=1)
    share = np.divide(moved[:, 0], both, out=np.full(len(both), 0.5), where=both > 0)
    wanted = pairs[:, 0] + share * (node - pairs.sum(axis=1))
    left = np.clip(np.rint(wanted), 0, node).astype(np.int64)
    return np.stack([left, node - left], axis=1).reshape(-1)
