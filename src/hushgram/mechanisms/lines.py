"""Lines on a map: values of an axis that very many rows share, most often zero.

Repeated halving divides such a line into many boxes, each of which also contains empty cells next
to it. Cutting the whole map on both sides of the line separates the two.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Grid
from hushgram.mechanisms.grid_sizing import NoisyRows
from hushgram.queries import PartCounts, Vault

PRICE = 50
"""Rows times the ε that the slices of both axes are counted with."""

ENOUGH_ROWS = 1000
"""Rows times ε from which on this is worth its price, a twentieth of the budget or less."""

FULL = 0.25
"""The share of all rows that makes a slice a line."""

CHANCE = 1 / 40
"""The probability, at most, that noise alone makes some slice of an axis look like a line."""

NARROWEST = 32
"""Slices of an axis above which a line is thin."""


def find_lines(vault: Vault, rows: NoisyRows) -> list[list[int]]:
    """The slices of each axis that are lines, by noisy counts of all slices of the two axes that
    have an order. Nothing is spent where lines would not matter."""
    domain = vault.domain
    ordered = [place for place, axis in enumerate(domain.axes) if axis.ordered]
    lines: list[list[int]] = [[] for _ in domain.axes]
    if len(ordered) != 2 or rows.signal_to_noise < ENOUGH_ROWS or not may_have_lines(domain):
        return lines
    price = vault.epsilon * Fraction(PRICE, int(rows.signal_to_noise)) / 2
    for place in ordered:
        bins = tuple(axis.bins if k == place else 1 for k, axis in enumerate(domain.axes))
        slices = Grid(domain, bins)
        counts = vault.ask(PartCounts(slices, price))
        others = tuple(k for k in range(len(domain)) if k != place)
        along = counts.values.reshape(slices.shape).astype(np.float64).sum(axis=others)
        by_chance = math.sqrt(counts.variance / 2) * math.log(slices.size / CHANCE / 2)
        full = max(FULL * rows.number, by_chance)
        lines[place] = np.flatnonzero(along[: domain.axes[place].bins] > full).tolist()
    return lines


def may_have_lines(domain: Domain) -> bool:
    """Whether cells are declared, and enough of them that a line is thin."""
    return not domain.continuous and all(
        axis.bins > NARROWEST for axis in domain.axes if axis.ordered
    )


def cut_along(boxes: Boxes, lines: list[list[int]]) -> Boxes:
    """Cut all boxes on both sides of every line.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.geometry.partition import Raster
    >>> raster = Raster.of_cells(Domain(x=Integer(0, 9), y=Integer(0, 9)))
    >>> cut_along(Boxes.whole(raster), [[0], [5]]).boxes()[0].tolist()
    [[0, 0], [0, 5], [0, 6], [1, 0], [1, 5], [1, 6]]
    """
    for place, along in enumerate(lines):
        for cut in sorted({side for line in along for side in (line, line + 1)}):
            lower, upper = (corner[:, place] for corner in boxes.corners)
            is_cut = (lower < cut) & (cut < upper)
            if is_cut.any():
                boxes = boxes.cut(np.where(is_cut, place, -1), np.full(boxes.size, cut))
    return boxes
