"""Polygons from files and tables, checked and mended.

GeoJSON is read here; other formats by geopandas. What is no polygon is refused by the name of its
area, and so is what cannot be mended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.answers.areas.meridian import unwrap
from hushgram.base.text import did_you_mean, shorten
from hushgram.declare.degrees import POLE, TURN
from hushgram.errors import MissingExtra, NoSuchFile, QuestionError

NAMES = ("name", "label", "title", "id", "code", "geoid", "nuts_id", "fid")
"""The columns that areas are called by, whatever their case, unless another one is named."""

EARTH = ("CRS84", "EPSG::4326", "EPSG:4326")
"""Systems of longitude and latitude, as old GeoJSON files name them."""

PURPOSE = "counting by area"


@dataclass(frozen=True, eq=False)
class Shapes:
    """Polygons with names."""

    names: list[str]
    geometries: Any
    """An array of shapely's polygons and multi-polygons."""
    columns: Mapping[str, list[Any]]
    """Whatever else is known about each, such as its population."""
    mended: list[str]
    """Those whose outlines crossed themselves."""

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, name: str) -> Any:
        """A column of numbers; NaN where there is none."""
        if name not in self.columns:
            raise QuestionError(
                f"The areas have no column {name!r}.{did_you_mean(name, self.columns)} They have "
                f"{shorten(', '.join(map(repr, self.columns))) or 'none'}."
            )
        try:
            return np.array(
                [np.nan if value is None else float(value) for value in self.columns[name]]
            )
        except (TypeError, ValueError):
            raise QuestionError(
                f"The column {name!r} of the areas does not hold numbers."
            ) from None


def read_shapes(polygons: Any, *, name: str | None = None, degrees: bool = False) -> Shapes:
    """Polygons from the name of a file, GeoJSON, a GeoDataFrame, a mapping of names to polygons, or
    a list of polygons. ``name`` is the column that areas are called by; ``degrees`` says that the
    coordinates are longitudes and latitudes."""
    shapely = import_shapely()
    found, columns, numbers = load(polygons, degrees=degrees)
    if not found:
        raise QuestionError("There are no areas: the list of polygons is empty.")
    names = choose_names(columns, numbers, name)
    made, mended = [], []
    for one, called in zip(found, names, strict=True):
        polygon = as_polygon(shapely, one, called)
        polygon = check_degrees(polygon, called) if degrees else polygon
        valid = mend(shapely, polygon, called)
        mended += [] if valid is polygon else [called]
        made.append(valid)
    return Shapes(names, np.array(made, dtype=object), columns, mended)


def import_shapely() -> Any:
    try:
        import shapely
    except ImportError:
        raise MissingExtra("shapely", "areas", PURPOSE) from None
    return shapely


# Where polygons come from ------------------------------------------------------------------

Loaded = tuple[list[Any], dict[str, list[Any]], list[str]]
"""Geometries, columns, and what to call areas if no column does."""


def load(polygons: Any, *, degrees: bool) -> Loaded:
    if isinstance(polygons, str | Path):
        return load_file(Path(polygons), degrees=degrees)
    if hasattr(polygons, "to_crs"):
        is_series = not hasattr(polygons, "columns")
        frame = polygons.to_frame("geometry") if is_series else polygons
        return load_frame(frame, degrees=degrees)
    if hasattr(polygons, "geom_type"):
        polygons = [polygons]
    elif hasattr(polygons, "__geo_interface__"):
        polygons = polygons.__geo_interface__
    if isinstance(polygons, Mapping):
        if isinstance(polygons.get("type"), str):
            return load_geojson(polygons)
        return list(polygons.values()), {"name": [str(key) for key in polygons]}, []
    if isinstance(polygons, Sequence | np.ndarray):
        return list(polygons), {}, number_names(len(polygons))
    if isinstance(polygons, Iterable):
        made = list(polygons)
        return made, {}, number_names(len(made))
    raise QuestionError(
        "Areas are the name of a file, GeoJSON, a GeoDataFrame, a mapping of names to polygons or "
        f"a list of polygons. Found {shorten(repr(polygons), 80)}."
    )


def number_names(many: int) -> list[str]:
    return [str(place + 1) for place in range(many)]


def load_file(path: Path, *, degrees: bool) -> Loaded:
    if not path.exists():
        raise NoSuchFile(f"{path} does not exist. Name a file of polygons, such as areas.geojson.")
    if path.suffix.lower() not in (".geojson", ".json"):
        return load_frame(read_frame(path), degrees=degrees)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, OSError) as error:
        raise QuestionError(f"{path} is not GeoJSON: {shorten(str(error), 120)}.") from None
    if not isinstance(data, Mapping):
        raise QuestionError(f"{path} is not GeoJSON: it holds no object with a type.")
    return load_geojson(data)


def read_frame(path: Path) -> Any:
    try:
        import geopandas
    except ImportError:
        raise MissingExtra("geopandas", "areas", f"reading {path.name}") from None
    read = geopandas.read_file
    if path.suffix.lower() in (".parquet", ".geoparquet"):
        read = geopandas.read_parquet
    try:
        return read(path)
    except Exception as error:  # whatever a driver says of a file that it cannot read
        raise QuestionError(
            f"{path} cannot be read as polygons: {shorten(str(error), 160)}. Known are GeoJSON, "
            "GeoParquet, Shapefile and GeoPackage."
        ) from None


def load_frame(frame: Any, *, degrees: bool) -> Loaded:
    """A GeoDataFrame. On a map of longitude and latitude, other coordinates are converted."""
    if degrees and frame.crs is not None and not frame.crs.is_geographic:
        frame = frame.to_crs(4326)
    rest = [column for column in frame.columns if column != frame.geometry.name]
    columns = {str(column): plain_values(frame[column]) for column in rest}
    return list(frame.geometry), columns, [str(label) for label in frame.index]


def plain_values(column: Any) -> list[Any]:
    """The values of a column, None where they are missing."""
    return [None if missing else value for value, missing in zip(
        column.tolist(), column.isna().tolist(), strict=True
    )]  # fmt: skip


def load_geojson(data: Mapping[str, Any]) -> Loaded:
    check_system(data)
    kind = data.get("type")
    if kind == "FeatureCollection":
        features = data.get("features")
    else:
        features = [data if kind == "Feature" else {"geometry": data}]
    if not isinstance(features, list) or not all(isinstance(one, Mapping) for one in features):
        raise QuestionError("This is not GeoJSON: a FeatureCollection has a list of features.")
    properties = [one.get("properties") or {} for one in features]
    keys = dict.fromkeys(key for one in properties for key in one)
    columns = {key: [one.get(key) for one in properties] for key in keys}
    numbers = [
        str(one.get("id", place))
        for one, place in zip(features, number_names(len(features)), strict=True)
    ]
    return [one.get("geometry") for one in features], columns, numbers


def check_system(data: Mapping[str, Any]) -> None:
    """GeoJSON is in degrees; old files may say otherwise."""
    try:
        system = str(data["crs"]["properties"]["name"])
    except (KeyError, TypeError):
        return
    if not system.endswith(EARTH):
        raise QuestionError(
            f"The GeoJSON has coordinates of {shorten(system, 60)}, not longitude and latitude. "
            "Convert it, for example with geopandas: read_file(…).to_crs(4326)."
        )


def choose_names(
    columns: Mapping[str, list[Any]], numbers: list[str], name: str | None
) -> list[str]:
    """What areas are called."""
    if name is not None and name not in columns:
        raise QuestionError(
            f"The areas have no column {name!r}.{did_you_mean(name, columns)} They have "
            f"{shorten(', '.join(map(repr, columns))) or 'none'}."
        )
    spelled = {column.casefold(): column for column in reversed(list(columns))}
    usual = next((spelled[one] for one in NAMES if one in spelled), None)
    chosen = name or usual
    if chosen is None:
        return numbers
    fallback = numbers or number_names(len(columns[chosen]))
    pairs = zip(columns[chosen], fallback, strict=True)
    return [number if value is None else str(value) for value, number in pairs]


# What polygons must be ---------------------------------------------------------------------


def as_polygon(shapely: Any, geometry: Any, name: str) -> Any:
    """A polygon or multi-polygon of shapely, without heights."""
    if geometry is None:
        raise QuestionError(f"Area {name!r} has no polygon.")
    if not hasattr(geometry, "geom_type"):
        from shapely.geometry import shape

        try:
            with np.errstate(invalid="ignore"):  # coordinates are looked at below
                geometry = shape(getattr(geometry, "__geo_interface__", geometry))
        except Exception as error:  # shapely raises errors of many kinds here
            reason = shorten(" ".join(str(error).split()), 120)
            raise QuestionError(f"Area {name!r} is not a polygon: {reason}.") from None
    if geometry.geom_type not in ("Polygon", "MultiPolygon"):
        raise QuestionError(
            f"Area {name!r} is a {geometry.geom_type}. Areas are polygons or multi-polygons."
        )
    if geometry.is_empty:
        raise QuestionError(f"Area {name!r} is empty: its polygon has no points.")
    if not np.isfinite(shapely.get_coordinates(geometry)).all():
        raise QuestionError(f"Area {name!r} has coordinates that are not numbers.")
    return shapely.force_2d(geometry)


def check_degrees(polygon: Any, name: str) -> Any:
    """Polygons in degrees, without jumps at the 180th meridian."""
    west, south, east, north = polygon.bounds
    if not (-TURN <= west <= east <= TURN and -POLE <= south <= north <= POLE):
        farthest = max((west, south, east, north), key=abs)
        raise QuestionError(
            f"Area {name!r} is not in degrees: it reaches {farthest:,.6g}. Convert the "
            "polygons, for example with geopandas: to_crs(4326)."
        )
    return unwrap(polygon, name)


def mend(shapely: Any, polygon: Any, name: str) -> Any:
    """The same polygon if it is valid; else what its outline encloses, without lines and points."""
    if polygon.is_valid:
        return polygon
    parts = shapely.get_parts(shapely.get_parts(shapely.make_valid(polygon)))
    pieces = [part for part in parts if part.geom_type == "Polygon" and part.area > 0]
    if not pieces:
        reason = shapely.is_valid_reason(polygon)
        raise QuestionError(f"Area {name!r} encloses nothing, and cannot be mended: {reason}.")
    return shapely.multipolygons(pieces) if len(pieces) > 1 else pieces[0]
