"""Hexagons of the H3 grid as areas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hushgram.declare.axis.earth import METRES
from hushgram.errors import DomainError, MissingExtra

MAX_HEXAGONS = 100_000
"""The most hexagons of an axis. For finer maps, use a mechanism for maps."""


def hexagons(
    size: int, bbox: tuple[float, float, float, float], parents: Sequence[int]
) -> dict[str, Any]:
    """The hexagons that touch a box, as GeoJSON. Properties name them and their parents."""
    try:
        import h3
    except ImportError:
        raise MissingExtra("h3", "geo", "An axis of hexagons") from None
    check_sizes(size, parents)
    try:
        west, south, east, north = map(float, bbox)
    except (TypeError, ValueError):
        raise DomainError(f"bbox must be (west, south, east, north). Found {bbox!r}.") from None
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise DomainError(f"bbox must be (west, south, east, north) in degrees. Found {bbox!r}.")
    expected = box_area(west, south, east, north) / h3.average_hexagon_area(size, unit="km^2")
    if expected > 2 * MAX_HEXAGONS:
        raise too_many(expected, size)
    box = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
    cells = sorted(h3.polygon_to_cells_experimental(box, size, contain="overlap"))
    if not 1 <= len(cells) <= MAX_HEXAGONS:
        raise too_many(len(cells), size)
    return {"type": "FeatureCollection", "features": [feature(h3, cell, parents) for cell in cells]}


def too_many(cells: float, size: int) -> DomainError:
    return DomainError(
        f"About {cells:,.0f} hexagons of size {size} touch the box. Choose another size or "
        f"box, with 1 to {MAX_HEXAGONS:,} hexagons."
    )


def box_area(west: float, south: float, east: float, north: float) -> float:
    """The area of a box of degrees in square kilometres.

    >>> round(box_area(0, 0, 1, 1))
    12392
    """
    upper, lower = (math.sin(math.radians(latitude)) for latitude in (north, south))
    return math.degrees(upper - lower) * (east - west) * (METRES / 1000) ** 2


def check_sizes(size: int, parents: Sequence[int]) -> None:
    falling = [size, *parents]
    whole = all(isinstance(one, int) and 0 <= one <= 15 for one in falling)
    if not whole or any(low <= high for low, high in pairwise(falling)):
        raise DomainError(
            "Hexagon sizes must be from 0 to 15, and each parent smaller than the one "
            f"before. Found {falling}."
        )


def level_names(parents: Sequence[int]) -> list[str]:
    return [f"h3-{size}" for size in parents]


def feature(h3: Any, cell: str, parents: Sequence[int]) -> dict[str, Any]:
    """One hexagon. If it crosses the antimeridian, it is drawn at both ends of the map."""
    corners = [(lng, lat) for lat, lng in h3.cell_to_boundary(cell)]
    copies = []
    longitudes = [x for x, _ in corners]
    if max(longitudes) - min(longitudes) > 180:
        corners = [(x + 360 if x < 0 else x, y) for x, y in corners]
        copies.append([[(x - 360, y) for x, y in corners]])
    copies.append([corners])
    above = {f"h3-{size}": h3.cell_to_parent(cell, size) for size in parents}
    return {
        "properties": {"h3": cell, **above},
        "geometry": {"type": "MultiPolygon", "coordinates": copies},
    }
