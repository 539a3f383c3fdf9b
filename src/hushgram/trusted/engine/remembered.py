"""A table that is read once, however much is asked."""

from __future__ import annotations

import math

from hushgram.domain import Domain
from hushgram.partition import Boxes, Grid, Ints, Lattice, Merged, Partition, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.unit import Unit

FEW = 1 << 22
"""Cells of a domain that are kept: 32 MB."""


class Remembered:
    """Where a domain has few cells, they are counted in one pass over the table; whatever else
    is asked about that domain is a sum of them. A tree of a dozen levels costs one scan, and so
    does one whose boxes are cut from a raster.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cells: dict[Domain, Ints] = {}
        self._occupied: dict[Raster, Occupied] = {}

    def check(self, domain: Domain, unit: Unit) -> None:
        self._table.check(domain, unit)

    def loses_rows(self, domain: Domain) -> bool:
        return self._table.loses_rows(domain)

    def count(self, partition: Partition) -> Ints:
        if isinstance(partition, Merged):
            return partition.sums(self.count(partition.grid))
        if isinstance(partition, Boxes):
            return self.occupied(partition.raster).sums(partition)
        if partition.domain.cells > FEW or not isinstance(partition, Lattice | Refined):
            return self._table.count(partition)
        if partition.domain not in self._cells:
            self._cells = {partition.domain: self._table.count(Grid.of_cells(partition.domain))}
        return partition.sums(self._cells[partition.domain])

    def occupied(self, raster: Raster) -> Occupied:
        if raster not in self._occupied:
            self._occupied = {raster: self._look(raster)}
        return self._occupied[raster]

    def _look(self, raster: Raster) -> Occupied:
        """Few cells are counted, which is faster than sorting the rows by their cells."""
        if math.prod(raster.shape) > FEW:
            return self._table.occupied(raster)
        return Occupied.among(raster, self.count(Grid(raster.domain, raster.slices)))
