"""Outlines of areas for a page: those of an axis of areas, and others that are given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.axis.areas import Areas
from hushgram.declare.axis.areas.painting import FINE
from hushgram.declare.axis.areas.shapes import unpack_shapes, wrap_around
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints
from hushgram.web.explorer.packing import Packing

if TYPE_CHECKING:
    from hushgram.declare.domain import Domain

Described = dict[str, Any]

MOST_POINTS = 400_000
"""Points of given outlines that a page may hold: more make it slow and large."""


def describe_axis_shapes(axis: Areas, packing: Packing) -> Described | None:
    """The areas of an axis, on the lattice of its raster; None if the release has no outlines."""
    if not axis.packed_outlines:
        return None
    sides = axis.raster.x, axis.raster.y
    shapes = [
        wrap_around(shape, sides[0], degrees=axis.degrees)
        for shape in unpack_shapes(axis.packed_outlines, axis.bins)
    ]
    rings = [ring for shape in shapes for polygon in shape for ring in polygon]
    owners = [place for place, shape in enumerate(shapes) for polygon in shape for _ in polygon]
    signs = [-1 if place else 1 for shape in shapes for polygon in shape
             for place in range(len(polygon))]  # fmt: skip
    return {
        "axes": list(axis.columns),
        "ends": [[side.lo, side.hi] for side in sides],
        "degrees": axis.degrees,
        "low": [side.lo for side in sides],
        "step": [side.span / (side.bins * FINE) for side in sides],
        **describe_rings(
            np.concatenate(rings), [len(ring) for ring in rings], owners, signs, packing
        ),
    }


def describe_given_shapes(
    domain: Domain, areas: Any, name: str | None, on: tuple[str, str] | None, packing: Packing
) -> Described:
    """Areas that somebody gave, cut at the ends of a release's axes, in the values of these."""
    from hushgram.answers.areas.placing import Plane, cut_to
    from hushgram.answers.areas.shapes import import_shapely, read_shapes

    shapely = import_shapely()
    plane = Plane.of(domain, on)
    shapes = read_shapes(areas, name=name, degrees=plane.degrees)
    axes = [domain[one] for one in (plane.across, plane.up)]
    ends = [(float(axis.edge(0)), float(axis.edge(axis.declared))) for axis in axes]
    pieces, owners = cut_to(shapes.geometries, ends, degrees=plane.degrees)
    rings, polygons = shapely.get_rings(pieces, return_index=True)
    points, places = shapely.get_coordinates(rings, return_index=True)
    if len(points) > MOST_POINTS:
        raise NotAnswerable(
            f"The areas have {len(points):,} points, more than a page can hold ({MOST_POINTS:,}). "
            "Simplify their outlines first, for example with geopandas: simplify(0.001)."
        )
    last = np.diff(places, append=-1) != 0  # a ring ends where it began
    lengths = np.bincount(places[~last], minlength=len(rings))
    signs = np.where(np.diff(polygons, prepend=-1) > 0, 1, -1)
    return {
        "axes": [plane.across, plane.up],
        "names": shapes.names,
        "file": Path(areas).name if isinstance(areas, str | Path) else None,
        "nameColumn": name,
        "degrees": plane.degrees,
        "low": [0, 0],
        "step": [1, 1],
        **describe_rings(points[~last], lengths, owners[polygons], signs, packing),
    }


def describe_rings(
    points: Floats | Ints, lengths: Any, owners: Any, signs: Any, packing: Packing
) -> Described:
    """For each ring its length, its area and 1, or -1 for a hole; and all points."""
    return {
        "lengths": packing.add(lengths),
        "owners": packing.add(owners),
        "signs": packing.add(signs),
        "xs": packing.add(points[:, 0], decimal=True),
        "ys": packing.add(points[:, 1], decimal=True),
    }
