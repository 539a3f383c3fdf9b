"""Polygons on a lattice of integers: snapping, unwrapping at the antimeridian, packing as text."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from hushgram.base.packing import pack, unpack
from hushgram.declare.axis.areas.outlines import Outline
from hushgram.declare.axis.areas.painting import FINE
from hushgram.declare.axis.areas.raster import check_cells
from hushgram.declare.axis.base import Ints
from hushgram.declare.axis.earth import TURN
from hushgram.declare.axis.numeric import Regular
from hushgram.errors import DomainError

Shape = list[list[Ints]]
"""The polygons of an area, each an outer ring and holes, on the lattice."""

MAX_CORNERS = 1 << 22
"""The most corners of stored outlines; a forged release could claim more."""


def raster_sides(
    outlines: Sequence[Outline], resolution: int, *, degrees: bool
) -> tuple[Regular, Regular]:
    """The two axes of the raster: the bounding box of all areas, in nearly square cells."""
    if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution < 1:
        raise DomainError(f"resolution must be a number of cells. Found {resolution!r}.")
    corners = np.concatenate([outline.corners for outline in outlines])
    (west, south), (east, north) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    if degrees and west < 0 and (west < -TURN / 2 or east > TURN / 2):
        west, east = -TURN / 2, TURN / 2  # parts beyond these continue at the other end
    if not west < east or not south < north:
        raise DomainError("The areas have no extent: all corners are on one line.")
    middle = math.radians((south + north) / 2) if degrees else 0.0
    width, height = (east - west) * max(math.cos(middle), 0.01), north - south
    longer = max(width, height)
    columns, rows = (max(1, math.ceil(resolution * side / longer)) for side in (width, height))
    check_cells(columns, rows)
    return Regular(columns, west, east), Regular(rows, south, north)


def snap(outline: Outline, x: Regular, y: Regular) -> Shape:
    """The polygons of an area, with corners moved to the nearest points of the raster's lattice."""
    lows = np.array([x.lo, y.lo])
    steps = np.array([x.bins * FINE / x.span, y.bins * FINE / y.span])
    return [
        [np.rint((ring - lows) * steps).astype(np.int64) for ring in rings]
        for rings in outline.polygons
    ]


def wrap_around(shape: Shape, x: Regular, *, degrees: bool) -> Shape:
    """The polygons, and copies shifted by 360° of those that extend beyond the antimeridian."""
    if not degrees or (x.lo, x.hi) != (-TURN / 2, TURN / 2):
        return shape
    turn = x.bins * FINE
    found = list(shape)
    for rings in shape:
        across = np.concatenate([ring[:, 0] for ring in rings])
        for shift in (-turn, turn):
            if across.min() + shift < turn and across.max() + shift > 0:
                found.append([ring + np.array([shift, 0]) for ring in rings])
    return found


def pack_shapes(shapes: Sequence[Shape]) -> tuple[str, ...]:
    """Pack polygons per area, rings per polygon, corners per ring and differences of corners."""
    rings = [ring for shape in shapes for polygon in shape for ring in polygon]
    corners = np.concatenate(rings)
    counts = (
        [len(shape) for shape in shapes],
        [len(polygon) for shape in shapes for polygon in shape],
        [len(ring) for ring in rings],
    )
    steps = np.diff(corners, axis=0, prepend=0).T
    texts = [pack(np.array(one, dtype=np.int64)) for one in (*counts, *steps)]
    return (f"{len(counts[1])} {len(rings)} {len(corners)}", *texts)


def unpack_shapes(texts: Sequence[str], areas: int) -> list[Shape]:
    """The shapes that `pack_shapes` packed."""
    try:
        polygons, rings, corners = map(int, texts[0].split())
        if not 1 <= polygons <= rings <= corners <= MAX_CORNERS:
            raise DomainError(
                f"The outlines have {corners:,} corners. At most {MAX_CORNERS:,} are supported."
            )
        counts = [unpack(text, size) for text, size in zip(
            texts[1:4], (areas, polygons, rings), strict=True
        )]  # fmt: skip
        steps = [unpack(text, corners) for text in texts[4:6]]
    except (ValueError, zlib.error) as error:  # base 64 and base 85 are refused by a ValueError
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"The outlines of the areas are damaged: {error}.") from None
    totals = polygons, rings, corners
    if any((many < 0).any() or many.sum() != total
           for many, total in zip(counts, totals, strict=True)):  # fmt: skip
        raise DomainError("The outlines of the areas are damaged: their numbers differ.")
    points = np.cumsum(np.stack(steps, axis=1), axis=0)
    found: list[Any] = np.split(points, np.cumsum(counts[2])[:-1])
    for sizes in (counts[1], counts[0]):
        ends = np.cumsum(sizes)
        found = [found[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return found
