"""An index of a grid whose cells are cut again: adaptive grids in constant time per cut cell.

The cells that a query covers are a box of cells: a difference of cumulative sums over the grid.
Each cell that it cuts is a grid with its own cumulative sums. Variances follow the rule of
`BoxIndex`: the ``own`` of covered cells adds up, and a cut cell contributes the sum of its parts'
squared weights, which factorises over the axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushgram.answers.counting.sums import Sums
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Refined
from hushgram.mechanisms.inference.levels import NestedLevels

if TYPE_CHECKING:
    from hushgram.answers.counting.refined_walk import CellTables, GridSums


@dataclass(frozen=True, eq=False)
class RefinedIndex:
    grid: GridSums
    cells: CellTables

    @classmethod
    def of(cls, layout: Refined, values: Floats, tree: NestedLevels) -> RefinedIndex:
        """The index of a refined grid: O(parts). The levels are the parts and, optionally, the
        grid's cells above them."""
        noise = np.diff(layout.offsets) * tree.noise[-1]
        own = tree.spreads[0][0] if len(tree.levels) > 1 else noise
        totals = np.add.reduceat(values, layout.offsets[:-1])
        return cls(
            sums_over_grid(layout, [totals, own, noise]),
            sums_in_cells(layout, values, noise, own, tree.noise[-1]),
        )

    def ask(self, starts: Floats, stops: Floats) -> Sums:
        """The sums over boxes with these starts and stops on each axis, in units of indices."""
        from hushgram.answers.counting.refined_walk import ask

        return Sums(*ask(self.grid, self.cells, starts, stops).T)


def sums_over_grid(layout: Refined, columns: list[Floats]) -> GridSums:
    """The cumulative sums of several numbers per cell of the grid."""
    from hushgram.answers.counting.refined_walk import GridSums
    from hushgram.answers.counting.summed import cumulative_sums

    grid = layout.grid
    sums = np.stack([cumulative_sums(column.reshape(grid.shape)) for column in columns], axis=-1)
    edges = [grid.cuts(axis).astype(np.float64) for axis in range(len(grid.domain))]
    return GridSums(
        edges=np.concatenate(edges),
        offsets=np.concatenate([[0], np.cumsum([len(cuts) for cuts in edges])]),
        sums=sums.reshape(-1, len(columns)),
        strides=np.array(sums.strides[:-1]) // sums.strides[-2],
    )


def sums_in_cells(
    layout: Refined, values: Floats, noise: Floats, own: Floats, part_noise: float
) -> CellTables:
    """The cumulative sums over the parts within each cell."""
    from hushgram.answers.counting.refined_walk import CellTables, fill_tables

    slices = layout.sizes
    offsets = np.concatenate([[0], np.cumsum((slices + 1).prod(axis=1))])
    tables = np.zeros(offsets[-1])
    fill_tables(slices, offsets, values, tables)
    strides = np.ones_like(slices)
    strides[:, :-1] = np.cumprod(slices[:, :0:-1] + 1, axis=1)[:, ::-1]
    facts = np.column_stack([slices, strides, offsets[1:] - 1, noise, noise - own])
    return CellTables(tables, facts.astype(np.float64), part_noise)
