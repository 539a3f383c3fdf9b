"""An index of a grid whose cells are cut again: adaptive grids in constant time per cell cut.

Cells that a question covers are a box of cells: a difference of cumulative sums over the grid.
Each cell that it cuts is a grid again, with cumulative sums of its own. Variances follow the rule
of `BoxIndex`: ``own`` of the covered cells adds up, and a cut cell takes part with the sum of its
parts' squared weights, which factorises over the axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushgram.answers.counting.sums import Sums
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints, Refined
from hushgram.mechanisms.inference.levels import NestedLevels


@dataclass(frozen=True, eq=False)
class RefinedIndex:
    edges: Floats
    """Where the grid's cells start, one axis after the other."""
    ends: Ints
    """Where the edges of each axis begin, and last where all end."""
    wholes: Floats
    """Cumulative sums over the cells: of values, of variances, and of the parts' noise."""
    strides: Ints
    sizes: Ints
    offsets: Ints
    tables: Floats
    """The cumulative sums within each cell, one cell after the other."""
    noise: float
    """The variance of a part's noise."""
    facts: Floats
    """For each cell, all that a cut along one axis takes: the sizes, the strides of its table, the
    table's last place, the sum of the parts' noise, and how much more that is than its variance."""

    @classmethod
    def of(cls, layout: Refined, values: Floats, tree: NestedLevels) -> RefinedIndex:
        """O(parts). The levels are the parts, and perhaps the grid's cells above them."""
        from hushgram.answers.counting.refined_walk import fill_tables
        from hushgram.answers.counting.summed import summed

        offsets = np.concatenate([[0], np.cumsum((layout.sizes + 1).prod(axis=1))])
        tables = np.zeros(offsets[-1])
        fill_tables(layout.sizes, offsets, values, tables)
        noise = np.diff(layout.offsets) * tree.noise[-1]
        own = tree.spreads[0][0] if len(tree.levels) > 1 else noise
        cells = [np.add.reduceat(values, layout.offsets[:-1]), own, noise]
        wholes = np.stack([summed(each.reshape(layout.grid.shape)) for each in cells], axis=-1)
        lengths = np.cumprod(layout.sizes[:, :0:-1] + 1, axis=1)[:, ::-1]
        steps = np.column_stack([lengths, np.ones(len(own))])
        edges = [layout.grid.cuts(axis).astype(np.float64) for axis in range(len(layout.domain))]
        return cls(
            edges=np.concatenate(edges),
            ends=np.concatenate([[0], np.cumsum([len(cuts) for cuts in edges])]),
            wholes=wholes.reshape(-1, len(cells)),
            strides=np.array(wholes.strides[:-1]) // wholes.strides[-2],
            sizes=layout.sizes,
            offsets=offsets,
            tables=tables,
            noise=tree.noise[-1],
            facts=np.column_stack(
                [layout.sizes, steps, offsets[1:] - 1, noise, noise - own]
            ).astype(np.float64),
        )

    def ask(self, starts: Floats, stops: Floats) -> Sums:
        """The sums over boxes, given by where they start and stop on each axis, in indices."""
        from hushgram.answers.counting.refined_walk import ask

        grid = (self.edges, self.ends, self.wholes, self.strides)
        cells = (self.sizes, self.offsets, self.tables, self.noise, self.facts)
        return Sums(*ask(*grid, *cells, starts, stops).T)
