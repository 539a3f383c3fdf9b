"""A table that is read once, however much is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit, User
from hushgram.geometry.partition import (
    Boxes,
    Grid,
    Ints,
    Lattice,
    Merged,
    Partition,
    Raster,
    Refined,
)
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.ibis.counting import side
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table

FEW = 1 << 22
"""Cells of a domain that are kept: 32 MB."""


class Remembered:
    """Where a domain has few cells, they are counted in one pass over the table; whatever else
    is asked about that domain is a sum of them. A tree of a dozen levels costs one scan, and so
    does one whose boxes are cut from a raster.

    Domains that will be asked about, ``ahead``, are counted together in the first pass, as far as
    they have few cells together; so are the boxes inside them.
    """

    def __init__(self, table: Table, ahead: Iterable[Domain] = ()) -> None:
        self._table = table
        self._ahead = few_together(ahead)
        self._cells: dict[Domain, Ints] = {}
        self._occupied: dict[Raster, Occupied] = {}
        self._placed: dict[Raster, RowPlaces | None] = {}

    @property
    def reading(self) -> tuple[object, ...]:
        found: tuple[object, ...] = getattr(self._table, "reading", ())
        return found

    def check(self, domain: Domain, unit: Unit) -> None:
        self._table.check(domain, unit)

    def bound_to(self, domain: Domain, unit: Unit) -> Remembered:
        """What is remembered of all rows stays so; of some rows of each person, it is forgotten
        with them."""
        bound = self._table.bound_to(domain, unit)
        return Remembered(bound, self._ahead) if isinstance(unit, User) else self

    def empty(self) -> Remembered:
        return Remembered(self._table.empty(), self._ahead)

    def loses_rows(self, domain: Domain) -> bool:
        return self._table.loses_rows(domain)

    def count(self, partition: Partition) -> Ints:
        if isinstance(partition, Merged):
            return partition.sums(self.count(partition.grid))
        if isinstance(partition, Boxes):
            return self._count_boxes(partition)
        if partition.domain.cells > FEW or not isinstance(partition, Lattice | Refined):
            return self._table.count(partition)
        return partition.sums(self._cells_of(partition.domain))

    def _count_boxes(self, boxes: Boxes) -> Ints:
        placed = self._placed.get(boxes.raster)
        found = placed.sums(boxes) if placed else None
        return self.occupied(boxes.raster).sums(boxes) if found is None else found

    def _cells_of(self, domain: Domain) -> Ints:
        for whole in self._ahead:
            place = place_in(whole, domain)
            if place is not None:
                return self._foreseen[whole].reshape(whole.shape)[place].reshape(-1)
        if domain not in self._cells:
            self._cells = {domain: self._table.count(Grid.of_cells(domain))}
        return self._cells[domain]

    @cached_property
    def _foreseen(self) -> dict[Domain, Ints]:
        grids = [Grid.of_cells(domain) for domain in self._ahead]
        if isinstance(self._table, ArrowTable):
            counts = self._table.count_together(grids)
        else:
            counts = [self._table.count(grid) for grid in grids]
        return dict(zip(self._ahead, counts, strict=True))

    def halved(self, raster: Raster) -> Occupied | RowPlaces:
        """The occupied cells or, where that is less, the places of all rows in the tree of halves,
        from which its boxes are counted as well."""
        if raster not in self._placed and math.prod(raster.shape) > FEW:
            placed = self._table.placed(raster) if isinstance(self._table, ArrowTable) else None
            self._placed = {raster: placed}
        return self._placed.get(raster) or self.occupied(raster)

    def forget(self) -> None:
        """Let go of rows and places: nobody asks any more, unless others were foreseen."""
        if not self._ahead:
            self._placed = {}
            if isinstance(self._table, ArrowTable):
                self._table.forget()

    def occupied(self, raster: Raster) -> Occupied:
        if raster not in self._occupied:
            self._occupied = {raster: self._look(raster)}
        return self._occupied[raster]

    def _look(self, raster: Raster) -> Occupied:
        """Few cells are counted, which is faster than sorting the rows by their cells."""
        if math.prod(raster.shape) > FEW:
            return self._table.occupied(raster)
        return Occupied.among(raster, self.count(Grid(raster.domain, raster.slices)))


def few_together(domains: Iterable[Domain]) -> list[Domain]:
    """The domains whose cells can all be kept, in order and each once."""
    found: list[Domain] = []
    for domain in dict.fromkeys(domains):
        if sum(kept.cells for kept in found) + domain.cells <= FEW:
            found.append(domain)
    return found


def place_in(whole: Domain, box: Domain) -> tuple[slice, ...] | None:
    """Where a box lies in a domain that it is cut from; None if it is not.

    >>> from hushgram.declare.axis import Integer
    >>> whole = Domain(x=Integer(0, 9), y=Integer(0, 3))
    >>> place_in(whole, whole.box([(2, 5), (0, 4)]))
    (slice(2, 5, None), slice(0, 4, None))
    """
    if box.names != whole.names:
        return None
    found = []
    for outer, inner in zip(whole.axes, box.axes, strict=True):
        axis, first, last = side(outer)
        same, start, stop = side(inner)
        if same != axis or not first <= start < stop <= last:
            return None
        found.append(slice(start - first, stop - first))
    return tuple(found)
