"""Voronoi cells of reconstructed points on two and three axes, clipped to the domain.

A cell contains everything nearer to its point than to any other, with each axis scaled to length 1,
since units of different axes cannot be compared. Cells end at the sides of the domain because each
point is mirrored there: the side is halfway to its image. With all images, the cells of the points
themselves are finite, and no cell has to be cut::

        mirrored  |            |  mirrored
            o     |  •         |       o
                  |     •      |
               o  |            |    o
        ----------+------------+-----------
                  |     o      |
                  |  o         |

The size of a cell is exact: the sum of the pyramids from its point to each of its walls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.learning.density import Density
from hushgram.answers.learning.points import ReconstructedPoints
from hushgram.answers.tables.units import check_moderate, places
from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints

if TYPE_CHECKING:
    import pandas as pd

MAX_AXES = 3
MAX_POINTS = 100_000
"""The most points, whose cells take about a minute."""


@dataclass(frozen=True, eq=False)
class VoronoiDensity(Density):
    """Cells around points with their rows."""

    points: ReconstructedPoints

    @property
    def half_widths(self) -> None:
        return None

    @property
    def volumes(self) -> Floats:
        """The size of each cell in the axes' units. They add up to the size of the domain."""
        return np.asarray(cell_sizes(self._diagram, len(self)) * self._sides.prod())

    def cell_of(self, positions: Floats) -> Ints:
        from scipy.spatial import KDTree

        _, nearest = KDTree(self._scaled).query(self._scale(positions))
        return np.asarray(nearest, dtype=np.int64)

    def polygons(self) -> list[Floats]:
        self._check_flat()
        low = np.array([places(axis, [0.0])[0] for axis in self.domain.axes])
        found, diagram = [], self._diagram
        for number, middle in enumerate(self._scaled):
            corners = diagram.vertices[diagram.regions[diagram.point_region[number]]]
            off = corners - middle
            around = np.argsort(np.arctan2(off[:, 1], off[:, 0]))
            found.append(np.asarray(low + corners[around] * self._sides))
        return found

    def to_pandas(self) -> pd.DataFrame:
        return self.points.to_pandas().assign(volume=self.volumes, density=self.values)

    @cached_property
    def _sides(self) -> Floats:
        """The length of each axis."""
        ends = [places(axis, [0.0, float(axis.declared)]) for axis in self.domain.axes]
        return np.array([high - low for low, high in ends])

    def _scale(self, positions: Floats) -> Floats:
        """Positions along the indices, scaled to the unit cube."""
        low = [places(axis, [0.0])[0] for axis in self.domain.axes]
        both = zip(self.domain.axes, positions.T, strict=True)
        found = np.stack([places(axis, along) for axis, along in both], axis=1)
        return np.asarray((found - low) / self._sides)

    @cached_property
    def _scaled(self) -> Floats:
        return self._scale(self.points.positions)

    @cached_property
    def _diagram(self) -> Any:
        from scipy.spatial import Voronoi

        return Voronoi(with_mirrored(self._scaled))


def voronoi_density(points: ReconstructedPoints) -> VoronoiDensity:
    """The Voronoi cells of points on two or three axes."""
    domain = points.domain
    if len(domain) > MAX_AXES or len(points) > MAX_POINTS:
        raise NotAnswerable(
            f"Voronoi cells support up to {MAX_AXES} axes and {MAX_POINTS:,} points. "
            f"Found {len(domain)} axes and {len(points):,} points. Use the density of "
            "parts instead."
        )
    for name, axis in domain.items():
        check_moderate(axis, name)
    return VoronoiDensity(domain, points.rows.astype(np.float64), points)


def with_mirrored(points: Floats) -> Floats:
    """Points of the unit cube, and their images behind each of its sides."""
    found = [points]
    for axis in range(points.shape[1]):
        for side in (0.0, 1.0):
            image = points.copy()
            image[:, axis] = 2 * side - image[:, axis]
            found.append(image)
    return np.concatenate(found)


def cell_sizes(diagram: Any, count: int) -> Floats:
    """The sizes of the cells of the first ``count`` points.

    The wall between two points is halfway between them and perpendicular to the line. The pyramid
    from either point to the wall has the size (wall) x (distance / 2) / (number of axes).
    """
    pairs = np.asarray(diagram.ridge_points)
    used = np.flatnonzero((pairs < count).any(axis=1))
    walls = wall_sizes(diagram, used)
    first, second = pairs[used].T
    distances = np.linalg.norm(diagram.points[first] - diagram.points[second], axis=1)
    pyramids = walls * distances / (2 * diagram.ndim)
    sizes = np.bincount(first, pyramids, len(diagram.points))
    sizes += np.bincount(second, pyramids, len(diagram.points))
    return np.asarray(sizes[:count])


def wall_sizes(diagram: Any, used: Ints) -> Floats:
    """The length or area of these finite walls, computed together for equal numbers of corners."""
    corners = [diagram.ridge_vertices[wall] for wall in used.tolist()]
    counts = np.array([len(one) for one in corners])
    found = np.empty(len(used))
    for number in np.unique(counts):
        same = np.flatnonzero(counts == number)
        at = diagram.vertices[np.array([corners[wall] for wall in same.tolist()])]
        found[same] = polygon_areas(at) if diagram.ndim == 3 else segment_lengths(at)
    return found


def segment_lengths(ends: Floats) -> Floats:
    """The lengths of segments, from walls x 2 x 2 coordinates."""
    return np.asarray(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))


def polygon_areas(corners: Floats) -> Floats:
    """The areas of flat polygons in space, from walls x corners x 3 coordinates with corners in
    order: half the length of the sum of the cross products of neighbouring corners, relative to the
    first."""
    seen = corners[:, 1:] - corners[:, :1]
    crossed = np.cross(seen[:, :-1], seen[:, 1:]).sum(axis=1)
    return np.asarray(np.linalg.norm(crossed, axis=1) / 2)
