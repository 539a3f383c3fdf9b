"""Polygons in units of a release's axes, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.answers.areas.overlap import Rings
from hushgram.answers.areas.shapes import Shapes
from hushgram.answers.areas.surface import square_kilometres
from hushgram.base.text import shorten
from hushgram.declare.axis import Axis, Floats, Interval, Regular, Variable
from hushgram.declare.axis.text import axis_text
from hushgram.declare.degrees import TURN, map_of
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Ints

PAIRS = (("x", "y"), ("easting", "northing"))
"""Names of axes that are recognised as the sides of a plane."""


@dataclass(frozen=True)
class Plane:
    """The two axes of a release on which polygons are given."""

    across: str
    up: str
    degrees: bool
    """Whether they are longitude and latitude."""

    @classmethod
    def of(cls, domain: Domain, on: tuple[str, str] | None = None) -> Plane:
        """Longitude and latitude, or x and y, unless two axes are named."""
        degrees = map_of(domain)
        found = tuple(on) if on is not None else degrees or usual_pair(domain)
        if found is None or len(found) != 2 or found[0] == found[1] or not {*found} <= {*domain}:
            axes = ", ".join(map(repr, domain))
            kind = NotAnswerable if on is None else QuestionError
            raise kind(
                "Areas need two axes such as lon and lat, or x and y. To use others, name "
                'the horizontal one first: on=("east", "north") (--on east,north). The release has '
                f"{shorten(axes)}."
            )
        for name in found:
            if not isinstance(domain[name].whole, Interval | Regular | Variable):
                raise NotAnswerable(
                    f"Areas need continuous axes, but {name!r} has "
                    f"{shorten(axis_text(domain[name]))}. Declare it as {name}=LOW:HIGH."
                )
        return cls(*found, found == degrees)


def usual_pair(domain: Domain) -> tuple[str, ...] | None:
    spelled = {name.casefold(): name for name in domain}
    named = (tuple(spelled[one] for one in pair if one in spelled) for pair in PAIRS)
    return next((pair for pair in named if len(pair) == 2), None)


@dataclass(frozen=True, eq=False)
class AreasOnAxes:
    """Areas, restricted to the bounds of the axes."""

    rings: Rings
    sizes: Floats
    """The size of each area within the bounds, in square kilometres or square units of the axes."""
    covered: Floats
    """The share of each area that is within the bounds."""


def place(shapes: Shapes, plane: Plane, domain: Domain) -> AreasOnAxes:
    """The areas, cut at the bounds of the axes; on a map, also shifted by full turns to the
    axis."""
    import shapely

    axes = domain[plane.across], domain[plane.up]
    ends = [(float(axis.edge(0)), float(axis.edge(axis.declared))) for axis in axes]
    pieces, owners = cut_to(shapes.geometries, ends, degrees=plane.degrees)
    measure = square_kilometres if plane.degrees else shapely.area
    sizes = np.asarray(np.bincount(owners, measure(pieces), len(shapes)), dtype=np.float64)
    covered = np.ones(len(shapes))
    beyond = ~lies_within(shapely.bounds(shapes.geometries), ends)
    parts, wholes = shapely.get_parts(shapes.geometries[beyond], return_index=True)
    if len(parts):
        covered[beyond] = np.clip(sizes[beyond] / np.bincount(wholes, measure(parts)), 0, 1)
    covered[covered > 1 - 1e-9] = 1.0
    return AreasOnAxes(rings_of(pieces, owners, axes), sizes, covered)


def lies_within(bounds: Floats, ends: list[tuple[float, float]]) -> Any:
    """Which boxes are entirely between the ends of both axes."""
    (left, right), (bottom, top) = ends
    west, south, east, north = bounds.T
    return (west >= left) & (east <= right) & (south >= bottom) & (north <= top)


def cut_to(geometries: Any, ends: list[tuple[float, float]], *, degrees: bool) -> tuple[Any, Ints]:
    """The polygons of areas within a box, and the area to which each belongs."""
    import shapely

    (left, right), (bottom, top) = ends
    box = shapely.box(left, bottom, right, top)
    pieces, owners = [], []
    for turn in range(-2, 3) if degrees else (0,):
        shift = float(TURN * turn)
        bounds = shapely.bounds(geometries) + np.array([shift, 0.0, shift, 0.0])
        west, south, east, north = bounds.T
        meets = np.flatnonzero((west < right) & (east > left) & (south < top) & (north > bottom))
        moved = geometries[meets]
        if shift:
            moved = shapely.transform(moved, lambda points, by=shift: np.add(points, (by, 0)))
        beyond = ~lies_within(bounds[meets], ends)
        moved[beyond] = shapely.intersection(moved[beyond], box)
        found, places = shapely.get_parts(moved, return_index=True)
        found, again = shapely.get_parts(found, return_index=True)  # of collections
        is_area = shapely.get_dimensions(found) == 2
        pieces.append(found[is_area])
        owners.append(meets[places[again]][is_area])
    return np.concatenate(pieces), np.concatenate(owners)


def rings_of(pieces: Any, owners: Ints, axes: tuple[Axis, Axis]) -> Rings:
    """The rings of polygons, in units of indices."""
    import shapely

    rings, polygons = shapely.get_rings(pieces, return_index=True)
    points, places = shapely.get_coordinates(rings, return_index=True)
    for side, axis in enumerate(axes):
        if isinstance(axis.whole, Variable):
            points, places = bend(points, places, np.array(axis.whole.edges), side)
    last = np.diff(places, append=-1) != 0  # the last point repeats the first
    points, places = points[~last], places[~last]
    columns = [axis.positions(column) for axis, column in zip(axes, points.T, strict=True)]
    offsets = np.searchsorted(places, np.arange(len(rings) + 1))
    is_outline = np.diff(polygons, prepend=-1) > 0
    signs = np.where(is_outline, 1.0, -1.0)
    return Rings(np.stack(columns, axis=1), offsets, signs, owners[polygons])


def bend(points: Floats, places: Ints, edges: Floats, side: int) -> tuple[Floats, Ints]:
    """Closed rings with additional points where they cross edges of bins: if bins differ in width,
    a straight line bends there in units of indices."""
    start, stop = points[:-1], points[1:]
    low, high = np.minimum(start, stop)[:, side], np.maximum(start, stop)[:, side]
    first, last = np.searchsorted(edges, low, "right"), np.searchsorted(edges, high, "left")
    counts = np.where(places[1:] == places[:-1], np.maximum(last - first, 0), 0)
    lines = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(lines)) - np.repeat(np.cumsum(counts) - counts, counts)
    falls = (stop < start)[lines, side]
    at = edges[np.where(falls, last[lines] - 1 - within, first[lines] + within)]
    share = (at - start[lines, side]) / (stop - start)[lines, side]
    new = start[lines] + share[:, None] * (stop - start)[lines]
    new[:, side] = at
    return np.insert(points, lines + 1, new, axis=0), np.insert(places, lines + 1, places[lines])
