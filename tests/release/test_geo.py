"""Maps open elsewhere, with the same boxes and counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import OutputError, QuestionError
from tests.samples import cells, release_of

geopandas = pytest.importorskip("geopandas")


def published(**axes: Any) -> hg.Release:
    frame = {
        "lon": np.linspace(-179, 179, 500),
        "lat": np.linspace(-59, 74, 500),
        "sex": np.array(["F", "M"] * 250),
    }
    import pandas as pd

    table = pd.DataFrame({name: frame[name] for name in axes})
    return hg.publish(
        table,
        hg.Domain(axes),
        epsilon=1,
        account="a",
        ledger=hg.Ledger.in_memory(),
        mechanism="identity",
    )


LON, LAT = hg.Regular(12, -180, 180), hg.Regular(6, -60, 75)


def test_both_formats_are_read_by_geopandas(tmp_path: Path) -> None:
    release = published(lon=LON, lat=LAT)
    release.to_geojson(tmp_path / "m.geojson")
    release.to_geoparquet(tmp_path / "m.geoparquet")
    json_map = geopandas.read_file(tmp_path / "m.geojson")
    parquet_map = geopandas.read_parquet(tmp_path / "m.geoparquet")
    for found in (json_map, parquet_map):
        assert found.crs.to_epsg() == 4326 or found.crs.to_string() == "OGC:CRS84"
        assert found["count"].tolist() == release.to_array().ravel().tolist()
        assert found.geometry.is_valid.all()
        assert found.total_bounds.tolist() == [-180, -60, 180, 75]
        assert found.geometry.iloc[1].bounds == (-180, -37.5, -150, -15)
    assert (json_map.geometry == parquet_map.geometry).all()


def test_other_axes_become_properties(tmp_path: Path) -> None:
    release = published(sex=hg.Category(("F", "M")), lat=LAT, lon=LON)
    release.to_geojson(tmp_path / "m.geojson")
    features = json.loads((tmp_path / "m.geojson").read_text())["features"]
    assert {feature["properties"]["sex"] for feature in features} == {"F", "M"}
    assert len(features) == 2 * 6 * 12


def test_a_geoparquet_file_is_still_a_release(tmp_path: Path) -> None:
    """Its description travels along, so nothing about its privacy is lost."""
    import pyarrow.parquet as pq

    published(lon=LON, lat=LAT).to_geoparquet(tmp_path / "m.geoparquet")
    meta = pq.read_metadata(tmp_path / "m.geoparquet").metadata
    assert json.loads(meta[b"hushgram"])["epsilon"] == "1"
    assert json.loads(meta[b"geo"])["version"] == "1.1.0"


@pytest.mark.parametrize(
    "axes",
    [
        {"lon": LON},
        {"lon": hg.Regular(3, -400, 400), "lat": LAT},
        {"lon": hg.Integer(-180, 180), "lat": LAT},
        {"lon": hg.Regular(3, -180, 180, outside="other"), "lat": LAT},
    ],
)
def test_what_is_no_map_is_refused(tmp_path: Path, axes: Any) -> None:
    with pytest.raises(QuestionError):
        release_of(cells(**axes)).to_geojson(tmp_path / "m.geojson")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    release = published(lon=LON, lat=LAT)
    for write, name in ((release.to_geojson, "m.geojson"), (release.to_geoparquet, "m.parquet")):
        write(tmp_path / name)
        with pytest.raises(OutputError, match="exists"):
            write(tmp_path / name)
        write(tmp_path / name, overwrite=True)


def test_longitudes_from_0_to_360_are_turned(tmp_path: Path) -> None:
    """A picture takes them for a map, and so does a map: the same places, however they count."""
    turned = release_of(cells(lon=hg.Regular(4, 0, 360), lat=LAT))
    assert len(turned.plot(coastlines=True).axes[0].collections) > 1
    turned.to_geojson(tmp_path / "m.geojson")
    turned.to_geoparquet(tmp_path / "m.geoparquet")
    found = geopandas.read_file(tmp_path / "m.geojson")
    assert found["count"].tolist() == list(range(24))
    assert found.geometry.is_valid.all()
    assert found.total_bounds.tolist() == [-180, -60, 180, 75]
    assert [box.bounds[0] for box in found.geometry[::6]] == [0, 90, -180, -90]
    assert geopandas.read_parquet(tmp_path / "m.geoparquet").total_bounds[0] == -180


def test_longitudes_below_180_west_are_turned(tmp_path: Path) -> None:
    release_of(cells(lon=hg.Regular(3, -270, 0), lat=LAT)).to_geojson(tmp_path / "m.geojson")
    found = geopandas.read_file(tmp_path / "m.geojson")
    assert [box.bounds[0] for box in found.geometry[::6]] == [90, -180, -90]


def test_other_has_no_place_on_a_map(tmp_path: Path) -> None:
    release = release_of(cells(lon=hg.Regular(3, -180, 180, outside="other"), lat=LAT))
    with pytest.raises(QuestionError, match=r"Remove it with release.slice\(lon=\(None, None\)\)"):
        release.to_geojson(tmp_path / "m.geojson")
    release.slice(lon=(None, None)).to_geojson(tmp_path / "m.geojson")
    assert len(geopandas.read_file(tmp_path / "m.geojson")) == 18


def test_x_and_y_are_no_degrees(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match=r"needs axes named lon and lat.* has 'x', 0.0 to 1.0"):
        release_of(cells(x=hg.Regular(2, 0, 1), y=hg.Regular(2, 0, 1))).to_geojson(tmp_path / "m")
