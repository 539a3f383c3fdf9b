"""Results by area as a table, as CSV and as GeoJSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.areas.placing import cut_to
from hushgram.base.files import write_new
from hushgram.declare.degrees import POLE, TURN

if TYPE_CHECKING:
    import pandas as pd

    from hushgram.release.areas import AreaCounts


class AreaTable(ABC):
    """A table with a row for each area."""

    @property
    @abstractmethod
    def _located(self) -> AreaCounts:
        """The areas with their polygons."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """The columns by name, in order."""

    def to_pandas(self) -> pd.DataFrame:
        """The table as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def _repr_html_(self) -> str:
        return str(self.to_pandas()._repr_html_())  # type: ignore[operator]

    def to_csv(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the table as CSV, with labels that spreadsheets do not interpret as formulas."""
        write_table(self.columns(), Path(path), overwrite=overwrite)

    def to_geojson(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the polygons with their own properties and their row of the table."""
        write_features(self._located, self.columns(), Path(path), overwrite=overwrite)


def write_table(columns: Mapping[str, Any], path: Path, *, overwrite: bool) -> None:
    """Write the columns as CSV."""
    import pyarrow as pa

    from hushgram.release.export import write_csv_table

    table = pa.table(
        {key: pa.array(list(value), from_pandas=True) for key, value in columns.items()}
    )
    write_csv_table(table, path, overwrite=overwrite)


def write_features(
    areas: AreaCounts, columns: Mapping[str, Any], path: Path, *, overwrite: bool
) -> None:
    """Write polygons and columns as a FeatureCollection (RFC 7946).


    A property of a polygon with the same name as a column is written as ``…_given``."""
    import shapely

    given = {
        f"{key}_given" if key in columns and key != areas.population else key: values
        for key, values in areas.shapes.columns.items()
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    features = [
        {
            "type": "Feature",
            "geometry": json.loads(shapely.to_geojson(geometry)),
            "properties": {
                key: plain(value)
                for key, value in {**{k: v[place] for k, v in given.items()}, **rows[place]}.items()
            },
        }
        for place, geometry in enumerate(within_turn(areas))
    ]
    text = json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)
    write_new(path, text.encode(), overwrite=overwrite)


def within_turn(areas: AreaCounts) -> Any:
    """The polygons; on a map, cut at the 180th meridian as RFC 7946 requires."""
    import shapely

    found = areas.shapes.geometries.copy()
    bounds = shapely.bounds(found)
    if not areas.plane.degrees:
        return found
    for at in np.flatnonzero((bounds[:, 0] < -TURN / 2) | (bounds[:, 2] > TURN / 2)):
        half = TURN / 2
        pieces, _ = cut_to(found[[at]], [(-half, half), (-POLE, POLE)], degrees=True)
        found[at] = shapely.multipolygons(pieces)
    return found


def plain(value: Any) -> Any:
    """A value that JSON can represent: None if it is missing or not finite."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, int | float | str | bool | list | dict | None) else str(value)
