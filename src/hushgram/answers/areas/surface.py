"""Square kilometres of polygons in degrees, on the ellipsoid WGS 84.

By Green's theorem, the area is the integral of F(latitude) over longitude along the outline, where
F is the area between the equator and a latitude per radian of longitude. Edges are straight in
degrees, as on a map of longitude and latitude. Each is integrated by Gauss-Legendre quadrature.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Floats

AXIS = 6378.137
"""The equatorial radius of the earth in kilometres."""

FLATTENING = 1 / 298.257223563

MAX_EDGE = 5.0
"""The longest edge in degrees that is integrated in one piece."""


def square_kilometres(polygons: Any) -> Floats:
    """The areas of polygons with longitudes and latitudes.

    >>> import shapely
    >>> square_kilometres(np.array([shapely.box(-180, -90, 180, 90)])).round()
    array([5.10065622e+08])
    """
    import shapely

    if (np.ptp(shapely.bounds(polygons).reshape(-1, 2, 2), axis=1) > MAX_EDGE).any():
        polygons = shapely.segmentize(polygons, MAX_EDGE)
    rings, owners = shapely.get_rings(polygons, return_index=True)
    points, places = shapely.get_coordinates(rings, return_index=True)
    same = places[1:] == places[:-1]
    before, after = np.radians(points[:-1][same]), np.radians(points[1:][same])
    nodes, weights = np.polynomial.legendre.leggauss(4)
    steps = (after - before)[:, :, None]
    latitudes = before[:, 1, None] + steps[:, 1] * (nodes + 1) / 2
    each = steps[:, 0, 0] * (belt(latitudes) @ weights) / 2
    found = np.bincount(places[1:][same], each, len(rings))
    # Outlines and holes may run either way: the first ring of a polygon is its outline.
    first = np.diff(owners, prepend=-1) > 0
    signed = np.where(first, 1.0, -1.0) * np.abs(found)
    return np.asarray(np.bincount(owners, signed, len(polygons)), dtype=np.float64)


def belt(latitude: Floats) -> Floats:
    """The area from the equator to a latitude per radian of longitude."""
    square = FLATTENING * (2 - FLATTENING)
    root = np.sqrt(square)
    sine = np.sin(latitude)
    polar = (AXIS * (1 - FLATTENING)) ** 2
    return np.asarray(polar / 2 * (sine / (1 - square * sine**2) + np.arctanh(root * sine) / root))
