"""Data sets by name. NONPRIVATE.

``zipf-1d``                 generated: see `hushgram.lab.evaluate.patterns`
``places``                  bundled
``counts.npy``              a file: an array of counts
``people.parquet:age``      a file: its rows are counted in equal bins between the smallest and the
                            largest value of the named columns; text and small sets of whole numbers
                            get a bin for each value. CSV works, too; a table with a single column
                            ``count`` contains the counts themselves
``HEPTH``                   an array under ``HUSHGRAM_DATA/dpbench``; ``dpbench-1d`` and
                            ``dpbench-2d`` stand for all of them
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from hushgram.errors import BadInput, SourceError
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.patterns import GENERATORS, Shape
from hushgram.lab.evaluate.sources import (
    ArraySource,
    GeneratedSource,
    HistogramSource,
    Source,
    TableSource,
    column_names,
)

FOLDERS = {"dpbench-1d": "dpbench/1D", "dpbench-2d": "dpbench/2D"}


def bundled_sources() -> dict[str, Source]:
    from hushgram.data import places

    where, world = places(), ((-180.0, 180.0), (-90.0, 90.0))
    return {
        one.name: one
        for one in (
            TableSource(
                "places", where, ("lon", "lat"), "69,472 places of the world, a map", world
            ),
            TableSource("places-lat", where, ("lat",), "their latitudes", world[1:]),
            TableSource("places-size", where, ("population",), "their inhabitants", ((0.0, 1e5),)),
        )
    }


def arrays() -> dict[str, Source]:
    """Return the arrays in ``HUSHGRAM_DATA``, by the part of their name before the first dot."""
    found = {group: folder(group) for group in FOLDERS}
    return {
        name: ArraySource(name, path, f"{group}, an array of counts")
        for group, paths in found.items()
        for path in paths
        for name in [path.name.partition(".")[0]]
    }


def folder(group: str) -> list[Path]:
    where = os.environ.get("HUSHGRAM_DATA")
    return sorted((Path(where) / FOLDERS[group]).glob("*.npy")) if where else []


def sources_by_name() -> dict[str, Source]:
    """Return all named data sets."""
    generated: Mapping[str, Source] = {name: GeneratedSource(name) for name in GENERATORS}
    return {**generated, **bundled_sources(), **arrays()}


def sources(name: str) -> list[Source]:
    """Return the data sets for a name: one, or all of a folder."""
    if name in FOLDERS:
        found = [one for one in arrays().values() if one.about.startswith(name)]
        if not found:
            raise SourceError(f"{name} is in the folder HUSHGRAM_DATA, which is not set or empty.")
        return found
    known = sources_by_name()
    return [known[name] if name in known else in_file(name, known)]


def in_file(name: str, known: Mapping[str, Source]) -> Source:
    """Return the source for a file, given by its path and, after a colon, the columns to count."""
    path, colon, columns = (name, "", "") if Path(name).exists() else name.rpartition(":")
    if not (colon or Path(name).exists()):
        path = name
    where = Path(path)
    if not where.is_file():
        raise SourceError(
            f"{name} is neither a file nor the name of a data set. Data sets: {', '.join(known)}."
        )
    label = f"{where.name.partition('.')[0]}{colon}{columns}"
    if where.suffix.lower() == ".npy":
        return ArraySource(label, where)
    return in_table(label, where, tuple(filter(None, columns.split(","))))


def in_table(label: str, path: Path, columns: tuple[str, ...]) -> Source:
    have = column_names(path)
    if missing := [one for one in columns if one not in have]:
        raise SourceError(f"{path.name} has no column {missing[0]!r}. Columns: {', '.join(have)}.")
    if columns or (len(have) == 1 and have != ["count"]):
        return TableSource(label, path, columns or tuple(have))
    if have == ["count"]:
        return HistogramSource(label, path, "count")
    raise SourceError(
        f"{path.name} has the columns {', '.join(have)}. Name those to count, as in "
        f"{path.name}:{have[0]}."
    )


def data_set(
    name: str, rows: int | None = None, shape: Shape | None = None, seed: int = 0
) -> DataSet:
    """Return the data set with this name, optionally scaled to a number of rows and a shape.

    >>> data_set("zipf-1d", rows=500, shape=(64,))
    DataSet(zipf-1d, 500 rows in 64 cells)
    """
    found = sources(name)
    if len(found) > 1:
        raise BadInput(f"{name} stands for {len(found)} data sets. Use data_sets.")
    return found[0].data(rows, shape, seed)


def data_sets(
    names: Sequence[str],
    rows: Sequence[int] = (),
    shapes: Sequence[Shape] = (),
    seed: int = 0,
) -> list[DataSet]:
    """Return every data set with every number of rows, and every shape with its number of axes."""
    found = []
    for source in (one for name in names for one in sources(name)):
        fitting: list[Shape | None] = [shape for shape in shapes if len(shape) == source.axes]
        sizes: list[int | None] = [*rows]
        for many, shape in product(sizes or [None], fitting or [None]):
            found.append(source.data(many, shape, seed))
    return found
