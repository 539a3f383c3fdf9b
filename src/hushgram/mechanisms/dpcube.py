"""Boxes of similar counts, found by a first look at all cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import MAX_PARTS, Boxes, Grid, Raster
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.deserved import noisy_rows, side_for
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.parameters import (
    checked,
    number_from_zero,
    one_of,
    optional,
    positive_number,
    positive_share,
)
from hushgram.queries import Counts, Measurement, Vault


@dataclass(frozen=True, kw_only=True)
class DPCube(Mechanism):
    """Count all cells, cut them into boxes of similar noisy counts, and count the boxes.

    One part of the budget buys noisy counts of all cells, of any number of axes. A kd-tree is cut
    through them, each time where the squared error around the means of both sides is least. The
    other part buys the counts of its leaves. Noise that chose a cut is not in these: cuts that do
    not pay by both looks together are undone, and what was one leaf is one again. Small ranges
    profit the most: in a leaf whose cells are alike, a cell has a small share of one draw of noise.

    Privacy: two `Counts` queries; the tree depends on the first answer alone, and which of its cuts
    are undone on the two answers. On continuous axes a `Total` query comes before them and decides
    how fine the cells are.

    Parameters
    ----------
    share
        The share of the budget for the cells: 2/3. On five of DPBench's arrays of 256 x 256 cells
        the errors of ranges at ε = 1 are 5.6, 6.2 and 7.0e-6 for 1/2, 2/3 and 3/4 (identity:
        2.5e-5), and 3.0, 3.6 and 4.6e-4 at ε = 0.01 (identity: 2.6e-3); but those of small boxes
        on Adult are a tenth larger for 1/2. These arrays, and Adult, are also those on which this
        share and the costs below were chosen.
    estimator
        ``"even"`` (default) gives all cells of a leaf one value, by weighted least squares from the
        counts of the leaf and of its cells. ``"uniform"`` takes the leaf's count alone, as the
        paper does. ``"least-squares"`` lets cells of a leaf differ, so that nothing is smoothed
        away, but every cell keeps the noise of its first count, more than `Identity` would give
        it: it cannot be better for small ranges. At ε = 1 the three have 6.2, 7.2 and 17e-6. All
        state errors as if the leaves had been given: without what is smoothed away, and without
        what choosing them by the noise adds.
    stop
        ``"gain"`` (default) keeps a cut if it and those below it lower the squared error by more
        than their leaves cost. In n cells of d axes with noise of variance σ², a leaf of m cells
        costs σ² ln n / d, since a box takes 2 d cuts to be set apart, and σ² ln² n / (2 m), which
        is about the square of the largest Laplace noise in n cells, so that a leaf is not one cell
        with much noise. By the first look three quarters of that will do, so that what it nearly
        found gets a second one; then the whole cost is due, with the counts of both looks, each
        square over its variance. Less than three quarters finds more small clusters, but divides
        the second look among more leaves, so that large ranges err more. With the whole cost due at
        once, for good, errors on DPBench's arrays are larger by a sixth, on Adult by a tenth.
        ``"variance"`` is the paper's rule: cut every box with a variance above ξ₀, and leave it at
        that. It does not see a spike in a large box: 6.5e-5 at ε = 1.
    xi
        The paper's ξ₀; twice the variance of the noise if None.
    axis
        ``"best"`` (default) cuts where it is best over all axes, the paper's Algorithm 3;
        ``"longest"`` cuts the longest side, as its text says: 5.4e-6 at ε = 1, hardly a difference.
    total_share, constant
        For continuous axes: the share of the budget that buys the number of rows, and the constant
        of the rule for the number of slices, as in `UniformGrid`.

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
    intervals: ClassVar[str] = "approximate"
    because: ClassVar[str] = (
        "The cells of a leaf share one value, and the leaves were chosen by the noise that "
        "is averaged in them."
    )

    share: Fraction = Fraction(2, 3)
    estimator: str = "even"
    stop: str = "gain"
    xi: float | None = None
    axis: str = "best"
    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        checked(self, **{name: one_of(*known) for name, known in KNOWN.items()})
        checked(self, share=positive_share, xi=optional(number_from_zero))
        checked(self, total_share=positive_share, constant=positive_number)

    def check(self, domain: Domain) -> None:
        cells_for(domain, 0.0)

    def estimate(self, vault: Vault) -> Estimate:
        cells = vault.ask(Counts(self._cells(vault), self.share * vault.remaining))
        leaves = vault.ask(Counts(self._leaves(cells), vault.remaining))
        measured = [leaves] if self.estimator == "uniform" else [leaves, cells]
        if self.estimator == "least-squares":
            inference: Tree | EvenLeaves = Tree.of(measured)
        else:
            inference = EvenLeaves.of(measured, self._backed(leaves, cells))
        grid = cells.partition
        assert isinstance(grid, Grid)
        return Estimate.infer(grid, measured, inference)

    def _cells(self, vault: Vault) -> Grid:
        """The declared cells; on continuous axes, slices for a noisy number of rows."""
        if not vault.domain.continuous:
            return Grid.of_cells(vault.domain)
        rows = noisy_rows(vault, self.total_share)
        return cells_for(vault.domain, rows.worth / self.constant)

    def _leaves(self, noisy: Measurement) -> Boxes:
        """Boxes of similar noisy counts."""
        from hushgram.mechanisms.inference.kdtree import even_tree, worthy_tree

        grid = noisy.partition
        assert isinstance(grid, Grid)
        counts, longest = noisy.values.reshape(grid.shape), self.axis == "longest"
        if self.stop == "gain":
            costs = leaf_costs(grid, FIRST * noisy.variance)
            tree = worthy_tree(counts, *costs, longest=longest)
        else:
            limit = 2 * noisy.variance if self.xi is None else self.xi
            tree = even_tree(counts, limit, longest=longest)
        return Boxes(Raster(grid.domain, grid.slices), *tree)

    def _backed(self, leaves: Measurement, cells: Measurement) -> Boxes:
        """The leaves, less the cuts that do not pay by both looks together."""
        from hushgram.mechanisms.inference.kdtree import backed_tree

        boxes, grid = leaves.partition, cells.partition
        assert isinstance(boxes, Boxes)
        assert isinstance(grid, Grid)
        if self.stop != "gain":
            return boxes
        even = EvenLeaves.of([leaves, cells])
        known = even.sizes, even.values([leaves, cells]), 1 / even.spreads
        tree = backed_tree((boxes.axes, boxes.cuts), *known, *leaf_costs(grid, 1.0))
        return boxes if len(tree[0]) == len(boxes.axes) else Boxes(boxes.raster, *tree)


def leaf_costs(grid: Grid, noise: float) -> tuple[float, float]:
    """What a leaf costs, and what is to be divided by its number of cells and added."""
    log = math.log(max(grid.size, 2))
    return noise * log / len(grid.domain), noise * log**2 / 2


FIRST = 0.75
"""The part of a leaf's cost that it has to gain by the first look alone."""

KNOWN = {
    "estimator": ("even", "uniform", "least-squares"),
    "stop": ("gain", "variance"),
    "axis": ("best", "longest"),
}


def cells_for(domain: Domain, deserved: float) -> Grid:
    """The declared cells, and on continuous axes as many slices as `UniformGrid` would give each
    of them, where ``deserved`` is N ε / c and declared cells share it equally.

    >>> from hushgram.declare.axis import Integer, Interval
    >>> cells_for(Domain(x=Interval(0, 1), y=Interval(0, 1), day=Integer(1, 7)), 70_000.0).slices
    (100, 100, 7)
    """
    declared = math.prod(axis.size for axis in domain.axes if not axis.continuous)
    if not domain.continuous or declared > MAX_PARTS:
        return Grid.of_cells(domain)
    count = len(domain.continuous)
    side = side_for(deserved / declared, count, MAX_PARTS // declared)
    if any(axis.other for axis in domain.axes if axis.continuous):
        side = max(1, min(side, int((MAX_PARTS // declared) ** (1 / count)) - 1))
    slices = (min(axis.bins, side) if axis.continuous else axis.bins for axis in domain.axes)
    return Grid(domain, tuple(slices))
