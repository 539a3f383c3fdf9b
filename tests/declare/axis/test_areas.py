"""Areas: which cell lies in which, what is refused, and what a release keeps of them."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import axis_from_json
from hushgram.declare.axis.areas.outlines import read_outlines
from hushgram.declare.axis.areas.painting import FINE, paint
from hushgram.declare.axis.areas.shapes import pack_shapes, unpack_shapes
from hushgram.declare.axis.text import kind_text
from hushgram.errors import DomainError
from tests import reference

WEST = [(0, 0), (1, 0), (1, 2), (0, 2)]
EAST = [(1, 0), (2, 0), (2, 2), (1, 2)]


def square(x: float, y: float, side: float = 1.0) -> list[tuple[float, float]]:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def areas(polygons: Any, **options: Any) -> hg.Areas:
    return hg.Areas(polygons, ("x", "y"), **{"resolution": 16, **options})


def features(*of: tuple[dict[str, Any], Any]) -> dict[str, Any]:
    listed = [{"properties": about, "geometry": geometry} for about, geometry in of]
    return {"type": "FeatureCollection", "features": listed}


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


corners = st.tuples(st.integers(-FINE, 7 * FINE), st.integers(-FINE, 7 * FINE))
centred = st.tuples(*[st.integers(-1, 12).map(lambda n: n * FINE // 2)] * 2)
rings = st.lists(st.one_of(corners, centred), min_size=3, max_size=7)
shapes = st.lists(st.lists(rings, min_size=1, max_size=3), min_size=1, max_size=2)


@given(st.lists(shapes, min_size=1, max_size=4))
def test_cells_belong_to_the_first_area_that_holds_their_centre(drawn: list[Any]) -> None:
    """Rings that cross themselves, holes, overlaps, corners on centres and outside the raster."""
    found = paint([[[np.array(r) for r in poly] for poly in shape] for shape in drawn], 6, 5)
    for cell, label in enumerate(found.tolist()):
        x, y = (cell % 6 * FINE + FINE // 2, cell // 6 * FINE + FINE // 2)
        holding = [
            place
            for place, shape in enumerate(drawn)
            if any(reference.holds_centre(polygon, x, y) for polygon in shape)
        ]
        assert label == min(holding, default=-1)


@given(st.lists(corners, min_size=1, max_size=6, unique=True), st.integers(1, 4))
def test_areas_that_share_borders_leave_no_gap_and_no_overlap(points: Any, fans: int) -> None:
    """A square cut into triangles around points inside it: every cell is in exactly one."""
    triangles = [[(0, 0), (6 * FINE, 0), (6 * FINE, 6 * FINE)],
                 [(0, 0), (6 * FINE, 6 * FINE), (0, 6 * FINE)]]  # fmt: skip
    for point in points:
        for triangle in list(triangles):
            if strictly_inside(point, triangle):
                triangles.remove(triangle)
                sides = zip(triangle, [*triangle[1:], triangle[0]], strict=True)
                triangles += [[a, b, point] for a, b in sides]
    held = sum((paint([[[np.array(triangle)]]], 6, 6) >= 0).astype(int) for triangle in triangles)
    assert np.all(held == 1)


def strictly_inside(point: Any, triangle: Any) -> bool:
    (px, py), ends = point, [*triangle[1:], triangle[0]]
    turns = [
        (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        for (ax, ay), (bx, by) in zip(triangle, ends, strict=True)
    ]
    return all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)


@given(st.lists(shapes, min_size=1, max_size=4))
def test_outlines_can_be_unpacked(drawn: list[Any]) -> None:
    given_shapes = [[[np.array(r) for r in poly] for poly in shape] for shape in drawn]
    again = unpack_shapes(pack_shapes(given_shapes), len(drawn))
    assert [[[r.tolist() for r in p] for p in s] for s in again] == [
        [[r.tolist() for r in p] for p in s] for s in given_shapes
    ]


@pytest.mark.parametrize(
    ("place", "text"),
    [(0, "1 1"), (0, "1 1 9999999999"), (1, "i1:AAAA"), (2, "<script>"), (3, "i1:eJw="), (5, "")],
)
def test_damaged_outlines_are_refused(place: int, text: str) -> None:
    packed = [*pack_shapes([[[np.array([[0, 0], [4, 0], [0, 4]])]]])]
    packed[place] = text
    with pytest.raises(DomainError):
        unpack_shapes(packed, 1)


def test_outlines_of_other_numbers_are_refused() -> None:
    square_of = [[np.array([[0, 0], [4, 0], [4, 4], [0, 4]])]]
    packed = [*pack_shapes([square_of, square_of])]
    packed[1] = pack_shapes([square_of * 3, square_of])[1]
    with pytest.raises(DomainError, match="their numbers differ"):
        unpack_shapes(packed, 2)


def test_a_point_is_in_the_area_of_its_cell() -> None:
    axis = areas({"west": WEST, "east": EAST}, outside="other")
    points = [(0, 0), (1, 0), (2, 2), (2.1, 0), (math.nan, 1), (None, 1)]
    assert [axis.index(point) for point in points] == [0, 1, 1, 2, 2, 2]
    assert axis.index("east") == 1
    assert areas({"west": WEST}).index((9, 9)) is None


def test_holes_parts_and_overlaps() -> None:
    ring = polygon(square(0, 0, 3), square(1, 1))
    axis = areas({"ring": ring, "all": square(0, 0, 3)}, resolution=3)
    assert axis.raster.cells.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    islands = {"type": "MultiPolygon", "coordinates": [[square(0, 0)], [square(2, 2)]]}
    axis = areas({"islands": islands}, resolution=3)
    assert axis.raster.cells.tolist() == [0, -1, -1, -1, -1, -1, -1, -1, 0]
    collection = {"type": "GeometryCollection", "geometries": [polygon(WEST), polygon(EAST)]}
    assert areas({"both": collection}).raster.sizes(1).tolist() == [256]


def test_a_ring_may_be_closed_have_heights_and_cross_itself() -> None:
    bow = [(0, 0, 9), (2, 2, 9), (2, 0, 9), (0, 2, 9), (0, 0, 9)]
    axis = areas({"bow": bow}, resolution=2)
    assert (
        axis.raster.cells.tolist() == areas({"bow": bow[:-1]}, resolution=2).raster.cells.tolist()
    )


@pytest.mark.parametrize(
    ("polygons", "said"),
    [
        ({}, "list of polygons is empty"),
        ({"a": []}, "Area 'a'"),
        ({"a": None}, "Area 'a' has no polygon"),
        ({"a": [(0, 0), (1, 1)]}, "Area 'a': a ring has fewer than three corners"),
        ({"a": [(0, 0), (1, 1), (math.nan, 2)]}, "Area 'a': a coordinate is not a finite number"),
        ({"a": [(0, 0), ("x", 1), (2, 2)]}, "Area 'a': coordinates must be pairs of numbers"),
        ({"a": {"type": "Point", "coordinates": [0, 0]}}, "Area 'a': expected a polygon"),
        ({"a": {"type": "MultiPolygon", "coordinates": [[]]}}, "Area 'a' has no polygon"),
        ({"a": [(0, 0), (1, 1), (2, 2)]}, "no cell"),
        ({"a": [(0, 0), (1, 0), (2, 0)]}, "no extent"),
        ({"a": WEST, "b": square(0.2, 0.2, 0.1)}, "1 of 2 areas contain no cell .*'b'"),
        ({"a": WEST, "sliver": [(0, 0), (2, 0), (2, 0.001)]}, "'sliver'"),
        (features(({"name": "a"}, polygon(WEST)), ({"name": "a"}, polygon(EAST))), "Two areas"),
        (features(({"nme": "a"}, polygon(WEST))), "Feature 1 .* Did you mean 'nme'"),
        (features(({"name": None}, polygon(WEST))), "Feature 1"),
        ([1], "Use a GeoJSON"),
        (3, "Use a GeoJSON"),
        ({"type": "Topology"}, "Use a GeoJSON"),
    ],
)  # fmt: skip
def test_what_is_not_an_area_is_refused_by_name(polygons: Any, said: str) -> None:
    with pytest.raises(hg.DomainError, match=said):
        areas(polygons)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resolution": 0}, "resolution"),
        ({"resolution": 10**5}, "too large"),
        ({"columns": ("x",)}, "columns must be a pair"),
        ({"columns": ("x", "x")}, "two different columns"),
        ({"outside": "clamp"}, 'no order, so outside="clamp"'),
        ({"within": ["city"]}, "'city'"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(hg.DomainError, match=said):
        hg.Areas({"west": WEST}, **{"columns": ("x", "y"), "resolution": 16, **options})


def test_longitudes_run_on_beyond_the_antimeridian() -> None:
    fiji, spain = square(178, -20, 4), square(-9, 36, 10)
    axis = hg.Areas({"Fiji": fiji, "Spain": spain}, resolution=512)
    assert [axis.index((x, -18)) for x in (179.5, -178.5, 177, -177)] == [0, 0, None, None]
    assert axis.index((0, 40)) == 1
    eastward = hg.Areas({"Fiji": fiji}, resolution=64)  # counts from 0 to 360
    assert eastward.index((181, -18)) == 0


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ([(179, 0), (-179, 0), (-179, 1), (179, 1)], "antimeridian"),
        ([(0, 0), (500_000, 0), (500_000, 9), (0, 9)], "not degrees"),
        ([(0, 0), (1, 0), (1, 91)], "not degrees"),
    ],
)
def test_corners_that_are_no_degrees(corners: Any, said: str) -> None:
    with pytest.raises(hg.DomainError, match=said):
        hg.Areas({"a": corners})
    if "degrees" in said:
        assert areas({"a": corners}).bins == 1


def test_the_tolerance_is_half_a_cells_diagonal_and_shown() -> None:
    axis = hg.Areas({"a": square(10, 50, 1)}, resolution=1000)
    width, height = (s.span / s.bins * 111_320 for s in (axis.raster.x, axis.raster.y))
    diagonal = math.hypot(width * math.cos(math.radians(50)), height)
    assert diagonal / 2 <= axis.tolerance <= diagonal / 2 * 1.01
    assert kind_text(axis) == "areas by lon and lat, borders exact to 80 m"
    assert axis.to_json()["tolerance"] == "80 m"


def nested() -> dict[str, Any]:
    places = [(x, y) for x in range(4) for y in range(2)]
    return features(*(
        ({"name": f"d{x}{y}", "city": f"c{y}{x // 2}", "land": "abc"[y]}, polygon(square(x, y)))
        for x, y in places
    ))  # fmt: skip


def test_areas_of_a_larger_one_follow_each_other() -> None:
    axis = areas(nested(), within=("city", "land"))
    assert axis.values == ("d00", "d10", "d20", "d30", "d01", "d11", "d21", "d31")
    assert [level.starts.tolist() for level in axis.levels] == [[0, 2, 4, 6], [0, 4]]
    assert [axis.index((x + 0.5, 0.5)) for x in range(4)] == [0, 1, 2, 3]
    assert axis.members("c00") == ["d00", "d10"]
    assert axis.members("a") == ["d00", "d10", "d20", "d30"]
    assert axis.members("d31") == ["d31"]
    assert axis.members("nowhere") == ["nowhere"]
    assert axis.groups("land")["b"] == ["d01", "d11", "d21", "d31"]
    with pytest.raises(hg.DomainError, match="no level 'state'"):
        axis.groups("state")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"land": "z"}, "is in two areas of land"),
        ({"city": "a"}, "'a' is used for"),
        ({"city": None}, "Feature 1"),
    ],
)
def test_levels_must_nest_and_names_mean_one_thing(changed: dict[str, Any], said: str) -> None:
    data = nested()
    data["features"][0]["properties"].update(changed)
    with pytest.raises(hg.DomainError, match=said):
        areas(data, within=("city", "land"))


@pytest.mark.parametrize("outside", ["drop", "other"])
def test_a_release_can_describe_it(outside: Any) -> None:
    axis = areas(nested(), within=["city"], outside=outside)
    again = axis_from_json(json.loads(json.dumps(axis.to_json())))
    assert again == axis
    assert hash(again) == hash(axis)
    assert pickle.loads(pickle.dumps(axis)) == axis
    assert isinstance(again, hg.Areas)
    assert again.outlines is not None
    assert again.outlines["d31"][0][0].tolist() == [list(corner) for corner in square(3, 1)]
    assert axis != hg.Category([str(value) for value in axis.values], outside=outside)
    assert hg.Category([str(value) for value in axis.values], outside=outside) != axis
    assert axis != areas(nested(), outside=outside)
    assert axis != 1
    assert repr(axis).startswith("Areas(8 areas, columns=('x', 'y')")


def test_long_outlines_leave_their_digest() -> None:
    rng = np.random.default_rng(1)
    turn = np.sort(rng.random(100_000)) * 2 * math.pi
    ragged = np.stack([np.cos(turn), np.sin(turn)], 1) * rng.uniform(0.5, 1, (len(turn), 1))
    axis = areas({"ragged": ragged})
    assert axis.outlines is None
    assert "outlines" not in axis.to_json()
    assert axis_from_json(axis.to_json()) == axis


@pytest.mark.parametrize(
    "forged",
    [
        {"labels": "i1:AAAA"},
        {"runs": 10**12},
        {"runs": "4"},
        {"x": [0, 4]},
        {"x": [0, 4, 2**20]},
        {"values": ["d00"]},
        {"values": 3},
        {"columns": "xy"},
        {"levels": 7},
        {"levels": [{"name": "", "groups": []}]},
        {"levels": [{"name": "city", "groups": ["A"]}]},
        {"outlines": [1]},
        {"outlines": ["A"] * 6 + ["x"]},
        {"digest": None},
    ],
)
def test_forged_descriptions_are_refused(forged: dict[str, Any]) -> None:
    with pytest.raises(hg.DomainError):
        axis_from_json({**areas(nested()).to_json(), **forged})


@pytest.mark.parametrize("field", ["values", "columns", "x", "runs", "labels", "digest"])
def test_descriptions_with_something_missing_are_refused(field: str) -> None:
    data = areas(nested()).to_json()
    del data[field]
    with pytest.raises(hg.DomainError, match="Cannot read"):
        axis_from_json(data)


def test_outlines_of_a_forged_release_are_refused_when_they_are_asked_for() -> None:
    data = areas(nested()).to_json()
    axis = axis_from_json({**data, "outlines": ["1 1 999999999999", *data["outlines"][1:]]})
    with pytest.raises(hg.DomainError, match="corners"):
        axis.outlines  # type: ignore[attr-defined] # noqa: B018


def test_files_of_areas(tmp_path: Path) -> None:
    geojson = tmp_path / "towns.geojson"
    geojson.write_text(json.dumps(nested()))
    axis = hg.Areas.read(geojson, x="x", y="y", within="city", resolution=16)
    assert axis == areas(nested(), within=["city"])
    broken = tmp_path / "broken.geojson"
    broken.write_text("{")
    for name, said in {
        "broken.geojson": "read",
        "towns.txt": "file types",
        "none.shp": "does not exist",
    }.items():
        (tmp_path / "towns.txt").touch()
        with pytest.raises(hg.BadInput, match=said):
            hg.Areas.read(tmp_path / name)


def test_frames_and_other_files(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    from shapely.geometry import Polygon

    frame = geopandas.GeoDataFrame(
        {"name": ["west", "east"]}, geometry=[Polygon(WEST), Polygon(EAST)], crs="EPSG:4326"
    )
    expected = areas({"west": WEST, "east": EAST})
    assert areas(frame) == expected
    assert areas({"west": Polygon(WEST), "east": Polygon(EAST)}) == expected
    frame.to_parquet(tmp_path / "towns.parquet")
    assert areas(tmp_path / "towns.parquet") == expected
    metres = read_outlines(frame.to_crs("EPSG:3857"), "name", (), degrees=True)
    assert np.allclose(metres[1].corners, EAST)
    (tmp_path / "bad.gpkg").write_text("no geopackage")
    with pytest.raises(hg.DomainError, match=r"Cannot read bad\.gpkg"):
        areas(tmp_path / "bad.gpkg")


def test_hexagons_and_those_above_them() -> None:
    h3 = pytest.importorskip("h3")
    box = (-93.35, 44.89, -93.19, 45.05)
    axis = hg.Areas.h3(6, box, parents=(5, 4), resolution=512)
    rng = np.random.default_rng(3)
    lons, lats = rng.uniform(box[0], box[2], 300), rng.uniform(box[1], box[3], 300)
    same = 0
    for lon, lat in zip(lons.tolist(), lats.tolist(), strict=True):
        place = axis.index((lon, lat))
        assert place is not None
        cell = str(axis.values[place])
        same += cell == h3.latlng_to_cell(lat, lon, 6)
        assert cell in axis.members(h3.cell_to_parent(cell, 4))
    assert same > 290  # the others lie next to a border
    assert [level.name for level in axis.levels] == ["h3-5", "h3-4"]
    far = hg.Areas.h3(2, (175, -20, 180, -10), resolution=2048)
    assert far.index((-179.99, -15)) == far.index((179.99, -15))


@pytest.mark.parametrize(
    ("size", "box", "parents", "said"),
    [
        (16, (0, 0, 1, 1), (), "0 to 15"),
        (6, (0, 0, 1, 1), (6,), "smaller"),
        (6, (1, 0, 0, 1), (), "west, south"),
        (6, (0, 0, 1), (), "west, south"),
        (8, (0, 0, 20, 20), (), "hexagons of size 8"),
    ],
)
def test_boxes_that_have_no_hexagons(size: int, box: Any, parents: Any, said: str) -> None:
    pytest.importorskip("h3")
    with pytest.raises(hg.DomainError, match=said):
        hg.Areas.h3(size, box, parents=parents)
