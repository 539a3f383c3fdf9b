"""Map exports: a release's boxes as GeoJSON and GeoParquet.

Both are simple enough to write without a library: a box is a ring of five corners. Coordinates are
longitude and latitude in degrees on WGS 84, the default of both formats, so geopandas and QGIS
place them automatically. Longitudes from 0 to 360 are converted to -180 to 180; a box across the
180th meridian stays whole and ends beyond it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.base.files import write_new
from hushgram.base.text import shorten
from hushgram.declare.axis import Floats
from hushgram.declare.axis.text import axis_text
from hushgram.declare.degrees import map_of, turn_longitudes
from hushgram.errors import NotAnswerable
from hushgram.release.columns import with_whole

if TYPE_CHECKING:
    from hushgram.release.release import Release


def write_geojson(
    release: Release, path: Path, *, whole: bool = False, overwrite: bool = False
) -> None:
    """Write a FeatureCollection (RFC 7946) with a polygon per part, its count and variance."""
    table = with_whole(release, release.to_arrow(), whole)
    corners = boxes(release, table)
    rest = table.select(other_columns(release, table)).to_pylist()
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [ring(*box)]},
            "properties": {key: plain(value) for key, value in row.items()},
        }
        for box, row in zip(corners.tolist(), rest, strict=True)
    ]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    write_new(path, text.encode(), overwrite=overwrite)


def write_geoparquet(
    release: Release, path: Path, *, whole: bool = False, overwrite: bool = False
) -> None:
    """Write GeoParquet 1.1: polygons as well-known binary, and the bounding box in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = with_whole(release, release.to_arrow(), whole)
    corners = boxes(release, table)
    columns = {name: table[name] for name in other_columns(release, table)}
    columns["geometry"] = pa.array(well_known_binary(corners), pa.binary())
    bounds = [*corners[:, :2].min(axis=0), *corners[:, 2:].max(axis=0)]
    about = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {
            "geometry": {
                "encoding": "WKB",
                "geometry_types": ["Polygon"],
                "bbox": [float(bound) for bound in bounds],
            }
        },
    }
    sink = pa.BufferOutputStream()
    meta = {**(table.schema.metadata or {}), b"geo": json.dumps(about).encode()}
    pq.write_table(pa.table(columns).replace_schema_metadata(meta), sink, compression="zstd")
    write_new(path, sink.getvalue().to_pybytes(), overwrite=overwrite)


def boxes(release: Release, table: Any) -> Floats:
    """The boxes of all parts: west, south, east, north."""
    lon, lat = map_axes(release)
    sides = (f"{lon}_lo", f"{lat}_lo", f"{lon}_hi", f"{lat}_hi")
    corners = np.stack([table[side].to_numpy().astype(np.float64) for side in sides], axis=1)
    return turn_longitudes(corners)


def map_axes(release: Release) -> tuple[str, str]:
    """The names of the longitude and latitude axes."""
    found = map_of(release.domain)
    if found is None:
        axes = "; ".join(f"{name!r}, {axis_text(axis)}" for name, axis in release.domain.items())
        raise NotAnswerable(
            "A map needs axes named lon and lat (or longitude and latitude) with numbers "
            f"of degrees, up to ±360 and ±90. The release has {shorten(axes)}."
        )
    for name in found:
        axis = release.domain[name]
        if axis.declared < axis.size:
            raise NotAnswerable(
                f'"other" on the axis {name!r} cannot be shown on a map. Remove it with '
                f"release.slice({name}=(None, None))."
            )
    return found


def other_columns(release: Release, table: Any) -> list[str]:
    used = {f"{name}_{end}" for name in map_axes(release) for end in ("lo", "hi")}
    return [name for name in table.column_names if name not in used]


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    """A box's corners, counter-clockwise and closed, as the standard requires."""
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def well_known_binary(corners: Floats) -> list[bytes]:
    """Boxes as little-endian polygons with one ring of five points."""
    west, south, east, north = corners.T
    points = np.stack(
        [west, south, east, south, east, north, west, north, west, south], axis=1
    ).astype("<f8")
    head = b"\x01" + np.array([3, 1, 5], dtype="<u4").tobytes()
    return [head + row.tobytes() for row in points]


def plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else str(value)
