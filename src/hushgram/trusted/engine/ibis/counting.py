"""Count a grid exactly: one scan and one group-by, which return integers and never rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table, Value

from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Grid, Ints, Raster, Refined
from hushgram.trusted.engine.ibis.dialect import double, floor
from hushgram.trusted.engine.occupied import Occupied

Execute = Callable[[Table], Any]
"""Runs an expression and returns a ``pyarrow.Table``."""


def tally_parts(indexed: Table, grid: Grid | Refined, execute: Execute) -> list[Ints]:
    """Count the rows in each part, and add up the indices of their amounts, from a table of
    indices. O(rows) in the engine, O(parts) here.

    The engine returns only the parts that have rows. The others become zeros here, because adding
    noise only to non-empty parts would reveal which are empty.
    """
    if isinstance(grid, Refined):
        parts = refined_part(indexed, grid)
    else:
        parts = number_rows(indexed, cell_of(indexed, grid))
    filled, *found = non_empty(parts, execute)
    tallies = [np.zeros(grid.size, dtype=np.int64) for _ in found]
    for tally, sums in zip(tallies, found, strict=True):
        tally[filled] = sums
    return tallies


def tally_boxes(indexed: Table, boxes: Boxes, execute: Execute) -> list[Ints]:
    """The same for boxes of a raster, via its cells that have rows."""
    cells, *found = non_empty(number_rows(indexed, cell_of(indexed, boxes.raster)), execute)
    slices = np.stack(np.unravel_index(cells, boxes.raster.shape), axis=1)
    return [boxes.sum_slices(slices, sums) for sums in found]


def find_occupied(indexed: Table, raster: Raster, execute: Execute) -> Occupied:
    """Find the cells of a raster that have rows. O(rows) in the engine, O(cells with rows) here."""
    filled, rows = non_empty(indexed.select(part=cell_of(indexed, raster)), execute)
    return Occupied.of(raster, filled, rows)


def number_rows(indexed: Table, part: Value) -> Table:
    """Select the number of each row's part, and the row's amounts."""
    return indexed.select(part=part, **{name: indexed[name] for name in amount_columns(indexed)})


def amount_columns(indexed: Table) -> list[str]:
    """Return the columns ``amount0``, ``amount1``, … with the amounts' indices."""
    return [name for name in indexed.columns if name.startswith("amount")]


def non_empty(parts: Table, execute: Execute) -> list[Ints]:
    """Return the parts that have rows, the number of rows, and the sums of their amounts. Sums are
    of integers, because a sum of doubles would be rounded."""
    sums = {name: parts[name].cast("int64").sum().cast("int64") for name in amount_columns(parts)}
    found = execute(parts.group_by("part").aggregate(rows=ibis._.count(), **sums))
    return [found[name].to_numpy() for name in ("part", "rows", *sums)]


def cell_of(indexed: Table, grid: Raster) -> Value:
    """Return the number of a row's cell."""
    cell: Value | None = None
    for place, length in enumerate(grid.shape):
        piece = slice_of(indexed[f"i{place}"], grid, place)
        cell = piece if cell is None else cell * double(length) + piece
    assert cell is not None
    return cell.cast("int64")


def slice_of(index: Value, grid: Raster, place: int) -> Value:
    axis, slices = grid.domain.axes[place], grid.slices[place]
    if slices == axis.bins:
        return index
    piece = floor(index * double(slices) / double(axis.bins))
    return (index == axis.bins).ifelse(double(slices), piece) if axis.other else piece


def refined_part(indexed: Table, partition: Refined) -> Table:
    """Return each row's part of a refined grid. Its cell's sub-grid is looked up by a join."""
    grid, axes = partition.grid, range(len(partition.domain))
    lower, upper = grid.boxes()
    columns = {"cell": np.arange(grid.size), "offset": partition.offsets[:-1].astype(float)}
    for a in axes:
        columns[f"start{a}"] = lower[:, a].astype(float)
        columns[f"width{a}"] = (upper - lower)[:, a].astype(float)
        columns[f"slices{a}"] = partition.sizes[:, a].astype(float)
    lookup = ibis.memtable(pa.table(columns))
    rows = indexed.mutate(cell=cell_of(indexed, grid))
    joined = rows.inner_join(lookup, "cell")
    part: Value = double(0)
    for a in axes:
        slices = joined[f"slices{a}"]
        step = floor((joined[f"i{a}"] - joined[f"start{a}"]) * slices / joined[f"width{a}"])
        part = part * slices + step
    return number_rows(joined, (joined["offset"] + part).cast("int64"))


def cut_to_box(indexed: Table, whole: Domain, box: Domain) -> Table:
    """Convert the indices of a domain to those of a box inside it, and drop all other rows."""
    if box == whole:
        return indexed
    ranges = whole.ranges_of(box)
    if ranges is None:
        raise ValueError("A box must lie inside its domain and have the same axes.")
    kept, columns = [], {}
    for place, (start, stop) in enumerate(ranges):
        index = indexed[f"i{place}"]
        if (start, stop) != (0, whole.shape[place]):
            kept.append((index >= double(start)) & (index < double(stop)))
        columns[f"i{place}"] = index - double(start)
    columns |= {name: indexed[name] for name in amount_columns(indexed)}
    return indexed.filter(*kept).select(**columns)


def bound_rows(indexed: Table, max_rows: int, salt: str, amounts: Sequence[Amount] = ()) -> Table:
    """Keep at most ``max_rows`` rows of each user, as if chosen at random, and drop rows without a
    user. The sum of a person's amounts is cut off at the bound per person, if there is one.

    Rows are ordered by a hash of the salt, the user, the indices, and a number among the user's
    rows with the same indices, which are interchangeable. So the choice depends only on the salt
    and the user's own rows, not on the engine's random numbers or on other users' rows.
    """
    known = indexed.filter(indexed["user"].notnull())
    places = [name for name in known.columns if name != "user"]
    whole = {f"whole_{name}": known[name].cast("int64") for name in places}  # 0 and -0 are one
    known = known.mutate(**whole)
    known = known.mutate(same=ibis.row_number().over(group_by=["user", *whole]))
    words = [known[name].cast("string") for name in ("user", *whole, "same")]
    known = known.mutate(lot=ibis.literal(" ").join([ibis.literal(salt), *words]).hash())
    order = ibis.row_number().over(group_by="user", order_by=["lot", *whole, "same"])
    ranked = known.mutate(rank=order)
    kept = ranked.filter(ranked["rank"] < max_rows)
    cut = {
        f"amount{place}": cut_off(kept, place, amount)
        for place, amount in enumerate(amounts)
        if amount.person is not None
    }
    return (kept.mutate(**cut) if cut else kept).select(*places)


def cut_off(chosen: Table, place: int, amount: Amount) -> Value:
    """Return the index of an amount. Going through a user's chosen rows in order, amounts are moved
    towards 0 once their sizes add up to more than the bound. All are whole numbers below 2^53, so
    doubles are exact."""
    low, most = double(amount.low), double(amount.person or 0)
    value = chosen[f"amount{place}"] + low
    size = value.abs()
    so_far = size.sum().over(ibis.window(group_by="user", order_by="rank", following=0))
    left = most - (so_far - size)
    kept = ibis.cases((left <= double(0), double(0)), (left < size, left), else_=size)
    return (value < double(0)).ifelse(double(0) - kept, kept) - low
