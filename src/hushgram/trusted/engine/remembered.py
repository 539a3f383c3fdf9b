"""A table that is read only once, whatever the number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit, User
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster, Refined
from hushgram.trusted.engine.compiled.place_tally import PlaceTally
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table

FEW = 1 << 22
"""Cells of a domain that are kept: 32 MB."""


class Remembered(Table):
    """Where a domain has few cells, they are counted in one pass over the table; whatever else
    is asked about that domain is a sum of them. A tree of a dozen levels costs one scan, and so
    does one whose boxes are cut from a raster.

    Domains that will be asked about, ``ahead``, are counted together in the first pass, as far as
    they have few cells together; so are the boxes inside them. If it is known from which
    ``raster`` boxes will be cut, the pass that finds the number of rows counts its nodes, too.
    """

    def __init__(
        self, table: Table, ahead: Iterable[Domain] = (), raster: Raster | None = None
    ) -> None:
        self._table = table
        self._ahead = few_together(ahead)
        self._raster = raster
        self._cells: dict[Domain, list[Ints]] = {}
        self._grid: dict[Grid, Ints] = {}
        self._occupied: dict[Raster, Occupied] = {}
        self._placed: dict[Raster, RowPlaces | None] = {}
        self._tallied: dict[Raster, PlaceTally | None] = {}

    @property
    def rowless(self) -> bool:  # type: ignore[override]
        return self._table.rowless

    @property
    def reading(self) -> tuple[object, ...]:
        return self._table.reading

    def column_types(self, names: Iterable[str] | None = None) -> dict[str, str]:
        return self._table.column_types(names)

    def whole_columns(self, names: Iterable[str]) -> frozenset[str]:
        return self._table.whole_columns(names)

    @property
    def amounts(self) -> tuple[Amount, ...]:  # type: ignore[override]
        return self._table.amounts

    def carrying(self, amounts: Sequence[Amount]) -> Remembered:
        """What is remembered of all rows is not so of those that are left."""
        return Remembered(self._table.carrying(amounts), self._ahead) if amounts else self

    def check(self, domain: Domain, unit: Unit) -> None:
        self._table.check(domain, unit)

    def bound_to(self, domain: Domain, unit: Unit) -> Remembered:
        """What is remembered of all rows stays so; of some rows of each person, it is forgotten
        with them."""
        bound = self._table.bound_to(domain, unit)
        return Remembered(bound, self._ahead) if isinstance(unit, User) else self

    def empty(self) -> Remembered:
        return Remembered(self._table.empty(), self._ahead, self._raster)

    def loses_rows(self, domain: Domain) -> bool:
        return self._table.loses_rows(domain)

    def count_grid(self, grid: Grid | Refined) -> Ints:
        if grid.domain.cells <= FEW:
            return grid.sum_cells(self._cells_of(grid.domain)[0])
        tally = self._tally_for(grid)
        if tally is not None:
            return tally.sum_roots()
        if isinstance(grid, Refined) or grid.size > FEW:
            return self._table.count_grid(grid)
        if grid not in self._grid:  # boxes may be cut from its cells next
            self._grid = {grid: self._table.count_grid(grid)}
            self._grid[grid].flags.writeable = False
        return self._grid[grid]

    def count_boxes(self, boxes: Boxes) -> Ints:
        """By what is kept, if it will do, or else by another pass, unless cells are few."""
        raster = boxes.raster
        known = self._placed.get(raster) or self._tallied.get(raster)
        found = known.sum_boxes(boxes) if known else None
        if found is None and raster not in self._occupied and raster.size > FEW:
            found = self._table.count_stretches(boxes)
        return super().count_boxes(boxes) if found is None else found

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        if grid.domain.cells > FEW:
            return self._table.tally_grid(grid)
        return [grid.sum_cells(cells) for cells in self._cells_of(grid.domain)]

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        if boxes.raster.size > FEW:
            return self._table.tally_boxes(boxes)
        return [boxes.sums(cells) for cells in self.tally_grid(boxes.base)]

    def _cells_of(self, domain: Domain) -> list[Ints]:
        """What each cell has: its rows, and the amounts that they carry."""
        for whole in self._ahead:
            ranges = whole.ranges_of(domain)
            if ranges is not None:
                box = tuple(slice(*ends) for ends in ranges)
                found = self._foreseen[whole]
                return [cells.reshape(whole.shape)[box].reshape(-1) for cells in found]
        if domain not in self._cells:
            self._cells = {domain: self._tally_cells(Grid.of_cells(domain))}
        return self._cells[domain]

    def _tally_cells(self, cells: Grid) -> list[Ints]:
        return self._table.tally_grid(cells) if self.amounts else [self._table.count_grid(cells)]

    @cached_property
    def _foreseen(self) -> dict[Domain, list[Ints]]:
        grids = [Grid.of_cells(domain) for domain in self._ahead]
        if self.amounts:
            found = [self._table.tally_grid(grid) for grid in grids]
        else:
            found = [[counts] for counts in self._table.count_grids(grids)]
        return dict(zip(self._ahead, found, strict=True))

    def row_places(self, raster: Raster) -> RowPlaces | None:
        """From which boxes are counted as well."""
        if raster not in self._placed and raster.size > FEW:
            tally = self._tallied.pop(raster, None)
            placed = tally.row_places() if tally else None
            self._placed = {raster: placed or self._table.row_places(raster)}
        return self._placed.get(raster)

    def _tally_for(self, grid: Grid | Refined) -> PlaceTally | None:
        """What the first pass counts: where the whole is asked for, and boxes of it are foreseen
        that are cut from too many cells to count them all."""
        raster = self._raster
        if raster is None or raster.size <= FEW or self.amounts:
            return None
        if not isinstance(grid, Grid) or grid.domain != raster.domain or set(grid.slices) != {1}:
            return None
        if raster not in self._tallied and raster not in self._placed:
            self._tallied = {raster: self._table.place_tally(raster)}
        return self._tallied.get(raster)

    def forget(self) -> None:
        """Unless others were foreseen."""
        if not self._ahead:
            self._placed = {}
            self._tallied = {}
            self._grid = {}
            self._table.forget()

    def occupied_cells(self, raster: Raster) -> Occupied:
        if raster not in self._occupied:
            self._occupied = {raster: self._look(raster)}
        return self._occupied[raster]

    def _look(self, raster: Raster) -> Occupied:
        """Few cells are counted, which is faster than sorting the rows by their cells."""
        if raster.size > FEW:
            return self._table.occupied_cells(raster)
        return Occupied.among(raster, self.count_grid(raster.base))


def few_together(domains: Iterable[Domain]) -> list[Domain]:
    """The domains whose cells can all be kept, in order and each once."""
    found: list[Domain] = []
    for domain in dict.fromkeys(domains):
        if sum(kept.cells for kept in found) + domain.cells <= FEW:
            found.append(domain)
    return found
