"""Find the area of a point from its raster cell, as an Ibis expression.

The cell is a whole number that follows from two indices, so it is the same on every engine. Its
area is found by a join with the public runs of cells: first on the number of a block of cells, an
equality that engines join quickly, then on the ends of the runs in that block. Runs are disjoint,
so a row finds at most one area and is never counted twice.
"""

from __future__ import annotations

from ibis.expr.types import Table, Value

from hushgram.declare.axis import Areas, Axis
from hushgram.declare.domain import Domain
from hushgram.trusted.engine.ibis.dialect import Dialect, double, floor


def with_areas(indexed: Table, domain: Domain, dialect: Dialect) -> Table:
    """Replace the indices of the columns that a domain reads by those of its axes."""
    if not any(isinstance(axis.whole, Areas) for axis in domain.axes):
        return indexed
    found = {name: name for name in indexed.columns if not name.startswith("i")}  # user and amounts
    column = 0
    for place, (name, axis) in enumerate(domain.items()):
        found[f"i{place}"] = f"i{column}"
        if isinstance(axis.whole, Areas):
            found[f"i{place}"] = f"area{place}"
            indexed = with_area(indexed, column, place, axis.whole, dialect)
        column += len(axis.reads(name))
    indexed = indexed.select(**{new: indexed[old] for new, old in found.items()})
    for place, axis in enumerate(domain.axes):
        if isinstance(axis.whole, Areas):
            indexed = keep_areas(indexed, place, axis)
    return indexed


def with_area(indexed: Table, column: int, place: int, axis: Areas, dialect: Dialect) -> Table:
    """Add the column ``area{place}``: the area of the cell given by two columns of indices, NULL if
    there is none."""
    raster, blocks = axis.raster, axis.raster.blocks
    x, y = indexed[f"i{column}"], indexed[f"i{column + 1}"]
    on_raster = (x < double(raster.x.bins)) & (y < double(raster.y.bins))  # else "other"
    cell = on_raster.ifelse(y * double(raster.x.bins) + x, double(-1))
    rows = indexed.mutate(**{f"cell{place}": cell})
    rows = rows.mutate(**{f"block{place}": block_of(rows[f"cell{place}"], blocks.width)})
    names = (f"in_block{place}", f"start{place}", f"stop{place}", f"area{place}")
    runs = dialect.whole_numbers(dict(zip(names, blocks[1:], strict=True)))
    found = rows[f"cell{place}"]
    joined = rows.left_join(runs, [
        rows[f"block{place}"] == runs[f"in_block{place}"],
        found >= runs[f"start{place}"],
        found < runs[f"stop{place}"],
    ])  # fmt: skip
    return joined.select(*indexed.columns, f"area{place}")


def block_of(cell: Value, width: int) -> Value:
    """Return the block of a cell. Exact, because the width is a power of two."""
    return floor(cell / double(width))


def keep_areas(indexed: Table, place: int, axis: Axis) -> Table:
    """Keep the rows in one of an axis's areas, or all rows if the axis has an "other" index."""
    index = indexed[f"i{place}"]
    if axis.whole.other:
        index = index.fill_null(double(axis.whole.bins))
    rows = indexed.mutate(**{f"i{place}": index - double(axis.offset)})
    found = rows[f"i{place}"]
    if axis.size < axis.whole.size:
        return rows.filter((found >= double(0)) & (found < double(axis.size)))
    return rows if axis.whole.other else rows.filter(found.notnull())
