"""A table that is read once, whatever the number of queries."""

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
"""The maximum number of cells to keep: 32 MB."""


class Remembered(Table):
    """A table that keeps counts. If a domain has few cells, they are counted in one pass, and all
    other queries on that domain are sums of them. So a tree with a dozen levels costs one scan, and
    so does one whose boxes are cut from a raster.

    The first pass counts the domains ``ahead``, about which queries will follow, and the boxes
    inside them, as long as they have few cells together. If boxes will be cut from a known
    ``raster``, the pass that finds the number of rows also counts its nodes.
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
        """Return a table without the kept counts: amounts may drop rows, so they no longer hold."""
        return Remembered(self._table.carrying(amounts), self._ahead) if amounts else self

    def check(self, domain: Domain, unit: Unit) -> None:
        self._table.check(domain, unit)

    def bound_to(self, domain: Domain, unit: Unit) -> Remembered:
        """Return itself for rows. For people, return a table with its own counts, which last as
        long as its choice of rows."""
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
        """Count boxes from what is kept if possible, otherwise in another pass."""
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
        """Return the number of rows in each cell, then the sums of amounts."""
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
        """Return the places of all rows, from which boxes are counted, too."""
        if raster not in self._placed and raster.size > FEW:
            tally = self._tallied.pop(raster, None)
            placed = tally.row_places() if tally else None
            self._placed = {raster: placed or self._table.row_places(raster)}
        return self._placed.get(raster)

    def _tally_for(self, grid: Grid | Refined) -> PlaceTally | None:
        """Return the tally of the first pass: if the query is for the whole domain, and boxes from
        a raster with too many cells to count will follow. Otherwise None."""
        raster = self._raster
        if raster is None or raster.size <= FEW or self.amounts:
            return None
        if not isinstance(grid, Grid) or grid.domain != raster.domain or set(grid.slices) != {1}:
            return None
        if raster not in self._tallied and raster not in self._placed:
            self._tallied = {raster: self._table.place_tally(raster)}
        return self._tallied.get(raster)

    def forget(self) -> None:
        """Release what is kept, unless counts of several domains share it."""
        if not self._ahead:
            self._placed = {}
            self._tallied = {}
            self._grid = {}
            self._table.forget()

    def occupied_cells(self, raster: Raster) -> Occupied:
        if raster not in self._occupied:
            self._occupied = {raster: self._find_occupied(raster)}
        return self._occupied[raster]

    def _find_occupied(self, raster: Raster) -> Occupied:
        """Find the occupied cells. If there are few cells, counting all is faster than sorting."""
        if raster.size > FEW:
            return self._table.occupied_cells(raster)
        return Occupied.among(raster, self.count_grid(raster.base))


def few_together(domains: Iterable[Domain]) -> list[Domain]:
    """Return the distinct domains whose cells can all be kept, in order."""
    found: list[Domain] = []
    for domain in dict.fromkeys(domains):
        if sum(kept.cells for kept in found) + domain.cells <= FEW:
            found.append(domain)
    return found
