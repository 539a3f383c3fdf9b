"""Labels for the rows of a release's table: the values or bounds of each part on every axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Category, Date, Integer
from hushgram.geometry.partition import Boxed, Ints, Lattice, Partition

MAX_LENGTH = 1000
"""Characters of a label: every part may carry it, and a forged release could make it a megabyte."""

RESERVED = ("count", "variance", "uneven", "uneven_group", "uneven_whole")
"""The table's own columns."""


def label_columns(partition: Partition) -> dict[str, Any]:
    """The label columns, one entry per part, as Arrow arrays."""
    return name_columns(axis_labels(partition))


def label_windows(partition: Partition, width: int) -> Iterator[dict[str, Any]]:
    """The label columns of ``width`` parts at a time, since a release may have millions of parts.
    Yields at least once."""
    labels = labeller(partition)
    for first in range(0, max(partition.size, 1), width):
        yield name_columns(labels(first, min(first + width, partition.size)))


def name_columns(axes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of all axes, each under a unique name."""
    columns: dict[str, Any] = {}
    for labels in axes:
        for column, values in labels.items():
            columns[free_name(column, columns)] = values
    return columns


def free_name(column: str, taken: Mapping[str, Any]) -> str:
    """The column's name, with ``_axis`` appended if it is taken: ``count`` becomes
    ``count_axis``."""
    while column in taken or column in RESERVED:
        column += "_axis"
    return column


def axis_labels(partition: Partition) -> Iterator[dict[str, Any]]:
    """The columns of each axis: its value if every part has just one, else bounds ``lo`` and
    ``hi``."""
    return labeller(partition)(0, partition.size)


def labeller(partition: Partition) -> Callable[[int, int], Iterator[dict[str, Any]]]:
    """A function that returns the columns of each axis for the parts from ``first`` up to ``last``.

    A lattice repeats a few slices many times, so each slice is labelled once and then looked up.
    """
    import pyarrow as pa

    if isinstance(partition, Lattice):
        cuts = [partition.cuts(place) for place in range(len(partition.domain))]
        known = [
            slice_labels(name, axis, cut[:-1], cut[1:])
            for (name, axis), cut in zip(partition.domain.items(), cuts, strict=True)
        ]

        def lattice_labels(first: int, last: int) -> Iterator[dict[str, Any]]:
            places = np.unravel_index(np.arange(first, last), partition.shape)
            for labels, place in zip(known, places, strict=True):
                rows = pa.array(place)
                yield {column: values.take(rows) for column, values in labels.items()}

        return lattice_labels
    if not isinstance(partition, Boxed):
        raise TypeError(f"no labels for a {partition.kind} layout")
    single = [
        isinstance(axis.whole, Integer) and all_single(partition, place)
        for place, axis in enumerate(partition.domain.axes)
    ]

    def box_labels(first: int, last: int) -> Iterator[dict[str, Any]]:
        lower, upper = partition.boxes_between(first, last)
        for place, (name, axis) in enumerate(partition.domain.items()):
            yield slice_labels(name, axis, lower[:, place], upper[:, place], single[place])

    return box_labels


def all_single(partition: Boxed, place: int) -> bool:
    """Whether every part has a single index on an axis."""
    lower, upper = partition.boxes()
    return bool((upper[:, place] - lower[:, place] == 1).all())


def slice_labels(
    name: str, axis: Axis, starts: Ints, stops: Ints, single: bool | None = None
) -> dict[str, Any]:
    """The labels of slices of one axis, as Arrow arrays. ``single`` says whether all slices of the
    partition have a single index; None means that the slices given here are all of them.

    >>> slice_labels("age", Integer(17, 19), np.arange(3), np.arange(1, 4))["age"].to_pylist()
    [17, 18, 19]
    """
    import pyarrow as pa

    whole = axis.whole
    if axis.offset:
        starts, stops = starts + axis.offset, stops + axis.offset
    if isinstance(whole, Category):
        texts = (*map(str, whole.values), OTHER)
        spans = list(zip(starts.tolist(), stops.tolist(), strict=True))
        known = {(a, b): shorten("|".join(texts[a:b]), MAX_LENGTH) for a, b in set(spans)}
        return {name: pa.array([known[span] for span in spans])}
    other = starts == whole.bins
    lows = edge_array(whole, starts, other)
    single = bool((stops - starts == 1).all()) if single is None else single
    if isinstance(whole, Integer) and single:
        return {name: lows}
    return {f"{name}_lo": lows, f"{name}_hi": edge_array(whole, stops, other)}


def edge_array(axis: Axis, indices: Ints, other: Any) -> Any:
    """The edges at some indices as an Arrow array, with NULL for "other" slices."""
    import pyarrow as pa

    if not other.any():
        return pa.array(edges_at(axis, indices))
    return pa.array(edges_at(axis, np.where(other, 0, indices)), mask=other)


def edges_at(axis: Axis, indices: Ints) -> Any:
    """The edges at some indices; edges between days are dates without a time."""
    found = axis.edges_at(indices)
    if isinstance(axis, Date) and axis.whole_days:
        return [moment.date() for moment in found]
    return found
