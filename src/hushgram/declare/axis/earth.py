"""Columns with longitudes and latitudes, recognised by their names."""

from __future__ import annotations

LONGITUDE = ("lon", "lng", "long", "longitude")
LATITUDE = ("lat", "latitude")

TURN = 360
"""Degrees of longitude around the earth. They start at -180 or at 0, so that bounds may be up to a
full turn from 0."""

POLE = 90

METRES = 111_320
"""Metres per degree of longitude on the equator; degrees of latitude are almost the same."""


def are_degrees(x: str, y: str) -> bool:
    """Whether two columns are called longitude and latitude.

    >>> are_degrees("Lon", "latitude"), are_degrees("x", "y")
    (True, False)
    """
    return x.lower() in LONGITUDE and y.lower() in LATITUDE
