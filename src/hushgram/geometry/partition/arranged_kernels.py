"""Compiled loops over cells in the order of boxes (see `Arranged`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled


@compiled()
def pack_cells(cells: Any, lengths: Any, shifts: Any, packed: Any) -> None:
    """Pack the slices of each cell next to each other into the bits of one integer."""
    for number in range(len(cells)):
        cell, found = cells[number], np.int64(0)
        for axis in range(len(lengths) - 1, -1, -1):
            above = cell // lengths[axis]
            found |= (cell - above * lengths[axis]) << shifts[axis]
            cell = above
        packed[number] = found


@compiled()
def rearrange(
    axes: Any, cuts: Any, above_axes: Any, segments: Any, shifts: Any, masks: Any, own: int,
    starts: Any,
) -> None:  # fmt: skip
    """Reorder the cells from the leaves of one tree to those of a tree with further cuts, and fill
    in its ``starts``. O(nodes + cells x cuts below)

    Below a leaf of the old tree, a stack holds the stops of upper halves: each segment starts where
    the one before it stopped.
    """
    stops = np.empty(len(axes) + 1, np.int64)
    moved_slices = np.empty_like(segments.slices)
    moved_rows = np.empty_like(segments.rows)
    node = leaf = old_leaf = 0
    for old in range(len(above_axes)):
        if above_axes[old] >= 0:
            node += 1
            continue
        start, stop = segments.starts[old_leaf], segments.starts[old_leaf + 1]
        old_leaf += 1
        waiting = 1
        stops[0] = stop
        while waiting:
            stop = stops[waiting - 1]
            if axes[node] < 0:
                starts[leaf] = start
                leaf += 1
                start = stop
                waiting -= 1
            else:
                axis, cut = axes[node], cuts[node]
                inside = segments.slices[start:stop], segments.rows[start:stop]
                stops[waiting] = start + (
                    count_below(inside[0], shifts[axis], masks[axis], cut)
                    if axis == own
                    else part_cells(
                        inside[0], inside[1], shifts[axis], masks[axis], cut, moved_slices,
                        moved_rows,
                    )
                )  # fmt: skip
                waiting += 1
            node += 1
    starts[leaf] = len(segments.slices)


@compiled()
def count_below(slices: Any, shift: int, mask: int, cut: int) -> int:
    """The number of cells below a cut along the axis by which they are sorted: a binary search."""
    first, last = 0, len(slices)
    while first < last:
        middle = (first + last) >> 1
        if (slices[middle] >> shift) & mask < cut:
            first = middle + 1
        else:
            last = middle
    return first


@compiled()
def part_cells(
    slices: Any, rows: Any, shift: int, mask: int, cut: int, moved_slices: Any, moved_rows: Any
) -> int:
    """Move the cells below a cut before the others, keeping both in order, and return their number.
    Every cell is written to both sides but counted on one, so that the loop has no branch."""
    below = above = 0
    for cell in range(len(slices)):
        packed, count = slices[cell], rows[cell]
        is_below = int((packed >> shift) & mask < cut)
        slices[below], rows[below] = packed, count
        moved_slices[above], moved_rows[above] = packed, count
        below += is_below
        above += 1 - is_below
    for cell in range(above):
        slices[below + cell], rows[below + cell] = moved_slices[cell], moved_rows[cell]
    return below


@compiled()
def sum_segments(segments: Any, found: Any) -> None:
    """Fill in the number of rows of each box."""
    for box in range(len(found)):
        inside = segments.rows[segments.starts[box] : segments.starts[box + 1]]
        total = 0
        for cell in range(len(inside)):
            total += inside[cell]
        found[box] = total
