"""The compiled loops of the fast path: from columns of doubles to counts in one pass.

The same operations as the Ibis expressions of `quantise` and `counting`, each rounded once (no
fused or reordered arithmetic), so the integers are the same. NaN stands for NULL and for all
that has no index. The loops run without the interpreter's lock, O(rows x axes).

An axis is a row of numbers, see `hushgram.trusted.engine.compiled.arrow.side_of`:

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

``lengths`` are the slices of each axis, "other" counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

LO, HI, SPAN, BINS, BASE, RATE, CLEAR, NEAR, STEP, SURE, SLICES, POLICY = range(12)

BLOCK = 1 << 11
"""Rows whose cells are guessed at once."""

DOUBTED, DROPPED = 1, 2
"""The marks of rows, bits that the axes join: a row that is only doubted drops out on none."""


@compiled(nogil=True, inline="always")
def exact_index(x: float, sides: Any, axis: int) -> Any:
    """The index of a value that fits: the guess, and near an edge a comparison with it."""
    guess = (x - sides[axis, BASE]) * sides[axis, RATE]
    below = float(int(guess))
    if guess - below > sides[axis, CLEAR]:
        edge = sides[axis, LO] + ((below + 1.0) * sides[axis, SPAN]) / sides[axis, BINS]
        if x >= edge and below < sides[axis, BINS] - 1:  # the last bin holds all up to HI
            below += 1
    return below


@compiled(nogil=True, inline="always")
def elsewhere(x: float, sides: Any, axis: int, last: float) -> float:
    """Where a value goes that does not fit, among 0 … last; -1 if nowhere."""
    if sides[axis, POLICY] == 0:
        return -1.0
    if sides[axis, POLICY] == 2:
        return last + 1.0
    return last if x > sides[axis, HI] else 0.0


@compiled(nogil=True, inline="always")
def slice_at(x: float, sides: Any, axis: int) -> int:
    """The slice of a value, whatever it is; -1 if it drops out."""
    if sides[axis, LO] <= x <= sides[axis, HI]:
        return int(exact_index(x, sides, axis) * sides[axis, SLICES] / sides[axis, BINS])
    return int(elsewhere(x, sides, axis, sides[axis, SLICES] - 1))


@compiled(nogil=True, inline="always")
def exact_cell(columns: Any, row: int, sides: Any, lengths: Any) -> int:
    """The cell of one row, whatever its values; -1 if it drops out."""
    cell = 0
    for axis in range(len(columns)):
        place = slice_at(columns[axis][row], sides, axis)
        if place < 0:
            return -1
        cell = cell * lengths[axis] + place
    return cell


@compiled(nogil=True)
def guess(x: Any, side: Any, length: int, cells: Any, marks: Any) -> Any:
    """Append an axis's slices to the cells of a block of rows, and mark the rows where that will
    not do: those outside, and those near the next cut. Straight-line code on small integers,
    which the compiler turns into vector instructions.

    Where slices are indices, rows near the next cut are settled here: round numbers are often
    edges, and then there are many."""
    lo, hi, near, step, sure = side[LO], side[HI], side[NEAR], side[STEP], side[SURE]
    astray = np.uint8(DROPPED if side[POLICY] == 0 else DOUBTED)
    settled = side[SLICES] == side[BINS]
    unsettled = np.uint8(0 if settled else DOUBTED)
    marked, doubted = np.uint8(0), False
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - near) * step
        place = np.int32(share)
        doubt = share - place > sure
        mark = (unsettled if doubt else np.uint8(0)) if inside else astray
        marks[row] |= mark
        marked |= mark
        doubted |= doubt
        cells[row] = cells[row] * length + place
    if settled and doubted:
        settle(x, side, cells)
    return marked


@compiled(nogil=True)
def settle(x: Any, side: Any, cells: Any) -> None:
    """Move the rows of a block that reach the next edge one slice up: `exact_index`, for many."""
    lo, hi, near, step, sure = side[LO], side[HI], side[NEAR], side[STEP], side[SURE]
    span, bins = side[SPAN], side[BINS]
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - near) * step
        place = np.trunc(share)
        reached = x[row] >= lo + ((place + 1.0) * span) / bins
        cells[row] += np.int32(inside & (share - place > sure) & reached & (place < bins - 1))


@compiled(nogil=True)
def add_one(lows: Any, carries: Any, part: Any) -> None:
    """Count one more row in a part."""
    low = np.uint8(lows[part] + 1)
    lows[part] = low
    if low == 0:
        carries[part] += np.uint32(1)


@compiled(nogil=True)
def add_all(lows: Any, carries: Any, parts: Any) -> None:
    """Count one more row in each part of a block of rows."""
    for row in range(len(parts)):
        add_one(lows, carries, np.uint32(parts[row]))


@compiled(nogil=True)
def tally_grid(columns: Any, sides: Any, lengths: Any, lows: Any, carries: Any) -> None:
    """Count the rows in each cell of a grid: guess a block's cells, then count them, and the
    rows in doubt one by one."""
    cells, marks = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.uint8)
    rows = len(columns[0])
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        cells[:size] = 0
        marks[:size] = 0
        marked = 0
        for axis in range(len(columns)):
            x, length = columns[axis][start : start + size], np.int32(lengths[axis])
            marked |= guess(x, sides[axis], length, cells[:size], marks[:size])
        if not marked:
            add_all(lows, carries, cells[:size])
            continue
        for row in range(size):
            if not marks[row]:
                add_one(lows, carries, np.uint32(cells[row]))
            elif marks[row] == DOUBTED:
                add_one(lows, carries, exact_cell(columns, start + row, sides, lengths))


@compiled(nogil=True)
def number_cells(columns: Any, sides: Any, lengths: Any, cells: Any) -> int:
    """The number of each row's cell, for the rows that have one; how many those are."""
    kept = 0
    for row in range(len(columns[0])):
        cell = exact_cell(columns, row, sides, lengths)
        if cell >= 0:
            cells[kept] = cell
            kept += 1
    return kept


@compiled(nogil=True)
def number_places(columns: Any, sides: Any, parts: Any, places: Any) -> int:
    """The place of each row, for the rows that have one: the sum of what its slices add to it
    (``parts``). Returns how many rows those are."""
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
            marked |= guess(x, sides[axis], np.int32(1), slices[:size], marks[:size])
            for row in range(size):
                number = np.uint32(slices[row])
                if number < len(parts[axis]):  # the guess of a marked row may be anything
                    found[row] += parts[axis][number]
        if not marked:
            places[kept : kept + size] = found[:size]
            kept += size
            continue
        for row in range(size):
            if marks[row] == DROPPED:
                continue
            place = np.int64(found[row])
            if marks[row]:
                place = exact_place(columns, start + row, sides, parts)
            if place >= 0:
                places[kept] = place
                kept += 1
    return kept


@compiled(nogil=True)
def exact_place(columns: Any, row: int, sides: Any, parts: Any) -> Any:
    """The place of one row, whatever its values; -1 if it drops out."""
    place = np.int64(0)
    for axis in range(len(columns)):
        number = slice_at(columns[axis][row], sides, axis)
        if number < 0:
            return np.int64(-1)
        place += np.int64(parts[axis][number])
    return place


@compiled(nogil=True)
def keep_lows(places: Any, lows: Any) -> None:
    """The lower halves of all places; ``lows`` may be the same memory."""
    for row in range(len(places)):
        lows[row] = np.uint16(places[row] & np.uint32(0xFFFF))


@compiled(nogil=True)
def rows_before(lows: Any, offsets: Any, places: Any, found: Any) -> None:
    """How many rows lie before each place: O(log rows) each. See `places.RowPlaces`."""
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
    """Append an axis's slices to the cells of a block of rows, and mark the rows whose index is
    in doubt and those outside; whether there are any. ``beyond`` gets how many indices beyond the
    start of its slice each row lies, ``widths`` how many the slice has; of a marked row they may
    be wrong, but they are those of some slice."""
    lo, hi, base, rate, clear = side[LO], side[HI], side[BASE], side[RATE], side[CLEAR]
    bins, slices = side[BINS], side[SLICES]
    astray = np.uint8(DROPPED if side[POLICY] == 0 else DOUBTED)
    marked = np.uint8(0)
    for row in range(len(cells)):
        inside = (lo <= x[row]) & (x[row] <= hi)
        share = ((x[row] if inside else lo) - base) * rate
        index = np.trunc(share)
        doubt = np.uint8(DOUBTED) if share - index > clear else np.uint8(0)
        mark = doubt if inside else astray
        marks[row] |= mark
        marked |= mark
        place = np.int32(index * slices / bins)
        start = starts[np.uint32(place)]
        beyond[row] = index - start
        widths[row] = starts[np.uint32(place + 1)] - start
        cells[row] = cells[row] * length + place
    return marked


@compiled(nogil=True)
def refine(far: Any, plan: Any, cells: Any, parts: Any) -> None:
    """The parts of a block of rows, of which ``far`` says how far into their cells they lie."""
    axes = far.shape[1]
    for row in range(len(cells)):
        cell, inside = np.uint32(cells[row]), np.int32(0)
        for axis in range(axes):
            slices = plan[cell, axis]
            inside = inside * slices + np.int32(far[0, axis, row] * slices / far[1, axis, row])
        parts[row] = plan[cell, axes] + inside


@compiled(nogil=True)
def tally_refined(
    columns: Any,
    sides: Any,
    lengths: Any,
    starts: Any,
    plan: Any,
    lookup: Any,
    lows: Any,
    carries: Any,
) -> None:
    """Count the rows in each part of a refined grid: find a block's cells and how far into them
    its rows lie, then the parts; the rows in doubt one by one.

    ``starts`` holds the first index of each axis's slices, and last one past all; ``plan`` for
    each cell its slices on each axis and the number of its first part, side by side, since a cell
    is often not in the cache; ``lookup`` the start and width of each cell on each axis. Products
    of indices and slices stay below 2^52, where a rounded quotient never reaches a whole number
    from below.
    """
    cells, parts = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    marks, far = np.empty(BLOCK, np.uint8), np.empty((2, len(columns), BLOCK))
    rows = len(columns[0])
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        block, marked = cells[:size], marks[:size]
        block[:] = 0
        marked[:] = 0
        some = 0
        for axis in range(len(columns)):
            x, length = columns[axis][start : start + size], np.int32(lengths[axis])
            beyond, widths = far[0, axis, :size], far[1, axis, :size]
            some |= locate(x, sides[axis], starts[axis], length, block, marked, beyond, widths)
        refine(far, plan, block, parts)
        if not some:
            add_all(lows, carries, parts[:size])
            continue
        for row in range(size):
            if not marked[row]:
                add_one(lows, carries, np.uint32(parts[row]))
            elif marked[row] == DOUBTED:
                part = exact_part(columns, start + row, sides, lengths, plan, lookup)
                add_one(lows, carries, part)


@compiled(nogil=True)
def exact_part(columns: Any, row: int, sides: Any, lengths: Any, plan: Any, lookup: Any) -> Any:
    """The part of one row that drops out on no axis."""
    cell = exact_cell(columns, row, sides, lengths)
    inside = 0
    for axis in range(len(columns)):
        x, slices = columns[axis][row], plan[cell, axis]
        if sides[axis, LO] <= x <= sides[axis, HI]:
            index = exact_index(x, sides, axis)
        else:
            index = elsewhere(x, sides, axis, sides[axis, BINS] - 1)
        start, width = lookup[cell, axis]
        inside = inside * slices + int((index - start) * slices / width)
    return plan[cell, len(columns)] + inside


@compiled(nogil=True)
def indices(x: Any, sides: Any) -> Any:
    """The index of every value, NaN where it has none."""
    found, axis = np.empty(len(x)), 0
    for row in range(len(x)):
        if sides[axis, LO] <= x[row] <= sides[axis, HI]:
            found[row] = exact_index(x[row], sides, axis)
        else:
            place = elsewhere(x[row], sides, axis, sides[axis, BINS] - 1)
            found[row] = place if place >= 0 else np.nan
    return found
