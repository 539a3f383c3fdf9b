"""Compiled: the parts that a query cuts, and sums over those cut by each of its sides.

Parts are in the order of a space-filling curve. `FANOUT` neighbours have a bounding box, `FANOUT`
of these boxes have another, and so on: a query only enters boxes that it cuts.

A part is cut across one axis, or across several at a corner of the query. If w is its share in the
query, the product of the shares f of each axis, its variance is proportional to w (1 - w). This is
divided among the axes:

    w - w²  =  Σ over axes a  of  (product of f² before a) (f_a - f_a²) (product of f after a)

A cut in the last index of a `WIDE` part counts as one in the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hushgram.answers.unevenness.base import WIDE
from hushgram.base.compiled import compiled
from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

FANOUT = 8
SQUARES, ROWS, ROOTS, PLAIN, FOURTHS, PARTS = range(6)
"""Sums over the parts that one side cuts, where t is a part's share of w - w²: of t c² minus its
noise, of t c, of √t c, of t c², of the squares of the first; and the number of parts."""
SUMS = 6
WHOLE = 1 - 1e-12
"""A part with at least this share is whole, up to rounding."""


class CutBoxes(NamedTuple):
    """Parts and their bounding boxes."""

    bounds: Floats
    """Lower bounds on each axis, then upper ones, of the parts and then of each level of boxes:
    nodes x 2 axes."""
    levels: Ints
    """The start of the parts and of each level of boxes, followed by the end of all."""
    rows: Floats
    noise: Floats
    """The variance of each part's rows."""


class CutSlices(NamedTuple):
    """Parts that are products of slices."""

    edges: Floats
    """The starts of the slices and the stop of the last, one axis after the other."""
    offsets: Ints
    """The start of each axis's edges, followed by the end of all."""
    rows: Floats
    noise: Floats
    """The variance of each part's rows."""


@compiled(error_model="numpy")
def cut_sums(boxes: CutBoxes, starts: Floats, stops: Floats) -> tuple[Floats, Floats]:
    """The sums over the parts that each query cuts, queries x axes x sides x sums; and over all of
    them, the rows inside the query, the rows outside, and the noise of the larger of these numbers,
    queries x 3."""
    bounds, levels, rows, noise = boxes
    questions, axes = starts.shape
    sums = np.zeros((questions, axes, 2, SUMS))
    reach = np.zeros((questions, 3))
    top = len(levels) - 2
    waiting = np.empty((FANOUT * (top + 2), 2), np.int64)
    shares = np.empty(axes)
    for question in range(questions):
        depth = 0
        for node in range(levels[top + 1] - 1, levels[top] - 1, -1):
            waiting[depth, 0], waiting[depth, 1] = top, node
            depth += 1
        start, stop = starts[question], stops[question]
        while depth:
            depth -= 1
            level, node = waiting[depth, 0], waiting[depth, 1]
            if not is_cut(bounds[node], start, stop, shares):
                continue
            if level:
                below = levels[level - 1] + (node - levels[level]) * FANOUT
                for child in range(min(below + FANOUT, levels[level]) - 1, below - 1, -1):
                    waiting[depth, 0], waiting[depth, 1] = level - 1, child
                    depth += 1
            else:
                part = bounds[node]
                add_sides(part, start, stop, shares, rows[node], noise[node], sums[question])
                add_reach(shares, rows[node], noise[node], reach[question])
    return sums, reach


@compiled(error_model="numpy")
def cut_slice_sums(slices: CutSlices, starts: Floats, stops: Floats) -> tuple[Floats, Floats]:
    """The same for products of slices, without bounding boxes: goes through the cells that a query
    touches row by row, and for rows within it only through both ends."""
    edges, offsets, rows, noise = slices
    questions, axes = starts.shape
    sums = np.zeros((questions, axes, 2, SUMS))
    reach = np.zeros((questions, 3))
    last = axes - 1
    first, stop_at, at = (
        np.empty(axes, np.int64),
        np.empty(axes, np.int64),
        np.empty(axes, np.int64),
    )
    bounds, shares = np.empty(2 * axes), np.empty(axes)
    for question in range(questions):
        start, stop = starts[question], stops[question]
        some = True
        for axis in range(axes):
            cuts = edges[offsets[axis] : offsets[axis + 1]]
            some &= start[axis] < stop[axis]
            first[axis] = np.searchsorted(cuts, start[axis], side="right") - 1
            stop_at[axis] = np.searchsorted(cuts, stop[axis], side="left")
            at[axis] = first[axis]
        while some and at[0] < stop_at[0]:
            cell, whole = 0, True
            for axis in range(axes):
                edge = offsets[axis] + at[axis]
                low, high = edges[edge], edges[edge + 1]
                bounds[axis], bounds[axes + axis] = low, high
                shares[axis] = (min(high, stop[axis]) - max(low, start[axis])) / (high - low)
                cell = cell * (offsets[axis + 1] - offsets[axis] - 1) + at[axis]
                whole &= shares[axis] >= WHOLE or axis == last
            if shares.min() > 1 - WHOLE and not (whole and shares[last] >= WHOLE):
                add_sides(bounds, start, stop, shares, rows[cell], noise[cell], sums[question])
                add_reach(shares, rows[cell], noise[cell], reach[question])
            # Nothing is cut between both ends of a row within the query.
            jump = whole and at[last] < stop_at[last] - 1
            at[last] = stop_at[last] - 1 if jump else at[last] + 1
            for axis in range(last, 0, -1):
                if at[axis] == stop_at[axis]:
                    at[axis] = first[axis]
                    at[axis - 1] += 1
    return sums, reach


@compiled(error_model="numpy", inline="always")
def is_cut(bounds: Floats, start: Floats, stop: Floats, shares: Floats) -> bool:
    """Whether a query contains a box only partially. Fills in its share along each axis."""
    axes = len(shares)
    inside = True
    for axis in range(axes):
        low, high = bounds[axis], bounds[axes + axis]
        share = (min(high, stop[axis]) - max(low, start[axis])) / (high - low)
        if share <= 1 - WHOLE:
            return False
        shares[axis] = share
        inside &= share >= WHOLE
    return not inside


@compiled(error_model="numpy", inline="always")
def add_sides(
    bounds: Floats,
    start: Floats,
    stop: Floats,
    shares: Floats,
    rows: float,
    noise: float,
    sums: Floats,
) -> None:
    """Add a part that is cut to the sums of each side that cuts it."""
    before, squares, axes = 1.0, rows * rows - noise, len(shares)
    for axis in range(axes):
        share = shares[axis]
        if share < WHOLE:
            after = 1.0
            for other in range(axis + 1, axes):
                after *= shares[other]
            low, high = bounds[axis], bounds[axes + axis]
            from_below = low < start[axis]
            cut = start[axis] if from_below else stop[axis]
            on_edge = high - cut < 1.0 and high - low >= WIDE
            even = before * (0.25 if on_edge else share - share * share) * after
            side = sums[axis, 0 if from_below else 1]
            side[SQUARES] += even * squares
            side[ROWS] += even * rows
            side[ROOTS] += np.sqrt(even) * rows
            side[PLAIN] += even * rows * rows
            side[FOURTHS] += (even * max(squares, 0.0)) ** 2
            side[PARTS] += 1
        before *= share * share


@compiled(error_model="numpy", inline="always")
def add_reach(shares: Floats, rows: float, noise: float, reach: Floats) -> None:
    """Add a part that is cut to the rows inside the query, and outside."""
    weight = 1.0
    for axis in range(len(shares)):
        weight *= shares[axis]
    reach[0] += weight * max(rows, 0.0)
    reach[1] += (1 - weight) * max(rows, 0.0)
    reach[2] += max(weight, 1 - weight) ** 2 * noise


def cut_slices(cuts: Sequence[Ints], rows: Floats, noise: Floats) -> CutSlices:
    """The slices with these starts on each axis, followed by the stop of the last."""
    edges = np.concatenate(cuts).astype(np.float64)
    return CutSlices(edges, np.cumsum([0, *map(len, cuts)]), rows, noise)


def cut_boxes(lower: Ints, upper: Ints, order: Ints, rows: Floats, noise: Floats) -> CutBoxes:
    """The bounding boxes of parts in this order: O(parts)."""
    return CutBoxes(*box_levels(lower[order], upper[order]), rows[order], noise[order])


def box_levels(lower: Ints, upper: Ints) -> tuple[Floats, Ints]:
    """The bounds of boxes, of the bounding boxes of `FANOUT` of them, and so on; and the start of
    each level."""
    nodes = np.concatenate([lower, upper], axis=1).astype(np.float64)
    axes = lower.shape[1]
    levels, bounds = [0, len(nodes)], [nodes]
    while len(nodes) > FANOUT:
        places = np.arange(0, len(nodes), FANOUT)
        low = np.minimum.reduceat(nodes[:, :axes], places)
        high = np.maximum.reduceat(nodes[:, axes:], places)
        nodes = np.concatenate([low, high], axis=1)
        bounds.append(nodes)
        levels.append(levels[-1] + len(nodes))
    return np.concatenate(bounds), np.array(levels)
