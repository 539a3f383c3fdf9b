"""What each row of a release's table stands for, in the words of the domain."""

from __future__ import annotations

from collections.abc import Mapping
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
    for place, (name, axis) in enumerate(partition.domain.items()):
        for column, labels in axis_columns(partition, place, name, axis).items():
            columns[free_name(column, columns)] = labels
    return columns


def free_name(column: str, taken: Mapping[str, Any]) -> str:
    """A column's name; one that is taken already, such as ``count``, becomes ``count_axis``."""
    while column in taken or column in RESERVED:
        column += "_axis"
    return column


def axis_columns(partition: Partition, place: int, name: str, axis: Axis) -> dict[str, Any]:
    """An axis's columns: its value where parts hold one each, else the bounds ``lo`` and ``hi``.

    Many rows share few labels, so the labels are made per slice and then taken.
    """
    import pyarrow as pa

    if isinstance(partition, Lattice):
        cuts = partition.cuts(place)
        starts, stops = cuts[:-1], cuts[1:]
        inner = int(np.prod(partition.shape[place + 1 :], dtype=np.int64))
        outer = partition.size // (inner * len(starts))
        rows = np.tile(np.repeat(np.arange(len(starts)), inner), outer)
    elif isinstance(partition, Boxed):
        lower, upper = partition.boxes()
        pairs = np.stack([lower[:, place], upper[:, place]], axis=1)
        unique, rows = np.unique(pairs, axis=0, return_inverse=True)
        starts, stops, rows = unique[:, 0], unique[:, 1], rows.reshape(-1)
    else:
        raise TypeError(f"no labels for a {partition.kind} layout")
    labels = slice_labels(name, axis, starts, stops)
    if len(rows) == len(starts) and isinstance(partition, Lattice):
        return labels
    return {column: values.take(pa.array(rows)) for column, values in labels.items()}


def slice_labels(name: str, axis: Axis, starts: Ints, stops: Ints) -> dict[str, Any]:
    """Labels of slices of one axis, as Arrow arrays.

    >>> slice_labels("age", Integer(17, 19), np.arange(3), np.arange(1, 4))["age"].to_pylist()
    [17, 18, 19]
    """
    import pyarrow as pa

    whole, offset = (axis.axis, axis.start) if isinstance(axis, Window) else (axis, 0)
    starts, stops = starts + offset, stops + offset
    if isinstance(whole, Category):
        texts = (*map(str, whole.values), OTHER)
        spans = zip(starts.tolist(), stops.tolist(), strict=True)
        return {name: pa.array(["|".join(texts[a:b]) for a, b in spans])}
    other = starts == whole.bins
    lows = pa.array(edges(whole, np.where(other, 0, starts)), mask=other)
    if isinstance(whole, Integer) and (stops - starts == 1).all():
        return {name: lows}
    highs = pa.array(edges(whole, np.where(other, 0, stops)), mask=other)
    return {f"{name}_lo": lows, f"{name}_hi": highs}


def edges(axis: Axis, indices: Ints) -> Any:
    """Bounds; days are dates, without a time of day."""
    found = axis.edges_at(indices)
    if isinstance(axis, Date) and axis.whole_days:
        return [moment.date() for moment in found]
    return found
