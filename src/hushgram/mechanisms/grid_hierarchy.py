"""A uniform grid with coarser grids above it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import even_slices, noisy_rows, slices_per_axis
from hushgram.mechanisms.hierarchical import measure_tree
from hushgram.mechanisms.parameters import (
    check_parameters,
    optional,
    positive_number,
    positive_share,
    whole_number,
)
from hushgram.queries import Vault

MAX_DEPTH = 64
"""The most levels: no axis can be halved more often."""


@dataclass(frozen=True, kw_only=True)
class GridHierarchy(Mechanism):
    """Counts a uniform grid and coarser grids above it, so that large areas consist of few large
    cells (H_{b,d}).

    Use it for maps that are queried for large areas.

    A hierarchy over `uniform-grid`'s cells: each cell of a level consists of b x b cells of the
    next. Each of the ``depth`` levels gets an equal share of the budget; least squares makes them
    consistent. The number of cells is that of `uniform-grid`, rounded down so that every level has
    whole cells.

    Privacy: a small share of the budget pays for a noisy N, which determines the grids unless their
    size is given; the rest pays for the counts of every level. Proof:
    ``docs/proofs/grid-hierarchy.md``.

    Parameters
    ----------
    branching, depth
        The number of slices that form one slice of the level above, and the number of levels: the
        paper's b and d. No other values have less noise than the defaults on the paper's grid of
        360 x 360.
    slices
        Slices per axis of the finest grid, for example the paper's 360. By default `uniform-grid`'s
        rule determines them.
    total_share
        The share of the budget for the number of rows: 2 %, as for `uniform-grid`.
    constant
        The number of rows, in units of the noise, to aim for in a cell: 10, as for `uniform-grid`.

    References
    ----------
    Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> recipe = hg.MECHANISMS["grid-hierarchy"](branching=2, depth=3, slices=360)
    >>> release = hg.publish(hg.Counts(np.ones((720, 720), int)), epsilon=1, mechanism=recipe)
    >>> [m.partition.shape for m in release.estimate.measurements]
    [(90, 90), (180, 180), (360, 360)]
    """

    name: ClassVar[str] = "grid-hierarchy"
    proof: ClassVar[str] = "grid-hierarchy"

    branching: int = 6
    depth: int = 2
    slices: int | None = None
    total_share: Fraction = Fraction(1, 50)
    constant: float = 10.0

    def __post_init__(self) -> None:
        check_parameters(
            self,
            branching=whole_number(2),
            depth=whole_number(1, MAX_DEPTH),
            slices=optional(whole_number(1)),
            total_share=positive_share,
            constant=positive_number,
        )

    def check(self, domain: Domain) -> None:
        Grid(domain, self._declared_slices(domain) or slices_per_axis(domain, 0.0))

    def estimate(self, vault: Vault) -> Estimate:
        slices = self._declared_slices(vault.domain) or self._slices_for_rows(vault)
        return measure_tree(vault, hierarchy(vault.domain, slices, self.branching, self.depth))

    def _declared_slices(self, domain: Domain) -> tuple[int, ...] | None:
        if self.slices is None:
            return None
        return even_slices(domain, self.slices)

    def _slices_for_rows(self, vault: Vault) -> tuple[int, ...]:
        rows = noisy_rows(vault, self.total_share)
        return slices_per_axis(vault.domain, rows.signal_to_noise / self.constant)


def hierarchy(
    domain: Domain, slices: tuple[int, ...], branching: int, depth: int
) -> tuple[Grid, ...]:
    """The grids of all levels, the coarsest first. ``slices`` limits those of the last.

    >>> from hushgram.declare.axis import Category, Integer, Interval
    >>> mixed = Domain(x=Interval(0, 1), y=Integer(0, 9), sex=Category(("F", "M")))
    >>> [grid.slices for grid in hierarchy(mixed, (100, 10, 2), 3, 4)]
    [(3, 1, 2), (9, 1, 2), (27, 3, 2), (81, 10, 2)]
    """
    sides = [
        axis_sides(most, axis.bins, branching, depth) if axis.ordered else [axis.bins] * depth
        for most, axis in zip(slices, domain.axes, strict=True)
    ]
    return tuple(Grid(domain, level) for level in dict.fromkeys(zip(*sides, strict=True)))


def axis_sides(most: int, bins: int, branching: int, depth: int) -> list[int]:
    """The slices of an axis on each level: each consists of ``branching`` slices of the next. An
    axis without enough slices to join repeats its coarsest level; one with a slice for each bin on
    the last level keeps these."""
    joins = 0
    while joins < depth - 1 and branching ** (joins + 1) <= most:
        joins += 1
    coarsest = most // branching**joins
    sides = [coarsest * branching ** max(0, joins - depth + 1 + level) for level in range(depth)]
    return [*sides[:-1], bins] if most == bins else sides
