"""The compiled loops that add up what rows carry: the part of every row, then the sums.

A row's part is found as in `kernels`, but kept by the row's place, since the columns of amounts are
read next; -1 stands for a row that drops out. An amount's index is that of `exact_index`, an
integer from here on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.trusted.engine.compiled.kernels import (
    BLOCK,
    exact_cell,
    guess,
    index_at,
    part_inside,
)


@compiled(nogil=True)
def cells_of_rows(columns: Any, grid: Any, cells: Any) -> None:
    """The cell of each row, -1 if it drops out."""
    marks, rows = np.empty(BLOCK, np.uint8), len(columns[0])
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        found = cells[start : start + size]
        found[:] = 0
        marks[:size] = 0
        marked = 0
        for axis in range(len(columns)):
            x = columns[axis][start : start + size]
            marked |= guess(x, grid.sides[axis], grid.lengths[axis], found, marks[:size])
        if marked:
            for row in range(size):
                if marks[row]:
                    found[row] = exact_cell(columns, start + row, grid)


@compiled(nogil=True)
def parts_of_cells(columns: Any, grid: Any, refined: Any, parts: Any) -> None:
    """From the cells of rows to their parts of a refined grid, in place."""
    for row in range(len(parts)):
        if parts[row] >= 0:
            parts[row] = part_inside(columns, row, parts[row], grid, refined)


@compiled(nogil=True)
def add_rows(parts: Any, counts: Any) -> None:
    """Count the rows of each part."""
    for row in range(len(parts)):
        if parts[row] >= 0:
            counts[parts[row]] += 1


@compiled(nogil=True)
def add_indices(parts: Any, x: Any, sides: Any, sums: Any) -> None:
    """Add the index of each row's amount to its part's sum."""
    for row in range(len(parts)):
        if parts[row] >= 0:
            sums[parts[row]] += np.int64(index_at(x[row], sides, 0))
