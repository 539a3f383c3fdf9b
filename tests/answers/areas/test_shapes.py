"""Polygons from everywhere, mended or refused by name."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hushgram.answers.areas.meridian import unwrap
from hushgram.answers.areas.shapes import Shapes, read_shapes
from hushgram.answers.areas.surface import square_kilometres
from hushgram.errors import BadInput, MissingExtra, NoSuchFile, QuestionError

shapely = pytest.importorskip("shapely")

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}
BOW = {"type": "Polygon", "coordinates": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}


def collection(*geometries: Any, **columns: list[Any]) -> dict[str, Any]:
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": geometry,
                "properties": {key: values[place] for key, values in columns.items()},
            }
            for place, geometry in enumerate(geometries)
        ],
    }


def areas_of(shapes: Shapes) -> list[float]:
    return [float(geometry.area) for geometry in shapes.geometries]


def test_every_way_to_give_polygons(tmp_path: Path) -> None:
    path = tmp_path / "a.geojson"
    path.write_text("\ufeff" + json.dumps(collection(SQUARE, name=["a"])))
    square = shapely.box(0, 0, 2, 2)
    for given, names in [
        (collection(SQUARE, Name=["a"], id=[7]), ["a"]),
        (path, ["a"]),
        (str(path), ["a"]),
        ({"type": "Feature", "id": 5, "geometry": SQUARE, "properties": None}, ["5"]),
        (SQUARE, ["1"]),
        ({"a": square}, ["a"]),
        ({"a": SQUARE}, ["a"]),
        (square, ["1"]),
        ([square, SQUARE], ["1", "2"]),
        (np.array([square]), ["1"]),
        (iter([square]), ["1"]),
    ]:
        shapes = read_shapes(given)
        assert shapes.names == names
        assert areas_of(shapes) == [4.0] * len(names)
        assert shapes.mended == []


def test_frames_and_files_of_other_formats(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    columns = {"district": ["a", None], "people": [5.0, None]}
    frame = geopandas.GeoDataFrame(
        columns, geometry=[shapely.box(0, 0, 2, 2), shapely.box(2, 0, 3, 2)], crs=4326
    )
    frame.to_parquet(tmp_path / "a.parquet")
    for ending in ("gpkg", "shp"):
        frame.to_file(tmp_path / f"a.{ending}")
    given = [frame, *(tmp_path / f"a.{ending}" for ending in ("parquet", "gpkg", "shp"))]
    for one in given:
        shapes = read_shapes(one, name="district", degrees=True)
        assert shapes.names[0] == "a"
        assert areas_of(shapes) == [4.0, 2.0]
        assert np.array_equal(shapes.numbers("people"), [5, math.nan], equal_nan=True)
    metres = frame.to_crs(3857)
    assert areas_of(read_shapes(metres, degrees=True)) == pytest.approx([4.0, 2.0])
    assert areas_of(read_shapes(metres))[0] > 1e9
    assert read_shapes(frame.geometry).names == ["0", "1"]
    (tmp_path / "b.gpkg").write_bytes(b"no such thing")
    with pytest.raises(BadInput, match="Cannot read"):
        read_shapes(tmp_path / "b.gpkg")


def test_columns_that_are_not_there() -> None:
    given = collection(SQUARE, name=["a"], people=["many"])
    with pytest.raises(QuestionError, match="no column 'nam'"):
        read_shapes(given, name="nam")
    with pytest.raises(QuestionError, match="no column 'persons'"):
        read_shapes(given).numbers("persons")
    with pytest.raises(QuestionError, match="does not contain numbers"):
        read_shapes(given).numbers("people")


def test_outlines_that_cross_themselves_are_mended() -> None:
    shapes = read_shapes(collection(BOW, SQUARE, name=["bow", "square"]))
    assert shapes.mended == ["bow"]
    assert areas_of(shapes) == [2.0, 4.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": None}, "Area 'a' has no polygon"),
        ({"a": {"type": "Point", "coordinates": [1, 2]}}, "Area 'a' is a Point"),
        ({"a": {"type": "Cube"}}, "Area 'a' is not a polygon"),
        ({"a": {"type": "Polygon", "coordinates": []}}, "Area 'a' is empty"),
        (
            {"a": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [2, 2], [0, 0]]]}},
            "Area 'a' has no",
        ),
        (
            {"a": {"type": "Polygon", "coordinates": [[[0, 0], [1, math.nan], [2, 2], [0, 0]]]}},
            "Area 'a' has coordinates that are not numbers",
        ),
        ([], "list of polygons is empty"),
        (7, "Use a GeoJSON feature collection,"),
        ({"type": "FeatureCollection", "features": 3}, "type int"),
        (
            {**collection(SQUARE), "crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}},
            "coordinates of urn:ogc:def:crs:EPSG::25832",
        ),
    ],
)
def test_what_is_no_polygon_is_refused_by_name(given: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_shapes(given)


def test_files_that_are_no_polygons(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="does not exist"):
        read_shapes(tmp_path / "nothing.geojson")
    for text, said in {
        "{": "Cannot read a.json as GeoJSON",
        "[1]": "Area '1' is not a poly",
    }.items():
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(BadInput, match=said):
            read_shapes(tmp_path / "a.json")


def test_degrees_are_degrees() -> None:
    with pytest.raises(QuestionError, match="Area 'a' is not in degrees: it extends to 500,000"):
        read_shapes({"a": shapely.box(0, 0, 500_000, 10)}, degrees=True)
    crs84 = {"properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    assert len(read_shapes({**collection(SQUARE), "crs": crs84}, degrees=True)) == 1


# Meridians ---------------------------------------------------------------------------------


def test_longitudes_that_jump_are_continued() -> None:
    jumps = shapely.Polygon(
        [(170, 0), (-170, 0), (-170, 10), (170, 10)],
        [[(-179, 2), (-178, 2), (-178, 3), (-179, 3)]],
    )
    found = unwrap(jumps, "a")
    assert found.bounds == (170, 0, 190, 10)
    assert found.area == 199
    both = unwrap(shapely.MultiPolygon([jumps, shapely.box(0, 0, 1, 1)]), "a")
    assert both.area == 200


@pytest.mark.parametrize(
    "wide",
    [
        shapely.box(-180, -90, 180, 90),
        shapely.box(-180, -60, 100, 60),
        shapely.box(-110, 0, 120, 10),
        shapely.box(-180, -90, 170, -60).segmentize(100),
        shapely.MultiPolygon([shapely.box(170, 0, 180, 10), shapely.box(-180, 0, -170, 10)]),
    ],
)
def test_wide_polygons_stay_as_they_are(wide: Any) -> None:
    assert unwrap(wide, "a").equals(wide)


def test_a_ring_around_a_pole_is_refused() -> None:
    ring = shapely.Polygon([(-170, -70), (-60, -70), (60, -70), (170, -70)])
    with pytest.raises(QuestionError, match="Area 'a' goes around a pole"):
        unwrap(ring, "a")


def test_square_kilometres() -> None:
    """Beside the map that keeps areas, of the same polygon with many points."""
    geopandas = pytest.importorskip("geopandas")
    hole = shapely.Polygon([(2, 42), (4, 43), (3, 44)])
    shapes = np.array([shapely.box(0, 0, 1, 1), shapely.box(0, 40, 30, 70).difference(hole), hole])
    equal = geopandas.GeoSeries(shapely.segmentize(shapes, 0.01), crs=4326).to_crs(6933)
    assert square_kilometres(shapes) == pytest.approx(equal.area.to_numpy() / 1e6, rel=1e-6)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.gpkg").touch()
    monkeypatch.setitem(sys.modules, "geopandas", None)
    with pytest.raises(MissingExtra, match=r"Reading a\.gpkg needs geopandas"):
        read_shapes(tmp_path / "a.gpkg")
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(MissingExtra, match="counting by area needs shapely"):
        read_shapes({"a": SQUARE})
