"""Releases whose parts are boxes of any size: arrays, tables, files and maps."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.errors import QuestionError
from hushgram.geometry.labels import label_columns, label_windows
from hushgram.geometry.partition import Boxed, Boxes, Grid, Raster, Refined
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release.parquet import read
from tests.samples import domains, release_of
from tests.strategies import boxes, refined

PLACES = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-90, 90))
LAYOUTS: dict[str, Boxed] = {
    "boxes": Boxes(Raster(PLACES, (8, 4)), np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0])),
    "refined": Refined(Grid(PLACES, (2, 1)), np.array([[1, 1], [3, 2]])),
}
CORNERS = {
    "boxes": [[-180, -90, -90, 90], [-90, -90, 180, -45], [-90, -45, 180, 90]],
    "refined": [
        [-180, -90, 0, 90],
        *([60 * n, low, 60 * n + 60, low + 90] for n in range(3) for low in (-90, 0)),
    ],
}


def release(layout: Boxed, values: Any = None) -> hg.Release:
    return release_of(layout, values)  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_every_declared_cell_gets_its_share(data: Any) -> None:
    domain = data.draw(domains(3).filter(lambda d: not any(a.continuous for a in d.axes)))
    layout = data.draw(st.one_of(refined(domain), boxes(domain)))
    found = release(layout).to_array()
    assert found.shape == domain.shape
    for cell in np.ndindex(*domain.shape):
        part = int(layout.parts([np.array([index]) for index in cell])[0])
        lower, upper = (corner[part] for corner in layout.boxes())
        assert found[cell] == pytest.approx(part / (upper - lower).prod())


@pytest.mark.parametrize("kind", LAYOUTS)
def test_what_has_no_cells_says_what_to_do(kind: str) -> None:
    made = release(LAYOUTS[kind])
    with pytest.raises(QuestionError, match=r"'lon' is continuous .* Use count\(lon="):
        made.to_array()
    for ask in (made.values, made.variances, made.counts, made.to_hist, lambda: made.axes):
        with pytest.raises(QuestionError, match=f"A {kind} layout has no bins along each axis"):
            ask()


@pytest.mark.parametrize("kind", LAYOUTS)
def test_tables_and_files(kind: str, tmp_path: Path) -> None:
    made = release(LAYOUTS[kind])
    frame = made.to_pandas()
    bounds = frame[["lon_lo", "lat_lo", "lon_hi", "lat_hi"]].to_numpy()
    assert bounds == pytest.approx(np.array(CORNERS[kind], dtype=float), abs=1e-3)
    assert frame["count"].tolist() == list(range(len(bounds)))
    made.to_csv(tmp_path / "m.csv")
    assert len((tmp_path / "m.csv").read_text().splitlines()) == len(bounds) + 1
    again = read(made.to_bytes())
    assert again.to_bytes() == made.to_bytes()
    assert again.count(lon=(0, 60)).value == made.count(lon=(0, 60)).value


@pytest.mark.parametrize("kind", LAYOUTS)
def test_maps_have_a_polygon_per_box(kind: str, tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    made = release(LAYOUTS[kind])
    made.to_geojson(tmp_path / "m.geojson")
    made.to_geoparquet(tmp_path / "m.geoparquet")
    found = geopandas.read_parquet(tmp_path / "m.geoparquet")
    assert found.geometry.bounds.to_numpy() == pytest.approx(
        np.array(CORNERS[kind], dtype=float), abs=1e-3
    )
    assert found.geometry.is_valid.all()
    features = json.loads((tmp_path / "m.geojson").read_text())["features"]
    assert [f["properties"]["count"] for f in features] == found["count"].tolist()


def test_labels_of_boxes_of_whole_numbers_and_categories() -> None:
    domain = hg.Domain(n=hg.Integer(10, 19), sex=hg.Category(["F", "M"], outside="other"))
    raster = Raster.of_cells(domain)
    layout = Boxes(raster, np.array([1, 0, -1, -1, 1, -1, -1]), np.array([1, 4, 0, 0, 2, 0, 0]))
    found = {name: column.to_pylist() for name, column in label_columns(layout).items()}
    assert found == {
        "n_lo": [10, 14, 10, 10],
        "n_hi": [14, 20, 20, 20],
        "sex": ["F", "F", "M", "other"],
    }


def test_counts_of_a_release_of_boxes() -> None:
    made = release(LAYOUTS["boxes"], [80, 120, 900])
    assert made.count().value == 1100
    assert made.count(lon=(-180, -90)).value == 80
    answer = made.count(lon=(-90, 0), lat=(-90, 0))
    assert (answer.value, answer.partial) == (pytest.approx(140), pytest.approx(140))
    many = made.count({"lon_lo": [-180, -90], "lon_hi": [-90, 0], "lat_hi": [None, 0]})
    assert many.values == pytest.approx([80, 140])


def test_a_release_without_noise_is_answered_and_drawn() -> None:
    """An epsilon of hundreds leaves a variance of zero."""
    pytest.importorskip("matplotlib")
    measurement = Measurement(LAYOUTS["boxes"], np.array([0, 0, 9]), 0.0, Fraction(1, 2000))
    made = replace(release(LAYOUTS["boxes"]), estimate=Estimate.direct(measurement))
    many = made.count({"lon": [(-180, 180)], "lat": [(-90, 90)]})
    assert (many.lower[0], many.values[0], many.upper[0]) == (9, 9, 9)
    assert made.plot().axes


@pytest.mark.parametrize("width", [1, 3, 1000])
def test_labels_in_windows_are_all_labels(width: int) -> None:
    domain = hg.Domain(x=hg.Integer(0, 9), y=hg.Integer(0, 3))
    halves = Grid(domain, (2, 2))
    raster = Raster.of_cells(domain)
    for layout in (
        halves,
        Grid.of_cells(domain),
        Refined(halves, np.array([[5, 2], [1, 2], [2, 1], [5, 2]])),
        Boxes(raster, np.array([0, -1, 1, -1, -1]), np.array([6, 0, 2, 0, 0])),
    ):
        pieces = list(label_windows(layout, width))
        assert all(list(piece) == list(label_columns(layout)) for piece in pieces)
        for name, column in label_columns(layout).items():
            joined = [value for piece in pieces for value in piece[name].to_pylist()]
            assert joined == column.to_pylist()
