"""Contrasts: signed sums of neighbouring cells, the rows of a wavelet transform. Public, integers.

A row of an axis is an interval of its indices with a middle: the sum before the middle minus the
sum after it. With several axes, a contrast is a product of rows, one per axis: the sum of all
cells, each with the product of its signs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import MAX_PARTS, Grid, Ints, Measurable
from hushgram.geometry.partition.base import too_many


class ContrastRows(NamedTuple):
    """Row j is the sum over ``[starts[j], middles[j])`` minus that over ``[middles[j], stops[j])``:
    a plain sum if the middle equals the stop."""

    starts: Ints
    middles: Ints
    stops: Ints


@dataclass(frozen=True)
class Contrasts(Measurable):
    """The rows of every axis, chosen by name. Together they determine the count of every cell.

    >>> from hushgram.declare.axis import Category, Integer
    >>> Contrasts.wavelets(Domain(x=Integer(0, 3), sex=Category(["F", "M"]))).kinds
    ('haar', 'identity')
    >>> Contrasts.wavelets(Domain(x=Integer(0, 2))).sums(np.array([5, 2, 4])).tolist()
    [11, 3, 3]
    """

    kind = "contrasts"
    domain: Domain
    kinds: tuple[str, ...]
    """For each axis one of `KINDS`: ``"identity"``, ``"haar"`` or ``"flat"``."""

    def __post_init__(self) -> None:
        if len(self.kinds) != len(self.domain):
            raise DomainError(
                f"{len(self.domain)} axes need {len(self.domain)} kinds of rows. Found "
                f"{len(self.kinds)}."
            )
        for kind in self.kinds:
            if kind not in KINDS:
                raise DomainError(f"Unknown kind of rows {kind!r}. Use {', '.join(KINDS)}.")
        Grid.of_cells(self.domain)
        if self.size > MAX_PARTS:
            raise DomainError(too_many(self.size))

    @classmethod
    def wavelets(cls, domain: Domain) -> Contrasts:
        """Haar wavelets along the axes that have an order."""
        return cls(domain, tuple("haar" if axis.ordered else "identity" for axis in domain.axes))

    @classmethod
    def long_wavelets(cls, domain: Domain) -> Contrasts:
        """Haar wavelets along ordered axes and flat rows along the others, but only on axes so long
        that the noise of single cells would add up to more (see `kind_for`).

        >>> from hushgram.declare.axis import Category, Integer
        >>> Contrasts.long_wavelets(Domain(x=Integer(0, 4095), sex=Category(["F", "M"]))).kinds
        ('haar', 'identity')
        """
        return cls(domain, tuple(kind_for(axis.bins, axis.ordered) for axis in domain.axes))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows per axis; contrasts are numbered in row-major order."""
        sizes = zip(self.kinds, self.domain.shape, strict=True)
        return tuple(size + (kind == "flat") for kind, size in sizes)

    def rows(self, axis: int) -> ContrastRows:
        """The rows of an axis; an "other" index has a row of its own, the last."""
        cut = self.domain.axes[axis]
        rows = KINDS[self.kinds[axis]](cut.bins)
        ends = (cut.bins, cut.size, cut.size)
        return ContrastRows(*map(np.append, rows, ends)) if cut.other else rows

    def sums(self, cells: Ints) -> Ints:
        """The contrasts of the cells' counts, in integers: O(cells x axes).

        No contrast exceeds the sum of all counts. If that is less than 2^63, the result is exact
        even if an intermediate step wrapped around, because all sums are taken modulo 2^64.
        """
        found = cells.reshape(self.domain.shape)
        for axis in range(found.ndim):
            found = signed_sums(found, self.rows(axis), axis)
        return found.reshape(-1)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "rows": list(self.kinds)}

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> Contrasts:
        return cls(domain, tuple(data["rows"]))


def signed_sums(values: Ints, rows: ContrastRows, axis: int) -> Ints:
    """The signed sum of every row along one axis, from prefix sums."""
    nothing = np.zeros_like(values.take([0], axis))
    before = np.concatenate([nothing, np.cumsum(values, axis)], axis)
    starts, middles, stops = (before.take(ends, axis) for ends in rows)
    return np.asarray(2 * middles - starts - stops)


def identity(cells: int) -> ContrastRows:
    """Every cell separately.

    >>> [ends.tolist() for ends in identity(2)]
    [[0, 1], [1, 2], [1, 2]]
    """
    places = np.arange(cells, dtype=np.int64)
    return ContrastRows(places, places + 1, places + 1)


def haar(cells: int) -> ContrastRows:
    """The total, then for each inner node of a balanced binary tree left minus right.

    Nodes come level by level, so those of level k start at row 2^k. Each cell is in the total and
    in one row per level: in at most ``1 + levels(cells)`` rows.

    >>> [ends.tolist() for ends in haar(3)]         # cells 0 to 2, the halves 0-1 and 2, 0 and 1
    [[0, 0, 0], [3, 2, 1], [3, 3, 2]]
    """
    found = [ContrastRows(*(np.array([end], dtype=np.int64) for end in (0, cells, cells)))]
    for level in range(levels(cells)):
        halves = nodes(cells, level + 1)
        starts, middles, stops = halves[:-1:2], halves[1::2], halves[2::2]
        inner = stops - starts > 1
        found.append(ContrastRows(starts[inner], middles[inner], stops[inner]))
    return ContrastRows(*map(np.concatenate, zip(*found, strict=True)))


def flat(cells: int) -> ContrastRows:
    """The total, then every cell separately: one more row than cells.

    >>> [ends.tolist() for ends in flat(2)]
    [[0, 0, 1], [2, 1, 2], [2, 1, 2]]
    """
    ends = zip((0, cells, cells), identity(cells), strict=True)
    return ContrastRows(*(np.append(first, rest) for first, rest in ends))


def kind_for(cells: int, ordered: bool) -> str:
    """The kind of rows with the smallest bound on the variance of a sum, in units of the variance
    of one noisy count (Xiao, Wang & Gehrke 2011, Section VI).

    The bound is n for n separate cells, and (1 + k)² (2 + k) / 2 for wavelets of depth k: 726 cells
    are better kept separate, 727 are not. A flat hierarchy of unordered values has 16, for one
    value and for all of them: with more than 16 values, one value has at most four times the
    variance of a separate cell, and all together have less than a quarter of that of n cells.

    >>> kind_for(726, True), kind_for(727, True), kind_for(16, False), kind_for(17, False)
    ('identity', 'haar', 'identity', 'flat')
    """
    depth = levels(cells)
    bound = (1 + depth) ** 2 * (2 + depth) / 2 if ordered else 16
    if cells <= bound:
        return "identity"
    return "haar" if ordered else "flat"


def levels(cells: int) -> int:
    """How many times the cells must be halved until each is separate.

    >>> [levels(n) for n in (1, 2, 3, 4, 5)]
    [0, 1, 2, 2, 3]
    """
    return (cells - 1).bit_length()


def nodes(cells: int, level: int) -> Ints:
    """Where the nodes of a level start, node i at ``ceil(i * cells / 2^level)``, and the end.

    Widths of a level's nodes differ by at most one, so all leaves are on the last two levels.
    """
    return -((np.arange(2**level + 1, dtype=np.int64) * -cells) >> level)


KINDS = {"haar": haar, "identity": identity, "flat": flat}
