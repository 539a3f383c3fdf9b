"""Longitude and latitude: which axes form a map, and which bounds cannot be degrees."""

from __future__ import annotations

from hushgram.declare.axis import Axis, Floats, Integer, Interval, Regular, Variable
from hushgram.declare.axis.earth import LATITUDE as LATITUDE
from hushgram.declare.axis.earth import LONGITUDE as LONGITUDE
from hushgram.declare.axis.earth import POLE as POLE
from hushgram.declare.axis.earth import TURN as TURN
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError

RENAME = (
    "If the column contains something else, publish it under another name, for example from a view."
)


def check_degrees(domain: Domain) -> None:
    """Raise if axes named longitude or latitude have impossible bounds.

    Longitudes run from -180 to 180, or from 0 to 360.
    """
    for name, axis in domain.columns_read:
        if not isinstance(axis.whole, Interval | Regular | Variable | Integer):
            continue
        lo, hi = axis.edge(0), axis.edge(axis.declared - isinstance(axis.whole, Integer))
        if name.lower() in LATITUDE and not -POLE <= lo <= hi <= POLE:
            swapped = " Are longitude and latitude swapped?" if -TURN <= lo <= hi <= TURN else ""
            raise DomainError(
                f"Axis {name}: latitudes range from -90 to 90. Found {lo:g} to "
                f"{hi:g}.{swapped} {RENAME}"
            )
        on_earth = -TURN / 2 <= lo <= hi <= TURN / 2 or 0 <= lo <= hi <= TURN
        if name.lower() in LONGITUDE and not on_earth:
            raise DomainError(
                f"Axis {name}: longitudes range from -180 to 180, or from 0 to 360. Found "
                f"{lo:g} to {hi:g}. {RENAME}"
            )


def is_longitude(name: str, axis: Axis) -> bool:
    """Whether an axis is a longitude in degrees.

    >>> is_longitude("Lon", Interval(0, 360)), is_longitude("lon", Interval(0, 5000))
    (True, False)
    """
    return name.lower() in LONGITUDE and is_within(axis, TURN)


def is_latitude(name: str, axis: Axis) -> bool:
    return name.lower() in LATITUDE and is_within(axis, POLE)


def is_within(axis: Axis, limit: float) -> bool:
    """Whether an axis has real numbers from ``-limit`` to ``limit``."""
    if not isinstance(axis.whole, Interval | Regular | Variable):
        return False
    return bool(-limit <= axis.edge(0) and axis.edge(axis.declared) <= limit)


def turn_longitudes(corners: Floats) -> Floats:
    """Boxes (west, south, east, north) with longitudes from 180 to 360 moved to -180 to 0. A box
    across the 180th meridian stays whole and ends beyond it."""
    west, east = corners[:, :1], corners[:, 2:3]
    turned = corners.copy()
    turned[:, ::2] += TURN * (east <= -TURN / 2) - TURN * (west >= TURN / 2)
    return turned


def map_of(domain: Domain) -> tuple[str, str] | None:
    """The names of the longitude and latitude axes, or None."""
    longitude = next((name for name, axis in domain.items() if is_longitude(name, axis)), None)
    latitude = next((name for name, axis in domain.items() if is_latitude(name, axis)), None)
    return None if longitude is None or latitude is None else (longitude, latitude)
