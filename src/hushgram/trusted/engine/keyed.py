"""The rows under one value of a key, as a table of their own."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from hushgram.declare.axis import Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Merged, Partition, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table


class Keyed:
    """A table of the domain without the key: each question becomes one about a box of the whole.

    The key has one index in the box, so that parts and cells have the same numbers in both.
    """

    def __init__(self, table: Table, whole: Domain, key: str, index: int) -> None:
        self._table = table
        self._place = whole.names.index(key)
        self._key = key, Window(whole[key], index, index + 1)

    def check(self, domain: Domain, unit: Unit) -> None:
        """Nothing: the whole domain was checked."""

    def bound_to(self, domain: Domain, unit: Unit) -> Keyed:
        """Itself: the table is bound to the whole domain. Inside a box of it, a user's rows would
        be chosen under every key anew."""
        return self

    def empty(self) -> Keyed:
        without = copy.copy(self)
        without._table = self._table.empty()
        return without

    def loses_rows(self, domain: Domain) -> bool:
        """Rows under other values are not here."""
        return True

    def count(self, partition: Partition) -> Ints:
        if isinstance(partition, Merged):
            return partition.sums(self.count(partition.grid))
        if isinstance(partition, Cuts):
            return partition.sums(self.count(Grid.of_cells(partition.domain)))
        if isinstance(partition, Boxes):
            return self.occupied(partition.raster).sums(partition)
        if isinstance(partition, Refined):
            sizes = np.insert(partition.sizes, self._place, 1, axis=1)
            return self._table.count(Refined(self._grid(partition.grid), sizes))
        if isinstance(partition, Grid):
            return self._table.count(self._grid(partition))
        raise TypeError(f"no table counts a {type(partition).__name__}")

    def occupied(self, raster: Raster) -> Occupied:
        boxed = Raster(self._box(raster.domain), self._slices(raster))
        return replace(self._table.occupied(boxed), raster=raster)

    def _grid(self, grid: Grid) -> Grid:
        return Grid(self._box(grid.domain), self._slices(grid))

    def _slices(self, raster: Raster) -> tuple[int, ...]:
        return (*raster.slices[: self._place], 1, *raster.slices[self._place :])

    def _box(self, domain: Domain) -> Domain:
        axes = list(domain.items())
        return Domain(dict([*axes[: self._place], self._key, *axes[self._place :]]))
