"""A table of generated rows, on which mechanisms run as on a real one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Axis, Category, Floats, Window
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit
from hushgram.expect.places import Scatter
from hushgram.expect.plausible import Plausible
from hushgram.geometry.partition import Boxes, Grid, Ints, Partition, Raster, Refined
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table

MOST_PLACES = 1 << 16
"""The maximum number of distinct positions. With more rows, several rows are at one position."""


@dataclass(frozen=True, eq=False)
class SimulatedTable(Table):
    """Positions in units of indices (positions x axes), and the number of rows at each."""

    domain: Domain
    places: Floats
    rows: Ints
    steps: Mapping[Amount, int] = field(default_factory=dict)
    """The amount of every row, in steps."""

    @classmethod
    def generate(
        cls, domain: Domain, rows: int, scatter: Scatter, rng: Generator
    ) -> SimulatedTable:
        shares = scatter(min(rows, MOST_PLACES), len(domain), rng)
        columns = [
            positions_on(axis, column, rng)
            for axis, column in zip(domain.axes, shares.T, strict=True)
        ]
        return cls.at_places(domain, np.stack(columns, axis=1), rows, rng)

    @classmethod
    def like(cls, release: Plausible, domain: Domain, rows: int, rng: Generator) -> SimulatedTable:
        """Draw a table that a release could be of, on a domain with the same number of axes, which
        may be coarser. Rows with "other" values are left out, because the domain does not have
        these."""
        drawn = release.draw(min(rows, MOST_PLACES), rng)
        bins = np.array([axis.bins for axis in release.layout.domain.axes], dtype=np.float64)
        declared = drawn[(drawn < bins).all(axis=1)]
        scale = np.array(domain.shape) / bins
        places = np.minimum(declared * scale, np.nextafter(np.array(domain.shape, dtype=float), 0))
        return cls.at_places(domain, places, rows, rng)

    @classmethod
    def at_places(cls, domain: Domain, places: Floats, rows: int, rng: Generator) -> SimulatedTable:
        """Return a table with this number of rows, distributed over the positions."""
        many = len(places)
        spread = rows > many > 0
        times = rng.multinomial(rows, np.full(many, 1 / many)) if spread else np.ones(many)
        return cls(domain, places, times.astype(np.int64))

    def with_amounts(self, steps: Mapping[Amount, int]) -> SimulatedTable:
        """Return the same rows, all with the same amounts."""
        return replace(self, steps=steps)

    @property
    def amounts(self) -> tuple[Amount, ...]:  # type: ignore[override]
        return tuple(self.steps)

    @cached_property
    def indices(self) -> Ints:
        return np.floor(self.places).astype(np.int64)

    def check(self, domain: Domain, unit: Unit) -> None:
        """Accept every domain and unit: the rows are made up."""

    def bound_to(self, domain: Domain, unit: Unit) -> SimulatedTable:
        return self

    def empty(self) -> SimulatedTable:
        return replace(self, places=self.places[:0], rows=self.rows[:0])

    def loses_rows(self, domain: Domain) -> bool:
        return domain.loses_rows

    def count(self, partition: Partition) -> Ints:
        columns, rows = self._inside(partition.domain)
        found = np.bincount(partition.parts(columns), rows, minlength=partition.size)
        return found.astype(np.int64)

    def count_grid(self, grid: Grid | Refined) -> Ints:
        return self.count(grid)

    def tally(self, partition: Partition) -> list[Ints]:
        rows = self.count(partition)
        above = [steps - amount.low for amount, steps in self.steps.items()]
        return [rows, *(rows * index for index in above)]

    def tally_grid(self, grid: Grid | Refined) -> list[Ints]:
        return self.tally(grid)

    def tally_boxes(self, boxes: Boxes) -> list[Ints]:
        return self.tally(boxes)

    def occupied_cells(self, raster: Raster) -> Occupied:
        columns, rows = self._inside(raster.domain)
        return Occupied.of(raster, raster.parts(columns), rows)

    def _inside(self, domain: Domain) -> tuple[list[Ints], Ints]:
        """Return the indices of the rows inside a box of the domain, and their numbers."""
        columns = list(self.indices.T)
        inside = np.ones(len(self.rows), dtype=bool)
        for place, axis in enumerate(domain.axes):
            if isinstance(axis, Window) and self.domain.axes[place] is not axis:
                inside &= (columns[place] >= axis.start) & (columns[place] < axis.stop)
                columns[place] = columns[place] - axis.start
        return [column[inside] for column in columns], self.rows[inside]


def positions_on(axis: Axis, shares: Floats, rng: Generator) -> Floats:
    """Return positions on an axis in units of indices. Category values are in random order."""
    places = np.minimum(shares * axis.bins, np.nextafter(axis.bins, 0))
    if not isinstance(axis, Category):
        return np.asarray(places)
    return np.asarray(rng.permutation(axis.bins)[places.astype(np.int64)], dtype=np.float64)
