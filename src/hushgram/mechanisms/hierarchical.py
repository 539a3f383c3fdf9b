"""A tree of counts over the cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.estimate import Estimate, Measurement
from hushgram.inference.tree import Tree
from hushgram.mechanisms.base import Mechanism
from hushgram.partition import Boxed, Grid
from hushgram.queries import Counts, Vault


@dataclass(frozen=True, kw_only=True)
class Hierarchical(Mechanism):
    """Count every node of a tree over the cells, then make the counts consistent (H_b).

    A long range is a few nodes near the root instead of many noisy cells. Each level gets an equal
    share of the budget; afterwards least squares finds the cells that fit all levels best, which
    lowers every error and makes parents equal to the sums of their children.

    Privacy: one `Counts` query per level; the levels are fixed by the domain.

    Parameters
    ----------
    branching
        Children per node. 2, as in the paper; see `hb` for the best one.

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
        if not isinstance(self.branching, int) or self.branching < 2:
            raise BadInput(f"a tree branches in two or more, not in {self.branching!r}.")

    def check(self, domain: Domain) -> None:
        Grid.of_cells(domain)

    def estimate(self, vault: Vault) -> Estimate:
        return measure_tree(vault, tree_levels(vault.domain, self.branching))


@lru_cache(maxsize=64)
def tree_levels(domain: Domain, branching: int) -> tuple[Grid, ...]:
    """Grids of 1, b, b², … slices per ordered axis, down to the cells.

    Coarser cuts are cuts of the finer grids too, so the cells of one lie in those of the other.

    >>> from hushgram.axis import Integer
    >>> [grid.slices for grid in tree_levels(Domain(x=Integer(0, 9), y=Integer(0, 2)), 3)]
    [(1, 1), (3, 3), (9, 3), (10, 3)]
    """
    cells = tuple(axis.bins for axis in domain.axes)
    levels, side = [], 1
    while True:
        slices = tuple(min(side, axis.bins) if axis.ordered else axis.bins for axis in domain.axes)
        levels.append(Grid(domain, slices))
        if slices == cells:
            return tuple(levels)
        side *= branching


def measure_tree(vault: Vault, levels: Sequence[Boxed]) -> Estimate:
    """Ask for every level, with equal shares of what remains, and fit the parts of the last."""
    share = vault.remaining / len(levels)
    measured: list[Measurement] = []
    for level in levels[:-1]:
        measured.append(vault.ask(Counts(level, share)))
    measured.append(vault.ask(Counts(levels[-1], vault.remaining)))
    return Estimate.infer(levels[-1], measured, Tree.of(measured))
