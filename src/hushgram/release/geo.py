"""Maps: a release's boxes as GeoJSON and GeoParquet.

Both are written here, because they are small: a box is a ring of five corners. Coordinates are
longitude and latitude in degrees on WGS 84, the default of either format, so geopandas and QGIS
place them without being told.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.release.files import write_new

if TYPE_CHECKING:
    from hushgram.release.release import Release

LONGITUDE = ("lon", "lng", "long", "longitude", "x")
LATITUDE = ("lat", "latitude", "y")


def write_geojson(release: Release, path: Path, *, overwrite: bool = False) -> None:
    """A FeatureCollection (RFC 7946): one polygon per part, with its count and variance."""
    table = release.to_arrow()
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


def write_geoparquet(release: Release, path: Path, *, overwrite: bool = False) -> None:
    """GeoParquet 1.1: polygons as well-known binary, with the bounding box in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = release.to_arrow()
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
    """The boxes west, south, east, north of all parts."""
    lon, lat = map_axes(release)
    sides = (f"{lon}_lo", f"{lat}_lo", f"{lon}_hi", f"{lat}_hi")
    return np.stack([table[side].to_numpy().astype(np.float64) for side in sides], axis=1)


def map_axes(release: Release) -> tuple[str, str]:
    """The names of the axes that are longitude and latitude."""
    lower = {name.lower(): name for name in release.domain}
    lon = next((lower[name] for name in LONGITUDE if name in lower), None)
    lat = next((lower[name] for name in LATITUDE if name in lower), None)
    if lon is None or lat is None:
        raise NotAnswerable(
            "a map needs axes called lon and lat (or longitude and latitude, or x and y); "
            f"the release has {', '.join(map(repr, release.domain))}."
        )
    for name, limit in ((lon, 180), (lat, 90)):
        axis = release.domain[name]
        if axis.kind not in ("interval", "regular", "variable") or axis.other:
            raise NotAnswerable(f"{name!r} has no bounds for a map: it is a {axis.kind} axis.")
        if axis.edge(0) < -limit or axis.edge(axis.bins) > limit:
            raise NotAnswerable(f"{name!r} exceeds ±{limit} degrees, so it is no map coordinate.")
    return lon, lat


def other_columns(release: Release, table: Any) -> list[str]:
    used = {f"{name}_{end}" for name in map_axes(release) for end in ("lo", "hi")}
    return [name for name in table.column_names if name not in used]


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    """A box's corners, counter-clockwise and closed, as the standard wants."""
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def well_known_binary(corners: Floats) -> list[bytes]:
    """Polygons of one ring and five points, little-endian."""
    west, south, east, north = corners.T
    points = np.stack(
        [west, south, east, south, east, north, west, north, west, south], axis=1
    ).astype("<f8")
    head = b"\x01" + np.array([3, 1, 5], dtype="<u4").tobytes()
    return [head + row.tobytes() for row in points]


def plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else str(value)
