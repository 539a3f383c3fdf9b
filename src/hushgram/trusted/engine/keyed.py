"""The rows with one value of a key, as a separate table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table


class Keyed(Table):
    """A table on the domain without the key. Each query becomes one about a box of the whole
    domain.

    The key has a single index in the box, so parts and cells have the same numbers in both.
    """

    def __init__(self, table: Table, whole: Domain, key: str, index: int) -> None:
        self._table = table
        self._arguments = whole, key, index
        self._side = whole.names.index(key), key, Window(whole[key], index, index + 1)

    def check(self, domain: Domain, unit: Unit) -> None:
        """Do nothing: the whole domain was checked."""

    def bound_to(self, domain: Domain, unit: Unit) -> Keyed:
        """Return itself: the table is already bound to the whole domain. Binding the box would
        choose a user's rows again for every key."""
        return self

    def empty(self) -> Keyed:
        return Keyed(self._table.empty(), *self._arguments)

    def loses_rows(self, domain: Domain) -> bool:
        """Return True: rows with other values of the key are not in this table."""
        return True

    def count_grid(self, grid: Grid | Refined) -> Ints:
        return self._table.count_grid(grid.with_axis(*self._side))

    @property
    def rowless(self) -> bool:  # type: ignore[override]
        return self._table.rowless

    @property
    def amounts(self) -> tuple[Amount, ...]:  # type: ignore[override]
        return self._table.amounts

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        return self._table.tally_grid(grid.with_axis(*self._side))

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        place = self._side[0]
        axes = np.where(boxes.axes >= place, boxes.axes + 1, boxes.axes)
        raster = boxes.raster.with_axis(*self._side)
        return self._table.tally_boxes(Boxes(raster, axes, boxes.cuts))

    def occupied_cells(self, raster: Raster) -> Occupied:
        return replace(self._table.occupied_cells(raster.with_axis(*self._side)), raster=raster)
