"""GeoPackage export (OGC 12-128r19, version 1.3): parts as rectangles with counts and margins, for
QGIS, ArcGIS and GDAL.

The format is an SQLite file with a few special tables, written here with Python's sqlite3.
Longitude and latitude axes use WGS 84. Any two other ordered axes form a plane without a position
on earth, where dates are days since 1970.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.tables.units import places
from hushgram.answers.tables.views import boxed_layout
from hushgram.base.files import check_format, write_new
from hushgram.declare.axis import OTHER, Floats
from hushgram.declare.degrees import map_of, turn_longitudes
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.release.columns import MEANINGS, facts, with_margins
from hushgram.release.geo import plain, well_known_binary

if TYPE_CHECKING:
    from hushgram.release.release import Release

APPLICATION, VERSION = 0x47504B47, 10300
"""``GPKG`` and 1.3, for the header of the file."""

WGS84, CARTESIAN = 4326, -1

WGS84_TEXT = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],'
    'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'
)

CHANGED = "2000-01-01T00:00:00.000Z"
"""A fixed time of the last change, so that the same release gives the same file."""

SCHEMA = """
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT
);
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT DEFAULT '', last_change DATETIME NOT NULL,
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
  CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
);
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
  CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
);
CREATE TABLE about (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT, text TEXT);
"""

SYSTEMS = [
    ("Undefined cartesian", CARTESIAN, "NONE", CARTESIAN, "undefined", None),
    ("Undefined geographic", 0, "NONE", 0, "undefined", None),
    ("WGS 84", WGS84, "EPSG", WGS84, WGS84_TEXT, "longitude and latitude in degrees"),
]


def write_geopackage(
    release: Release,
    path: Path,
    *,
    axes: Sequence[str] | None = None,
    whole: bool = False,
    overwrite: bool = False,
) -> None:
    check_format(path, "a GeoPackage", ".gpkg")
    across, up = plane_of(release.domain, axes)
    corners, table = rectangles(release, across, up), with_margins(release, whole=whole)
    rest = [name for name in table.column_names if name not in columns_of(across, up)]
    srs = WGS84 if (across, up) == map_of(release.domain) else CARTESIAN
    database = sqlite3.connect(":memory:")
    try:
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.executescript(SCHEMA)
        insert(database, "gpkg_spatial_ref_sys", SYSTEMS)
        describe_tables(database, corners, srs, facts(release)["content"])
        write_parts(database, table.select(rest), geometries(corners, srs))
        write_about(database, release, rest)
        database.commit()
        data = database.serialize()
    finally:
        database.close()
    write_new(path, data, overwrite=overwrite)


def plane_of(domain: Domain, axes: Sequence[str] | None) -> tuple[str, str]:
    """The horizontal and the vertical axis: the given ones, longitude and latitude, or the first
    two ordered axes."""
    if axes is None:
        axes = map_of(domain) or [name for name, axis in domain.items() if axis.ordered][:2]
    for name in axes:
        if name not in domain:
            raise QuestionError(f"The release has no axis {name!r}. Its axes: {', '.join(domain)}.")
    if len(axes) != 2 or axes[0] == axes[1] or any(not domain[name].ordered for name in axes):
        raise NotAnswerable(
            "Rectangles need two axes with an order: numbers or dates. The release has "
            f"{', '.join(domain)}. Name two with axes=[…], or export CSV."
        )
    for name in axes:
        if domain[name].declared < domain[name].size:
            raise NotAnswerable(
                f'"other" on the axis {name!r} cannot be shown in a plane. Remove it with '
                f"release.slice({name}=(None, None))."
            )
    return axes[0], axes[1]


def columns_of(*names: str) -> set[str]:
    """The columns with the labels of these axes, which the rectangles make redundant."""
    return {column for name in names for column in (name, f"{name}_lo", f"{name}_hi")}


def rectangles(release: Release, across: str, up: str) -> Floats:
    """The rectangles of all parts: left, bottom, right, top."""
    domain, boxes = release.domain, boxed_layout(release).boxes()
    ends = [
        [places(domain[name], corner[:, domain.names.index(name)]) for name in (across, up)]
        for corner in boxes
    ]
    corners = np.stack([side for corner in ends for side in corner], axis=1)
    return turn_longitudes(corners) if (across, up) == map_of(domain) else corners


def geometries(corners: Floats, srs: int) -> list[bytes]:
    """GeoPackageBinary: a header with the bounding box, then well-known binary."""
    head = b"GP\x00\x03" + np.array([srs], dtype="<i4").tobytes()
    boxes = corners[:, [0, 2, 1, 3]].astype("<f8")
    pairs = zip(boxes, well_known_binary(corners), strict=True)
    return [head + box.tobytes() + polygon for box, polygon in pairs]


def describe_tables(database: Any, corners: Floats, srs: int, content: str) -> None:
    bounds = [float(end) for end in (*corners[:, :2].min(axis=0), *corners[:, 2:].max(axis=0))]
    contents = [
        ("parts", "features", "parts", content, CHANGED, *bounds, srs),
        ("about", "attributes", "about", "Descriptions of the columns", CHANGED, *[None] * 5),
    ]
    insert(database, "gpkg_contents", contents)
    insert(database, "gpkg_geometry_columns", [("parts", "geom", "POLYGON", srs, 0, 0)])


def write_parts(database: Any, table: Any, shapes: list[bytes]) -> None:
    """Write the features: rectangles, labels of other axes, and numbers."""
    names = column_names(table.column_names)
    kinds = [sql_type(field.type) for field in table.schema]
    listed = "".join(
        f", {quote_name(name)} {kind}" for name, kind in zip(names, kinds, strict=True)
    )
    database.execute(
        f"CREATE TABLE parts (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POLYGON{listed})"
    )
    columns = [
        [
            OTHER if value is None and kind == "TEXT" else plain(value)
            for value in column.to_pylist()
        ]
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    numbers = range(1, len(shapes) + 1)
    insert(database, "parts", zip(numbers, shapes, *columns, strict=True))


def column_names(wanted: Sequence[str]) -> list[str]:
    """Names that differ in more than case, which SQLite ignores, and from the two of the format.

    >>> column_names(["Sex", "sex", "geom"])
    ['Sex', 'sex_axis', 'geom_axis']
    """
    taken, found = {"fid", "geom"}, []
    for name in wanted:
        name = name.replace("\0", "")
        while name.casefold() in taken:
            name += "_axis"
        taken.add(name.casefold())
        found.append(name)
    return found


def sql_type(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return "INTEGER"
    return "DOUBLE" if pa.types.is_floating(kind) else "TEXT"


def write_about(database: Any, release: Release, columns: Sequence[str]) -> None:
    known = {name: MEANINGS[name] for name in columns if name in MEANINGS}
    lines = {**facts(release), **known}.items()
    insert(database, "about", ((n, *line) for n, line in enumerate(lines, start=1)))


def insert(database: Any, table: str, rows: Any) -> None:
    """Insert rows into a table, with values as bound parameters."""
    listed = [tuple(row) for row in rows]
    if listed:
        marks = ", ".join("?" * len(listed[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", listed)  # nosec B608


def quote_name(name: str) -> str:
    """A name in SQL quotation marks, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'
