"""What counts of a tree are likely to be, given noisy ones: exact Bayesian inference by messages.

How a node's rows are shared between its halves is of one of a few kinds, and kinds tend to go on
from a node to those below it (`split_kinds`). Given all noisy counts, the mean and the variance of
every node follow from two passes over the tree. Upwards, each node tells its parent how well each
count goes with what was measured below; downwards, what is known elsewhere comes back. Nothing is
rounded away but what a lattice of counts leaves out.

Empty space shrinks to nothing, even space is pooled, edges stay sharp: the structure is found for
free, since it is only what the noisy counts say. O(nodes x window²)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.split_kinds import KINDS, Prior, weight_tables

WIDTH = 4.0
"""Standard deviations to either side of a first estimate in which a count is looked for."""

FINENESS = 0.6
"""The spacing of the lattice, in standard deviations of the middle leaf."""

SHARPEST = 2.0
"""The largest rate, for a lattice of spacing 1: counts that are known better cannot lie on it."""

WIDEST = 256
"""Places in a window, about, at the most."""

MOST_WORK = 2.0**17
"""Products of counts per node, at the most. Only counts that contradict each other need so many,
such as those of a forged file: windows must then reach from the one to the other."""

FARTHEST = 2.0**50
"""The largest place on the lattice: places are whole numbers, which floats tell apart."""


@dataclass(frozen=True, eq=False)
class NoisyNodes:
    """What was measured of each node: rounds x nodes."""

    counts: Floats
    """Noisy counts."""
    rates: Floats
    """One over the scale of their Laplace noise; 0 where a node was not measured."""

    @property
    def precision(self) -> Floats:
        """One over the variance of all measurements of a node taken together."""
        return np.asarray((self.rates**2).sum(axis=0) / 2)

    @property
    def mean(self) -> Floats:
        """Their mean, weighted by precision; 0 where there are none."""
        squares = self.rates**2
        total = squares.sum(axis=0)
        return np.asarray((squares * self.counts).sum(axis=0) / np.where(total > 0, total, 1.0))


class NodeValues(NamedTuple):
    """The mean and the variance of every node's count."""

    means: Floats
    variances: Floats


class NodePosterior(NamedTuple):
    """The mean and the variance of every node's count, and how likely the split above the node is
    of each kind."""

    means: Floats
    variances: Floats
    kinds: Floats


def least_squares(tree: CutTree, noisy: NoisyNodes) -> NodeValues:
    """The best linear unbiased estimate. O(nodes)"""
    from hushgram.mechanisms.inference.cut_tree_kernels import fit_squares

    found = NodeValues(np.empty(len(tree)), np.empty(len(tree)))
    fit_squares(tree.right, tree.roots, noisy.precision, noisy.mean, *found)
    return found


def posterior(tree: CutTree, noisy: NoisyNodes, prior: Prior) -> NodePosterior:
    """The mean and the variance of every node's count, given all noisy ones."""
    from hushgram.mechanisms.inference import posterior_kernels as kernels

    first = least_squares(tree, noisy)
    spacing, windows = lay_lattice(tree, first)
    likelihood = np.empty(windows.total)
    rates = np.minimum(noisy.rates, SHARPEST / spacing)
    kernels.fill_likelihood(*windows, spacing, rates, noisy.counts, likelihood)
    up, down = np.empty(KINDS * windows.total), np.zeros(KINDS * windows.total)
    fixed = tree.right, likelihood, prior.transitions, spacing, weight_tables()
    kernels.send_up(*windows, *fixed, up)
    for root in tree.roots:
        start, size = KINDS * windows.first[root], windows.length[root]
        down[start : start + KINDS * size] = np.repeat(prior.start, size)
    means, variances, kinds = np.empty(len(tree)), np.empty(len(tree)), np.empty((len(tree), KINDS))
    kernels.send_down(*windows, *fixed, up, down, means, variances, kinds)
    return NodePosterior(means * spacing, variances * spacing**2, kinds)


def lay_lattice(tree: CutTree, first: NodeValues) -> tuple[float, Windows]:
    """The spacing of a lattice, and the windows on it; coarser where they would be too much."""
    spacing = lattice_spacing(tree, first)
    windows = Windows.around(tree, first, spacing)
    while windows.work(tree) > MOST_WORK * len(tree):
        spacing *= 2
        windows = Windows.around(tree, first, spacing)
    return spacing, windows


def lattice_spacing(tree: CutTree, first: NodeValues) -> float:
    """Fine enough for the middle leaf, coarse enough for the vaguest node and for the largest
    count; whole rows at least."""
    deviations = np.sqrt(first.variances)
    middle = float(np.median(deviations[tree.ends]))
    farthest = float(np.abs(first.means).max()) / FARTHEST
    return max(1.0, FINENESS * middle, 2 * WIDTH * float(deviations.max()) / WIDEST, farthest)


class Windows(NamedTuple):
    """The places on the lattice that each node's count may have."""

    lo: Ints
    length: Ints
    first: Ints
    """Where the node's places start among those of all nodes."""

    @classmethod
    def around(cls, tree: CutTree, near: NodeValues, spacing: float) -> Windows:
        """Around a first estimate, and not below zero; such that the least counts of two halves
        add up to one of the whole."""
        from hushgram.mechanisms.inference.cut_tree_kernels import widen_upwards

        reach = WIDTH * np.sqrt(near.variances) + spacing
        lo = np.maximum(np.floor((near.means - reach) / spacing), 0).astype(np.int64)
        hi = np.ceil((np.maximum(near.means, 0) + reach) / spacing).astype(np.int64)
        widen_upwards(tree.right, lo, hi)
        length = hi - lo + 1
        return cls(lo, length, np.cumsum(length) - length)

    def work(self, tree: CutTree) -> float:
        """How many products of counts there are to be added up, and counts to be kept."""
        inner = np.flatnonzero(tree.right)
        lengths = self.length.astype(np.float64)
        products = lengths[inner + 1] * lengths[tree.right[inner]]
        return float(products.sum() + lengths.sum())

    @property
    def total(self) -> int:
        return int(self.first[-1] + self.length[-1])
