"""Points of a GeoPackage: a SQLite database whose layers have a geometry column.

The coordinates of a point become two columns: ``lon`` and ``lat`` if the layer is in degrees,
otherwise ``x`` and ``y``. If the layer has a column with such a name, that column is kept instead.
Rows without a point have no coordinates.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

from hushgram.declare.text_format import TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.held import HeldFile
from hushgram.trusted.engine.sources.objects import open_objects, text_schema
from hushgram.trusted.engine.sources.sqlite import (
    check_settled,
    choose,
    column_kinds,
    connect,
    read_rows,
    stored_tables,
)
from hushgram.trusted.engine.table import Table

LAYERS = """
SELECT g.table_name, g.column_name, g.geometry_type_name, s.definition
FROM gpkg_geometry_columns AS g LEFT JOIN gpkg_spatial_ref_sys AS s ON g.srs_id = s.srs_id
"""
ENVELOPES = (0, 32, 48, 48, 64)
"""Bytes of the bounding box before the geometry, by a code in the header."""

POINTS = (1, 1001, 2001, 3001)
"""Codes of points, with or without a height or a measure."""


class Layer(NamedTuple):
    """A layer's geometry: its column, its type, and the names of its two coordinates."""

    column: str
    kind: str
    names: tuple[str, str]


def open_geopackage(file: HeldFile, layer: str | None, form: TextFormat) -> Table:
    """Open the points of a layer, by default of the only one."""
    check_settled(file)
    with closing(connect(file)) as database:
        layers = read_layers(database, file)
        name = choose(file, layer, list(layers), "layer")
        kinds = column_kinds(database, name)
    place = layers[name]
    if place.column not in kinds:
        raise SourceError(f"Layer {name!r} of {file.name} must store its points in a column.")
    if place.kind != "POINT":
        raise SourceError(
            f"Layer {name!r} of {file.name} must hold points. Found {place.kind.lower()}. Save its "
            'centres: layer.set_geometry(layer.centroid).to_file("points.gpkg") in GeoPandas.'
        )
    del kinds[place.column]
    own = [one for one in place.names if one not in kinds]
    read = partial(read_points, file, name, kinds, place)
    return open_objects(text_schema([*kinds, *own]), read, [file], form)


def read_layers(database: sqlite3.Connection, file: HeldFile) -> dict[str, Layer]:
    """Return the layers by name. Views and virtual tables are left out, as for SQLite."""
    stored = stored_tables(database)
    try:
        listed = database.execute(LAYERS).fetchall()
    except sqlite3.Error:
        listed = None
    if listed is None:
        raise SourceError(f"{file.name} is not a GeoPackage: it lists no layers.")
    return {
        str(name): Layer(str(column), str(kind).upper(), place_names(str(about)))
        for name, column, kind, about in listed
        if str(name) in stored
    }


def place_names(definition: str) -> tuple[str, str]:
    """Return the names of the coordinates, given the definition of the coordinate system."""
    degrees = definition.lstrip().upper().startswith(("GEOGCS", "GEOGCRS", "GEODCRS"))
    return ("lon", "lat") if degrees else ("x", "y")


def read_points(
    file: HeldFile, table: str, kinds: dict[str, str], layer: Layer, columns: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Yield the named columns of every row, including the two coordinates."""
    stored = [name for name in columns if name in kinds]
    needed = {**kinds, layer.column: "BLOB"}
    for *values, geometry in read_rows(file, table, needed, [*stored, layer.column]):
        rest = iter(values)
        place = dict(zip(layer.names, point_of(geometry), strict=True))
        yield [next(rest) if name in kinds else place[name] for name in columns]


def point_of(geometry: Any) -> tuple[float | None, float | None]:
    """Return the coordinates of a point as a GeoPackage stores it; None for anything else.

    >>> point_of(b"GP\\0\\1" + bytes(4) + struct.pack("<BIdd", 1, 1, 9.5, 47.0))
    (9.5, 47.0)
    >>> point_of(b"somebody's note")
    (None, None)
    """
    try:
        envelope = ENVELOPES[geometry[3] >> 1 & 7]
        start = 8 + envelope
        order = "<" if geometry[start] == 1 else ">"
        code, x, y = struct.unpack_from(f"{order}Idd", geometry, start + 1)
    except (struct.error, IndexError, TypeError):
        return None, None
    return (x, y) if geometry[:2] == b"GP" and code in POINTS else (None, None)
