"""The common parts of all kd-trees: levels of boxes, each cut into four boxes of the next level.

A box is cut in two along an axis, and its halves along the next one: a level has four times as many
boxes as the one above it, in any number of dimensions. Axes take turns, and an axis on which a box
has only a single slice is skipped. "Other" slices are cut off first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Ints, Raster
from hushgram.geometry.partition.arranged import PackedCells
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import noisy_rows
from hushgram.mechanisms.inference.tree import reconcile
from hushgram.mechanisms.parameters import check_parameters, optional, positive_share, whole_number
from hushgram.mechanisms.privtree import raster_for
from hushgram.queries import Measurement, Medians, PartCounts, Vault

Cut = Callable[[Boxes, Ints], Boxes]
"""Cuts every box with an axis other than -1 along this axis."""

CONSTANT = 0.6
"""Rows per box, in units of the noise, at which a tree of uniform boxes would stop."""

MAX_HEIGHT = 10
"""The most levels below the root: a million boxes."""


@dataclass(frozen=True, kw_only=True)
class KDTree(Mechanism):
    """A tree of boxes with privately chosen cuts. Subclasses document the parameters and set their
    defaults."""

    proof: ClassVar[str] = "kd"

    height: int | None = None
    share: Fraction
    prune: int = 0
    total_share: Fraction = Fraction(1, 50)

    def __post_init__(self) -> None:
        check_parameters(self, height=optional(whole_number(0, MAX_HEIGHT)), prune=whole_number(0))
        check_parameters(self, share=positive_share, total_share=positive_share)

    def check(self, domain: Domain) -> None:
        separate_other(fine_raster(domain))

    def levels(self, vault: Vault) -> int:
        """The height, by default chosen by a noisy number of rows."""
        if self.height is not None:
            return self.height
        return levels_for(noisy_rows(vault, self.total_share).signal_to_noise, vault.domain)


def separate_other(raster: Raster) -> Boxes:
    """The raster with "other" slices cut off: a box for each combination.

    >>> from hushgram.declare.axis import Category, Interval
    >>> sex = Category(["F", "M"], outside="other")
    >>> domain = Domain(x=Interval(0, 1, outside="other"), sex=sex)
    >>> separate_other(Raster(domain, (16, 2))).corners[0].tolist()
    [[0, 0], [0, 2], [16, 0], [16, 2]]
    """
    boxes = Boxes.whole(raster)
    for axis, slices in enumerate(raster.slices):
        if raster.domain.axes[axis].other:
            boxes = boxes.cut(np.full(boxes.size, axis), np.full(boxes.size, slices))
    return boxes


def fine_raster(domain: Domain) -> Raster:
    """The raster whose cuts are the possible medians: the cells, or 65,536 slices of an axis."""
    return Raster(domain, raster_for(domain).slices)


def levels_for(rows: float, domain: Domain) -> int:
    """The number of levels for a number of rows in units of the noise: four to this power is the
    number of cells of a uniform grid for them (see `uniform-grid`), with a much smaller constant. A
    tree that adapts to the rows has most of its boxes where the rows are, and is pruned elsewhere.

    >>> from hushgram.declare.axis import Integer, Interval
    >>> plane = Domain(x=Interval(0, 1), y=Interval(0, 1))
    >>> [levels_for(rows, plane) for rows in (-5, 1, 4, 1000, 10**5, 10**9)]
    [0, 0, 1, 5, 8, 10]
    >>> levels_for(10**9, Domain(x=Integer(0, 9)))      # ten cells need at most four levels
    4
    """
    power = 2 * len(domain) / (len(domain) + 2)
    cells = sum(math.log2(axis.bins) for axis in domain.axes)
    boxes = power * math.log2(max(rows / CONSTANT, 1.0))
    return min(MAX_HEIGHT, int(boxes / 2), math.ceil(cells / 2) + 2)


@lru_cache(maxsize=64)
def level_shares(levels: int, axes: int, *, equal: bool = False) -> tuple[Fraction, ...]:
    """The share of each level in the budget for counts: larger for lower levels, or equal.

    The border of a range crosses 4^(1 - 1/d) times as many boxes on each level as on the one above,
    and the total variance is smallest if shares grow by the cube root of that: 2^(1/3) per level
    for two axes, as in the paper.

    >>> [round(float(share), 3) for share in level_shares(2, 2)], sum(level_shares(5, 3))
    ([0.26, 0.327, 0.413], Fraction(1, 1))
    """
    growth = 1.0 if equal else 4 ** ((1 - 1 / axes) / 3)
    weights = [round(growth**level * 2**20) for level in range(levels + 1)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def grow(
    vault: Vault, boxes: Boxes, cuts: Sequence[Cut], prune: int, budget: Fraction | None = None
) -> Estimate:
    """The counts of `measure_levels`, with more budget for lower levels, made consistent by least
    squares. ``budget`` pays for all counts, by default all that remains."""
    budget = vault.remaining if budget is None else budget
    prices = [share * budget for share in level_shares(len(cuts), len(boxes.domain))]
    return reconcile(measure_levels(vault, boxes, cuts, prune, prices))


def measure_levels(
    vault: Vault, boxes: Boxes, cuts: Sequence[Cut], prune: int, prices: Sequence[Fraction]
) -> list[Measurement]:
    """Count the boxes, cut those with enough rows, and so on for every level. If there is nothing
    left to cut, the rest of the budget pays for a second count of the same boxes."""
    measured: list[Measurement] = []
    for level, cut in enumerate(cuts):
        measured.append(vault.ask(PartCounts(boxes, prices[level])))
        chosen = measured[-1].values > max(prune, math.sqrt(measured[-1].variance))
        if not (chosen & divisible(boxes)).any():
            break
        boxes = cut_twice(boxes, chosen, 2 * level, cut)
    measured.append(vault.ask(PartCounts(boxes, vault.remaining)))
    return measured


def cut_twice(boxes: Boxes, chosen: npt.NDArray[np.bool_], turn: int, cut: Cut) -> Boxes:
    """Cut the chosen boxes, and then their halves."""
    for place in (turn, turn + 1):
        axes = next_axes(boxes, chosen, place)
        if (axes >= 0).any():
            boxes = cut(boxes, axes)
            chosen = np.repeat(chosen, np.where(axes >= 0, 2, 1))
    return boxes


def divisible(boxes: Boxes) -> npt.NDArray[np.bool_]:
    """Which boxes have two slices or more on some axis."""
    lower, upper = boxes.corners
    return np.asarray((upper - lower > 1).any(axis=1))


def next_axes(boxes: Boxes, chosen: npt.NDArray[np.bool_], turn: int) -> Ints:
    """For each chosen box, the axis whose turn it is, or the next one that can be cut; else -1.

    >>> from hushgram.declare.axis import Integer
    >>> raster = Raster.of_cells(Domain(x=Integer(0, 4), y=Integer(0, 0), z=Integer(0, 4)))
    >>> [next_axes(Boxes.whole(raster), np.array([True]), turn).tolist() for turn in range(4)]
    [[0], [2], [2], [0]]
    """
    lower, upper = boxes.corners
    count = lower.shape[1]
    order = (np.arange(count) + turn) % count
    wide = (upper - lower > 1)[:, order]
    axes = np.where(wide.any(axis=1), order[np.argmax(wide, axis=1)], -1)
    return np.where(chosen, axes, -1)


def by_medians(vault: Vault, price: Fraction) -> Cut:
    """Cut near the median, chosen privately."""
    return lambda boxes, axes: vault.ask(Medians(boxes, tuple(axes.tolist()), price))


def by_cells(cells: Measurement, raster: Raster) -> Cut:
    """Cut nearest to the median of noisy counts of the raster's cells: post-processing. Counts
    below one standard deviation are treated as noise, which would add up where there are no
    rows."""
    from hushgram.mechanisms.inference.cell_medians import CellMedians

    likely = np.flatnonzero(cells.values > math.sqrt(cells.variance))
    values = cells.values[likely].astype(np.float64)
    return CellMedians(PackedCells.of(raster, likely, values)).cut


def by_midpoints(boxes: Boxes, axes: Ints) -> Boxes:
    """Cut in the middle, regardless of the rows."""
    lower, upper = boxes.corners
    rows = np.arange(len(axes))
    return boxes.cut(axes, (lower[rows, axes] + upper[rows, axes] + 1) // 2)
