"""The compiled loops of the fast path: from columns of doubles to counts in one pass.

They perform the same operations as the Ibis expressions of `quantise` and `counting`, each rounded
once (no fused or reordered arithmetic), so the integers are the same. NaN stands for NULL and for
every value without an index. The loops run without the interpreter's lock, O(rows x axes).

Rows are processed in blocks, axis by axis. A guess by one multiplication is right for nearly all of
them. The others are marked and computed exactly::

    block of rows ──▶ guess each axis's slice ──▶ no row is marked ──▶ count the whole block
                      cell = cell * length + slice         │
                      mark rows near a cut, or outside     └─ some are ──▶ row by row: count the
                                                                           unmarked, drop the
                                                                           dropped, and
                                                              exact_index ─▶ slice_at ─▶ exact_cell
                                                              for those in doubt

A refined grid (`tally_refined`) does the same with `locate`, which also computes how far each row
is from the start of its cell, and then `refine`, which turns that into the number of a part.

An axis is a row of numbers, see `hushgram.trusted.engine.compiled.layout.side_of`:

==================  ===================================================================
LO, HI              the values that fit, both included
SPAN, BINS          the edges are ``LO + (i * SPAN) / BINS``
BASE, RATE, CLEAR   ``(x - BASE) * RATE`` rounded down is the index, or one below it where the
                    fraction exceeds CLEAR
NEAR, STEP, SURE    ``(x - NEAR) * STEP`` rounded down is the slice; where the fraction exceeds
                    SURE, the index decides
SLICES              slices of the grid, "other" not counted
POLICY              0 drop, 1 clamp, 2 other
==================  ===================================================================

Everywhere, ``columns`` is a tuple of one array of doubles for each axis; the records ``grid``,
``refined`` and ``counters`` are described in `layout`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

LO, HI, SPAN, BINS, BASE, RATE, CLEAR, NEAR, STEP, SURE, SLICES, POLICY = range(12)

BLOCK = 1 << 11
"""The number of rows whose cells are guessed at once."""

DOUBTED, DROPPED = 1, 2
"""Marks of rows. Bits of several axes are combined: a row with only `DOUBTED` is dropped by no
axis."""


@compiled(nogil=True, inline="always")
def exact_index(x: float, sides: Any, axis: int) -> Any:
    """Return the index of a value that fits: a guess, corrected by a comparison near an edge."""
    guess = (x - sides[axis, BASE]) * sides[axis, RATE]
    below = float(int(guess))
    if guess - below > sides[axis, CLEAR]:
        edge = sides[axis, LO] + ((below + 1.0) * sides[axis, SPAN]) / sides[axis, BINS]
        if x >= edge and below < sides[axis, BINS] - 1:  # the last bin holds all up to HI
            below += 1
    return below


@compiled(nogil=True, inline="always")
def index_outside(x: float, sides: Any, axis: int, last: float) -> float:
    """Return the index of a value that does not fit, given the ``last`` index; -1 if it is
    dropped."""
    if sides[axis, POLICY] == 0:
        return -1.0
    if sides[axis, POLICY] == 2:
        return last + 1.0
    return last if x > sides[axis, HI] else 0.0


@compiled(nogil=True, inline="always")
def index_at(x: float, sides: Any, axis: int) -> Any:
    """Return the index of any value; -1 if it is dropped."""
    if sides[axis, LO] <= x <= sides[axis, HI]:
        return exact_index(x, sides, axis)
    return index_outside(x, sides, axis, sides[axis, BINS] - 1)


@compiled(nogil=True, inline="always")
def slice_at(x: float, sides: Any, axis: int) -> int:
    """Return the slice of any value; -1 if it is dropped."""
    if sides[axis, LO] <= x <= sides[axis, HI]:
        return int(exact_index(x, sides, axis) * sides[axis, SLICES] / sides[axis, BINS])
    return int(index_outside(x, sides, axis, sides[axis, SLICES] - 1))


@compiled(nogil=True, inline="always")
def exact_cell(columns: Any, row: int, grid: Any) -> int:
    """Return the cell of one row with any values; -1 if it is dropped."""
    cell = 0
    for axis in range(len(columns)):
        place = slice_at(columns[axis][row], grid.sides, axis)
        if place < 0:
            return -1
        cell = cell * grid.lengths[axis] + place
    return cell


@compiled(nogil=True)
def guess(x: Any, side: Any, length: int, cells: Any, marks: Any) -> Any:
    """Append an axis's slices to the cells of a block of rows, and mark the rows outside and those
    near the next cut. Straight-line code on small integers, which the compiler turns into vector
    instructions.

    If slices are indices, rows near the next cut are settled here. There can be many of them,
    because round numbers are often edges."""
    lo, hi, near, step, sure = side[LO], side[HI], side[NEAR], side[STEP], side[SURE]
    outside_mark = np.uint8(DROPPED if side[POLICY] == 0 else DOUBTED)
    settled = side[SLICES] == side[BINS]
    unsettled = np.uint8(0 if settled else DOUBTED)
    marked, doubted = np.uint8(0), False
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - near) * step
        place = np.int32(share)
        doubt = share - place > sure
        mark = (unsettled if doubt else np.uint8(0)) if inside else outside_mark
        marks[row] |= mark
        marked |= mark
        doubted |= doubt
        cells[row] = cells[row] * length + place
    if settled and doubted:
        settle(x, side, cells)
    return marked


@compiled(nogil=True)
def settle(x: Any, side: Any, cells: Any) -> None:
    """Move the rows of a block that reach the next edge one slice up: `exact_index` for many
    rows."""
    lo, hi, near, step, sure = side[LO], side[HI], side[NEAR], side[STEP], side[SURE]
    span, bins = side[SPAN], side[BINS]
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - near) * step
        place = np.trunc(share)
        reached = x[row] >= lo + ((place + 1.0) * span) / bins
        cells[row] += np.int32(inside & (share - place > sure) & reached & (place < bins - 1))


@compiled(nogil=True)
def add_one(counters: Any, part: Any) -> None:
    """Count one row in a part."""
    low = np.uint8(counters.lows[part] + 1)
    counters.lows[part] = low
    if low == 0:
        counters.carries[part] += np.uint32(1)


@compiled(nogil=True)
def add_all(counters: Any, parts: Any) -> None:
    """Count a block of rows in their parts."""
    for row in range(len(parts)):
        add_one(counters, np.uint32(parts[row]))


@compiled(nogil=True)
def tally_grid(columns: Any, grid: Any, counters: Any) -> None:
    """Count the rows in each cell of a grid: guess the cells of a block and count them; count
    marked rows individually."""
    cells, marks = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.uint8)
    rows = len(columns[0])
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        cells[:size] = 0
        marks[:size] = 0
        marked = 0
        for axis in range(len(columns)):
            x, length = columns[axis][start : start + size], np.int32(grid.lengths[axis])
            marked |= guess(x, grid.sides[axis], length, cells[:size], marks[:size])
        if not marked:
            add_all(counters, cells[:size])
            continue
        for row in range(size):
            if not marks[row]:
                add_one(counters, np.uint32(cells[row]))
            elif marks[row] == DOUBTED:
                add_one(counters, exact_cell(columns, start + row, grid))


@compiled(nogil=True)
def number_cells(columns: Any, grid: Any, cells: Any) -> int:
    """Write the cell numbers of the rows that have one, and return the number of such rows."""
    found, marks = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint8)
    rows, kept = len(columns[0]), 0
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        found[:size] = 0
        marks[:size] = 0
        for axis in range(len(columns)):
            x = columns[axis][start : start + size]
            guess(x, grid.sides[axis], grid.lengths[axis], found[:size], marks[:size])
        for row in range(size):
            cell = exact_cell(columns, start + row, grid) if marks[row] else found[row]
            if cell >= 0:
                cells[kept] = cell
                kept += 1
    return kept


@compiled(nogil=True)
def number_places(columns: Any, grid: Any, added: Any, places: Any) -> int:
    """Write the places of the rows that have one, and return the number of such rows. A place is
    the sum of the numbers ``added`` by the row's slices."""
    found, slices = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.int32)
    marks, rows, kept = np.empty(BLOCK, np.uint8), len(columns[0]), 0
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        found[:size] = 0
        marks[:size] = 0
        marked = 0
        for axis in range(len(columns)):
            slices[:size] = 0
            x = columns[axis][start : start + size]
            marked |= guess(x, grid.sides[axis], np.int32(1), slices[:size], marks[:size])
            for row in range(size):
                number = np.uint32(slices[row])
                if number < len(added[axis]):  # the guess of a marked row may be anything
                    found[row] += added[axis][number]
        if not marked:
            places[kept : kept + size] = found[:size]
            kept += size
            continue
        for row in range(size):
            if marks[row] == DROPPED:
                continue
            place = np.int64(found[row])
            if marks[row]:
                place = exact_place(columns, start + row, grid, added)
            if place >= 0:
                places[kept] = place
                kept += 1
    return kept


@compiled(nogil=True)
def tally_stretches(columns: Any, grid: Any, stretches: Any, counters: Any) -> None:
    """Count the rows in each box, if boxes are contiguous stretches of places."""
    places = np.empty(len(columns[0]), np.uint32)
    kept = number_places(columns, grid, stretches.added, places)
    tally_places(places[:kept], stretches, counters)


@compiled(nogil=True)
def tally_places(places: Any, stretches: Any, counters: Any) -> None:
    """Count places in each box: look up a table, then search among the boxes that share its
    entry."""
    for row in range(len(places)):
        upper = places[row] >> np.uint32(stretches.shift)
        first, last = stretches.boxes[upper], stretches.boxes[upper + 1]
        while first < last:
            middle = (first + last + 1) >> 1
            if stretches.firsts[middle] <= places[row]:
                first = middle
            else:
                last = middle - 1
        add_one(counters, np.uint32(first))


@compiled(nogil=True)
def exact_place(columns: Any, row: int, grid: Any, added: Any) -> Any:
    """Return the place of one row with any values; -1 if it is dropped."""
    place = np.int64(0)
    for axis in range(len(columns)):
        number = slice_at(columns[axis][row], grid.sides, axis)
        if number < 0:
            return np.int64(-1)
        place += np.int64(added[axis][number])
    return place


@compiled(nogil=True)
def keep_lows(places: Any, lows: Any) -> None:
    """Write the lower halves of all places; ``lows`` may be the same memory."""
    for row in range(len(places)):
        lows[row] = np.uint16(places[row] & np.uint32(0xFFFF))


@compiled(nogil=True)
def rows_before(lows: Any, offsets: Any, places: Any, found: Any) -> None:
    """Write the number of rows before each place. O(log rows) each. See `places.RowPlaces`."""
    for query in range(len(places)):
        upper, low = places[query] >> 16, places[query] & 0xFFFF
        if upper >= len(offsets) - 1:
            found[query] = offsets[-1]
            continue
        first, last = offsets[upper], offsets[upper + 1]
        while first < last:
            middle = (first + last) >> 1
            if lows[middle] < low:
                first = middle + 1
            else:
                last = middle
        found[query] = first


@compiled(nogil=True)
def locate(
    x: Any, side: Any, starts: Any, length: int, cells: Any, marks: Any, beyond: Any, widths: Any
) -> Any:
    """Append an axis's slices to the cells of a block of rows. Mark the rows outside and those
    whose index is in doubt, and return whether there are any. ``beyond`` gets the distance of each
    row from the start of its slice, in indices, and ``widths`` the size of the slice. For marked
    rows, both may be wrong, but they belong to some slice."""
    lo, hi, base, rate, clear = side[LO], side[HI], side[BASE], side[RATE], side[CLEAR]
    bins, slices = side[BINS], side[SLICES]
    outside_mark = np.uint8(DROPPED if side[POLICY] == 0 else DOUBTED)
    marked = np.uint8(0)
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - base) * rate
        index = np.trunc(share)
        doubt = np.uint8(DOUBTED) if share - index > clear else np.uint8(0)
        mark = doubt if inside else outside_mark
        marks[row] |= mark
        marked |= mark
        place = np.int32(index * slices / bins)
        start = starts[np.uint32(place)]
        beyond[row] = index - start
        widths[row] = starts[np.uint32(place + 1)] - start
        cells[row] = cells[row] * length + place
    return marked


@compiled(nogil=True)
def refine(offsets: Any, plan: Any, cells: Any, parts: Any) -> None:
    """Write the parts of a block of rows, given their ``offsets`` in their cells and the cells'
    widths."""
    axes = offsets.shape[1]
    for row in range(len(cells)):
        cell, inside = np.uint32(cells[row]), np.int32(0)
        for axis in range(axes):
            slices = plan[cell, axis]
            beyond, width = offsets[0, axis, row], offsets[1, axis, row]
            inside = inside * slices + np.int32(beyond * slices / width)
        parts[row] = plan[cell, axes] + inside


@compiled(nogil=True)
def tally_refined(columns: Any, grid: Any, refined: Any, counters: Any) -> None:
    """Count the rows in each part of a refined grid: find the cells of a block and the offsets of
    its rows in them, then the parts. Count marked rows individually.

    Products of indices and slices are below 2^52, where rounding never lifts a quotient to the next
    whole number.
    """
    cells, parts = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    marks, offsets = np.empty(BLOCK, np.uint8), np.empty((2, len(columns), BLOCK))
    rows = len(columns[0])
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        block, marked = cells[:size], marks[:size]
        block[:] = 0
        marked[:] = 0
        some = 0
        for axis in range(len(columns)):
            x, length = columns[axis][start : start + size], np.int32(grid.lengths[axis])
            starts, beyond = refined.starts[axis], offsets[0, axis, :size]
            widths = offsets[1, axis, :size]
            some |= locate(x, grid.sides[axis], starts, length, block, marked, beyond, widths)
        refine(offsets, refined.plan, block, parts)
        if not some:
            add_all(counters, parts[:size])
            continue
        for row in range(size):
            if not marked[row]:
                add_one(counters, np.uint32(parts[row]))
            elif marked[row] == DOUBTED:
                add_one(counters, exact_part(columns, start + row, grid, refined))


@compiled(nogil=True)
def exact_part(columns: Any, row: int, grid: Any, refined: Any) -> Any:
    """Return the part of one row that no axis drops."""
    return part_inside(columns, row, exact_cell(columns, row, grid), grid, refined)


@compiled(nogil=True)
def part_inside(columns: Any, row: int, cell: Any, grid: Any, refined: Any) -> Any:
    """Return the part of one row, given its cell."""
    inside = 0
    for axis in range(len(columns)):
        slices = refined.plan[cell, axis]
        start, width = refined.frames[cell, axis]
        index = index_at(columns[axis][row], grid.sides, axis)
        inside = inside * slices + int((index - start) * slices / width)
    return refined.plan[cell, len(columns)] + inside


@compiled(nogil=True)
def indices(x: Any, sides: Any) -> Any:
    """Return the index of every value on a single axis, NaN if it has none."""
    found = np.empty(len(x))
    for row in range(len(x)):
        place = index_at(x[row], sides, 0)
        found[row] = place if place >= 0 else np.nan
    return found


@compiled(nogil=True)
def whole_indices(
    x: Any, lo: float, last: float, below: float, above: float, nowhere: float
) -> Any:
    """Return the index of every value on an axis of whole numbers, or ``below``, ``above`` or
    ``nowhere`` (for NaN)."""
    found = np.empty(len(x))
    for row in range(len(x)):
        index = np.floor(x[row]) - lo
        if index > last:
            index = above
        elif index < 0:
            index = below
        elif index != index:
            index = nowhere
        found[row] = index
    return found
