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
    BASE,
    BINS,
    BLOCK,
    CLEAR,
    HI,
    LO,
    RATE,
    SPAN,
    exact_cell,
    guess,
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
def add_indices(parts: Any, x: Any, sides: Any, sums: Any, place: int) -> None:
    """Add the index of each row's amount to its part's sum: `exact_index`, or an end of the axis
    for what lies outside. ``sums`` has a row for each part, with the amount's sum at a place; with
    the first amount, rows are counted at place 0."""
    lo, hi, span, bins = sides[0, LO], sides[0, HI], sides[0, SPAN], sides[0, BINS]
    base, rate, clear = sides[0, BASE], sides[0, RATE], sides[0, CLEAR]
    for row in range(len(parts)):
        part, value = parts[row], x[row]
        if part < 0:
            continue
        if lo <= value <= hi:
            guess = (value - base) * rate
            index = np.int64(guess)
            if guess - index > clear:
                edge = lo + ((index + 1.0) * span) / bins
                if value >= edge and index < bins - 1:
                    index += 1
        else:
            index = np.int64(bins - 1 if value > hi else 0)
        sums[part, place] += index
        if place == 1:
            sums[part, 0] += 1
