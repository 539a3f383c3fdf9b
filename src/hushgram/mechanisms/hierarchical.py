"""A tree of counts over the cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxed, Grid, Lattice
from hushgram.mechanisms.area_levels import area_levels
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import even_slices
from hushgram.mechanisms.inference.tree import reconcile
from hushgram.mechanisms.parameters import check_parameters, whole_number
from hushgram.queries import Measurement, PartCounts, Vault

SHARE_UNITS = 1 << 30
"""The denominator to which irrational shares of a budget are rounded down."""


@dataclass(frozen=True, kw_only=True)
class Hierarchical(Mechanism):
    """Counts every node of a tree over the cells, and makes the counts consistent (H_b).

    Use it for ranges along an axis if you want to choose the tree's branching yourself; `hb`
    chooses it for you.

    A long range consists of a few nodes near the root instead of many noisy cells. Each level gets
    an equal share of the budget. Then least squares finds the cells that fit all levels best, which
    reduces every error and makes parents equal to the sums of their children. If areas are declared
    within larger ones (`Areas`), the larger ones are the nodes.

    Privacy: one `PartCounts` query per level; the levels are fixed by the domain. Proof:
    ``docs/proofs/hierarchical.md``.

    Parameters
    ----------
    branching
        The number of children per node: 2, as in the paper.

    References
    ----------
    Hay, Rastogi, Miklau & Suciu, *Boosting the accuracy of differentially private histograms
    through consistency*, VLDB 2010.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([3, 1, 4, 1, 5]), epsilon=1, mechanism="hierarchical")
    >>> len(release.estimate.measurements)      # 1, 2, 4 and 5 nodes
    4
    """

    name: ClassVar[str] = "hierarchical"
    proof: ClassVar[str] = "hierarchical"

    branching: int = 2

    def __post_init__(self) -> None:
        check_parameters(self, branching=whole_number(2))

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        return measure_tree(vault, tree_levels(vault.domain, self.branching))


@lru_cache(maxsize=64)
def tree_levels(domain: Domain, branching: int) -> tuple[Lattice, ...]:
    """Grids of 1, b, b², … slices per ordered axis, down to the cells; or the larger areas if there
    are any.

    >>> from hushgram.declare.axis import Integer
    >>> [grid.slices for grid in tree_levels(Domain(x=Integer(0, 9), y=Integer(0, 2)), 3)]
    [(1, 1), (3, 3), (9, 3), (10, 3)]
    """
    above = area_levels(domain)
    if above:
        return *above, Grid.of_cells(domain)
    longest = max((axis.bins for axis in domain.axes if axis.ordered), default=1)
    sides = [1]
    while sides[-1] < longest:
        sides.append(sides[-1] * branching)
    return nested_grids(domain, sides)


def nested_grids(domain: Domain, sides: Iterable[int]) -> tuple[Grid, ...]:
    """Grids with these numbers of slices per ordered axis, or one per bin if it has fewer bins.
    Categories keep their cells.

    If each side divides the next, or the next has one slice per bin, each grid refines the one
    before.
    """
    slices = dict.fromkeys(even_slices(domain, side) for side in sides)
    return tuple(Grid(domain, one) for one in slices)


def measure_tree(
    vault: Vault, levels: Sequence[Boxed], weights: Sequence[float] | None = None
) -> Estimate:
    """Count every level, and estimate the parts of the last by least squares.

    The remaining budget is divided in proportion to ``weights``, or equally. Irrational shares are
    rounded down, and the last level gets the rest.
    """
    budget = vault.remaining
    measured: list[Measurement] = []
    for level, share in zip(levels, shares_of(weights or [1.0] * len(levels)), strict=True):
        last = len(measured) == len(levels) - 1
        measured.append(vault.ask(PartCounts(level, vault.remaining if last else share * budget)))
    return reconcile(measured)


def shares_of(weights: Sequence[float]) -> list[Fraction]:
    """The shares of positive weights in their sum: exact if they are equal, else rounded down.

    >>> shares_of([1.0, 1.0, 1.0])[0], shares_of([1.0, 2.0**0.5])[0] < 2**0.5 - 1
    (Fraction(1, 3), True)
    """
    if min(weights) == max(weights):
        return [Fraction(1, len(weights))] * len(weights)
    return [Fraction(int(weight / sum(weights) * SHARE_UNITS), SHARE_UNITS) for weight in weights]
