"""Longitude and latitude by the names of columns."""

from __future__ import annotations

LONGITUDE = ("lon", "lng", "long", "longitude")
LATITUDE = ("lat", "latitude")

TURN = 360
"""Longitudes count from -180 or from 0, so that they may reach a turn either way."""

POLE = 90

METRES = 111_320
"""To a degree of longitude on the equator; degrees of latitude are hardly longer or shorter."""


def are_degrees(x: str, y: str) -> bool:
    """Whether two columns are called longitude and latitude.

    >>> are_degrees("Lon", "latitude"), are_degrees("x", "y")
    (True, False)
    """
    return x.lower() in LONGITUDE and y.lower() in LATITUDE
