"""Compiled: the exact share of each box that rings cover.

Boxes are in a tree of bounding boxes (`hushgram.answers.unevenness.cut_walk`). A ring is clipped by
a box (Sutherland and Hodgman 1974), and the rest by the boxes within, so that each step only
processes a nearby piece. If a ring leaves a box and returns, clipping joins its pieces along the
border; such joints enclose no area, so the result is correct. Once all edges are on the border, the
box is covered entirely or not at all, and so are all boxes within.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.answers.unevenness.cut_walk import FANOUT
from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

ROUNDING = 1e-12
"""The largest distance of a share from 0 or 1 that counts as a rounding error."""

FIRST = 1024
"""The initial size of growing lists."""

MAX_GROWTH = 6
"""The largest factor by which clipping increases the points of a ring: a line adds a point per
crossing and removes one for every two, so four lines multiply them by at most 1.5⁴."""


@compiled(error_model="numpy")
def cover_boxes(
    bounds: Floats, levels: Ints, points: Floats, offsets: Ints, signs: Floats, most: int
) -> tuple[Ints, Ints, Floats, bool]:
    """For each ring and each box that it overlaps: the ring, the box, and the covered share times
    the ring's sign. Rings are the points between offsets, not closed. Finally, False if there would
    be more than ``most`` of them."""
    rings, boxes, shares = np.empty(FIRST, np.int64), np.empty(FIRST, np.int64), np.empty(FIRST)
    found = 0
    top = len(levels) - 2
    waiting = np.empty((FANOUT * (top + 2), 4), np.int64)
    room, spare = np.empty((FIRST, 2)), np.empty((FIRST, 2))
    for ring in range(len(offsets) - 1):
        length = offsets[ring + 1] - offsets[ring]
        room = grow(room, length)
        for place in range(length):
            for axis in range(2):
                room[place, axis] = points[offsets[ring] + place, axis]
        depth = push(waiting, 0, top, levels[top], levels[top + 1], 0, length)
        while depth:
            depth -= 1
            level, node = waiting[depth, 0], waiting[depth, 1]
            start, length = waiting[depth, 2], waiting[depth, 3]
            begin = start + length
            room = grow(room, begin + MAX_GROWTH * (length + 4))
            spare = grow(spare, MAX_GROWTH * (length + 4))
            left = clip_ring(room, start, begin, bounds, node, spare)
            if left < 3:
                continue
            settled = on_border(room, begin, begin + left, bounds, node)
            share = covered_share(room, begin, begin + left, bounds, node)
            if settled and share < 0.5:
                continue
            if level and not settled:
                below = levels[level - 1] + (node - levels[level]) * FANOUT
                last = min(below + FANOUT, levels[level])
                depth = push(waiting, depth, level - 1, below, last, begin, left)
                continue
            if settled or share > 1 - ROUNDING:
                share = 1.0
            first = (node - levels[level]) * FANOUT**level
            last = min(first + FANOUT**level, levels[1])
            if found + last - first > most:
                return rings[:0], boxes[:0], shares[:0], False
            if found + last - first > len(rings):
                size = 2 * (found + last - first)
                rings, boxes = longer(rings, size), longer(boxes, size)
                shares = longer(shares, size)
            for place in range(first, last):
                rings[found], boxes[found], shares[found] = ring, place, signs[ring] * share
                found += share > ROUNDING
    return rings[:found], boxes[:found], shares[:found], True


@compiled(error_model="numpy")
def push(
    waiting: Ints, depth: int, level: int, first: int, last: int, start: int, points: int
) -> int:
    """Push nodes to clip a ring of ``points`` points onto the stack, with the first one on top.
    Returns the new depth."""
    for node in range(last - 1, first - 1, -1):
        waiting[depth, 0], waiting[depth, 1] = level, node
        waiting[depth, 2], waiting[depth, 3] = start, points
        depth += 1
    return depth


@compiled(error_model="numpy")
def clip_ring(room: Floats, start: int, stop: int, bounds: Floats, node: int, spare: Floats) -> int:
    """Clip a ring by a box, and store the result after the ring in ``room``. Returns its number of
    points."""
    length = stop - start
    for place in range(length):
        for axis in range(2):
            room[stop + place, axis] = room[start + place, axis]
    for axis in range(2):
        low, high = room[start, axis], room[start, axis]
        for place in range(start, stop):
            low, high = min(low, room[place, axis]), max(high, room[place, axis])
        below, above = bounds[node, axis], bounds[node, 2 + axis]
        if high <= below or low >= above:
            return 0
        if low < below:
            length = clip_side(room, stop, length, axis, below, 1.0, spare)
        if high > above:
            length = clip_side(room, stop, length, axis, above, -1.0, spare)
    return length


@compiled(error_model="numpy")
def clip_side(
    room: Floats, begin: int, length: int, axis: int, limit: float, towards: float, spare: Floats
) -> int:
    """Clip a ring by one side of a line, in place. Returns its number of points."""
    for place in range(length):
        spare[place, 0], spare[place, 1] = room[begin + place, 0], room[begin + place, 1]
    found, other, last = begin, 1 - axis, length - 1
    for place in range(length):
        before, before_at = spare[last, axis], spare[last, other]
        here, at = spare[place, axis], spare[place, other]
        was_in, is_in = towards * (before - limit) >= 0, towards * (here - limit) >= 0
        if was_in != is_in:
            crossing = before_at + (limit - before) / (here - before) * (at - before_at)
            found = add_point(room, begin, found, axis, limit, limit, crossing)
        if is_in:
            found = add_point(room, begin, found, axis, limit, here, at)
        last = place
    return found - begin


@compiled(error_model="numpy")
def add_point(
    room: Floats, begin: int, found: int, axis: int, limit: float, here: float, at: float
) -> int:
    """Append a point. Of three consecutive points on the line, the middle one is removed."""
    if found > begin + 1 and here == limit:
        found -= room[found - 1, axis] == limit and room[found - 2, axis] == limit
    room[found, axis], room[found, 1 - axis] = here, at
    return found + 1


@compiled(error_model="numpy")
def on_border(room: Floats, begin: int, end: int, bounds: Floats, node: int) -> bool:
    """Whether all edges of a ring are on the border of a box."""
    last = end - 1
    for place in range(begin, end):
        along = False
        for side in range(4):
            limit = bounds[node, side]
            along |= room[place, side % 2] == limit and room[last, side % 2] == limit
        if not along:
            return False
        last = place
    return True


@compiled(error_model="numpy")
def covered_share(room: Floats, begin: int, end: int, bounds: Floats, node: int) -> float:
    """The share of a box that a ring within it encloses."""
    x, y = bounds[node, 0], bounds[node, 1]
    total, last = 0.0, end - 1
    for place in range(begin, end):
        total += (room[last, 0] - x) * (room[place, 1] - y)
        total -= (room[place, 0] - x) * (room[last, 1] - y)
        last = place
    area = (bounds[node, 2] - x) * (bounds[node, 3] - y)
    return float(abs(total) / (2 * area))


@compiled(error_model="numpy")
def grow(room: Floats, size: int) -> Floats:
    """The array of points, enlarged if it has less than ``size`` rows."""
    if size <= len(room):
        return room
    made = np.empty((2 * size, 2))
    for place in range(len(room)):
        made[place, 0], made[place, 1] = room[place, 0], room[place, 1]
    return made


@compiled(error_model="numpy")
def longer(values: Any, size: int) -> Any:
    made = np.empty(size, values.dtype)
    for place in range(len(values)):
        made[place] = values[place]
    return made
