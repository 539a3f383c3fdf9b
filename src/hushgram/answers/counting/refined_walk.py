"""Compiled: questions to a grid whose cells are cut again (see `RefinedIndex`).

All functions that take ``found`` add to the row of one question: the value, the part of it from
parts that are cut, the variance, the same with fourth powers of the parts' weights in place of
squares, and the largest weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from hushgram.base.compiled import compiled

BATCH = 256
"""Questions that one thread takes at a time."""


@compiled()
def fill_tables(sizes: Any, offsets: Any, values: Any, table: Any) -> None:
    """The cumulative sums of each cell's parts along every axis, with a zero slice in front.
    The table of a cell lies between its offset and the next. O(axes x entries)"""
    axes = sizes.shape[1]
    part = 0
    for cell in range(len(sizes)):
        own = table[offsets[cell] : offsets[cell + 1]]
        for place in range(len(own)):
            rest, inside = place, True
            for axis in range(axes - 1, -1, -1):
                inside &= rest % (sizes[cell, axis] + 1) > 0
                rest //= sizes[cell, axis] + 1
            if inside:
                own[place] = values[part]
                part += 1
        stride = 1
        for axis in range(axes - 1, -1, -1):
            length = sizes[cell, axis] + 1
            for place in range(len(own)):
                if place // stride % length:
                    own[place] += own[place - stride]
            stride *= length


@compiled(parallel=True, error_model="numpy")
def ask(
    edges: Any, ends: Any, wholes: Any, strides: Any, sizes: Any, offsets: Any, table: Any,
    noise: float, facts: Any, starts: Any, stops: Any,
) -> Any:  # fmt: skip
    """A row per question: O(2^axes) for the cells it covers, and O(1) for each that it cuts."""
    questions, axes = starts.shape
    found = np.zeros((questions, 5))
    for batch in prange((questions + BATCH - 1) // BATCH):
        span = np.empty((axes, 4), np.int64)
        at = np.empty(axes, np.int64)
        terms = np.empty((4**axes, 3))
        for question in range(batch * BATCH, min((batch + 1) * BATCH, questions)):
            if not spans(edges, ends, starts, stops, question, span):
                continue
            add_covered(wholes, strides, span, found, question)
            last = axes - 1
            at[:] = span[:, 0]
            while at[0] < span[0, 1]:
                cell, row_covered = 0, True
                for axis in range(axes):
                    cell = cell * (ends[axis + 1] - ends[axis] - 1) + at[axis]
                for axis in range(last):
                    row_covered &= span[axis, 2] <= at[axis] < span[axis, 3]
                while at[last] < span[last, 1]:
                    if row_covered and span[last, 2] <= at[last] < span[last, 3]:
                        cell += span[last, 3] - at[last]
                        at[last] = span[last, 3]
                        continue
                    add_border(
                        edges, ends, sizes, offsets, table, noise, facts, starts, stops, at, cell,
                        terms, found, question,
                    )  # fmt: skip
                    at[last] += 1
                    cell += 1
                for axis in range(last, 0, -1):
                    if at[axis] == span[axis, 1]:
                        at[axis] = span[axis, 0]
                        at[axis - 1] += 1
    return found


@compiled(error_model="numpy", inline="always")
def spans(edges: Any, ends: Any, starts: Any, stops: Any, question: int, span: Any) -> bool:
    """On each axis, the cells that a question touches and those that it covers, from and to.
    False if it is empty."""
    full = True
    for axis in range(len(span)):
        cuts = edges[ends[axis] : ends[axis + 1]]
        start, stop = starts[question, axis], stops[question, axis]
        full &= start < stop
        low = np.searchsorted(cuts, start, side="right") - 1
        high = np.searchsorted(cuts, stop, side="left")
        span[axis, 0], span[axis, 1] = low, high
        span[axis, 2], span[axis, 3] = low + (cuts[low] < start), high - (cuts[high] > stop)
    return full


@compiled(error_model="numpy", inline="always")
def add_covered(wholes: Any, strides: Any, span: Any, found: Any, question: int) -> None:
    """The cells that are covered: differences of cumulative sums at the corners."""
    axes = len(span)
    some = True
    for axis in range(axes):
        some &= span[axis, 2] < span[axis, 3]
    if some:
        for corner in range(1 << axes):
            place, sign = 0, 1.0
            for axis in range(axes):
                lower = (corner >> axis) & 1
                place += span[axis, 3 - lower] * strides[axis]
                sign -= 2 * lower * sign
            found[question, 0] += sign * wholes[place, 0]
            found[question, 2] += sign * wholes[place, 1]
            found[question, 3] += sign * wholes[place, 2]
        found[question, 4] = 1.0


@compiled(error_model="numpy", inline="always")
def add_border(
    edges: Any, ends: Any, sizes: Any, offsets: Any, table: Any, noise: float, facts: Any,
    starts: Any, stops: Any, at: Any, cell: int, terms: Any, found: Any, question: int,
) -> None:  # fmt: skip
    """A cell that is cut: along one axis only, but at corners."""
    axes = len(at)
    sides, cut = 0, 0
    for axis in range(axes):
        edge = ends[axis] + at[axis]
        here = (starts[question, axis] > edges[edge]) + (stops[question, axis] < edges[edge + 1])
        cut = axis if here else cut
        sides += here
    if sides > 1:
        add_corner(
            edges, ends, sizes[cell], table[offsets[cell] : offsets[cell + 1]], noise,
            facts[cell, -1], starts[question], stops[question], at, terms, found[question],
        )  # fmt: skip
    else:
        slices, step = facts[cell, cut], facts[cell, axes + cut]
        last, noises, gain = facts[cell, 2 * axes], facts[cell, -2], facts[cell, -1]
        low, high = edges[ends[cut] + at[cut]], edges[ends[cut] + at[cut] + 1]
        below = stops[question, cut] < high
        place = stops[question, cut] if below else starts[question, cut]
        number, share = position(place - low, high - low, slices)
        before = table[int(last - (slices - number) * step)]
        after = table[int(last - (slices - number - 1) * step)]
        every = table[int(last)]
        value, sure = before + share * (after - before), before
        whole = number
        if not below:
            sure = every - (after if share > 0 else before)
            value = every - value
            whole, share = slices - number - 1.0, 1 - share
        weight, square = (whole + share) / slices, share * share
        others = noises / slices
        found[question, 0] += value
        found[question, 1] += value - sure
        found[question, 2] += others * (whole + square) - weight * weight * gain
        found[question, 3] += others * (whole + square * square)
        found[question, 4] = max(found[question, 4], 1.0 if whole > 0 else share)


@compiled(error_model="numpy")
def position(place: float, width: float, slices: float) -> Any:
    """The slice of a cell that a place lies in, and how far. A slice starts at
    ``ceil(number * width / slices)`` (see `Refined`): exact in doubles, of factors below 2^26."""
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
    edges: Any, ends: Any, sizes: Any, table: Any, noise: float, gain: float, starts: Any,
    stops: Any, at: Any, terms: Any, found: Any,
) -> None:  # fmt: skip
    """A cell that is cut anyhow. The weights of its parts are products over the axes, so their
    sums are; its value is a sum of at most 4^axes terms: a place of the table, its share, and its
    share without the parts that are cut."""
    terms[0] = (0.0, 1.0, 1.0)
    count, stride = 1, 1.0
    ones, twos, fours, largest, parts = 1.0, 1.0, 1.0, 1.0, 1.0
    for axis in range(len(sizes) - 1, -1, -1):
        slices = float(sizes[axis])
        low, high = edges[ends[axis] + at[axis]], edges[ends[axis] + at[axis] + 1]
        first, head = 0.0, 0.0
        if starts[axis] > low:
            first, head = position(starts[axis] - low, high - low, slices)
        last, tail = slices, 0.0
        if stops[axis] < high:
            last, tail = position(stops[axis] - low, high - low, slices)
        within = last - first - 1
        front, inner = (1 - head, within) if within >= 0 else (tail - head, 0.0)
        back = tail if within >= 0 else 0.0
        ones *= front + inner + back
        twos *= front**2 + inner + back**2
        fours *= front**4 + inner + back**4
        largest *= 1.0 if inner > 0 else max(front, back)
        parts *= slices
        sure = 1.0 if within >= 0 else 0.0
        made = count
        for term in range(count):
            place, share, whole = terms[term, 0], terms[term, 1], terms[term, 2] * sure
            terms[term] = (place + last * stride, share * (1 - tail), whole)
            if tail > 0:
                terms[made] = (place + (last + 1) * stride, share * tail, 0.0)
                made += 1
            if head > 0:
                terms[made] = (place + (first + 1) * stride, -share * head, -whole)
                made += 1
            terms[made] = (place + first * stride, -share * (1 - head), -whole * (head == 0))
            made += 1
        count = made
        stride *= slices + 1
    value, sure = 0.0, 0.0
    for term in range(count):
        value += terms[term, 1] * table[int(terms[term, 0])]
        sure += terms[term, 2] * table[int(terms[term, 0])]
    weight = ones / parts
    found[0] += value
    found[1] += value - sure
    found[2] += twos * noise - weight * weight * gain
    found[3] += fours * noise
    found[4] = max(found[4], largest)
