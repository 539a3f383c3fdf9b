"""Named polygons, read from files, data frames and mappings, and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.base.text import did_you_mean, lower_first, shorten
from hushgram.declare.axis.base import Floats
from hushgram.declare.axis.earth import POLE, TURN
from hushgram.errors import DomainError, MissingExtra, NoSuchFile

JSON = (".geojson", ".json")
OTHERS = (".gpkg", ".shp", ".parquet", ".geoparquet", ".fgb", ".kml")
"""Formats that geopandas reads."""


@dataclass(frozen=True)
class Outline:
    """One area: its name, the larger areas that contain it, and its polygons, each an outer ring
    and holes."""

    name: str
    within: tuple[str, ...]
    polygons: tuple[tuple[Floats, ...], ...]

    @property
    def corners(self) -> Floats:
        return np.concatenate([ring for rings in self.polygons for ring in rings])


def read_outlines(source: Any, name: str, within: Sequence[str], *, degrees: bool) -> list[Outline]:
    """The areas of a file, a frame, a GeoJSON object, or a mapping from names to polygons."""
    found = [
        outline_of(feature, number, name, within, degrees=degrees)
        for number, feature in enumerate(features_of(source, name, degrees=degrees), start=1)
    ]
    if not found:
        raise DomainError("The list of polygons is empty. Give at least one area.")
    seen: set[str] = set()
    for outline in found:
        if outline.name in seen:
            raise DomainError(
                f"Two areas are named {outline.name!r}. Use a property that is unique, or "
                "merge their polygons into one multi-polygon."
            )
        seen.add(outline.name)
    return found


def features_of(source: Any, name: str, *, degrees: bool) -> list[Any]:
    """The GeoJSON features of any supported source of polygons."""
    if isinstance(source, str | Path):
        source = read_file(Path(source))
    if degrees and getattr(source, "crs", None) is not None:
        source = source.to_crs("EPSG:4326")
    source = getattr(source, "__geo_interface__", source)
    if isinstance(source, Mapping) and source.get("type") == "FeatureCollection":
        source = source.get("features")
    elif isinstance(source, Mapping) and "type" not in source:
        source = [{"properties": {name: key}, "geometry": one} for key, one in source.items()]
    if not isinstance(source, list | tuple) or not all(isinstance(f, Mapping) for f in source):
        raise DomainError(
            f"Cannot read areas from an object of type {type(source).__name__}. Use a GeoJSON "
            "feature collection, a GeoDataFrame, the path of a file, or a mapping from names to "
            "polygons."
        )
    return list(source)


def read_file(path: Path) -> Any:
    """Read a file of polygons as a GeoJSON object or a GeoDataFrame."""
    if not path.exists():
        raise NoSuchFile(f"The file of areas {path} does not exist. Check its path.")
    if path.suffix.lower() in JSON:
        try:
            return json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            raise DomainError(f"Cannot read {path.name} as GeoJSON.") from None
    if path.suffix.lower() not in OTHERS:
        known = ", ".join((*JSON, *OTHERS))
        raise DomainError(f"Cannot read areas from {path.name}. Supported file types: {known}.")
    try:
        import geopandas
    except ImportError:
        raise MissingExtra("geopandas", "geo", f"Reading {path.name}") from None
    columnar = path.suffix.lower() in (".parquet", ".geoparquet")
    try:
        return geopandas.read_parquet(path) if columnar else geopandas.read_file(path)
    except Exception as error:  # whatever the reader of a format raises
        raise DomainError(f"Cannot read {path.name}: {shorten(str(error))}") from None


def outline_of(
    feature: Mapping[str, Any], number: int, name: str, within: Sequence[str], *, degrees: bool
) -> Outline:
    properties = feature.get("properties") or {}
    own_name, *larger = (property_of(properties, one, number) for one in (name, *within))
    try:
        polygons = tuple(
            tuple(ring_of(ring) for ring in polygon)
            for polygon in polygons_of(feature.get("geometry"))
        )
    except DomainError as error:
        raise DomainError(f"Area {own_name!r}: {lower_first(str(error))}") from None
    except (TypeError, ValueError, OverflowError):
        raise DomainError(f"Area {own_name!r}: coordinates must be pairs of numbers.") from None
    if not polygons or not all(polygons):
        raise DomainError(f"Area {own_name!r} has no polygon. Remove it, or draw one.")
    outline = Outline(own_name, tuple(larger), polygons)
    if degrees:
        check_turns(outline)
    return outline


def property_of(properties: Mapping[str, Any], name: str, number: int) -> str:
    value = properties.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
        present = ", ".join(map(repr, list(properties)[:20])) or "none"
        raise DomainError(
            f"Feature {number} has no property {name!r} with text or a whole number. Its "
            f"properties: {present}.{did_you_mean(name, properties)}"
        )
    return str(value)


def polygons_of(geometry: Any) -> Iterator[Any]:
    """The coordinates of each polygon of a geometry. A list of corners is a polygon too."""
    geometry = getattr(geometry, "__geo_interface__", geometry)
    if isinstance(geometry, list | tuple | np.ndarray) and len(geometry):
        yield [geometry]
        return
    kind = geometry.get("type") if isinstance(geometry, Mapping) else None
    if kind == "Polygon":
        yield geometry["coordinates"]
    elif kind == "MultiPolygon":
        yield from geometry["coordinates"]
    elif kind == "GeometryCollection":
        for one in geometry["geometries"]:
            yield from polygons_of(one)
    elif geometry is not None:
        raise DomainError(f"Expected a polygon. Found {kind or type(geometry).__name__}.")


def ring_of(corners: Any) -> Floats:
    """The corners of a ring, without heights and without the repeated last corner."""
    ring = np.array([corner[:2] for corner in corners], dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(ring).all():
        raise DomainError("A coordinate is not a finite number.")
    if len(ring) > 1 and (ring[0] == ring[-1]).all():
        ring = ring[:-1]
    if len(np.unique(ring, axis=0)) < 3:
        raise DomainError("A ring has fewer than three corners.")
    return ring


def check_turns(outline: Outline) -> None:
    """Refuse rings that jump across the antimeridian, where the inside is ambiguous."""
    for rings in outline.polygons:
        for ring in rings:
            steps = np.abs(np.diff(ring[:, 0], append=ring[0, 0]))
            if ((steps > TURN / 2) & (steps < TURN)).any():
                raise DomainError(
                    f"Area {outline.name!r}: a side spans {steps.max():g}° of longitude. "
                    "If the area crosses the antimeridian, split it there into two "
                    "polygons, or use longitudes beyond 180."
                )
    x, y = outline.corners.T
    if np.abs(x).max() > TURN or np.abs(y).max() > POLE:
        raise DomainError(
            f"Area {outline.name!r}: its corners are not degrees of longitude and latitude "
            f"(x from {x.min():g} to {x.max():g}, y from {y.min():g} to {y.max():g}). Use "
            "columns with the same coordinates as the polygons."
        )
