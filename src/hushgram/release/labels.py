"""What each row of a release's table stands for, in the words of the domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hushgram.answers.question import OTHER
from hushgram.axis import Axis, Category, Date, Integer, Window
from hushgram.partition import Boxed, Ints, Lattice, Partition

RESERVED = ("count", "variance")
"""The table's own columns."""


def label_columns(partition: Partition) -> dict[str, Any]:
    """The label columns, one entry per part, as Arrow arrays."""
    columns: dict[str, Any] = {}
    for labels in axis_labels(partition):
        for column, values in labels.items():
            columns[free_name(column, columns)] = values
    return columns


def free_name(column: str, taken: Mapping[str, Any]) -> str:
    """A column's name; one that is taken already, such as ``count``, becomes ``count_axis``."""
    while column in taken or column in RESERVED:
        column += "_axis"
    return column


def axis_labels(partition: Partition) -> Iterator[dict[str, Any]]:
    """Each axis's columns: its value where parts hold one each, else the bounds ``lo`` and ``hi``.

    Slices of a lattice are few and repeated often, so they are labelled first and then taken.
    """
    import pyarrow as pa

    if isinstance(partition, Lattice):
        places = np.unravel_index(np.arange(partition.size), partition.shape)
        for place, (name, axis) in enumerate(partition.domain.items()):
            cuts = partition.cuts(place)
            labels = slice_labels(name, axis, cuts[:-1], cuts[1:])
            rows = pa.array(places[place])
            yield {column: values.take(rows) for column, values in labels.items()}
    elif isinstance(partition, Boxed):
        lower, upper = partition.boxes()
        for place, (name, axis) in enumerate(partition.domain.items()):
            yield slice_labels(name, axis, lower[:, place], upper[:, place])
    else:
        raise TypeError(f"no labels for a {partition.kind} layout")


def slice_labels(name: str, axis: Axis, starts: Ints, stops: Ints) -> dict[str, Any]:
    """Labels of slices of one axis, as Arrow arrays.

    >>> slice_labels("age", Integer(17, 19), np.arange(3), np.arange(1, 4))["age"].to_pylist()
    [17, 18, 19]
    """
    import pyarrow as pa

    whole, offset = (axis.axis, axis.start) if isinstance(axis, Window) else (axis, 0)
    if offset:
        starts, stops = starts + offset, stops + offset
    if isinstance(whole, Category):
        texts = (*map(str, whole.values), OTHER)
        spans = zip(starts.tolist(), stops.tolist(), strict=True)
        return {name: pa.array(["|".join(texts[a:b]) for a, b in spans])}
    other = starts == whole.bins
    lows = edges(whole, starts, other)
    if isinstance(whole, Integer) and (stops - starts == 1).all():
        return {name: lows}
    return {f"{name}_lo": lows, f"{name}_hi": edges(whole, stops, other)}


def edges(axis: Axis, indices: Ints, other: Any) -> Any:
    """Bounds, NULL for what is elsewhere, as an Arrow array."""
    import pyarrow as pa

    if not other.any():
        return pa.array(moments(axis, indices))
    return pa.array(moments(axis, np.where(other, 0, indices)), mask=other)


def moments(axis: Axis, indices: Ints) -> Any:
    """Bounds; days are dates, without a time of day."""
    found = axis.edges_at(indices)
    if isinstance(axis, Date) and axis.whole_days:
        return [moment.date() for moment in found]
    return found
