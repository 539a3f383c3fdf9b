"""Posterior means of a tree of counts whose shape follows from a first, coarse tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.measured.nested_nodes import MAX_LEAVES as MAX_NESTED_LEAVES
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Ints, Raster
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import NoisyRows, noise_level, noisy_rows
from hushgram.mechanisms.inference.cut_tree import CutTree, as_boxes, as_parts
from hushgram.mechanisms.inference.noisy_nodes import noisy_nodes
from hushgram.mechanisms.inference.posterior import NodePosterior, posterior
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans
from hushgram.mechanisms.inference.split_kinds import halved_axes, prior_for
from hushgram.mechanisms.kd import fine_raster
from hushgram.mechanisms.lines import cut_along, find_lines
from hushgram.mechanisms.node_plan import (
    NodePlan,
    expected_unevenness,
    nested_nodes,
    plan,
    plan_for_noise,
)
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share
from hushgram.mechanisms.privtree import raster_for
from hushgram.queries import Decomposition, Measurement, NestedCounts, NodeCounts, Vault

FEW_CELLS = 64, 256
"""Cells, apart from categories, up to which one pass counts all of them, on one axis and on more: a
first pass would cost more than its plan can save."""

MOST_ROWS = 2**53
"""Rows that weighted sums have room for if no noisy number of rows is known."""

FIRST_ROWS = 1.0
"""Rows per leaf of the first tree, in units of the noise that its counts have together."""

ENOUGH_ROWS = 4.0
"""Rows per leaf, in the same units, that are enough for the first pass."""

FEWEST = 4.0
"""Nodes with fewer rows, in units of the noise of the second pass, are not cut any further."""

FEW_ROWS = 5000, 1000
"""Rows times ε below which PrivTree finds the first boxes: on one axis, and on more."""

NEEDED = 30.0
"""Rows, in units of the noise of the first pass, that are enough for it on one axis."""

CAUTION = 2.0, 3.5
"""How many times as much unevenness counts as noise of the same variance, on one axis and on more:
people query single leaves more often than the average range does, and unevenness is known least
where it is largest."""

DEEPEST = 16
"""How often boxes are halved for the first pass, at most."""

MAX_LEAVES = 1 << 18
"""About how many leaves the plan considers, at most."""

SURELY_JOINT = 4096
"""Leaves up to which joint noise is always fast enough."""

JOINT_AT_ONE = 1e6
"""Up to `SOON_DRAWN`, the most leaves are this times ε²."""

SOON_DRAWN = 10_000
"""Leaves for which joint noise takes about half a second with the longest tables."""

MOST_IN_SPACE = 1 << 15
"""The most leaves with joint noise on continuous axes: with more, it would take longer than
counting tens of millions of rows."""

STEEPEST = 50.0
"""The ε of counts from which on joint noise, which costs at most 8 for each row, would be larger
than independent noise."""

MOST_TREES = 4096
"""Combinations of categories, at most. Each has a tree of its own."""


@dataclass(frozen=True, kw_only=True)
class BayesTree(Mechanism):
    """Counts a coarse tree, uses it to plan a better one, and publishes expected counts.

    Use it for ranges along one axis, and for maps.

    Up to 64 cells on one axis, or 256 on a map, are all counted in one pass, as a tree of halves.

    Larger domains are counted in two passes. The first one, with a small part of the budget, counts
    the nodes of a coarse tree. On a map, values of an axis that a quarter of all rows share, most
    often zero, are cut out before. The noisy counts show where the rows are and how evenly they are
    spread. From that follows the plan of the second pass: which nodes are cut further, which of
    them are counted, and with how much of the budget each, so that noise and unevenness together
    are as small as possible for the average range.

    What is published are expected counts, given all noisy ones and how counts divide in public
    tables: a half may be empty, rows may be clumped or even, and what holds for a node tends to
    hold below it. Among many categories, the noisy counts of all show which counts are common. None
    of this costs any budget, and the variances account for it.

    The last pass has joint noise, unless there are very many leaves: the noise of a node is the sum
    of its leaves' noise, and it is small in all nodes at once.

    The noisy counts are published, too, so that least squares, which assume nothing about other
    tables, can be computed from them.

    Privacy: a `NestedCounts` or `NodeCounts` query for few cells. Otherwise a `Total` query, for
    few rows a `Decomposition` query, on a map of declared cells a `PartCounts` query for the slices
    of each axis, then a `NodeCounts` query, and a `NestedCounts` or another `NodeCounts` query.
    Each depends only on the answers to those before. Proof: ``docs/proofs/bayes-tree.md``.

    Parameters
    ----------
    share
        The share of the budget for the first pass. By default a tenth, or a twentieth on one axis
        with N ε of 600 or more, and less for very many rows. PrivTree, where it is used, gets as
        much again.
    total_share
        The share for the number of rows, which determines the size of the first tree: 1 %.

    References
    ----------
    Hardt & Talwar, *On the geometry of differential privacy*, STOC 2010. Hay, Rastogi, Miklau &
    Suciu, *Boosting the accuracy of differentially private histograms through consistency*, VLDB
    2010. Williams & McSherry, *Probabilistic inference and differential privacy*, NIPS 2010.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> counts = np.zeros(1024, dtype=int)
    >>> counts[700] = 10_000
    >>> release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="bayes-tree")
    >>> len(release.estimate.values) < 100, int(np.argmax(release.to_array()))
    (True, 700)
    """

    name: ClassVar[str] = "bayes-tree"
    proof: ClassVar[str] = "bayes-tree"

    shares: ClassVar[tuple[Fraction, Fraction]] = Fraction(1, 20), Fraction(1, 10)
    """The least and the largest default of ``share``."""

    share: Fraction | None = None
    total_share: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        check_parameters(self, share=optional(positive_share), total_share=positive_share)
        share = self.share or max(self.shares)
        if self.total_share + 2 * share >= 1:
            raise BadInput(
                "total_share and twice share must add up to less than 1, so that something is left "
                f"for the second pass. Found {float(self.total_share):g} and {float(share):g}."
            )

    def check(self, domain: Domain) -> None:
        trees = combinations(domain)
        if trees > MOST_TREES:
            raise DomainError(
                f"{trees:,} combinations of categories have a tree each, and at most "
                f"{MOST_TREES:,} can have one. Choose another mechanism, for example ahp."
            )
        apart(Boxes.whole(fine_raster(domain)))

    def raster_of(self, domain: Domain) -> Raster | None:
        return fine_raster(domain)

    def estimate(self, vault: Vault) -> Estimate:
        if has_few_cells(vault.domain):
            return count_all(vault)
        rows = noisy_rows(vault, self.total_share)
        share = self.share or self.usual_share(vault.domain, rows)
        first = CutTree.of(first_boxes(vault, rows, share))
        price = first_share(share, rows, len(first.ends)) * vault.epsilon
        counted = Pass.run(vault, first, plan_for_noise(first), rows.number, price)
        noisy = noisy_nodes(first, [counted.measurement])
        found = posterior(first, noisy, prior_for(vault.domain))
        tree, best = plan_second(vault, first, found)
        measured = [*counted.over(tree), spend_rest(vault, tree, best, rows.number)]
        return Estimate.infer(as_parts(tree.leaves), measured, PosteriorMeans.of(measured))

    def usual_share(self, domain: Domain, rows: NoisyRows) -> Fraction:
        """The share of the first pass. On one axis, it only has to find crowded cells."""
        least, most = self.shares
        if halved_axes(domain) > 1:
            return most
        enough = Fraction(round(1000 * NEEDED / max(rows.signal_to_noise, 1.0)), 1000)
        return min(max(enough, least), most)


def has_few_cells(domain: Domain) -> bool:
    """Whether one pass over all cells is best."""
    cells = math.prod(axis.bins for axis in domain.axes if axis.ordered)
    return cells <= FEW_CELLS[halved_axes(domain) > 1]


def count_all(vault: Vault) -> Estimate:
    """Posterior means of all cells, from one pass over the whole tree with the whole budget."""
    roots = apart(Boxes.whole(fine_raster(vault.domain)))
    depth = sum((axis.bins - 1).bit_length() for axis in vault.domain.axes if axis.ordered)
    tree = CutTree.of(halve_leaves(roots, np.full(roots.size, depth)))
    measured = [spend_rest(vault, tree, plan_for_noise(tree), MOST_ROWS)]
    return Estimate.infer(as_parts(tree.leaves), measured, PosteriorMeans.of(measured))


def first_share(share: Fraction, rows: NoisyRows, leaves: int) -> Fraction:
    """The share of the first pass: less, if the leaves are cells that hold so many rows that less
    is enough to see how the rows are spread."""
    enough = ENOUGH_ROWS * leaves / max(rows.signal_to_noise * float(share), 1.0)
    return share * Fraction(round(min(max(enough, 0.1), 1.0) * 1000), 1000)


def first_boxes(vault: Vault, rows: NoisyRows, share: Fraction) -> Boxes:
    """The leaves of the first tree. With many rows, the domain is halved repeatedly, after lines
    have been cut out. With few rows, such boxes would be too coarse to show where the rows are, so
    PrivTree finds boxes that are small there."""
    domain = vault.domain
    has_order = all(axis.ordered for axis in domain.axes)
    if has_order and rows.signal_to_noise < FEW_ROWS[len(domain) > 1]:
        query = Decomposition(raster_for(domain), 1, 0, share * vault.epsilon)
        return as_boxes(vault.ask(query))
    boxes = cut_along(apart(Boxes.whole(fine_raster(domain))), find_lines(vault, rows))
    leaves = rows.signal_to_noise * float(share) / FIRST_ROWS / boxes.size
    depth = min(max(round(math.log2(max(leaves, 1.0))), 2), DEEPEST)
    return halve_leaves(boxes, np.full(boxes.size, depth))


@dataclass(frozen=True, eq=False)
class Pass:
    """A tree, and the noisy counts of some of its nodes."""

    tree: CutTree
    counted: Ints
    """The nodes that were counted."""
    measurement: Measurement

    @classmethod
    def run(
        cls, vault: Vault, tree: CutTree, planned: NodePlan, rows: int, price: Fraction
    ) -> Pass:
        nodes, counted = planned.nodes(tree, rows)
        return cls(tree, counted, vault.ask(NodeCounts(nodes, price)))

    def over(self, tree: CutTree) -> list[Measurement]:
        """The counts of those nodes that another tree has, too; no measurement if it has none."""
        nodes = self.tree.places_in(tree)[self.counted]
        kept = nodes >= 0
        if not kept.any():
            return []
        known = self.measurement.partition
        assert isinstance(known, WeightedNodes)
        measured = WeightedNodes(
            as_parts(tree.leaves),
            tree.starts[nodes[kept]],
            tree.stops[nodes[kept]],
            known.weights[kept],
        )
        values = self.measurement.values[kept]
        return [Measurement(measured, values, self.measurement.variance, self.measurement.scale)]


def spend_rest(vault: Vault, tree: CutTree, best: NodePlan, rows: int) -> Measurement:
    """Counts with all that is left of the budget: with joint noise, unless that would take too
    long, or there is so much budget that its noise would be larger."""
    epsilon = noise_level(vault)
    most = most_with_joint_noise(epsilon, bool(vault.domain.continuous))
    if tree.leaves.size <= most and epsilon < STEEPEST:
        return vault.ask(NestedCounts(nested_nodes(tree), vault.remaining))
    return Pass.run(vault, tree, best, rows, vault.remaining).measurement


def most_with_joint_noise(epsilon: float, is_continuous: bool = False) -> float:
    """The most leaves with joint noise. The wider the noise, the longer its tables, and the more
    places there are for every number that is drawn: from ε = 0.3 on, the most leaves take a second
    or so, whatever ε is.

    >>> [round(most_with_joint_noise(epsilon)) for epsilon in (0.01, 0.1, 0.5, 1.0)]
    [4096, 10000, 32768, 131072]
    >>> round(most_with_joint_noise(1.0, is_continuous=True))
    32768
    """
    most = MOST_IN_SPACE if is_continuous else MAX_NESTED_LEAVES
    in_time = max(SOON_DRAWN, most * epsilon**2)
    return min(max(SURELY_JOINT, min(JOINT_AT_ONE * epsilon**2, in_time)), most)


def combinations(domain: Domain) -> int:
    """How many combinations of categories there are, counting "other" as a category."""
    return math.prod(axis.size for axis in domain.axes if not axis.ordered)


def apart(boxes: Boxes) -> Boxes:
    """The boxes, cut until none contains several categories, or "other" and declared values."""
    for place, axis in enumerate(boxes.domain.axes):
        declared = boxes.raster.slices[place]
        while True:
            lower, upper = (corner[:, place] for corner in boxes.corners)
            joins = (lower < declared) & (declared < upper)
            if not axis.ordered:
                joins |= upper - lower > 1
            if not joins.any():
                break
            middle = np.where(axis.ordered, declared, (lower + upper + 1) // 2)
            boxes = boxes.cut(np.where(joins, place, -1), middle)
    return boxes


def halve_leaves(boxes: Boxes, times: Ints) -> Boxes:
    """Cut each box so many times in the middle of its widest side, as a share of the axis, or until
    it cannot be cut. O(nodes)

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.geometry.partition import Raster
    >>> raster = Raster.of_cells(Domain(x=Integer(0, 4), y=Integer(0, 99)))
    >>> halve_leaves(Boxes.whole(raster), np.array([2])).axes.tolist()
    [0, 1, -1, -1, 1, -1, -1]
    """
    from hushgram.mechanisms.halving_kernels import cut_widest

    tree = CutTree.of(boxes)
    shape, slices = (np.array(n, dtype=np.int64) for n in (boxes.raster.shape, boxes.raster.slices))
    ordered = np.array([axis.ordered for axis in boxes.domain.axes])
    axes, cuts = np.empty((2, len(boxes.axes) + 2 * int((1 << times).sum())), dtype=np.int64)
    size = cut_widest(boxes.axes, boxes.cuts, tree.depths[tree.ends], times, shape, slices, ordered,
                      axes, cuts)  # fmt: skip
    return Boxes(boxes.raster, axes[:size], cuts[:size])


def plan_second(vault: Vault, tree: CutTree, found: NodePosterior) -> tuple[CutTree, NodePlan]:
    """The tree of the second pass, and the plan for what is left of the budget."""
    epsilon = noise_level(vault)
    likely = np.maximum(found.means, np.sqrt(found.variances))[tree.ends] * epsilon
    times = np.ceil(np.log2(np.maximum(likely / FEWEST, 1.0))).astype(np.int64)
    while (np.exp2(times).sum()) > MAX_LEAVES and times.max() > 0:
        times = np.maximum(times - 1, 0)
    finer = CutTree.of(halve_leaves(tree.leaves, times))
    uneven = expected_unevenness(finer, tree, found, prior_for(vault.domain))
    best = plan(finer, CAUTION[halved_axes(vault.domain) > 1] * uneven, epsilon)
    return best.cut_off(finer)
