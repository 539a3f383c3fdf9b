"""Non-negative whole counts that add up, for tables that must look like counts.

Every part gets a whole number, so all totals of all tables are consistent. Parts are arranged along
a Hilbert curve and halved repeatedly. From the top down, the whole number of a node is divided
between its two halves: each gets its own unbiased count and, according to its variance, a share of
the difference, rounded, and neither less than zero nor more than the node. So a node differs from
its unbiased count by one row due to rounding, or more if that count, or that of a node above, is
negative or nearly so.

The price is bias. Where there are hardly any rows, negative noise is cut off and positive noise
remains: many nearly empty parts together become too large and, since the total is preserved, dense
parts slightly too small. Dividing from the top keeps this within each neighbourhood, whereas
cutting off all parts at once (`norm_sub`) moves rows from dense to empty parts everywhere. For
calculations, use the unbiased counts.

Abowd et al., *The 2020 Census disclosure avoidance system TopDown algorithm*, Harvard Data Science
Review, 2022, fits non-negative whole numbers from the top down in the same spirit.
"""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.hilbert import MAX_BITS, places
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate

MAX_ROWS = 2**52
"""Below this total, doubles represent sums to half a row."""

AXIS_BITS = 20
"""The most bits of each axis for the order of the parts."""


def whole_counts(estimate: Estimate) -> Ints:
    """A non-negative whole number for each part, which add up to the rounded total: O(n log n).

    >>> import hushgram as hg
    >>> from tests.samples import cells, estimate_of
    >>> whole_counts(estimate_of(cells(x=hg.Integer(0, 3)), [10, -4, 5, 1])).tolist()
    [6, 0, 5, 1]
    """
    values = np.asarray(estimate.values, dtype=np.float64)
    total = max(float(values.sum()), 0.0)
    if not total < MAX_ROWS:
        raise NotAnswerable(
            f"Whole numbers need a total below {MAX_ROWS:,} rows. Found about {total:.3g}."
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
    """The order of the parts along a Hilbert curve, so that neighbours stay together in halves."""
    if not isinstance(layout, Boxed):
        raise NotAnswerable("Whole numbers need a release whose parts are boxes of values.")
    lower, _ = layout.boxes()
    sizes = np.array(layout.domain.shape, dtype=np.int64)
    bits = min(AXIS_BITS, MAX_BITS // len(sizes))
    if bits < 1:
        return np.arange(len(lower))
    return np.argsort(places((lower << bits) // sizes, bits), kind="stable")


def pyramid(numbers: Floats) -> list[Floats]:
    """The sums of pairs, of pairs of pairs and so on, from the total to the numbers themselves,
    which are padded with zeros to a power of two."""
    levels = [np.append(numbers, np.zeros((1 << (len(numbers) - 1).bit_length()) - len(numbers)))]
    while len(levels[-1]) > 1:
        levels.append(levels[-1].reshape(-1, 2).sum(axis=1))
    return levels[::-1]


def divide(node: Ints, halves: Floats, weights: Floats) -> Ints:
    """Divide the whole number of each node between its two halves."""
    pairs, moved = halves.reshape(-1, 2), weights.reshape(-1, 2)
    both = moved.sum(axis=1)
    share = np.divide(moved[:, 0], both, out=np.full(len(both), 0.5), where=both > 0)
    wanted = pairs[:, 0] + share * (node - pairs.sum(axis=1))
    left = np.clip(np.rint(wanted), 0, node).astype(np.int64)
    return np.stack([left, node - left], axis=1).reshape(-1)
