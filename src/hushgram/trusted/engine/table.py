"""A table that can be counted, wherever it is stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hushgram.declare.amount import Amount
from hushgram.declare.condition import Condition
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import TextFormat
from hushgram.declare.unit import Unit
from hushgram.errors import BadInput, EngineFailed, SourceError
from hushgram.geometry.partition import Boxes, Grid, Ints, Partition, Raster, Refined
from hushgram.trusted.engine.compiled.place_tally import PlaceTally
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied

MOST_ROWS = 2**36
"""With fewer rows in a part, the sum of amounts of up to 2^26 steps each fits into 64 bits."""


class PartTotals(NamedTuple):
    """For each part, the number of rows, and the sum of their amounts above the lower bound, in
    steps."""

    rows: Ints
    above: Ints


class Table(ABC):
    """A table that can count the rows in all parts of a partition, or find the occupied cells of a
    raster. A table with amounts also adds them up.

    This is the complete interface; methods that are not abstract have the behaviour of a table
    without that feature. Engines count grids and refined grids; the parts of every other partition
    are sums of those.
    """

    amounts: tuple[Amount, ...] = ()
    """The amounts of its rows. A row that is dropped because of an amount is dropped from all
    counts."""

    rowless: bool = False
    """Whether the table is known to have no rows, so that there is nothing to hide."""

    @property
    def reading(self) -> tuple[object, ...]:
        """What else, besides the column types, determines which code reads the rows."""
        return ()

    def column_types(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """Return the types of these columns or of all, for people to read; counts have none."""
        return {}

    def whole_columns(self, names: Iterable[str]) -> frozenset[str]:
        """Return the columns among these that are whole numbers by a declared type."""
        return frozenset()

    @abstractmethod
    def loses_rows(self, domain: Domain) -> bool:
        """Return whether a row can be dropped because of its values, so that even the number of
        rows is private."""

    @abstractmethod
    def check(self, domain: Domain, unit: Unit) -> None:
        """Raise if the table's schema does not fit. Does not read rows."""

    @abstractmethod
    def bound_to(self, domain: Domain, unit: Unit) -> Table:
        """Return the same table, with at most ``max_rows`` rows of each person if the unit is a
        person. They are chosen once, among those in this domain, for the domain and all boxes of
        it. Raises like `check`. Does not read rows yet."""

    @abstractmethod
    def empty(self) -> Table:
        """Return the same table without its rows, for rehearsals. Does not read rows."""

    def count(self, partition: Partition) -> Ints:
        """Return the exact number of rows in each part."""
        if isinstance(partition, Boxes):  # of a raster with too many cells to count them all
            return self.count_boxes(partition)
        return partition.sums(self.count_grid(partition.base))

    @abstractmethod
    def count_grid(self, grid: Grid | Refined) -> Ints:
        """Return the exact number of rows in each part of a grid or a refined grid, zeros
        included."""

    def count_grids(self, grids: Sequence[Grid]) -> list[Ints]:
        """Return the same for several grids, in one pass if possible."""
        return [self.count_grid(grid) for grid in grids]

    def count_boxes(self, boxes: Boxes) -> Ints:
        """Return the exact number of rows in each box."""
        return self.occupied_cells(boxes.raster).sum_boxes(boxes)

    def count_stretches(self, boxes: Boxes) -> Ints | None:
        """Return the same from one pass that keeps nothing, if the boxes are contiguous stretches
        of places in the tree of halves and the table supports it; otherwise None."""
        return None

    @abstractmethod
    def occupied_cells(self, raster: Raster) -> Occupied:
        """Find the cells that have rows, for a raster with too many cells to count them all."""

    def carrying(self, amounts: Sequence[Amount]) -> Table:
        """Return the same table with these amounts, without the rows that they drop. Does not read
        rows."""
        if not amounts:
            return self
        raise SourceError(
            "Counts cannot be added up by a column. Publish the table that they come from."
        )

    def add_up(self, partition: Partition, amount: Amount) -> PartTotals:
        """Return the exact number of rows in each part, and the sum of their amounts above the
        lower bound."""
        if amount not in self.amounts:
            raise BadInput(f"The rows of this table do not have this amount: {amount}.")
        rows, *sums = self.tally(partition)
        if rows.max(initial=0) >= MOST_ROWS:
            raise EngineFailed(
                f"A part has {MOST_ROWS:,} rows or more, so sums would not fit in 64 bits."
            )
        return PartTotals(rows, sums[self.amounts.index(amount)])

    def tally(self, partition: Partition) -> list[Ints]:
        """Return the exact number of rows in each part and, for each amount, the sum of their
        indices on its axis."""
        if isinstance(partition, Boxes):
            return self.tally_boxes(partition)
        return [partition.sums(one) for one in self.tally_grid(partition.base)]

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        """Return the same for a grid or a refined grid."""
        return [self.count_grid(grid)]

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        """Return the same for boxes of a raster with too many cells to count them all."""
        return [self.count_boxes(boxes)]

    def row_places(self, raster: Raster) -> RowPlaces | None:
        """Return the places of all rows in the tree of halves, if they need less memory than the
        occupied cells and the table supports it; otherwise None."""
        return None

    def place_tally(self, raster: Raster) -> PlaceTally | None:
        """Count the rows in each node of a depth of the tree of halves, in one pass, if the table
        supports it; otherwise None."""
        return None

    def forget(self) -> None:  # noqa: B027 - most tables keep none
        """Release rows that are kept, because there are no more queries."""

    def declare_texts(self, form: TextFormat) -> None:
        """Set the declared format in which texts are read."""
        if form.declared:
            raise BadInput("Counts contain no text. Leave out Text(…).")

    def keep(self, condition: Condition) -> None:
        """Keep only the rows for which a condition holds."""
        raise BadInput("Counts have no rows to filter. Publish the table that they come from.")

    def owners(self, column: str, domain: Domain | None) -> Table:
        """Return a table with one row per person who has rows in the domain, or in the whole table:
        their name and number of rows. Does not read rows yet."""
        raise SourceError("Counts have no users. Publish the table that they come from.")
