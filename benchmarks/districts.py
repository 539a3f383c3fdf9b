"""Generated districts: Voronoi cells, of even size or small where rows are many, with straight or
with ragged borders."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.random import Generator

RAGGED = 4
"""How often each border is bent in its middle, in the middle of its halves, and so on."""

BEND = 0.18
"""How far, as a share of its length, about."""


def districts(
    seeds: np.ndarray, bounds: tuple[float, float, float, float], rng: Generator, *, ragged: bool
) -> np.ndarray:
    """A polygon around each seed, as an array of shapely's; neighbours share their borders."""
    left, bottom, right, top = bounds
    box = shapely.box(*bounds)
    # Seeds are spread to a square, so that cells are not stretched where axes are not alike.
    size = np.array([right - left, top - bottom])
    points = (seeds - (left, bottom)) / size
    square = shapely.box(0, 0, 1, 1)
    borders = shapely.voronoi_polygons(
        shapely.multipoints(points), extend_to=square, only_edges=True
    )
    lines = shapely.get_parts(shapely.intersection(borders, square))
    if ragged:
        lines = np.array([bend(line, rng) for line in lines])
    cells = shapely.polygonize([shapely.union_all([*lines, square.exterior])])
    inside = [cell for cell in shapely.get_parts(cells) if square.covers(cell.centroid)]
    found = shapely.transform(np.array(inside), lambda xy: xy * size + (left, bottom))
    return shapely.get_parts(shapely.intersection(found, box))


def bend(line: shapely.LineString, rng: Generator) -> shapely.LineString:
    points = shapely.get_coordinates(line)
    for _ in range(RAGGED):
        start, stop = points[:-1], points[1:]
        along = stop - start
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        middle = (start + stop) / 2 + BEND * rng.uniform(-1, 1, (len(along), 1)) * across
        points = np.insert(points, np.arange(1, len(points)), middle, axis=0)
    return shapely.LineString(np.clip(points, 0, 1))
