"""Areas on the command line and in plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from tests.surface.conftest import Run

PLAN = """
epsilon = 1
[[release]]
name = "all"
axes = { district = "towns.geojson:name/city@x,y" }
outside = { district = "other" }
share = "1/2"
[[release]]
name = "each"
axes = { district = "towns.geojson:name@x,y", kind = "a,b" }
per = "district"
share = "1/2"
"""


@pytest.fixture(autouse=True)
def towns(folder: Path) -> None:
    """Two cities of two districts each, two units high, and 400 points of which a fifth lie in
    none."""

    def district(place: int) -> dict[str, Any]:
        corners = [[place, 0], [place + 1, 0], [place + 1, 2], [place, 2], [place, 0]]
        about = {"name": f"d{place}", "city": "left" if place < 2 else "right"}
        return {"properties": about, "geometry": {"type": "Polygon", "coordinates": [corners]}}

    data = {"type": "FeatureCollection", "features": [district(place) for place in range(4)]}
    (folder / "towns.geojson").write_text(json.dumps(data))
    lines = [f"{k % 5 + 0.5},{k % 2},{'ab'[k % 2]}" for k in range(400)]
    (folder / "points.csv").write_text("x,y,kind\n" + "\n".join(lines) + "\n")
    (folder / "plan.toml").write_text(PLAN)


PUBLISH = ("publish", "points.csv", "--account", "points", "--epsilon", "1")


def test_publish_count_and_show(run: Run, folder: Path) -> None:
    axis = "district=towns.geojson:name/city@x,y"
    dry = run(*PUBLISH, "--axis", axis, "--dry-run", "--rows", "400")
    assert dry.code == 0, dry.err
    assert "x (string), y (string)" in dry.out
    assert "hierarchical" in dry.out
    done = run(*PUBLISH, "--axis", axis, "--outside", "district=other", "-o", "out.hush.parquet")
    assert done.code == 0, done.err
    release = hg.load(folder / "out.hush.parquet")
    assert release.domain["district"] == hg.Areas.read(
        folder / "towns.geojson", x="x", y="y", within=["city"], outside="other"
    )
    for asked, rows in {"d1": 80, "left": 160, "d0,right": 240, "other": 80}.items():
        found = run("count", "out.hush.parquet", f"district={asked}", "--json")
        assert abs(json.loads(found.out)["value"] - rows) < 60, asked
    left = release.count(district="left").value
    assert left == pytest.approx(sum(release.count(district=d).value for d in ("d0", "d1")))
    cities = release.rollup(district="city").to_arrow()
    assert cities["district"].to_pylist() == ["left", "right", "other"]
    assert "areas by x and y, borders exact to" in run("show", "out.hush.parquet").out
    assert "areas by x and y" in release.report()
    assert "Did you mean 'd1'" in run("count", "out.hush.parquet", "district=D1").err


def test_plans(run: Run, folder: Path) -> None:
    done = run("publish", "points.csv", "--account", "points", "--plan", "plan.toml", "-o", "out")
    assert done.code == 0, done.err
    files = sorted(file.name for file in (folder / "out").iterdir())
    assert files == ["all.hush.parquet", *(f"each-d{n}.hush.parquet" for n in range(4))]
    one = hg.load(folder / "out" / "each-d2.hush.parquet")
    assert abs(one.count(kind="a").value - 40) < 60
    assert one.where == "district = d2"


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ("district=nowhere.geojson:name@x,y", "areas nowhere.geojson does not exist"),
        ("district=towns.geojson:nme@x,y", "Axis district: feature 1 has no"),
        ("district=towns.geojson:name@x,late", "no column 'late'"),
        ("district=towns.geojson:name@x", "cannot read"),
        ("district=towns.geojson:name@x,x", "two different columns"),
        ("district=h3:16[0,0,1,1]", "0 to 15"),
        ("district=h3:5[0,0,1]", "cannot read"),
    ],
)
def test_axes_that_cannot_be(run: Run, axis: str, said: str) -> None:
    pytest.importorskip("h3")
    result = run(*PUBLISH, "--axis", axis)
    assert result.code == 2
    assert said in result.err
