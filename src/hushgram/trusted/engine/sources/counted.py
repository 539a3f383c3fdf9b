"""Existing counts: a researcher's histogram instead of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Integer, Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit, User
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid, Ints, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table


class Counts:
    """The true counts of a histogram, as an array. Its axes are whole numbers ``x0``, ``x1``, …

    >>> Counts([3, 0, 5]).domain
    Domain(x0=Integer(0, 2))
    """

    def __init__(self, array: Any) -> None:
        try:
            counts = np.asarray(array)
        except ValueError:
            raise SourceError("Counts must be an array whose rows have the same length.") from None
        if counts.ndim == 0 or counts.size == 0:
            raise SourceError("Counts must be an array with at least one cell.")
        if counts.dtype.kind == "f":
            if not (np.isfinite(counts) & (counts == np.floor(counts))).all():
                raise SourceError("Counts must be whole numbers.")
        elif counts.dtype.kind not in "iu":
            raise SourceError(f"Counts must be whole numbers. Found {counts.dtype}.")
        if (counts < 0).any():
            raise SourceError("Counts must not be negative.")
        if int(counts.max()) * counts.size >= 2**63 and int(counts.astype(object).sum()) >= 2**63:
            raise SourceError("Counts must add up to less than 2^63.")
        self.array: Ints = counts.astype(np.int64)
        self.array.flags.writeable = False

    @property
    def domain(self) -> Domain:
        return Domain({f"x{a}": Integer(0, n - 1) for a, n in enumerate(self.array.shape)})

    def __repr__(self) -> str:
        return f"Counts(shape={self.array.shape})"


class CountedTable(Table):
    """A table whose rows are the counted units of a histogram."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def check(self, domain: Domain, unit: Unit) -> None:
        if isinstance(unit, User):
            raise SourceError('Counts have no users. Publish them with unit="rows".')
        if domain != self._counts.domain:
            raise SourceError("Counts already have a domain. Leave the domain out.")

    def bound_to(self, domain: Domain, unit: Unit) -> CountedTable:
        self.check(domain, unit)
        return self

    def empty(self) -> StandIn:
        return StandIn(Counts(np.zeros_like(self._counts.array)))

    def loses_rows(self, domain: Domain) -> bool:
        """Return whether the domain is a box: otherwise every counted unit is in a cell."""
        return any(isinstance(axis, Window) for axis in domain.axes)

    def count_grid(self, grid: Grid | Refined) -> Ints:
        return grid.sum_cells(self._inside(grid.domain).ravel())

    def occupied_cells(self, raster: Raster) -> Occupied:
        cells = self._inside(raster.domain)
        filled = np.nonzero(cells)
        numbers = raster.parts([np.asarray(index, dtype=np.int64) for index in filled])
        return Occupied.of(raster, numbers, cells[filled])

    def _inside(self, domain: Domain) -> Ints:
        """Return the cells inside a box of the domain."""
        sides = (slice(axis.offset, axis.offset + axis.size) for axis in domain.axes)
        return self._counts.array[tuple(sides)]


class StandIn(CountedTable):
    """Made-up counts in place of a table with as many cells, of any axes and any unit.

    They describe nobody. Rehearsals and simulations use them.
    """

    def check(self, domain: Domain, unit: Unit) -> None:
        """Accept every domain and unit: the counts are made up."""
