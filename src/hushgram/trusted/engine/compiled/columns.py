"""Convert Arrow columns for the compiled loops: to doubles, with NaN for values that are
dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Areas, Axis, Category, Date, Floats, Integer, Variable, Window
from hushgram.declare.axis.numeric import Even
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Raster
from hushgram.trusted.engine.compiled.layout import GridLayout
from hushgram.trusted.engine.sources.plain import plain, seal


def is_readable(axis: Axis, kind: pa.DataType) -> bool:
    """Return whether a plain column of this type can be quantised without the engine."""
    if isinstance(axis, Window):
        return is_readable(axis.axis, kind)
    if isinstance(axis, Category):
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return bool(text or pa.types.is_integer(kind) or pa.types.is_boolean(kind))
    if isinstance(axis, Date):
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date32(kind))
    return bool(pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64()))


def columns_of(domain: Domain, batch: pa.RecordBatch) -> tuple[Floats, ...]:
    """Return one column of doubles per axis, from a batch with the columns that the axes read, in
    order."""
    read = iter([plain(values) for values in batch.columns])
    return tuple(
        seal(column(axis, *islice(read, len(axis.reads(name))))) for name, axis in domain.items()
    )


def without_dropped(batch: pa.RecordBatch, places: Sequence[tuple[int, Amount]]) -> pa.RecordBatch:
    """Return a batch without the rows that are dropped because of an amount. Each amount comes with
    the place of its column."""
    kept = np.ones(len(batch), dtype=bool)
    for place, amount in places:
        x = doubles(plain(batch.column(place)))
        if amount.outside == "clamp" and has_no_nan(x):
            continue
        if amount.missing is None:
            kept &= ~np.isnan(x)
        if amount.outside == "drop":
            axis = amount.axis
            kept &= ((axis.lo <= x) & (x <= axis.hi)) | np.isnan(x)
    return batch if kept.all() else batch.filter(pa.array(kept))


def has_no_nan(x: Floats) -> bool:
    """Return whether there is certainly no NaN, judged by the sum, which needs no memory.
    Infinities of both signs make it False."""
    with np.errstate(all="ignore"):
        return not math.isnan(float(x.sum()))


def amount_column(values: pa.Array) -> Floats:
    """Return a column of amounts as doubles, NaN where one is missing."""
    sealed: Floats = seal(doubles(plain(values)))
    return sealed


def column(axis: Axis, *read: pa.Array) -> Floats:
    """Return the columns of an axis as one of doubles: values if its bins are equal, otherwise
    indices. NaN marks dropped values."""
    values = read[0]
    if isinstance(axis, Even):
        return doubles(values)
    if isinstance(axis, Window):
        return window_indices(axis, *read)
    if isinstance(axis, Areas):
        return area_indices(axis, *read)
    if isinstance(axis, Category):
        return category_indices(axis, values)
    if isinstance(axis, Date):
        return date_indices(axis, values)
    x = doubles(values)
    if isinstance(axis, Integer):
        return whole_indices(axis, x)
    assert isinstance(axis, Variable)
    edges = np.array(axis.edges)
    found: Floats = np.searchsorted(edges, x, side="right").astype(np.float64) - 1
    found[x == edges[-1]] = axis.bins - 1
    found[np.isnan(x)] = np.nan
    return by_policy(axis, found, x > edges[-1])


def whole_indices(axis: Integer, x: Floats) -> Floats:
    from hushgram.trusted.engine.compiled import kernels

    last = float(axis.bins - 1)
    ends = {"drop": (np.nan,) * 3, "other": (last + 1,) * 3, "clamp": (0.0, last, 0.0)}
    found: Floats = kernels.whole_indices(seal(x), float(axis.lo), last, *ends[axis.outside])
    return found


def by_policy(axis: Axis, index: Floats, above: Any) -> Floats:
    """Apply the axis's policy to indices that do not fit."""
    fits = (index >= 0) & (index < axis.bins)
    if axis.outside == "drop":
        return np.where(fits, index, np.nan)
    other = axis.bins if axis.other else np.where(above, axis.bins - 1.0, 0.0)
    return np.where(fits, index, other)


def doubles(values: pa.Array) -> Floats:
    """Return a column's numbers as doubles, NULL as NaN."""
    numbers = values.cast(pa.float64(), safe=False)
    if numbers.null_count:  # else not even copied
        numbers = numbers.fill_null(np.nan)
    return np.asarray(numbers.to_numpy())


def window_indices(axis: Window, *read: pa.Array) -> Floats:
    whole = column(axis.axis, *read)
    if isinstance(axis.axis, Even):
        whole = even_indices(axis.axis, whole)
    inside = (whole >= axis.start) & (whole < axis.stop)
    return np.where(inside, whole - axis.start, np.nan)


def even_indices(axis: Even, values: Floats) -> Floats:
    from hushgram.trusted.engine.compiled import kernels

    found: Floats = kernels.indices(values, GridLayout.of(Raster.of_cells(Domain(only=axis))).sides)
    return found


def area_indices(axis: Areas, x: pa.Array, y: pa.Array) -> Floats:
    """Return the label of each point's cell."""
    raster = axis.raster
    columns, rows = even_indices(raster.x, doubles(x)), even_indices(raster.y, doubles(y))
    cells = rows * raster.x.bins + columns
    on_raster = ~np.isnan(cells)
    labels = raster.cells[np.where(on_raster, cells, 0).astype(np.int64)]
    elsewhere = float(axis.bins) if axis.other else np.nan
    return np.where(on_raster & (labels >= 0), labels, elsewhere)


def category_indices(axis: Category, values: pa.Array) -> Floats:
    # Large strings keep their type: two gigabytes of text do not fit into pa.string().
    kind = values.type if pa.types.is_large_string(values.type) else pa.string()
    texts = pa.array(list(axis.spellings), kind)
    elsewhere = axis.bins if axis.other else np.nan
    places = np.array([*axis.spellings.values(), elsewhere], dtype=np.float64)
    found = pc.index_in(values.cast(kind), texts)
    return np.asarray(places[found.fill_null(len(texts)).to_numpy()])


def date_indices(axis: Date, values: pa.Array) -> Floats:
    """Return the number of whole steps since the start."""
    missing = values.is_null().to_numpy(zero_copy_only=False)
    ticks = values.cast(pa.timestamp("us")).view(pa.int64()).fill_null(0).to_numpy()
    first, last = axis.moment(0), axis.moment(axis.bins)
    inside = (ticks >= first) & (ticks < last) & ~missing
    safe = np.where(inside, ticks, first)
    if axis.monthly:
        months = safe.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
        steps = (months + 1970 * 12 - axis.first) // axis.months
    else:
        steps = (safe - axis.first) // axis.microseconds
    return by_policy(
        axis, np.where(inside, steps.astype(np.float64), np.nan), (ticks >= last) & ~missing
    )
