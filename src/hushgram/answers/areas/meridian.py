"""Polygons across the 180th meridian.

Polygons on both sides of it come in several forms: cut in two at ±180, as the GeoJSON standard
requires; with longitudes that continue beyond 180; or with longitudes that jump from 179 to -179.
Here the last form is converted to the second: an edge of almost a full turn is assumed to go the
short way around the earth. `placing` then shifts whole polygons by full turns to the longitudes of
the release.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.degrees import POLE, TURN
from hushgram.errors import QuestionError

SHORT, SHORTEST = 90.0, 15.0
"""The largest length of a jump in degrees, the short way around; and for one that starts or ends at
the meridian, as in polygons that are cut there."""


def unwrap(geometry: Any, name: str) -> Any:
    """The polygon or multi-polygon without jumps of longitudes."""
    import shapely

    west, _, east, _ = shapely.bounds(geometry)
    if not east - west > TURN / 2:
        return geometry
    parts = [unwrap_polygon(part, name) for part in shapely.get_parts(geometry)]
    return shapely.multipolygons(parts) if len(parts) > 1 else parts[0]


def unwrap_polygon(polygon: Any, name: str) -> Any:
    import shapely

    outline = unwrap_ring(shapely.get_coordinates(polygon.exterior), name)
    holes = [unwrap_ring(shapely.get_coordinates(hole), name) for hole in polygon.interiors]
    west, east = outline[:, 0].min(), outline[:, 0].max()
    for hole in holes:  # shift it to the outline
        turns = np.round(((west + east) - (hole[:, 0].min() + hole[:, 0].max())) / 2 / TURN)
        hole[:, 0] += TURN * turns
    return shapely.Polygon(outline, holes)


def unwrap_ring(points: Floats, name: str) -> Floats:
    """The points of a closed ring, without jumps."""
    steps = np.diff(points[:, 0])
    turns = np.where(find_jumps(points), -TURN * np.sign(steps), 0.0)
    if abs(turns.sum()) > 0:
        raise QuestionError(
            f"Area {name!r} goes around a pole. Extend its outline along the 180th "
            "meridian to the pole and back, for example (180, -90) and (-180, -90)."
        )
    found = points.copy()
    found[1:, 0] += np.cumsum(turns)
    return found


def find_jumps(points: Floats) -> Any:
    """Which edges jump, and so go the short way around the earth. Edges along a pole, or all the
    way around, do not."""
    rest = TURN - np.abs(np.diff(points[:, 0]))
    ends = np.stack([points[:-1], points[1:]])
    on_meridian = (np.abs(ends[:, :, 0]) == TURN / 2).any(axis=0)
    on_pole = (np.abs(ends[:, :, 1]) == POLE).all(axis=0)
    return (rest > 0) & (rest < np.where(on_meridian, SHORTEST, SHORT)) & ~on_pole
