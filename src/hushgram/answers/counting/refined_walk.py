"""Compiled: queries on a grid whose cells are cut again (see `RefinedIndex`).

The cells of the grid and a query, the box with double lines::

    .   .   .   .   .   .        .  not touched: adds nothing
      ╔═══════════════╗
    . ║ +   -   -   + ║ .        #  covered: all of them at once, `add_covered`
    . ║ |   #   #   | ║ .        | - cut along one axis: `add_side`
    . ║ |   #   #   | ║ .        +  cut along several, or at both ends: `add_corner`
    . ║ +   -   -   + ║ .
      ╚═══════════════╝
    .   .   .   .   .   .

`add_cut` goes through the touched cells row by row, and skips the covered ones.

Each query has two small tables with a row per axis: ``box`` has its start and stop, and the bounds
of the cell that the walk has reached; ``span`` has the numbers of the cells. ``found`` is the
query's row of `Sums`.

The records are defined in the file of the loops that use them: machine code on disk becomes invalid
when this file changes, and must do so when a record changes. They are unpacked once per query,
because taking an array from a record increments its reference count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hushgram.answers.counting.sums import COLUMNS, FOURTHS, LARGEST, PARTIAL, VALUE, VARIANCE
from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

BATCH = 256
"""The number of queries that one thread processes at a time."""

START, STOP, LOW, HIGH = range(4)
"""Columns of a box: the bounds of the query, and of the cell that the walk has reached."""

TOUCHED, TOUCHED_STOP, COVERED, COVERED_STOP, AT = range(5)
"""Columns of a span: start and stop of touched cells, of covered cells, and the walk's position."""

LAST, NOISE, GAIN = -3, -2, -1
"""Columns of `CellTables.facts`, after the slices and the strides of each axis."""

PLACE, SHARE, SURE = range(3)
"""Columns of the terms of a value: a position in a cell's table, the weight of the sum there, and
its weight without the parts that are cut."""


class GridSums(NamedTuple):
    """A grid, and cumulative sums over its cells."""

    edges: Floats
    """The starts of the cells and the stop of the last, one axis after the other."""
    offsets: Ints
    """The start of each axis's edges, followed by the end of all."""
    sums: Floats
    """The cumulative sums of values, variances, and the noise of parts: a column each."""
    strides: Ints
    """The number of rows of ``sums`` between neighbours along each axis."""


class CellTables(NamedTuple):
    """The cells of the grid, each a grid itself, with cumulative sums over its parts."""

    sums: Floats
    """The tables of cumulative sums, one cell after the other."""
    facts: Floats
    """A row per cell: its slices along each axis; the strides of its table; the last position of
    the table; the noise of the sum of its parts; and by how much the variance of its own estimate
    is smaller."""
    noise: float
    """The variance of a part's noise."""


@compiled()
def fill_tables(slices: Ints, offsets: Ints, values: Floats, table: Floats) -> None:
    """Fill in the cumulative sums of each cell's parts along every axis, with a leading slice of
    zeros. The table of a cell is between its offset and the next. O(axes x entries)"""
    axes = slices.shape[1]
    part = 0
    for cell in range(len(slices)):
        own = table[offsets[cell] : offsets[cell + 1]]
        for place in range(len(own)):
            rest, inside = place, True
            for axis in range(axes - 1, -1, -1):
                inside &= rest % (slices[cell, axis] + 1) > 0
                rest //= slices[cell, axis] + 1
            if inside:
                own[place] = values[part]
                part += 1
        stride = 1
        for axis in range(axes - 1, -1, -1):
            length = slices[cell, axis] + 1
            for place in range(len(own)):
                if place // stride % length:
                    own[place] += own[place - stride]
            stride *= length


@compiled(parallel=True, error_model="numpy")
def ask(grid: GridSums, cells: CellTables, starts: Floats, stops: Floats) -> Floats:
    """The sums of each query, a row each: O(2^axes) for the covered cells, and O(1) for each cut
    one.
    """
    found = np.zeros((len(starts), COLUMNS))
    for batch in prange((len(starts) + BATCH - 1) // BATCH):
        first, last = batch * BATCH, min((batch + 1) * BATCH, len(starts))
        ask_some(grid, cells, starts[first:last], stops[first:last], found[first:last])
    return found


@compiled(error_model="numpy")
def ask_some(
    grid: GridSums, cells: CellTables, starts: Floats, stops: Floats, found: Floats
) -> None:
    """Answer the queries of one thread, one after the other."""
    axes = starts.shape[1]
    box, span = np.empty((axes, 4)), np.empty((axes, 5), np.int64)
    terms = np.empty((4**axes, 3))
    for question in range(len(starts)):
        for axis in range(axes):
            box[axis, START], box[axis, STOP] = starts[question, axis], stops[question, axis]
        if find_spans(grid.edges, grid.offsets, box, span):
            add_covered(grid.sums, grid.strides, span, found[question])
            add_cut(grid, cells, box, span, terms, found[question])


@compiled(error_model="numpy", inline="always")
def find_spans(edges: Floats, offsets: Ints, box: Floats, span: Ints) -> bool:
    """Find the cells of each axis that a query touches, and those it covers. False if it is
    empty."""
    is_filled = True
    for axis in range(len(span)):
        cuts = edges[offsets[axis] : offsets[axis + 1]]
        start, stop = box[axis, START], box[axis, STOP]
        is_filled &= start < stop
        low = np.searchsorted(cuts, start, side="right") - 1
        high = np.searchsorted(cuts, stop, side="left")
        span[axis, TOUCHED], span[axis, TOUCHED_STOP] = low, high
        span[axis, COVERED] = low + (cuts[low] < start)
        span[axis, COVERED_STOP] = high - (cuts[high] > stop)
    return is_filled


@compiled(error_model="numpy", inline="always")
def add_covered(sums: Floats, strides: Ints, span: Ints, found: Floats) -> None:
    """Add the covered cells: differences of cumulative sums at the corners of their box."""
    axes = len(span)
    has_covered = True
    for axis in range(axes):
        has_covered &= span[axis, COVERED] < span[axis, COVERED_STOP]
    if has_covered:
        for corner in range(1 << axes):
            place, sign = 0, 1.0
            for axis in range(axes):
                lower = (corner >> axis) & 1
                place += span[axis, COVERED_STOP - lower] * strides[axis]
                sign -= 2 * lower * sign
            found[VALUE] += sign * sums[place, 0]
            found[VARIANCE] += sign * sums[place, 1]
            found[FOURTHS] += sign * sums[place, 2]
        found[LARGEST] = 1.0


@compiled(error_model="numpy", inline="always")
def add_cut(
    grid: GridSums, cells: CellTables, box: Floats, span: Ints, terms: Floats, found: Floats
) -> None:
    """Add the cut cells, row by row along the last axis. Cells are numbered in that order, so the
    number of a cell is that of its row's first cell plus its position in the row."""
    edges, offsets = grid.edges, grid.offsets
    sums, facts, noise = cells.sums, cells.facts, cells.noise
    last = len(span) - 1
    for axis in range(last + 1):
        span[axis, AT] = span[axis, TOUCHED]
    while span[0, AT] < span[0, TOUCHED_STOP]:
        row, has_covered = 0, True
        for axis in range(last):
            at, edge = span[axis, AT], offsets[axis] + span[axis, AT]
            box[axis, LOW], box[axis, HIGH] = edges[edge], edges[edge + 1]
            row = row * (offsets[axis + 1] - offsets[axis] - 1) + at
            has_covered &= span[axis, COVERED] <= at < span[axis, COVERED_STOP]
        row *= offsets[last + 1] - offsets[last] - 1
        at = span[last, TOUCHED]
        while at < span[last, TOUCHED_STOP]:
            if has_covered and span[last, COVERED] <= at < span[last, COVERED_STOP]:
                at = span[last, COVERED_STOP]
                continue
            edge = offsets[last] + at
            box[last, LOW], box[last, HIGH] = edges[edge], edges[edge + 1]
            ends, cut = count_cuts(box)
            if ends > 1:
                add_corner(sums, facts[row + at], noise, box, terms, found)
            else:
                add_side(sums, facts, row + at, box, cut, found)
            at += 1
        span[last, AT] = at
        for axis in range(last, 0, -1):  # to the start of the next row
            if span[axis, AT] == span[axis, TOUCHED_STOP]:
                span[axis, AT] = span[axis, TOUCHED]
                span[axis - 1, AT] += 1


@compiled(error_model="numpy", inline="always")
def count_cuts(box: Floats) -> tuple[int, int]:
    """The number of ends at which a query cuts a cell, and the last axis that is cut."""
    ends, cut = 0, 0
    for axis in range(len(box)):
        here = (box[axis, START] > box[axis, LOW]) + (box[axis, STOP] < box[axis, HIGH])
        cut = axis if here else cut
        ends += here
    return ends, cut


@compiled(error_model="numpy", inline="always")
def add_side(sums: Floats, facts: Floats, cell: int, box: Floats, cut: int, found: Floats) -> None:
    """Add a cell that is cut at one of its ends along one axis. The query covers ``whole`` of its
    slices, and a ``share`` of the next::

        stop inside:   [ whole slices |share)    ]
        start inside:  [    (share| whole slices ]
    """
    slices, step = facts[cell, cut], facts[cell, len(box) + cut]
    last, low, high = facts[cell, LAST], box[cut, LOW], box[cut, HIGH]
    stops_here = box[cut, STOP] < high
    place = box[cut, STOP] if stops_here else box[cut, START]
    number, share = position(place - low, high - low, slices)

    before = sums[int(last - (slices - number) * step)]
    after = sums[int(last - (slices - number - 1) * step)]
    every = sums[int(last)]
    value, sure, whole = before + share * (after - before), before, number
    if not stops_here:
        value = every - value
        sure = every - (after if share > 0 else before)
        whole, share = slices - number - 1.0, 1 - share

    weight, square = (whole + share) / slices, share * share
    noise = facts[cell, NOISE] / slices
    found[VALUE] += value
    found[PARTIAL] += value - sure
    found[VARIANCE] += noise * (whole + square) - weight * weight * facts[cell, GAIN]
    found[FOURTHS] += noise * (whole + square * square)
    found[LARGEST] = max(found[LARGEST], 1.0 if whole > 0 else share)


@compiled(error_model="numpy")
def position(place: float, width: float, slices: float) -> tuple[float, float]:
    """The slice of a cell that contains a position, and the share of the slice below it. A slice
    starts at ``ceil(number * width / slices)`` (see `Refined`), which is exact in doubles for
    factors below 2^26."""
    number = min(np.floor(place * slices / width), slices - 1.0)
    while np.ceil(number * width / slices) > place:
        number -= 1
    start, stop = np.ceil(number * width / slices), np.ceil((number + 1) * width / slices)
    while stop <= place:
        number += 1
        start, stop = stop, np.ceil((number + 1) * width / slices)
    return number, (place - start) / (stop - start)


@compiled(error_model="numpy")
def add_corner(
    sums: Floats, facts: Floats, noise: float, box: Floats, terms: Floats, found: Floats
) -> None:
    """Add a cell that is cut in any way. The weights of its parts are products over the axes, and
    so are their sums. Along one axis, the query starts ``head`` into one slice and stops ``tail``
    into another, or the same one, in which case ``front`` is all of it::

        slices      |  first  |    …    |  last   |
        question         ╠═══════════════════╣
        weights        front     inner      back

    The value is a sum of at most 4^axes entries of the cell's table, at four positions along each
    axis: on both sides of the start and of the stop."""
    terms[0] = (0.0, 1.0, 1.0)
    count, stride = 1, 1.0
    ones, squares, fourths, largest, parts = 1.0, 1.0, 1.0, 1.0, 1.0
    for axis in range(len(box) - 1, -1, -1):
        slices = facts[axis]
        first, head, last, tail = cut_of(box, axis, slices)
        within = last - first - 1
        front, inner = (1 - head, within) if within >= 0 else (tail - head, 0.0)
        back = tail if within >= 0 else 0.0
        ones *= front + inner + back
        squares *= front**2 + inner + back**2
        fourths *= front**4 + inner + back**4
        largest *= 1.0 if inner > 0 else max(front, back)
        parts *= slices
        count = multiply_terms(terms, count, stride, first, head, last, tail)
        stride *= slices + 1
    value, sure = 0.0, 0.0
    table = sums[int(facts[LAST] + 1 - stride) :]  # as long as all strides together
    for term in range(count):
        value += terms[term, SHARE] * table[int(terms[term, PLACE])]
        sure += terms[term, SURE] * table[int(terms[term, PLACE])]
    weight = ones / parts
    found[VALUE] += value
    found[PARTIAL] += value - sure
    found[VARIANCE] += squares * noise - weight * weight * facts[GAIN]
    found[FOURTHS] += fourths * noise
    found[LARGEST] = max(found[LARGEST], largest)


@compiled(error_model="numpy", inline="always")
def cut_of(box: Floats, axis: int, slices: float) -> tuple[float, float, float, float]:
    """The slice in which a query starts within a cell and the share of it before the start, then
    the same for the stop."""
    low, high = box[axis, LOW], box[axis, HIGH]
    first, head = 0.0, 0.0
    if box[axis, START] > low:
        first, head = position(box[axis, START] - low, high - low, slices)
    last, tail = slices, 0.0
    if box[axis, STOP] < high:
        last, tail = position(box[axis, STOP] - low, high - low, slices)
    return first, head, last, tail


@compiled(error_model="numpy", inline="always")
def multiply_terms(
    terms: Floats, count: int, stride: float, first: float, head: float, last: float, tail: float
) -> int:
    """Multiply the first ``count`` terms by the sum along one more axis, and return their new
    number. The sum is interpolated between cuts: ``(1 - tail)`` of that up to ``last``, ``tail`` of
    that up to the next, minus the same for the start. The column `SURE` omits both slices that are
    cut."""
    sure = 1.0 if last > first else 0.0
    made = count
    for term in range(count):
        place, share, whole = terms[term, PLACE], terms[term, SHARE], terms[term, SURE] * sure
        terms[term] = (place + last * stride, share * (1 - tail), whole)
        if tail > 0:
            terms[made] = (place + (last + 1) * stride, share * tail, 0.0)
            made += 1
        if head > 0:
            terms[made] = (place + (first + 1) * stride, -share * head, -whole)
            made += 1
        terms[made] = (place + first * stride, -share * (1 - head), -whole * (head == 0))
        made += 1
    return made
