"""The compiled loops that add up amounts: first the part of every row, then the sums.

Parts are found as in `kernels`, but stored for each row, because the columns of amounts are read
next; -1 marks dropped rows. An amount becomes the integer of `exact_index`: guessed for a block of
rows, and settled where a value is near an edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.trusted.engine.compiled.kernels import (
    BINS,
    BLOCK,
    DOUBTED,
    DROPPED,
    HI,
    LO,
    NEAR,
    POLICY,
    STEP,
    SURE,
    exact_cell,
    guess,
    part_inside,
    settle,
)


@compiled(nogil=True)
def cells_of_rows(columns: Any, grid: Any, cells: Any) -> None:
    """Write the cell of each row, -1 if it is dropped."""
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
    """Replace the cells of rows by their parts of a refined grid, in place."""
    for row in range(len(parts)):
        if parts[row] >= 0:
            parts[row] = part_inside(columns, row, parts[row], grid, refined)


@compiled(nogil=True)
def add_amounts(parts: Any, columns: Any, sides: Any, missing: Any, sums: Any) -> None:
    """Count the rows of each part and add up the indices of their amounts, except for rows that an
    amount drops. ``sums`` has a line for each part: the number of rows, then a sum for each amount.
    ``missing`` is the index of a row without a number, -1 to drop it."""
    found, marks = np.empty((len(columns), BLOCK), np.int32), np.empty(BLOCK, np.uint8)
    for start in range(0, len(parts), BLOCK):
        size = min(BLOCK, len(parts) - start)
        block = parts[start : start + size]
        left_out: Any = False
        for place in range(len(columns)):
            x, indices = columns[place][start : start + size], found[place, :size]
            flags = guess_indices(x, sides[place], missing[place], indices)
            if flags & DOUBTED:
                settle(x, sides[place], indices)
            left_out = left_out or (flags & DROPPED) != 0
        if left_out:
            marks[:size] = 0
            for place in range(len(columns)):
                for row in range(size):
                    marks[row] |= found[place, row] < 0
            for row in range(size):
                if not marks[row] and block[row] >= 0:
                    add_row(sums, block[row], found, row)
        else:
            for row in range(size):
                if block[row] >= 0:
                    add_row(sums, block[row], found, row)


@compiled(nogil=True, inline="always")
def add_row(sums: Any, part: int, found: Any, row: int) -> None:
    line = np.uint64(part)
    sums[line, 0] += 1
    for place in range(len(found)):
        sums[line, place + 1] += found[place, row]


@compiled(nogil=True)
def guess_indices(x: Any, side: Any, missing: int, indices: Any) -> Any:
    """Write the index of each amount: the guess of `exact_index`, an end of the axis or -1 for
    values outside, and ``missing`` for NaN. Returns `DOUBTED` if an index is in doubt, and
    `DROPPED` if one is -1."""
    lo, hi, near, step, sure = side[LO], side[HI], side[NEAR], side[STEP], side[SURE]
    clamped = side[POLICY] != 0
    below, above = np.int32(0 if clamped else -1), np.int32(side[BINS] - 1 if clamped else -1)
    doubted: Any = False
    dropped: Any = False
    for row in range(len(indices)):
        value = x[row]
        inside = (lo <= value) & (value <= hi)
        share = ((value if inside else lo) - near) * step
        index = np.int32(share)
        doubted |= share - index > sure
        outside = above if value > hi else below
        outside = outside if value == value else np.int32(missing)
        index = index if inside else outside
        dropped |= index < 0
        indices[row] = index
    return np.uint8(DOUBTED if doubted else 0) | np.uint8(DROPPED if dropped else 0)
