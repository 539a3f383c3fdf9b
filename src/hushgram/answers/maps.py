"""Which axes make a map: those called longitude and latitude that hold degrees."""

from __future__ import annotations

from hushgram.axis import Axis, Interval, Regular, Variable
from hushgram.domain import Domain

LONGITUDE = ("lon", "lng", "long", "longitude")
LATITUDE = ("lat", "latitude")

TURN = 360
"""Longitudes count from -180 or from 0, so that they may reach a turn either way."""

POLE = 90


def is_longitude(name: str, axis: Axis) -> bool:
    """Whether an axis is a longitude in degrees.

    >>> is_longitude("Lon", Interval(0, 360)), is_longitude("lon", Interval(0, 5000))
    (True, False)
    """
    return name.lower() in LONGITUDE and is_within(axis, TURN)


def is_latitude(name: str, axis: Axis) -> bool:
    return name.lower() in LATITUDE and is_within(axis, POLE)


def is_within(axis: Axis, limit: float) -> bool:
    """Whether an axis holds real numbers, none of them beyond a limit."""
    if not isinstance(axis.whole, Interval | Regular | Variable):
        return False
    return bool(-limit <= axis.edge(0) and axis.edge(axis.declared) <= limit)


def map_of(domain: Domain) -> tuple[str, str] | None:
    """The names of the axes that are longitude and latitude, if there are such."""
    longitude = next((name for name, axis in domain.items() if is_longitude(name, axis)), None)
    latitude = next((name for name, axis in domain.items() if is_latitude(name, axis)), None)
    return None if longitude is None or latitude is None else (longitude, latitude)
