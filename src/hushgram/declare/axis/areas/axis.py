"""The axis for areas on a map."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.declare.axis.areas.levels import Level, check_levels, in_order, levels_from_json
from hushgram.declare.axis.areas.outlines import read_outlines
from hushgram.declare.axis.areas.painting import FINE, paint
from hushgram.declare.axis.areas.raster import AreaRaster
from hushgram.declare.axis.areas.shapes import (
    pack_shapes,
    raster_sides,
    snap,
    unpack_shapes,
    wrap_around,
)
from hushgram.declare.axis.base import Axis, Found, Outside
from hushgram.declare.axis.category import Category, to_text
from hushgram.declare.axis.earth import are_degrees
from hushgram.declare.axis.numeric import Regular
from hushgram.errors import DomainError

RESOLUTION = 4096
"""The default number of cells along the longer side of the areas."""

KEPT = 1 << 18
"""Most characters of packed outlines to store in a release. Of longer ones, only the digest is
stored."""


class Areas(Category):
    """Areas of a public map, such as districts. Two columns give the coordinates of a point.

    The polygons are converted to a raster: a cell belongs to the first area that contains its
    centre, and a row is counted in the area of its cell. The release stores this raster. Near a
    border, within half the diagonal of a cell, a row can be counted in the neighbouring area; see
    `tolerance`.

    Parameters
    ----------
    polygons
        A mapping from names to polygons, a GeoJSON object, a GeoDataFrame, or the path of a file.
    columns
        The columns with the x and y coordinates of a point, in the same coordinates as the
        polygons.
    name
        The property with the name of an area.
    within
        Properties with the names of larger areas that contain it, from the smallest to the largest.
    resolution
        The number of cells along the longer side, up to about 8,192. Doubling it halves the
        tolerance.
    outside
        ``"drop"`` leaves out points outside all areas, ``"other"`` counts them in an extra bin.

    Examples
    --------
    >>> west = [(0, 0), (1, 0), (1, 2), (0, 2)]
    >>> east = [(1, 0), (2, 0), (2, 2), (1, 2)]
    >>> axis = Areas({"west": west, "east": east}, columns=("x", "y"), outside="other")
    >>> axis.index((0.5, 1)), axis.index((1, 1)), axis.index((5, 5)), axis.index("east")
    (0, 1, 2, 1)
    """

    kind = "areas"
    columns: tuple[str, str]
    raster: AreaRaster
    levels: tuple[Level, ...]
    """The larger areas that contain the areas, the smallest first."""
    packed_outlines: tuple[str, ...]
    """The corners of the polygons, packed; empty if that is too long."""
    digest: str
    """The SHA-256 digest of the outlines on the lattice of the raster."""

    def __init__(
        self,
        polygons: Any,
        columns: Sequence[str] = ("lon", "lat"),
        *,
        name: str = "name",
        within: Sequence[str] = (),
        resolution: int = RESOLUTION,
        outside: Outside = "drop",
    ) -> None:
        x, y = check_columns(columns)
        within = (within,) if isinstance(within, str) else tuple(within)
        degrees = are_degrees(x, y)
        outlines = read_outlines(polygons, name, within, degrees=degrees)
        sides = raster_sides(outlines, resolution, degrees=degrees)
        shapes = [snap(outline, *sides) for outline in outlines]
        labels = paint([wrap_around(shape, sides[0], degrees=degrees) for shape in shapes],
                       sides[0].bins, sides[1].bins)  # fmt: skip
        levels = [Level(one, tuple(outline.within[place] for outline in outlines))
                  for place, one in enumerate(within)]  # fmt: skip
        order = in_order(levels, len(outlines))
        places = np.empty(len(order) + 1, dtype=np.int32)
        places[order], places[-1] = np.arange(len(order)), -1
        flat = pack_shapes([shapes[area] for area in order])
        self._set(
            values=tuple(outlines[area].name for area in order),
            outside=outside,
            columns=(x, y),
            raster=AreaRaster.of_labels(*sides, places[labels]),
            levels=tuple(Level(level.name, tuple(level.groups[area] for area in order))
                         for level in levels),
            packed_outlines=flat if sum(map(len, flat)) <= KEPT else (),
            digest=hashlib.sha256("\n".join(flat).encode()).hexdigest(),
        )  # fmt: skip
        self._check_no_empty_areas()

    @classmethod
    def read(
        cls,
        path: str | Path,
        name: str = "name",
        x: str = "lon",
        y: str = "lat",
        *,
        within: Sequence[str] = (),
        resolution: int = RESOLUTION,
        outside: Outside = "drop",
    ) -> Areas:
        """Read areas from GeoJSON or, with geopandas, from GeoPackage, Shapefile and others."""
        return cls(
            Path(path), (x, y), name=name, within=within, resolution=resolution, outside=outside
        )

    @classmethod
    def h3(
        cls,
        size: int,
        bbox: tuple[float, float, float, float],
        columns: Sequence[str] = ("lon", "lat"),
        *,
        parents: Sequence[int] = (),
        resolution: int = RESOLUTION,
        outside: Outside = "drop",
    ) -> Areas:
        """H3 hexagons of one size (0 to 15) that touch a box (west, south, east, north), and
        optionally the larger hexagons that contain them. Needs the ``h3`` package."""
        from hushgram.declare.axis.areas.h3 import hexagons, level_names

        return cls(
            hexagons(size, bbox, parents), columns, name="h3", within=level_names(parents),
            resolution=resolution, outside=outside,
        )  # fmt: skip

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self.__post_init__()
        known = self.raster.labels
        if known.min(initial=0) < -1 or known.max(initial=-1) >= self.bins:
            raise DomainError("The area raster has a label outside its list of areas.")
        check_levels([str(value) for value in self.values], self.levels)

    def _check_no_empty_areas(self) -> None:
        """Raise if an area has no cell: its count would be pure noise."""
        empty = [self.values[place] for place in np.flatnonzero(self.raster.sizes(self.bins) == 0)]
        if empty:
            listed = ", ".join(map(repr, empty[:5])) + (", …" if len(empty) > 5 else "")
            raise DomainError(
                f"{len(empty)} of {self.bins} areas contain no cell of the raster of "
                f"{self.raster.x.bins:,} × {self.raster.y.bins:,} cells: {listed}. They "
                "are too small, or covered by areas listed before them. Increase the "
                "resolution, or remove these areas."
            )

    @property
    def degrees(self) -> bool:
        """Whether points are longitudes and latitudes, judging by the names of the columns."""
        return are_degrees(*self.columns)

    @property
    def tolerance(self) -> float:
        """The distance from a border within which a row can be counted in the neighbouring area: in
        metres if the columns are longitude and latitude, else in the units of the columns."""
        return self.raster.half_diagonal(degrees=self.degrees) * (1 + 1 / FINE)

    @property
    def tolerance_text(self) -> str:
        """The tolerance as text, rounded up."""
        digits = max(0, 1 - math.floor(math.log10(self.tolerance)))
        raised = math.ceil(self.tolerance * 10**digits) / 10**digits
        return f"{raised:,g} m" if self.degrees else f"{raised:g}"

    def reads(self, name: str) -> dict[str, Axis]:
        policy: Outside = "other" if self.other else "drop"
        sides = (self.raster.x, self.raster.y)
        return {
            column: Regular(side.bins, side.lo, side.hi, outside=policy)
            for column, side in zip(self.columns, sides, strict=True)
        }

    def members(self, name: Any) -> list[Any]:
        """The areas with a given name: an area itself, or the areas within a larger one."""
        if isinstance(name, str) and name not in self.spellings:
            for level in self.levels:
                if name in level.members:
                    return [self.values[place] for place in level.members[name]]
        return [name]

    def groups(self, level: str) -> dict[str, list[Any]]:
        """The larger areas of a level, each with the areas that it contains, for `rollup`."""
        for one in self.levels:
            if one.name == level:
                return {group: [self.values[place] for place in places]
                        for group, places in one.members.items()}  # fmt: skip
        known = ", ".join(repr(one.name) for one in self.levels) or "none"
        raise DomainError(f"The areas have no level {level!r}. Known levels: {known}.")

    def _find(self, value: Any) -> Found:
        if not isinstance(value, tuple | list):
            return super()._find(value)
        x, y = (side._find(one) for side, one in zip(
            (self.raster.x, self.raster.y), value, strict=True
        ))  # fmt: skip
        if not isinstance(x, int) or not isinstance(y, int):
            return "nowhere"
        label = self.raster.label(x, y)
        return label if label >= 0 else "nowhere"

    @cached_property
    def outlines(self) -> dict[str, list[Any]] | None:
        """The polygons of each area on the lattice of the raster: name → polygons → rings →
        corners. None if they were too long to store."""
        if not self.packed_outlines:
            return None
        shapes = unpack_shapes(self.packed_outlines, self.bins)
        sides = (self.raster.x, self.raster.y)
        lows, steps = (np.array(one) for one in zip(
            *((side.lo, side.span / (side.bins * FINE)) for side in sides), strict=True
        ))  # fmt: skip
        return {
            str(name): [[lows + ring * steps for ring in rings] for rings in shape]
            for name, shape in zip(self.values, shapes, strict=True)
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Areas):
            return False if isinstance(other, Category) else NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.values, self.outside, self.columns, self.raster, self.levels, self.digest

    def __repr__(self) -> str:
        policy = "" if self.outside == "drop" else f", outside={self.outside!r}"
        return f"Areas({self.bins} areas, columns={self.columns!r}{policy})"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.to_json()
        return areas_from_json, ({key: fields[key] for key in fields if key != "kind"},)

    def to_json(self) -> dict[str, Any]:
        levels = {"levels": [level.to_json() for level in self.levels]} if self.levels else {}
        kept = {"outlines": list(self.packed_outlines)} if self.packed_outlines else {}
        return {
            "kind": self.kind, "values": list(self.values), "columns": list(self.columns),
            **self.raster.to_json(), **levels, **kept, "digest": self.digest,
            "tolerance": self.tolerance_text, **self._policy_json(),
        }  # fmt: skip


def areas_from_json(data: Mapping[str, Any]) -> Areas:
    """Create the areas that `Areas.to_json` described."""
    axis = object.__new__(Areas)
    try:
        axis._set(
            values=tuple(data["values"]),
            outside=data.get("outside", "drop"),
            columns=check_columns(data["columns"]),
            raster=AreaRaster.from_json(data),
            levels=levels_from_json(data.get("levels", [])),
            packed_outlines=check_outlines(data.get("outlines", [])),
            digest=check_texts([data["digest"]])[0],
        )
    except (KeyError, TypeError, ValueError, OverflowError, zlib.error) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"Cannot read an axis of areas: {error}.") from None
    return axis


def check_columns(columns: Any) -> tuple[str, str]:
    texts = isinstance(columns, list | tuple) and len(columns) == 2
    if not texts or not all(isinstance(one, str) and one and to_text(one) for one in columns):
        raise DomainError(f'columns must be a pair such as ("lon", "lat"). Found {columns!r}.')
    if columns[0] == columns[1]:
        raise DomainError(f"columns must be two different columns. Found {columns[0]!r} twice.")
    return columns[0], columns[1]


def check_outlines(texts: Any) -> tuple[str, ...]:
    found = check_texts(texts)
    if len(found) not in (0, 6) or sum(map(len, found)) > KEPT:
        raise DomainError(
            "The outlines of the areas are too long, or their number differs from that of the "
            "areas."
        )
    return found


def check_texts(texts: Any) -> tuple[str, ...]:
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise DomainError(
            "Outlines in JSON must be a list of packed strings, and their digest a string."
        )
    return tuple(texts)
