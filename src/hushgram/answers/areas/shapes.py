"""Polygons from files and tables, checked and repaired.

Files and tables are read as for an axis of areas (`hushgram.declare.axis.areas`). Anything that is
not a polygon, or cannot be repaired, is an error that names the area.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.answers.areas.meridian import unwrap
from hushgram.base.text import did_you_mean, shorten
from hushgram.declare.axis.areas.outlines import features_of, read_file
from hushgram.declare.degrees import POLE, TURN
from hushgram.errors import MissingExtra, QuestionError

NAMES = ("name", "label", "title", "id", "code", "geoid", "nuts_id", "fid")
"""Columns that are used as names of areas, in any case, unless another one is given."""

EARTH = ("CRS84", "EPSG::4326", "EPSG:4326")
"""Names of longitude and latitude systems in old GeoJSON files."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """Polygons with names."""

    names: list[str]
    geometries: Any
    """An array of shapely's polygons and multi-polygons."""
    columns: Mapping[str, list[Any]]
    """The other properties of each polygon, such as its population."""
    mended: list[str]
    """The names of polygons that were repaired because their outlines crossed themselves."""

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, name: str) -> Any:
        """A column of numbers, with NaN for missing values."""
        check_column(self.columns, name)
        try:
            return np.array(
                [np.nan if is_missing(value) else float(value) for value in self.columns[name]]
            )
        except (TypeError, ValueError):
            raise QuestionError(
                f"The column {name!r} of the areas does not contain numbers."
            ) from None


def read_shapes(polygons: Any, *, name: str | None = None, degrees: bool = False) -> Shapes:
    """Read polygons from a file, GeoJSON, a GeoDataFrame, a mapping of names to polygons, or a list
    of polygons. ``name`` is the column with the names of areas; ``degrees`` says that coordinates
    are longitudes and latitudes."""
    shapely = import_shapely()
    features = load(polygons, degrees=degrees)
    if not features:
        raise QuestionError("The list of polygons is empty. Give at least one area.")
    columns = columns_of(features)
    names = choose_names(features, columns, name)
    made, mended = [], []
    for feature, area in zip(features, names, strict=True):
        polygon = as_polygon(shapely, feature.get("geometry"), area)
        polygon = check_degrees(polygon, area) if degrees else polygon
        valid = repair(shapely, polygon, area)
        mended += [] if valid is polygon else [area]
        made.append(valid)
    return Shapes(names, np.array(made, dtype=object), columns, mended)


def import_shapely() -> Any:
    try:
        import shapely
    except ImportError:
        raise MissingExtra("shapely", "geo", "counting by area") from None
    return shapely


# Reading features ---------------------------------------------------------------------------

Features = list[Mapping[str, Any]]
"""Features as in GeoJSON."""


def load(polygons: Any, *, degrees: bool) -> Features:
    """The features of any supported source of polygons. With ``degrees``, coordinates in another
    known system are converted."""
    if isinstance(polygons, str | Path):
        polygons = read_file(Path(polygons))
    is_frame = hasattr(polygons, "to_crs")
    if hasattr(polygons, "geom_type") and not is_frame:
        polygons = [polygons]
    if isinstance(polygons, Mapping) and "type" in polygons:
        check_system(polygons)
        if polygons["type"] == "Feature":
            return [polygons]
        if polygons["type"] != "FeatureCollection":
            polygons = [polygons]
    if isinstance(polygons, Iterable) and not isinstance(polygons, Mapping) and not is_frame:
        return [{"geometry": one} for one in polygons]
    return features_of(polygons, "name", degrees=degrees)


def check_system(data: Mapping[str, Any]) -> None:
    """Raise if an old GeoJSON file declares a system other than degrees."""
    try:
        system = str(data["crs"]["properties"]["name"])
    except (KeyError, TypeError):
        return
    if not system.endswith(EARTH):
        raise QuestionError(
            f"The GeoJSON has coordinates of {shorten(system, 60)}, not longitude and "
            "latitude. Convert it, for example with geopandas: read_file(…).to_crs(4326)."
        )


def columns_of(features: Features) -> dict[str, list[Any]]:
    """The properties of each area, with None for missing ones."""
    properties = [one.get("properties") or {} for one in features]
    keys = dict.fromkeys(key for one in properties for key in one)
    return {str(key): [one.get(key) for one in properties] for key in keys}


def choose_names(
    features: Features, columns: Mapping[str, list[Any]], name: str | None
) -> list[str]:
    """The names of areas: from a column, else their ids, else their positions."""
    if name is not None:
        check_column(columns, name)
    spelled = {column.casefold(): column for column in reversed(list(columns))}
    chosen = name or next((spelled[one] for one in NAMES if one in spelled), None)
    named = [None] * len(features) if chosen is None else columns[chosen]
    ids = [one.get("id", place) for place, one in enumerate(features, start=1)]
    pairs = zip(named, ids, strict=True)
    return [str(number if is_missing(value) else value) for value, number in pairs]


def is_missing(value: Any) -> bool:
    return value is None or value != value


def check_column(columns: Mapping[str, list[Any]], name: str) -> None:
    if name not in columns:
        raise QuestionError(
            f"The areas have no column {name!r}.{did_you_mean(name, columns)} Their "
            f"columns: {shorten(', '.join(map(repr, columns))) or 'none'}."
        )


# Checking polygons --------------------------------------------------------------------------


def as_polygon(shapely: Any, geometry: Any, name: str) -> Any:
    """A polygon or multi-polygon of shapely, without heights."""
    if geometry is None:
        raise QuestionError(f"Area {name!r} has no polygon.")
    if not hasattr(geometry, "geom_type"):
        from shapely.geometry import shape

        try:
            with np.errstate(invalid="ignore"):  # coordinates are checked below
                geometry = shape(getattr(geometry, "__geo_interface__", geometry))
        except AttributeError:
            raise QuestionError(
                f"Area {name!r} is not a polygon, but {type(geometry).__name__}. Use a polygon of "
                'shapely, or GeoJSON such as {"type": "Polygon", "coordinates": …}.'
            ) from None
        except Exception as error:  # shapely raises many kinds of errors here
            reason = shorten(" ".join(str(error).split()), 120)
            raise QuestionError(f"Area {name!r} is not a polygon: {reason}.") from None
    if geometry.geom_type not in ("Polygon", "MultiPolygon"):
        raise QuestionError(
            f"Area {name!r} is a {geometry.geom_type}. Only polygons and multi-polygons "
            "are supported."
        )
    if geometry.is_empty:
        raise QuestionError(f"Area {name!r} is empty: its polygon has no points.")
    if not np.isfinite(shapely.get_coordinates(geometry)).all():
        raise QuestionError(f"Area {name!r} has coordinates that are not numbers.")
    return shapely.force_2d(geometry)


def check_degrees(polygon: Any, name: str) -> Any:
    """A polygon in degrees, without jumps at the 180th meridian. Raises if it is not in degrees."""
    west, south, east, north = polygon.bounds
    if not (-TURN <= west <= east <= TURN and -POLE <= south <= north <= POLE):
        farthest = max((west, south, east, north), key=abs)
        raise QuestionError(
            f"Area {name!r} is not in degrees: it extends to {farthest:,.6g}. Convert the "
            "polygons, for example with geopandas: to_crs(4326)."
        )
    return unwrap(polygon, name)


def repair(shapely: Any, polygon: Any, name: str) -> Any:
    """The polygon itself if it is valid; else the area that its outline encloses."""
    if polygon.is_valid:
        return polygon
    parts = shapely.get_parts(shapely.get_parts(shapely.make_valid(polygon)))
    pieces = [part for part in parts if part.geom_type == "Polygon" and part.area > 0]
    if not pieces:
        reason = shapely.is_valid_reason(polygon)
        raise QuestionError(f"Area {name!r} has no interior and cannot be repaired: {reason}.")
    return shapely.multipolygons(pieces) if len(pieces) > 1 else pieces[0]
