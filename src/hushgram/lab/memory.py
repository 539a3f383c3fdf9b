"""A table of indices in memory, which audits and checks can count thousands of times a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit
from hushgram.geometry.partition import Grid, Ints, Partition, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table


class IndexedTable(Table):
    """Rows of a domain, given by their indices: rows x axes. NONPRIVATE.

    With an amount, ``carried`` has the amount of each row, in steps."""

    def __init__(
        self, domain: Domain, rows: Any, amount: Amount | None = None, carried: Any = ()
    ) -> None:
        self.domain = domain
        self.amounts = () if amount is None else (amount,)
        self.carried = np.asarray(carried, dtype=np.int64)
        self.rows = np.asarray(rows, dtype=np.int64).reshape(-1, len(domain))
        self.reads = 0
        """How often the table was read."""

    @classmethod
    def of_values(cls, domain: Domain, rows: Sequence[Sequence[Any]]) -> IndexedTable:
        """Create from rows of values, which the axes quantise."""
        found = [[axis.index(v) for axis, v in zip(domain.axes, row, strict=True)] for row in rows]
        return cls(domain, [row for row in found if None not in row])

    def check(self, domain: Domain, unit: Unit) -> None:
        """Accept any box of this domain."""

    def bound_to(self, domain: Domain, unit: Unit) -> IndexedTable:
        """Return itself: all rows count."""
        return self

    def empty(self) -> IndexedTable:
        amount = self.amounts[0] if self.amounts else None
        return IndexedTable(self.domain, self.rows[:0], amount, self.carried[:0])

    def loses_rows(self, domain: Domain) -> bool:
        return domain.loses_rows

    def count(self, partition: Partition) -> Ints:
        parts = partition.parts(self._inside(partition.domain))
        return np.bincount(parts, minlength=partition.size)

    def tally(self, partition: Partition) -> list[Ints]:
        columns = [*self.rows.T, *self.carried[np.newaxis][: len(self.amounts)]]
        inside = self._rows_inside(partition.domain, columns)
        parts = partition.parts(inside[: len(self.domain)])
        found = [np.zeros(partition.size, dtype=np.int64) for _ in range(1 + len(self.amounts))]
        np.add.at(found[0], parts, 1)
        for sums, amount, steps in zip(
            found[1:], self.amounts, inside[len(self.domain) :], strict=True
        ):
            np.add.at(sums, parts, steps - amount.low)
        return found

    def count_grid(self, grid: Grid | Refined) -> Ints:
        return self.count(grid)

    def occupied_cells(self, raster: Raster) -> Occupied:
        return Occupied.of(raster, raster.parts(self._inside(raster.domain)))

    def _inside(self, domain: Domain) -> list[Ints]:
        """Return the indices of the rows in a box of the domain."""
        return self._rows_inside(domain, list(self.rows.T))

    def _rows_inside(self, domain: Domain, columns: list[Ints]) -> list[Ints]:
        """Return the columns of the rows in a box of the domain. The first ones become indices of
        the box."""
        self.reads += 1
        inside = np.ones(len(self.rows), dtype=bool)
        for place, axis in enumerate(domain.axes):
            if isinstance(axis, Window) and self.domain.axes[place] is not axis:
                inside &= (columns[place] >= axis.start) & (columns[place] < axis.stop)
                columns[place] = columns[place] - axis.start
        return [column[inside] for column in columns]
