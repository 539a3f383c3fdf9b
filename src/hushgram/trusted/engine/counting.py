"""From a partition to exact counts: one scan, one group-by, integers back, never rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table, Value

from hushgram.partition import Grid, Ints, Merged, Partition, Refined
from hushgram.trusted.engine.quantise import double, floor

Execute = Callable[[Table], Any]
"""Runs an expression and gives back a ``pyarrow.Table``."""


def count_parts(indexed: Table, partition: Partition, execute: Execute) -> Ints:
    """The number of rows in each part, from a table of indices: O(rows) there, O(parts) here.

    The engine answers for the parts that have rows; the others are zeros here, because noise
    on the non-empty parts only would tell which are empty.
    """
    if isinstance(partition, Merged):
        cells = count_parts(indexed, partition.grid, execute)
        sums = np.zeros(partition.size, dtype=np.int64)
        np.add.at(sums, partition.labels, cells)
        return sums
    if isinstance(partition, Grid):
        parts = indexed.select(part=cell_of(indexed, partition))
    elif isinstance(partition, Refined):
        parts = refined_part(indexed, partition)
    else:
        raise TypeError(f"no engine counts a {type(partition).__name__}")
    found = execute(parts.group_by("part").aggregate(rows=ibis._.count()))
    counts = np.zeros(partition.size, dtype=np.int64)
    counts[found["part"].to_numpy()] = found["rows"].to_numpy()
    return counts


def cell_of(indexed: Table, grid: Grid) -> Value:
    """The number of a row's cell."""
    cell: Value | None = None
    for place, length in enumerate(grid.shape):
        piece = slice_of(indexed[f"i{place}"], grid, place)
        cell = piece if cell is None else cell * double(length) + piece
    assert cell is not None
    return cell.cast("int64")


def slice_of(index: Value, grid: Grid, place: int) -> Value:
    axis, slices = grid.domain.axes[place], grid.slices[place]
    if slices == axis.bins:
        return index
    piece = floor(index * double(slices) / double(axis.bins))
    return (index == axis.bins).ifelse(double(slices), piece) if axis.other else piece


def refined_part(indexed: Table, partition: Refined) -> Table:
    """Each row's part of a refined grid: its cell's sub-grid is looked up by a join."""
    grid, axes = partition.grid, range(len(partition.domain))
    lower, upper = grid.boxes()
    lookup = ibis.memtable(
        {"cell": np.arange(grid.size), "offset": partition.offsets[:-1].astype(float)}
        | {f"start{a}": lower[:, a].astype(float) for a in axes}
        | {f"width{a}": (upper - lower)[:, a].astype(float) for a in axes}
        | {f"slices{a}": partition.sizes[:, a].astype(float) for a in axes}
    )
    rows = indexed.mutate(cell=cell_of(indexed, grid))
    joined = rows.inner_join(lookup, "cell")
    part: Value = double(0)
    for a in axes:
        slices = joined[f"slices{a}"]
        step = floor((joined[f"i{a}"] - joined[f"start{a}"]) * slices / joined[f"width{a}"])
        part = part * slices + step
    return joined.select(part=(joined["offset"] + part).cast("int64"))


def bounded(indexed: Table, max_rows: int) -> Table:
    """At most ``max_rows`` rows of each user, chosen at random; rows without a user drop out.

    The random order is drawn anew each time the expression runs, so the result must be stored
    before anything is counted.
    """
    known = indexed.filter(indexed["user"].notnull())
    order = ibis.row_number().over(group_by=known["user"], order_by=ibis.random())
    ranked = known.mutate(rank=order)
    return ranked.filter(ranked["rank"] < max_rows).drop("rank", "user")
