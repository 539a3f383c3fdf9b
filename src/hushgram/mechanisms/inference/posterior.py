"""The posterior of a tree of counts, given noisy ones: exact Bayesian inference by messages.

The split of a node's rows between its halves is of one of a few kinds, and a node's kind is likely
to be found below it, too (`split_kinds`). Given all noisy counts, the mean and the variance of
every node follow from two passes over the tree. On the way up, each node sends its parent the
likelihood of each count, given all that was measured below; on the way down, it receives what the
rest of the tree says. The only approximation is that counts lie on a lattice.

Counts of empty regions shrink to nothing, even regions are pooled, and edges stay sharp. This costs
no budget, because it uses noisy counts only. O(nodes x window²)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.pieces import Pieces
from hushgram.mechanisms.inference.split_kinds import KINDS, Prior, halved_axes, weight_tables
from hushgram.mechanisms.inference.tree_sizes import weigh_sizes

WIDTH = 4.0
"""Standard deviations to either side of a first estimate that a window of counts reaches."""

LARGE = 1 << 16
"""Nodes of the tree of a map from which on its usual lattice is coarse."""

SHARPEST = 2.0
"""The largest rate, in units of the spacing, where that is more than a row: counts that are known
better do not lie on the lattice."""

WIDEST = 256
"""Places in a window, about, at the most."""

MOST_WORK = 2.0**17
"""Products of counts per node, at the most. Only counts that contradict each other need so many,
such as those of a forged file: windows must then reach from the one to the other."""

MOST_SPLITS = 2.0**20
"""Products of counts for a single node, at the most: they are in memory."""

FARTHEST = 2.0**50
"""The largest place on the lattice: places are whole numbers, which floats tell apart."""

MOST_KEPT = 1 << 21
"""Numbers that are kept between the two passes, at the most: 16 MB. More would save
a sixth of the time, but first use of memory takes as long."""

PIECE = 1024
"""Nodes that are worked on together, at the most: their tables fit into a processor's cache."""


class CountLattice(NamedTuple):
    """The counts that a node may have."""

    fineness: float
    """The spacing of the lattice, in standard deviations of the middle leaf."""
    is_averaged: bool
    """Whether the likelihood at a place is the mean over all counts around it, up to half of the
    spacing away, or that of the place itself."""


LATTICES = {"fine": CountLattice(0.6, False), "coarse": CountLattice(1.0, True)}
"""By the names that releases state. On large maps, means on the coarse one have the same errors and
take a quarter less time. On one axis, where more nodes are counted, they would have larger ones."""


@dataclass(frozen=True, eq=False)
class NoisyNodes:
    """What was measured of each node: rounds x nodes."""

    counts: Floats
    """Noisy counts."""
    rates: Floats
    """How fast a count becomes less likely, the farther from the noisy one: one over the scale of
    its Laplace noise; 0 where a node was not measured."""
    precisions: Floats
    """What each measurement adds to what is known of a node without it, for least squares: one over
    the variance of its noise, if that is independent."""

    @classmethod
    def independent(cls, counts: Floats, rates: Floats) -> NoisyNodes:
        """Each with Laplace noise of its own."""
        return cls(counts, rates, rates**2 / 2)

    @property
    def precision(self) -> Floats:
        """That of all measurements of a node taken together."""
        return np.asarray(self.precisions.sum(axis=0))

    @property
    def mean(self) -> Floats:
        """Their mean, weighted by precision; 0 where there are none."""
        total = self.precision
        sums = (self.precisions * self.counts).sum(axis=0)
        return np.asarray(sums / np.where(total > 0, total, 1.0))

    def some(self, kept: npt.NDArray[np.bool_]) -> NoisyNodes:
        return NoisyNodes(self.counts[:, kept], self.rates[:, kept], self.precisions[:, kept])

    def ending_at(self, ends: npt.NDArray[np.bool_], fitted: NodeValues) -> NoisyNodes:
        """The same if these nodes are leaves: what was measured below them and above them is one
        measurement of their own, the ``fitted`` value."""
        counts, rates, precisions = self.counts.copy(), self.rates.copy(), self.precisions.copy()
        counts[:, ends], rates[:, ends], precisions[:, ends] = 0.0, 0.0, 0.0
        counts[0, ends] = fitted.means[ends]
        rates[0, ends] = np.sqrt(2 / fitted.variances[ends])
        precisions[0, ends] = 1 / fitted.variances[ends]
        return NoisyNodes(counts, rates, precisions)


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

    @property
    def values(self) -> NodeValues:
        return NodeValues(self.means, self.variances)


def least_squares(tree: CutTree, noisy: NoisyNodes) -> NodeValues:
    """The best linear unbiased estimate. O(nodes)"""
    from hushgram.mechanisms.inference.cut_tree_kernels import fit_squares

    found = NodeValues(np.empty(len(tree)), np.empty(len(tree)))
    fit_squares(tree.right, tree.roots, noisy.precision, noisy.mean, *found)
    return found


def posterior(tree: CutTree, noisy: NoisyNodes, prior: Prior, piece: int = PIECE) -> NodePosterior:
    """The mean and the variance of every node's count, given all noisy ones, and how likely the
    split above it is of each kind. O(nodes x window²), on all cores, and the same on any number of
    them. Messages are in memory for the top of the tree, and for a ``piece`` of so many nodes on
    each core."""
    found = NodePosterior(np.empty(len(tree)), np.empty(len(tree)), np.empty((len(tree), KINDS)))
    if not fill_posterior(tree, noisy, prior, LATTICES[usual_lattice(tree)], piece, found):
        kinds = np.tile(prior.start, (len(tree), 1))
        return NodePosterior(*least_squares(tree, noisy), kinds)
    return found


def usual_lattice(tree: CutTree) -> str:
    """The name of the lattice that new releases state."""
    is_map = halved_axes(tree.leaves.domain) > 1
    return "coarse" if is_map and len(tree) > LARGE else "fine"


def expect_nodes(
    tree: CutTree, noisy: NoisyNodes, prior: Prior, lattice: CountLattice
) -> NodeValues:
    """The mean and the variance of every node's count alone."""
    found = NodePosterior(np.empty(len(tree)), np.empty(len(tree)), np.empty((0, KINDS)))
    if not fill_posterior(tree, noisy, prior, lattice, PIECE, found):
        return least_squares(tree, noisy)
    return found.values


def fill_posterior(
    tree: CutTree,
    noisy: NoisyNodes,
    prior: Prior,
    lattice: CountLattice,
    piece: int,
    found: NodePosterior,
) -> bool:
    """Fill in the posterior; the probabilities of kinds only if there is room for them. False if
    all that was left of some node was rounded away."""
    from hushgram.mechanisms.inference import posterior_kernels as kernels
    from hushgram.mechanisms.inference.kind_rows import ORDER
    from hushgram.mechanisms.inference.split_kernels import share_tables

    first = least_squares(tree, noisy)
    spacing, (lo, length) = lay_lattice(tree, first, lattice.fineness)
    rates = noisy.rates if spacing == 1 else np.minimum(noisy.rates, SHARPEST / spacing)
    nodes = kernels.WindowedNodes(lo, length, tree.right, noisy.counts, rates)
    splits = share_tables(spacing, weight_tables(), int((lo + length).max()))
    model = kernels.Model(prior.transitions[np.ix_(ORDER, ORDER)], splits, lattice.is_averaged)

    pieces = Pieces.of(tree, piece)
    offsets = KINDS * kernels.starts_of(length[pieces.top])
    up, down = np.empty((2, offsets[-1]))
    starts = offsets[:-1][pieces.right == 0]
    kept = Kept.for_pieces(pieces, kernels.starts_of(length))
    pieces.run(partial(kernels.lift_pieces, nodes, model, kept.messages, up), starts, kept.rooms)
    top = pieces.top, pieces.right, np.searchsorted(pieces.top, tree.roots)
    roots = tree.roots
    sizes = weigh_sizes(
        first.means[roots], first.variances[roots], lo[roots], length[roots], spacing
    )
    start = prior.start[list(ORDER)]
    kernels.pass_through(nodes, model, *top, start, sizes, up, down, *found)
    pieces.run(
        partial(kernels.finish_pieces, nodes, model, kept.messages, down, *found),
        starts,
        kept.rooms,
    )
    np.multiply(found.means, spacing, out=found.means)
    np.multiply(found.variances, spacing**2, out=found.variances)
    return not np.isnan(found.means).any()


class Kept(NamedTuple):
    """What the nodes of pieces tell each other on the way up, as far as there is memory for it: it
    is needed on the way down."""

    messages: Floats
    rooms: Ints
    """Where those of each piece begin; -1 for pieces that compute them again."""

    @classmethod
    def for_pieces(cls, pieces: Pieces, first: Ints) -> Kept:
        """``first`` has where each node's places start among those of all."""
        sizes = KINDS * (first[pieces.ends] - first[pieces.begins])
        stops = np.cumsum(sizes)
        fits = stops <= MOST_KEPT
        return cls(np.empty(int(sizes[fits].sum())), np.where(fits, stops - sizes, -1))


def lay_lattice(tree: CutTree, first: NodeValues, fineness: float) -> tuple[float, Windows]:
    """The spacing of a lattice, and the windows on it; coarser where they would be too much."""
    spacing = lattice_spacing(tree, first, fineness)
    while True:
        windows = Windows.around(tree, first, spacing)
        if not windows.are_too_much(tree):
            return spacing, windows
        spacing *= 2


def lattice_spacing(tree: CutTree, first: NodeValues, fineness: float) -> float:
    """Fine enough for the middle leaf, coarse enough for the vaguest node and for the largest
    count; whole rows at least."""
    deviations = np.sqrt(first.variances)
    middle = float(np.median(deviations[tree.ends]))
    widest = 2 * WIDTH * float(deviations.max()) / WIDEST
    farthest = float(np.abs(first.means).max()) / FARTHEST
    return max(1.0, fineness * middle, widest, farthest)


class Windows(NamedTuple):
    """The places on the lattice that each node's count may have."""

    lo: Ints
    length: Ints

    @classmethod
    def around(cls, tree: CutTree, near: NodeValues, spacing: float) -> Windows:
        """Around a first estimate, and not below zero; such that the least counts of two halves
        add up to one of the whole."""
        from hushgram.mechanisms.inference.cut_tree_kernels import widen_upwards

        reach = WIDTH * np.sqrt(near.variances) + spacing
        lo = np.maximum(np.floor((near.means - reach) / spacing), 0).astype(np.int64)
        hi = np.ceil((np.maximum(near.means, 0) + reach) / spacing).astype(np.int64)
        widen_upwards(tree.right, lo, hi)
        return cls(lo, hi - lo + 1)

    def are_too_much(self, tree: CutTree) -> bool:
        """Whether there are too many products of counts to be added up, or counts to be kept."""
        inner = np.flatnonzero(tree.right)
        lengths = self.length.astype(np.float64)
        products = lengths[inner + 1] * lengths[tree.right[inner]]
        most = float(products.max(initial=0.0))
        return most > MOST_SPLITS or products.sum() + lengths.sum() > MOST_WORK * len(tree)
