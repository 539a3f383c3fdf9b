"""What each row of a release's table stands for, in the words of the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hushgram.base.text import shorten
from hushgram.declare.axis import OTHER, Axis, Category, Date, Integer
from hushgram.geometry.partition import Boxed, Ints, Lattice, Partition

LONGEST = 1000
"""Characters of a label: all parts may have it, and a forged release might make it a megabyte."""

RESERVED = ("count", "variance", "uneven", "uneven_group", "uneven_whole")
"""The table's own columns."""


def label_columns(partition: Partition) -> dict[str, Any]:
    """The label columns, one entry per part, as Arrow arrays."""
    return name_columns(axis_labels(partition))


def label_windows(partition: Partition, width: int) -> Iterator[dict[str, Any]]:
    """The same for that many parts at a time, at least once: a release may have millions."""
    labels = labeller(partition)
    for first in range(0, max(partition.size, 1), width):
        yield name_columns(labels(first, min(first + width, partition.size)))


def name_columns(axes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All axes' columns, each under a name of its own."""
    columns: dict[str, Any] = {}
    for labels in axes:
        for column, values in labels.items():
            columns[free_name(column, columns)] = values
    return columns


def free_name(column: str, taken: Mapping[str, Any]) -> str:
    """A column's name; one that is taken already, such as ``count``, becomes ``count_axis``."""
    while column in taken or column in RESERVED:
        column += "_axis"
    return column


def axis_labels(partition: Partition) -> Iterator[dict[str, Any]]:
    """Each axis's columns: its value where parts hold one each, else bounds ``lo`` and ``hi``."""
    return labeller(partition)(0, partition.size)


def labeller(partition: Partition) -> Callable[[int, int], Iterator[dict[str, Any]]]:
    """What gives each axis's columns for the parts from a first one to before a last one.

    Slices of a lattice are few and repeated often, so they are labelled first and then taken.
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
    """Whether every part holds one index of an axis."""
    lower, upper = partition.boxes()
    return bool((upper[:, place] - lower[:, place] == 1).all())


def slice_labels(
    name: str, axis: Axis, starts: Ints, stops: Ints, single: bool | None = None
) -> dict[str, Any]:
    """Labels of slices of one axis, as Arrow arrays; ``single`` if all hold one index, where these
    are not all there are.

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
        known = {(a, b): shorten("|".join(texts[a:b]), LONGEST) for a, b in set(spans)}
        return {name: pa.array([known[span] for span in spans])}
    other = starts == whole.bins
    lows = edges(whole, starts, other)
    single = bool((stops - starts == 1).all()) if single is None else single
    if isinstance(whole, Integer) and single:
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
