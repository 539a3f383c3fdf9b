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
"""Rows of a part whose amounts, of up to 2^26 steps each, add up inside of 64 bits."""


class PartTotals(NamedTuple):
    """Of each part, the number of rows and how far their amounts are above the lower bound, all
    together and in steps."""

    rows: Ints
    above: Ints


class Table(ABC):
    """One verb, count: all parts of a partition, or the occupied cells of a raster. A table that
    carries amounts adds them up, too.

    What a table has to offer is here: methods that are not abstract say what a table does that
    offers nothing more. Engines count grids and refined grids; the parts of every other partition
    are sums of theirs.
    """

    amounts: tuple[Amount, ...] = ()
    """What its rows carry. A row that is left out for its amount is left out of all counts."""

    rowless: bool = False
    """Whether it is known to have no rows, so that there is nothing to hide."""

    @property
    def reading(self) -> tuple[object, ...]:
        """What decides, besides the columns' types, by which code its rows are read."""
        return ()

    def column_types(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """The types of these columns or of all, for people to read; counts have none."""
        return {}

    def whole_columns(self, names: Iterable[str]) -> frozenset[str]:
        """Those of these columns that hold whole numbers, by a type that was declared."""
        return frozenset()

    @abstractmethod
    def loses_rows(self, domain: Domain) -> bool:
        """Whether a row can drop out for what it holds, so that even their number is private."""

    @abstractmethod
    def check(self, domain: Domain, unit: Unit) -> None:
        """Refuse what the table's schema cannot give. Reads no row."""

    @abstractmethod
    def bound_to(self, domain: Domain, unit: Unit) -> Table:
        """The same table, of which at most ``max_rows`` rows of each person count, if the unit is
        a person: chosen once, among those in this domain, for this domain and the boxes of it.
        Refuses what `check` does, and reads no rows yet."""

    @abstractmethod
    def empty(self) -> Table:
        """The same table without its rows, on which a publish is rehearsed. Reads no row."""

    def count(self, partition: Partition) -> Ints:
        """The exact number of rows in each part."""
        if isinstance(partition, Boxes):  # of a raster with too many cells to count them all
            return self.count_boxes(partition)
        return partition.sums(self.count_grid(partition.base))

    @abstractmethod
    def count_grid(self, grid: Grid | Refined) -> Ints:
        """The exact number of rows in each part of a grid or a refined grid, zeros included."""

    def count_grids(self, grids: Sequence[Grid]) -> list[Ints]:
        """The same for several grids, in one pass where that is possible."""
        return [self.count_grid(grid) for grid in grids]

    def count_boxes(self, boxes: Boxes) -> Ints:
        """The exact number of rows in each box."""
        return self.occupied_cells(boxes.raster).sum_boxes(boxes)

    def count_stretches(self, boxes: Boxes) -> Ints | None:
        """The same in one pass that keeps nothing, where boxes are stretches of places in the tree
        of halves and the table can do it."""
        return None

    @abstractmethod
    def occupied_cells(self, raster: Raster) -> Occupied:
        """The cells that have rows, of a raster with too many cells to count them all."""

    def carrying(self, amounts: Sequence[Amount]) -> Table:
        """The same table, whose rows carry these amounts, and without the rows that are left out
        for them. Reads no row."""
        if not amounts:
            return self
        raise SourceError(
            "Counts cannot be added up by a column. Publish the table that they come from."
        )

    def add_up(self, partition: Partition, amount: Amount) -> PartTotals:
        """The exact number of rows in each part, and how far their amounts are above the lower
        bound."""
        if amount not in self.amounts:
            raise BadInput(f"The rows of this table do not have this amount: {amount}.")
        rows, *sums = self.tally(partition)
        if rows.max(initial=0) >= MOST_ROWS:
            raise EngineFailed(
                f"A part has {MOST_ROWS:,} rows or more, so sums would not fit in 64 bits."
            )
        return PartTotals(rows, sums[self.amounts.index(amount)])

    def tally(self, partition: Partition) -> list[Ints]:
        """The exact number of rows in each part and, for each amount, the sum of their indices on
        its axis."""
        if isinstance(partition, Boxes):
            return self.tally_boxes(partition)
        return [partition.sums(one) for one in self.tally_grid(partition.base)]

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        """The same for a grid or a refined grid."""
        return [self.count_grid(grid)]

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        """The same for boxes of a raster with too many cells to count them all."""
        return [self.count_boxes(boxes)]

    def row_places(self, raster: Raster) -> RowPlaces | None:
        """The places of all rows in the tree of halves, where that is less than the occupied cells
        and the table can give them."""
        return None

    def place_tally(self, raster: Raster) -> PlaceTally | None:
        """The rows in each node of a depth in the tree of halves, in one pass, where the table can
        give them."""
        return None

    def forget(self) -> None:  # noqa: B027 - most tables keep none
        """Let go of rows that are kept: nobody asks any more."""

    def declare_texts(self, form: TextFormat) -> None:
        """From now on, texts are read as they are declared to be written."""
        if form.declared:
            raise BadInput("Counts contain no text. Leave out Text(…).")

    def keep(self, condition: Condition) -> None:
        """From now on, only rows for which the condition holds are there."""
        raise BadInput("Counts have no rows to filter. Publish the table that they come from.")

    def owners(self, column: str, domain: Domain | None) -> Table:
        """One row per person named in a column, who owns one row or more of the domain, or of the
        whole table: the name, and how many. Reads no row yet."""
        raise SourceError("Counts have no users. Publish the table that they come from.")
