"""Counts of areas: beside counts of boxes, and added up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.release import Release
from hushgram.release.areas import AreaCounts
from tests.samples import cells, release_of

shapely = pytest.importorskip("shapely")

PLANE = hg.Domain(x=hg.Interval(0, 10), y=hg.Interval(0, 5))
BINS = hg.Domain(x=hg.Regular(20, 0, 10), y=hg.Regular(10, 0, 5))
DOMAINS: Mapping[str, hg.Domain] = {
    "adaptive-grid": PLANE,
    "uniform-grid": PLANE,
    "bayes-tree": PLANE,
    "kd-hybrid": PLANE,
    "identity": BINS,
    "hb": BINS,
    "privelet": BINS,
    "dpcube": BINS,
    "sorted": BINS,
    "ahp": BINS,
}


@cache
def release(mechanism: str) -> Release:
    rng = np.random.default_rng(5)
    points = np.concatenate([rng.normal((3, 2), 0.6, (3000, 2)), rng.random((2000, 2)) * (10, 5)])
    table = pa.table({"x": points[:, 0], "y": points[:, 1]})
    return hg.publish(
        table, DOMAINS[mechanism], epsilon=1, account="a", mechanism=mechanism,
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip


def ranges(many: int = 25) -> Any:
    """Where boxes start and stop: boxes x axes x ends."""
    return np.sort(np.random.default_rng(9).random((many, 2, 2)), axis=2) * [[[10], [5]]]


def boxes(ends: Any) -> Any:
    return shapely.box(ends[:, 0, 0], ends[:, 1, 0], ends[:, 0, 1], ends[:, 1, 1])


@pytest.mark.parametrize("mechanism", DOMAINS)
def test_rectangles_are_boxes(mechanism: str) -> None:
    found, ends = release(mechanism), ranges()
    areas = found.areas(boxes(ends))
    asked = {
        f"{n}_{e}": ends[:, a, i] for a, n in enumerate("xy") for i, e in enumerate(("lo", "hi"))
    }
    counts = found.count(asked)
    assert np.abs(areas.values - counts.values).max() < 1e-7
    ratio = areas.measure().widths.truth / counts.widths.truth
    assert (ratio > 0.7).all()  # which side cuts a part is not known
    assert 0.9 < np.median(ratio) < 1.6


@pytest.mark.parametrize("mechanism", ["identity", "hb", "privelet"])
def test_intervals_on_edges_are_those_of_boxes(mechanism: str) -> None:
    found = release(mechanism)
    ends = np.array([[[0, 10], [0, 5]], [[1, 4], [2, 3]], [[2.5, 3], [0, 0.5]]], dtype=np.float64)
    areas = found.areas({"all": boxes(ends)[0], "some": boxes(ends)[1], "one": boxes(ends)[2]})
    for place, (name, (x, y)) in enumerate(zip(areas, ends.tolist(), strict=True)):
        answer = found.count(x=tuple(x), y=tuple(y))
        assert areas[name].value == pytest.approx(answer.value, abs=1e-9)
        assert 0.95 <= areas[place].half_width / answer.half_width < 1.15
        assert areas[name].partial == answer.partial == 0
    assert len(areas) == 3


@pytest.mark.parametrize("mechanism", ["adaptive-grid", "bayes-tree", "hb"])
def test_areas_add_up(mechanism: str) -> None:
    seeds = shapely.multipoints(np.random.default_rng(2).random((30, 2)) * (10, 5))
    frame = shapely.box(0, 0, 10, 5)
    cells = shapely.get_parts(shapely.voronoi_polygons(seeds, extend_to=frame))
    halves = [shapely.union_all(cells[:15]), shapely.union_all(cells[15:])]
    ring = shapely.difference(frame, cells[3])
    found = release(mechanism).areas([*cells, *halves, frame, ring])
    values = found.values
    assert values[30] == pytest.approx(values[:15].sum(), abs=1e-6)
    assert values[32] == pytest.approx(values[:30].sum(), abs=1e-6)
    assert values[33] == pytest.approx(values[32] - values[3], abs=1e-6)
    assert (found.lower < values).all()
    assert found.measure("share").values[32] == pytest.approx(1)
    # Borders that are shared cut the same parts: together they are no surer than the whole.
    assert found.measure().widths.truth[32] < found.measure().widths.truth[:30].sum()


def test_shares_are_those_of_the_release() -> None:
    found = release("hb")
    share = found.share(x=(1, 4), y=(2, 3))
    area = found.areas({"a": shapely.box(1, 2, 4, 3)}).measure("share")
    assert area.values[0] == pytest.approx(share.value)
    assert area.widths.truth[0] == pytest.approx(
        (share.interval[1] - share.interval[0]) / 2, rel=0.1
    )
    faint = release_of(cells(x=hg.Regular(4, 0, 1), y=hg.Regular(4, 0, 1)), np.zeros(16))
    assert np.isnan(faint.areas([shapely.box(0, 0, 1, 1)]).measure("share").values).all()


def test_together_intervals_are_wider() -> None:
    one = release("hb").areas(boxes(ranges()))
    all_ = release("hb").areas(boxes(ranges()), simultaneous=True)
    assert (all_.measure().widths.truth > one.measure().widths.truth).all()
    assert (one.upper - one.lower > 0).all()


def test_slivers_have_room_for_a_row() -> None:
    sizes = np.array([1e-9, 1e-4])
    found = release("adaptive-grid").areas(shapely.box(9.9, 4.9, 9.9 + sizes, 4.9 + sizes))
    assert found.values == pytest.approx([0, 0], abs=1e-3)
    assert (found.upper >= 1).all()


# Other axes, views, and the ends of axes ---------------------------------------------------


def tall() -> Release:
    grid = cells(
        x=hg.Regular(4, 0, 4), sex=hg.Category(["F", "M"], outside="other"),
        y=hg.Regular(2, 0, 2, outside="other"),
    )  # fmt: skip
    return release_of(grid, np.arange(4 * 3 * 3) ** 2)


def test_other_axes_are_added_up_or_chosen() -> None:
    found, area = tall(), {"a": shapely.box(0.5, 0, 3, 2)}
    expected = found.count(x=(0.5, 3), y=(0, 2)).value
    assert found.areas(area).values[0] == pytest.approx(expected)
    assert found.project("y", "x").areas(area).values[0] == pytest.approx(expected)
    women = found.count(x=(0.5, 3), y=(0, 2), sex="F").value
    assert found.areas(area, where={"sex": "F"}).values[0] == pytest.approx(women)
    assert found.slice(sex="F").areas(area).values[0] == pytest.approx(women)
    with pytest.raises(QuestionError, match="Remove it from where"):
        found.areas(area, where={"x": (0, 1)})
    with pytest.raises(QuestionError, match="no axis 'age'"):
        found.areas(area, where={"age": 1})


def test_views_have_the_intervals_of_what_they_view() -> None:
    found, area = tall(), {"a": shapely.box(1, 0, 3, 2)}
    one, view = found.areas(area), found.project("x", "y").areas(area)
    assert view.measure().widths.noise == pytest.approx(one.measure().widths.noise, rel=0.1)
    part = found.slice(x=(1, 3)).areas({"a": shapely.box(0, 0, 2, 2)})
    assert part.values[0] == pytest.approx(found.count(x=(1, 2), y=(0, 2)).value)
    assert part.covered[0] == 0.5


def test_polygons_beyond_the_axes() -> None:
    inside, half, out = shapely.box([1, -1, 20], [1, 0, 0], [2, 1, 21], [2, 1, 1])
    found = release("hb").areas({"in": inside, "half": half, "out": out})
    assert found.covered.tolist() == [1, 0.5, 0]
    assert np.isnan(found.values).tolist() == [False, False, True]
    assert found.values[1] == pytest.approx(release("hb").count(x=(0, 1), y=(0, 1)).value)
    assert found.sizes.tolist() == [1, 1, 0]
    assert [note.partition(":")[2] for note in found.notes] == [" out.", " half."]
    assert "unknown" in found.notes[0]
    assert np.isnan(found.to_pandas()["per_unit"][2])


def test_axes_are_named() -> None:
    grid = cells(north=hg.Regular(2, 0, 2), east=hg.Regular(3, 0, 3), age=hg.Integer(0, 1))
    found, area = release_of(grid), {"a": shapely.box(0, 0, 3, 1)}
    with pytest.raises(QuestionError, match="The release has 'north', 'east', 'age'"):
        found.areas(area)
    named = found.areas(area, on=("east", "north"))
    assert named.values[0] == found.count(north=(0, 1)).value
    with pytest.raises(NotAnswerable, match="Areas need"):
        found.areas(area, on=("east", "age"))
    for wrong in (("east", "east"), ("east", "up"), ("east",)):
        with pytest.raises(QuestionError, match="two axes"):
            found.areas(area, on=wrong)


# Maps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [-180, 0])
def test_the_meridian_is_no_border(start: int) -> None:
    grid = cells(lon=hg.Regular(36, start, start + 360), lat=hg.Regular(9, -90, 90))
    found = release_of(grid)
    jumps = shapely.Polygon([(170, 0), (-165, 0), (-165, 10), (170, 10)])
    split = shapely.MultiPolygon([shapely.box(170, 0, 180, 10), shapely.box(-180, 0, -165, 10)])
    on = shapely.box(170, 0, 195, 10)
    areas = found.areas(
        {"jumps": jumps, "split": split, "on": on, "back": shapely.box(-190, 0, -165, 10)}
    )
    west = (180, 195) if start == 0 else (-180, -165)
    expected = sum(found.count(lon=ends, lat=(0, 10)).value for ends in ((170, 180), west))
    assert areas.values == pytest.approx([expected] * 4)
    assert areas.sizes == pytest.approx([areas.sizes[0]] * 4)
    assert areas.covered.tolist() == [1] * 4
    assert areas.to_pandas()["area_km2"][0] == pytest.approx(areas.sizes[0])


def test_files(tmp_path: Path) -> None:
    grid = cells(lon=hg.Regular(36, -180, 180), lat=hg.Regular(9, -90, 90))
    polygons = {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": name, "count": 7, "people": people},
                "geometry": shapely.geometry.mapping(shape),
            }
            for name, people, shape in [
                ("=1+1", 500, shapely.box(170, 0, 190, 10)),
                ("empty", None, shapely.box(0, 0, 10, 20)),
            ]
        ],
    }
    found = release_of(grid).areas(polygons, population="people", per=100)
    rate = found.measure("rate")
    assert rate.column == "per_100_people"
    assert rate.values[0] == pytest.approx(found.values[0] / 5)
    assert np.isnan(rate.values[1])
    found.to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].startswith("name,count,lower,upper,noise_lower,noise_upper,share,")
    assert lines[1].startswith("'=1+1,")
    found.to_geojson(tmp_path / "a.geojson")
    features = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert features[0]["geometry"]["type"] == "MultiPolygon"
    bounds = shapely.geometry.shape(features[0]["geometry"]).bounds
    assert bounds == (-180, 0, 180, 10)
    first, second = (one["properties"] for one in features)
    assert (first["count_given"], first["people"], first["covered"]) == (7, 500, 1)
    assert first["count"] == pytest.approx(found.values[0])
    assert second["per_100_people"] is None
    assert "<table" in found._repr_html_()
    again = release_of(grid).areas(tmp_path / "a.geojson", name="name")
    assert again.values == pytest.approx(found.values)


# Changes -----------------------------------------------------------------------------------


def two() -> tuple[AreaCounts, AreaCounts]:
    grid, polygons = cells(x=hg.Regular(4, 0, 4), y=hg.Regular(1, 0, 1)), {
        "a": shapely.box(0, 0, 1, 1), "b": shapely.box(1, 0, 4, 1), "c": shapely.box(9, 0, 10, 1),
    }  # fmt: skip
    before, after = ([100, 200, 300, 400], [103, 200, 900, 400])
    return tuple(release_of(grid, one).areas(polygons) for one in (before, after))  # type: ignore[return-value]


def test_changes_are_marked_where_they_are_sure(tmp_path: Path) -> None:
    before, after = two()
    found = before.compare(after)
    frame = found.to_pandas()
    assert frame["difference"].tolist()[:2] == [3, 600]
    assert frame["significant"].tolist() == [False, True, False]
    assert np.isnan(frame["difference"][2])
    widths = np.hypot(before.measure().widths.truth, after.measure().widths.truth)
    assert found.widths.truth == pytest.approx(widths, nan_ok=True)
    wider = before.compare(after, simultaneous=True)
    assert (wider.widths.truth > found.widths.truth)[:2].all()
    assert "1 of them significant" in repr(found)
    found.to_csv(tmp_path / "a.csv")
    found.to_geojson(tmp_path / "a.geojson")
    assert '"significant": true' in (tmp_path / "a.geojson").read_text()
    shares = before.compare(after, of="share")
    assert shares.values[0] == pytest.approx(103 / 1603 - 0.1)
    assert "<table" in found._repr_html_()


def test_what_cannot_be_compared_is_refused() -> None:
    before, after = two()
    with pytest.raises(QuestionError, match="areas of the two releases differ"):
        before.compare(after.release.areas([shapely.box(0, 0, 1, 1)]))
    with pytest.raises(QuestionError, match="Unknown measure 'counts'"):
        before.compare(after, of="counts")
    with pytest.raises(QuestionError, match="A rate needs a population"):
        before.measure("rate")
    with pytest.raises(QuestionError, match="No area is named 'd'"):
        before["d"]
    twice = before.release.areas(
        {"type": "FeatureCollection", "features": [
            {"geometry": shapely.geometry.mapping(shapely.box(0, 0, 1, 1)),
             "properties": {"name": "a"}}] * 2}
    )  # fmt: skip
    with pytest.raises(QuestionError, match="2 areas are named 'a'"):
        twice["a"]
    with pytest.raises(QuestionError, match="no column 'people'"):
        before.release.areas({"a": shapely.box(0, 0, 1, 1)}, population="people")
    assert repr(before).startswith("<Counts of 3 areas, from <Release")


@cache
def measured(mechanism: str) -> tuple[Release, Any]:
    rng = np.random.default_rng(6)
    points = rng.random((20_000, 2)) * (10, 5)
    pay = np.where(points[:, 0] < 5, 20, 70) + rng.normal(0, 5, 20_000)
    table = pa.table({"x": points[:, 0], "y": points[:, 1], "pay": pay})
    made = hg.publish(
        table, DOMAINS[mechanism], epsilon=2, account="a", mechanism=mechanism,
        measures=[hg.Mean("pay", 0, 100)], ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    return made, table.to_pandas()


@pytest.mark.parametrize("mechanism", ["adaptive-grid", "bayes-tree", "identity"])
def test_sums_and_means_of_rectangles_are_those_of_boxes(mechanism: str) -> None:
    made, table = measured(mechanism)
    ends = ranges(8)
    found = made.areas(boxes(ends)).to_pandas()
    for row, ((left, right), (low, high)) in zip(found.to_dict("records"), ends, strict=True):
        box = {"x": (left, right), "y": (low, high)}
        for kind in ("sum", "mean"):
            one = getattr(made, kind)("pay", box)
            assert row[f"{kind}_pay"] == pytest.approx(one.value, rel=1e-6)
            longer = max(one.value - one.interval[0], one.interval[1] - one.value)
            width = row[f"{kind}_pay_upper"] - row[f"{kind}_pay"]
            assert width == pytest.approx(longer, rel=0.25)
        inside = table[table.x.between(left, right) & table.y.between(low, high)]
        assert row["mean_pay_lower"] < inside.pay.mean() < row["mean_pay_upper"]


def test_means_by_area_are_drawn_and_compared(tmp_path: Path) -> None:
    made, _ = measured("identity")
    halves = {"west": shapely.box(0, 0, 5, 5), "east": shapely.box(5, 0, 10, 5)}
    found = made.areas({**halves, "elsewhere": shapely.box(20, 0, 30, 5)})
    mean = found.measure("mean pay")
    assert mean.values[:2] == pytest.approx([20, 70], abs=2)
    assert np.isnan(mean.values[2])
    assert 40 < mean.typical < 50
    figure = found.plot(tmp_path / "map.png", of="mean pay")
    texts = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]
    assert any("Mean of pay, by area" in text for text in texts)
    found.plot(tmp_path / "sums.svg", of="sum pay")
    assert not found.compare(found, of="mean pay").significant[:2].any()
    found.to_geojson(tmp_path / "areas.geojson")
    first = json.loads((tmp_path / "areas.geojson").read_text())["features"][0]
    assert first["properties"]["mean_pay"] == pytest.approx(20, abs=2)
    with pytest.raises(QuestionError, match="Did you mean 'mean pay'"):
        found.measure("mean pya")
