"""Draw tables that a release could be of, with rows as uneven as real ones.

A release is smoother than its table: its counts are expectations, and nothing was counted inside of
its parts. Errors on such smooth rows would be too small. So every draw adds what is missing, as it
is in public tables (`split_kinds`):

- *Counts* are drawn from what the noisy ones leave open, from the top of the tree of parts to its
  leaves. The lower half of a node gets a share of its rows with the mean and the variance of the
  posterior, from a beta distribution. All draws agree on what the release knows, and differ in what
  it does not.
- *The inside of a part* is divided by `splits`, starting with the kind of split that is likely for
  the part. Where the splits that were counted are more even than those of public tables, or less,
  so are these. The share of splits that are drawn together is the ratio of coherent to all clumping
  among neighbouring parts (`clumping`).

This is post-processing of a public file: it costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.answers.unevenness.clumping import clumping_of
from hushgram.declare.axis import Floats
from hushgram.errors import BadInput, NotAnswerable
from hushgram.expect.splits import Crowds, Splitter, draw_kinds
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.posterior import NodePosterior, NoisyNodes, posterior
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans, TreeErrors
from hushgram.mechanisms.inference.split_kinds import KINDS, Prior, prior_for

ORDER = np.linspace(1, -1, KINDS)
"""Kinds of splits from the most uneven to the most even."""

STEEPEST = 4.0
"""The largest slope by which splits are made more or less uneven."""

LEAST = 1e-3
"""The smallest sum of the parameters of a beta distribution: one half gets nearly all rows."""

NOTHING = 1e-9
"""Smaller counts and variances are treated as this one."""


@dataclass(frozen=True, eq=False)
class Plausible:
    """What an estimate says about the tables that it could be of."""

    estimate: Estimate
    layout: Boxed

    @classmethod
    def of(cls, estimate: Estimate) -> Plausible:
        layout = estimate.partition
        if not isinstance(layout, Boxed):
            raise NotAnswerable(
                f"A {layout.kind} layout cannot generate rows. Publish with another mechanism."
            )
        return cls(estimate, layout)

    def draw(self, rows: int, rng: Generator) -> Floats:
        """Return the positions of the rows of one table, in units of indices (rows x axes)."""
        shape = np.array(self.layout.domain.shape, dtype=np.float64)
        each = apportion(self.draw_counts(rng), rows, rng)
        crowds = Crowds(*self.layout.boxes(), each, draw_kinds(self.kinds, rng))
        return Splitter(shape, self.inside, self.together, rng).place(crowds.where(each > 0))

    def draw_counts(self, rng: Generator) -> Floats:
        """Return a count for each part, not below zero."""
        counts = self.typical if self.tree is None else draw_nodes(self.tree, self.known, rng)
        return counts if counts.sum() > NOTHING else self.typical

    @cached_property
    def typical(self) -> Floats:
        """The counts of the release, not below zero; all alike if they are zero."""
        found = norm_sub(self.estimate.values)
        return found if found.sum() > NOTHING else np.ones(len(found))

    @cached_property
    def prior(self) -> Prior:
        return prior_for(self.layout.domain)

    @cached_property
    def tree(self) -> CutTree | None:
        """The tree whose leaves are the parts, if there is one."""
        try:
            tree = CutTree.of(self.layout)
        except BadInput:
            return None
        return tree if tree.is_whole else None

    @cached_property
    def kinds(self) -> Floats:
        """How likely the split of each part is of each kind: parts x kinds."""
        if self.tree is None:
            return np.tile(self.prior.start, (self.layout.size, 1))
        return np.asarray(self.known.kinds[self.tree.ends] @ self.inside.transitions)

    @cached_property
    def inside(self) -> Prior:
        """The prior of splits inside of the parts: more even, or less, as those of its nodes are
        more or less even than those of public tables."""
        if self.tree is None:
            return self.prior
        nodes = np.setdiff1d(np.flatnonzero(self.tree.right), self.tree.roots)
        rows = np.maximum(self.known.means[nodes], NOTHING)
        above, own = (rows @ self.known.kinds[places] for places in (nodes, nodes + 1))
        return tilt_to(self.prior, above, own)

    @cached_property
    def known(self) -> NodePosterior:
        """The posterior of the nodes of the tree."""
        assert self.tree is not None
        inference = self.estimate.inference
        if isinstance(inference, PosteriorMeans):
            kinds = posterior(self.tree, inference.noisy, self.prior).kinds
            return NodePosterior(*inference.found, kinds)
        return posterior(self.tree, self.noisy_leaves(self.tree), self.prior)

    def noisy_leaves(self, tree: CutTree) -> NoisyNodes:
        """The values of the parts as if they were counted one by one."""
        values, variances = self.unbiased
        counts, rates = np.zeros((2, 1, len(tree)))
        counts[0, tree.ends] = values
        rates[0, tree.ends] = np.sqrt(2 / np.maximum(variances, NOTHING))
        return NoisyNodes.independent(counts, rates)

    @cached_property
    def unbiased(self) -> tuple[Floats, Floats]:
        """Unbiased counts of the parts, and the variances of their noise."""
        found = self.estimate.inference.unbiased_values()
        return found or (
            np.asarray(self.estimate.values, dtype=np.float64),
            self.estimate.variances(),
        )

    @cached_property
    def together(self) -> Floats:
        """The share of splits across each axis that are alike in all parts at the same place.
        Neighbouring parts are most alike, so the largest coherence is used."""
        found = clumping_of(self.layout, *self.unbiased)
        return np.asarray(np.sqrt(np.clip(found.coherence.max(axis=1) / found.shares, 0.0, 1.0)))


def tilt_to(prior: Prior, above: Floats, own: Floats) -> Prior:
    """Return a prior whose splits are as uneven as the ``own`` splits of some nodes on average,
    below splits of the kinds ``above`` them. All splits are made more even or less to the same
    degree, which says how uneven a table is apart from its density.

    >>> from hushgram.mechanisms.inference.split_kinds import ONE_AXIS
    >>> even = np.eye(KINDS)[KINDS - 1]
    >>> found = tilt_to(ONE_AXIS, even, even)
    >>> bool((even @ found.transitions)[-1] > (even @ ONE_AXIS.transitions)[-1])
    True
    """
    low, high = -STEEPEST, STEEPEST
    while high - low > 0.01:
        middle = (low + high) / 2
        less_uneven = above @ tilt(prior, middle).transitions @ ORDER < own @ ORDER
        low, high = (middle, high) if less_uneven else (low, middle)
    return tilt(prior, (low + high) / 2)


def tilt(prior: Prior, slope: float) -> Prior:
    """Return a prior in which uneven kinds are more likely, or less if the slope is negative."""
    found = prior.transitions * np.exp(slope * ORDER)
    return Prior(prior.start, found / found.sum(axis=1, keepdims=True))


def draw_nodes(tree: CutTree, known: NodePosterior, rng: Generator) -> Floats:
    """Return counts of the leaves, drawn from the posterior from the roots downwards."""
    errors = TreeErrors.of(tree, known.values, known.means)
    roots = tree.roots
    counts = np.zeros(len(tree))
    spread = np.sqrt(known.variances[roots]) * rng.normal(size=len(roots))
    counts[roots] = np.maximum(known.means[roots] + spread, 0)
    for nodes in nodes_by_depth(tree):
        low, high, whole = nodes + 1, tree.right[nodes], counts[nodes]
        moved = errors.shares[nodes] * (whole - known.means[nodes])
        rows = np.maximum(whole, NOTHING)
        shares = (known.means[low] + moved) / rows
        counts[low] = whole * draw_shares(shares, errors.own[nodes] / rows**2, rng)
        counts[high] = whole - counts[low]
    return np.asarray(counts[tree.ends])


def nodes_by_depth(tree: CutTree) -> list[Ints]:
    """Return the nodes with halves, from the roots downwards."""
    inner = np.flatnonzero(tree.right)
    depths = tree.depths[inner]
    order = np.argsort(depths, kind="stable")
    return np.split(inner[order], np.flatnonzero(np.diff(depths[order])) + 1)


def draw_shares(means: Floats, variances: Floats, rng: Generator) -> Floats:
    """Return random shares with these means and variances, as far as shares can have them.

    >>> rng = np.random.default_rng(1)
    >>> draw_shares(np.array([0.3, 1.2]), np.array([0.0, 5.0]), rng).tolist()
    [0.3, 1.0]
    >>> found = draw_shares(np.full(10_000, 0.3), np.full(10_000, 0.01), rng)
    >>> round(float(found.mean()), 2), round(float(found.std()), 2)
    (0.3, 0.1)
    """
    means = np.clip(means, 0.0, 1.0)
    most = means * (1 - means)
    is_known = np.minimum(most, variances) < NOTHING
    strength = np.maximum(most / np.maximum(variances, NOTHING) - 1, LEAST)
    one, other = (np.where(is_known, 1.0, share * strength) for share in (means, 1 - means))
    return np.where(is_known, means, rng.beta(one, other))


def apportion(weights: Floats, rows: int, rng: Generator) -> Ints:
    """Return whole numbers that add up to ``rows``: shares by weight, rounded at random.

    >>> apportion(np.array([1.0, 0.0, 3.0]), 8, np.random.default_rng(1)).tolist()
    [2, 0, 6]
    """
    ends = np.cumsum(weights)
    steps = np.floor(ends / ends[-1] * rows + rng.random()).astype(np.int64)
    return np.asarray(np.diff(np.minimum(steps, rows), prepend=0))
