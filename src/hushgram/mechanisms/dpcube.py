"""Boxes of similar counts, found from a first count of all cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import MAX_PARTS, Boxes, Grid, Raster
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows, slices_per_side
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.parameters import (
    check_parameters,
    number_from_zero,
    one_of,
    optional,
    positive_number,
    positive_share,
    whole_number,
)
from hushgram.queries import Measurement, PartCounts, Vault


@dataclass(frozen=True, kw_only=True)
class DPCube(Mechanism):
    """Joins neighbouring cells with similar counts into boxes, and counts the boxes.

    Use it for tables with three or more axes, and for small ranges and single cells on two axes.

    One part of the budget pays for noisy counts of all cells, on any number of axes. A kd-tree is
    built on them by cutting where the squared error around the means of both sides is smallest. The
    other part pays for the counts of its leaves, whose noise did not influence the cuts: cuts that
    are not worthwhile by both counts together are undone. In a leaf of similar cells, each cell has
    a small share of a single draw of noise.

    Privacy: two `PartCounts` queries; the tree depends only on the first answer, and the choice of
    cuts to undo only on the two answers. On continuous axes, a `Total` query comes first and
    determines the size of the cells. Proof: ``docs/proofs/dpcube.md``.

    Parameters
    ----------
    share
        The share of the budget for the cells: 2/3.
    estimator
        How the cells of a leaf are estimated. ``"even"`` (default) gives them the same value, by
        weighted least squares from the counts of the leaf and of its cells. ``"uniform"`` only uses
        the leaf's count, as the paper does. ``"least-squares"`` lets them differ, so that nothing
        is smoothed away and every cell keeps the noise of its first count. All state errors as if
        the leaves had been given.
    stop
        When to stop cutting. ``"gain"`` (default) keeps a cut if it and those below it reduce the
        squared error by more than their leaves cost, see `leaf_costs`. ``"variance"`` is the
        paper's rule: cut every box with a variance above ξ₀.
    xi
        The paper's ξ₀ for ``stop="variance"``. By default twice the variance of the noise.
    axis
        The axis to cut. ``"best"`` (default) is the best over all axes, as in the paper's
        Algorithm 3; ``"longest"`` is the longest side, as in its text.
    levels
        The number of levels of the tree to count: 1 (default) is its leaves. With more, the paper's
        "whole kd-tree", boxes with several leaves are counted, too. Each level gets an equal part
        of the budget, and least squares makes them consistent: for large ranges. Needs
        ``estimator="uniform"`` or ``"least-squares"``.
    total_share
        The share of the budget for the number of rows: 2 %, for continuous axes only.
    constant
        The number of rows, in units of the noise, to aim for in a cell of a continuous axis: 10, as
        for `uniform-grid`.

    References
    ----------
    Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through
    multidimensional partitioning*, Transactions on Data Privacy 2014. Breiman, Friedman, Olshen &
    Stone, *Classification and regression trees*, 1984.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> counts = np.zeros((64, 64), dtype=int)
    >>> counts[10:20, 30:50] = 100
    >>> release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="dpcube")
    >>> leaves, cells = release.estimate.measurements
    >>> leaves.partition.size < 400, cells.partition.size
    (True, 4096)
    """

    name: ClassVar[str] = "dpcube"
    proof: ClassVar[str] = "dpcube"

    share: Fraction = Fraction(2, 3)
    estimator: str = "even"
    stop: str = "gain"
    xi: float | None = None
    axis: str = "best"
    levels: int = 1
    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(self, **{name: one_of(*choices) for name, choices in CHOICES.items()})
        check_parameters(self, share=positive_share, xi=optional(number_from_zero))
        check_parameters(self, total_share=positive_share, constant=positive_number)
        check_parameters(self, levels=whole_number(1, MAX_LEVELS))
        if self.levels > 1 and self.estimator == "even":
            raise BadInput(
                'dpcube with levels above 1 needs estimator="uniform" or "least-squares". '
                'Found "even".'
            )

    def check(self, domain: Domain) -> None:
        cells_for(domain, 0.0)

    def estimate(self, vault: Vault) -> Estimate:
        cells = vault.ask(PartCounts(self._cells(vault), self.share * vault.remaining))
        if self.levels > 1:
            return self._from_levels(vault, cells)
        leaves = vault.ask(PartCounts(self._leaves(cells), vault.remaining))
        measured = [leaves] if self.estimator == "uniform" else [leaves, cells]
        if self.estimator == "least-squares":
            inference: Tree | EvenLeaves = Tree.of(measured)
        else:
            inference = EvenLeaves.of(measured, self._without_weak_cuts(leaves, cells))
        grid = cells.partition
        assert isinstance(grid, Grid)
        return Estimate.infer(grid, measured, inference)

    def _from_levels(self, vault: Vault, cells: Measurement) -> Estimate:
        """The estimate from several levels of the tree and, with least squares, from the cells."""
        from hushgram.mechanisms.inference.truncation import nested_boxes

        boxes = nested_boxes(self._leaves(cells), self.levels)
        price = vault.remaining / len(boxes)
        measured = [vault.ask(PartCounts(level, price)) for level in boxes]
        if self.estimator == "uniform":
            return Estimate.infer(boxes[-1], measured, Tree.of(measured))
        grid = cells.partition
        assert isinstance(grid, Grid)
        return Estimate.infer(grid, [*measured, cells], Tree.of([*measured, cells]))

    def _cells(self, vault: Vault) -> Grid:
        """The declared cells, with slices of continuous axes chosen by a noisy number of rows."""
        if not vault.domain.continuous:
            return Grid.of_cells(vault.domain)
        rows = noisy_rows(vault, self.total_share)
        return cells_for(vault.domain, rows.signal_to_noise / self.constant)

    def _leaves(self, noisy: Measurement) -> Boxes:
        """Boxes of similar noisy counts."""
        from hushgram.mechanisms.inference.kdtree import pruned_tree, threshold_tree

        grid = noisy.partition
        assert isinstance(grid, Grid)
        counts, longest = noisy.values.reshape(grid.shape), self.axis == "longest"
        if self.stop == "gain":
            costs = leaf_costs(grid, FIRST_COST * noisy.variance)
            tree = pruned_tree(counts, *costs, longest=longest)
        else:
            limit = 2 * noisy.variance if self.xi is None else self.xi
            tree = threshold_tree(counts, limit, longest=longest)
        return Boxes(Raster(grid.domain, grid.slices), *tree)

    def _without_weak_cuts(self, leaves: Measurement, cells: Measurement) -> Boxes:
        """The leaves after undoing the cuts that are not worthwhile by both counts together."""
        from hushgram.mechanisms.inference.kdtree import prune_again

        boxes, grid = leaves.partition, cells.partition
        assert isinstance(boxes, Boxes)
        assert isinstance(grid, Grid)
        if self.stop != "gain":
            return boxes
        even = EvenLeaves.of([leaves, cells])
        known = even.sizes, even.values([leaves, cells]), 1 / even.spreads
        tree = prune_again((boxes.axes, boxes.cuts), *known, *leaf_costs(grid, 1.0))
        return boxes if len(tree[0]) == len(boxes.axes) else Boxes(boxes.raster, *tree)


def leaf_costs(grid: Grid, noise: float) -> tuple[float, float]:
    """The cost of a leaf in two terms: a constant, and one to divide by its number of cells.

    With n cells on d axes and noise of variance σ², a leaf of m cells costs σ² ln n / d, since it
    takes 2 d cuts to separate a box, plus σ² ln² n / (2 m). The latter is about the square of the
    largest Laplace noise in n cells, so that a leaf is not just one cell with much noise.
    """
    log = math.log(max(grid.size, 2))
    return noise * log / len(grid.domain), noise * log**2 / 2


FIRST_COST = 0.75
"""The share of a leaf's cost that its cut must gain by the first counts alone."""

MAX_LEVELS = 32
"""The most levels of a tree that are counted."""

CHOICES = {
    "estimator": ("even", "uniform", "least-squares"),
    "stop": ("gain", "variance"),
    "axis": ("best", "longest"),
}


def cells_for(domain: Domain, ratio: float) -> Grid:
    """The declared cells, with as many slices of continuous axes as `UniformGrid` would choose if
    ``ratio``, N ε / c, were divided equally among the declared cells.

    >>> from hushgram.declare.axis import Integer, Interval
    >>> cells_for(Domain(x=Interval(0, 1), y=Interval(0, 1), day=Integer(1, 7)), 70_000.0).slices
    (100, 100, 7)
    """
    declared = math.prod(axis.size for axis in domain.axes if not axis.continuous)
    if not domain.continuous or declared > MAX_PARTS:
        return Grid.of_cells(domain)
    count = len(domain.continuous)
    side = slices_per_side(ratio / declared, count, MAX_PARTS // declared)
    if any(axis.other for axis in domain.axes if axis.continuous):
        side = max(1, min(side, int((MAX_PARTS // declared) ** (1 / count)) - 1))
    slices = (min(axis.bins, side) if axis.continuous else axis.bins for axis in domain.axes)
    return Grid(domain, tuple(slices))
