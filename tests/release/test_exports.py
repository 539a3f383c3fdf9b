"""Exports for spreadsheets, maps and statistical offices open elsewhere, with the same numbers."""

from __future__ import annotations

import csv
import datetime as dt
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import BadInput, NotAnswerable, OutputError, QuestionError
from hushgram.release import excel
from hushgram.release.columns import MEANINGS, WHOLE
from tests.samples import cells, release_of

DANGEROUS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"]


def people() -> hg.Release:
    grid = cells(age=hg.Integer(18, 20), sex=hg.Category(["F", "M"], outside="other"))
    release = release_of(grid, [40, -3, 0, 7, 5, 1, 0, 0, 90])
    return release.with_about({"publisher": "=Office", "licence": "CC0", "date": "2026"})


def days() -> hg.Release:
    grid = cells(day=hg.Date("2024-01-31", "2024-02-01"), at=hg.Date("1899-01-01", "1899-01-02"))
    return release_of(grid)


# Excel


def workbook(release: hg.Release, path: Path, **options: Any) -> Any:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    release.to_excel(path, **options)
    return openpyxl.load_workbook(path)


def rows(sheet: Any) -> list[tuple[Any, ...]]:
    return list(sheet.iter_rows(values_only=True))


def test_excel_has_counts_with_margins_and_says_what_they_are(tmp_path: Path) -> None:
    release = people()
    book = workbook(release, tmp_path / "r.xlsx", whole=True)
    head, *body = rows(book["Counts"])
    assert head == ("age", "sex", "count", "lower", "upper", WHOLE)
    assert [row[:3] for row in body[:3]] == [(18, "F", 40), (18, "M", -3), (18, "other", 0)]
    assert body[0][3:5] == pytest.approx(release.count(age=18, sex="F").interval)
    assert sum(row[5] for row in body) == release.count().value
    said = dict(rows(book["About"])[1:])
    assert (said["publisher"], said["privacy"]) == (
        "=Office", "differential privacy, epsilon = 0.5",
    )  # fmt: skip
    assert "Biased" in said[WHOLE]
    assert WHOLE not in dict(rows(workbook(release, tmp_path / "plain.xlsx")["About"])[1:])


@pytest.mark.parametrize("text", DANGEROUS)
def test_no_cell_of_a_workbook_is_a_formula(tmp_path: Path, text: str) -> None:
    book = workbook(release_of(cells(**{text: hg.Category([text, "x"])})), tmp_path / "r.xlsx")
    for sheet in book:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
    for cell in (book["Counts"]["A1"], book["Counts"]["A2"]):
        assert (cell.value, cell.data_type, cell.quotePrefix) == (text, "s", True)


def test_dates_are_dates_where_excel_knows_them(tmp_path: Path) -> None:
    row = rows(workbook(days(), tmp_path / "r.xlsx")["Counts"])[1]
    assert row[:2] == (dt.datetime(2024, 1, 31), dt.datetime(2024, 2, 1))
    assert row[2:4] == ("1899-01-01", "1899-01-02")


def test_numbers_that_excel_would_round_are_text(tmp_path: Path) -> None:
    release = release_of(cells(x=hg.Integer(0, 1)), [2**60 + 1, 5])
    body = rows(workbook(release, tmp_path / "r.xlsx")["Counts"])[1:]
    assert [row[1] for row in body] == [str(2**60 + 1), 5]


def test_a_sheet_has_room_for_a_million_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel, "MAX_ROWS", 8)
    with pytest.raises(NotAnswerable, match="has 9 parts, but an Excel sheet holds 8 rows"):
        people().to_excel(tmp_path / "r.xlsx")
    with pytest.raises(OutputError, match=r"Use r.xlsx"):
        people().to_excel(tmp_path / "r.csv")


@pytest.mark.parametrize("name", ["r.xlsx", "r.gpkg", "r.sdmx.csv"])
def test_the_same_release_gives_the_same_file(tmp_path: Path, name: str) -> None:
    release = days()
    write = {"r.xlsx": release.to_excel, "r.gpkg": release.to_geopackage}.get(name, release.to_sdmx)
    write(tmp_path / name)
    first = (tmp_path / name).read_bytes()
    with pytest.raises(OutputError, match="exists"):
        write(tmp_path / name)
    write(tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_bytes() == first


# GeoPackage

LON, LAT = hg.Regular(3, 170, 200), hg.Variable([-10, 0, 30])


def test_a_geopackage_opens_elsewhere(tmp_path: Path) -> None:
    pyogrio = pytest.importorskip("pyogrio")
    pytest.importorskip("geopandas")
    release = release_of(cells(sex=hg.Category(["F", "M"]), lat=LAT, lon=LON))
    release.to_geopackage(tmp_path / "m.gpkg", whole=True)
    found = pyogrio.read_dataframe(tmp_path / "m.gpkg", layer="parts")
    assert found.crs.to_epsg() == 4326
    assert [*found.columns] == ["sex", "count", "lower", "upper", WHOLE, "geometry"]
    assert found["count"].tolist() == release.to_array().ravel().tolist()
    assert found.geometry.is_valid.all()
    assert found.geometry.iloc[0].bounds == (170, -10, 180, 0)
    assert found.geometry.iloc[1].bounds == (-180, -10, -170, 0)
    about = pyogrio.read_dataframe(tmp_path / "m.gpkg", layer="about")
    assert dict(zip(about["name"], about["text"], strict=True))[WHOLE] == MEANINGS[WHOLE]


def test_a_geopackage_is_what_the_standard_says(tmp_path: Path) -> None:
    release_of(cells(lon=LON, lat=LAT)).to_geopackage(tmp_path / "m.gpkg")
    with sqlite3.connect(tmp_path / "m.gpkg") as file:
        ask = lambda text: file.execute(text).fetchall()  # noqa: E731
        assert ask("PRAGMA application_id") == [(int.from_bytes(b"GPKG"),)]
        assert ask("PRAGMA integrity_check") == [("ok",)]
        assert ask("PRAGMA foreign_key_check") == []
        assert ask("SELECT min_x, min_y, max_x, max_y FROM gpkg_contents LIMIT 1") == [
            (-180.0, -10.0, 180.0, 30.0)
        ]
        (shape,) = ask("SELECT geom FROM parts LIMIT 1")[0]
    assert shape[:8] == b"GP\x00\x03" + (4326).to_bytes(4, "little")
    assert np.frombuffer(shape[8:40], "<f8").tolist() == [170, 180, -10, 0]
    file.close()


def test_any_two_ordered_axes_make_a_plane(tmp_path: Path) -> None:
    pyogrio = pytest.importorskip("pyogrio")
    axes = {"day": hg.Date("1970-01-02", "1970-01-03"), "Age": hg.Integer(5, 6)}
    release = release_of(cells(**axes, age=hg.Category([1, 2], outside="other"), fid=LAT))
    release.to_geopackage(tmp_path / "m.gpkg", axes=["Age", "day"])
    found = pyogrio.read_dataframe(tmp_path / "m.gpkg", layer="parts")
    assert found.crs is None or "Undefined" in found.crs.name
    assert found.geometry.iloc[0].bounds == (5, 1, 6, 2)
    assert [*found.columns[:3]] == ["age", "fid_lo", "fid_hi"]
    assert found["age"].tolist()[:3] == ["1", "1", "2"]
    for wrong, kind in ((["age", "day"], NotAnswerable), (["day"], NotAnswerable),
                        (["x", "day"], QuestionError)):  # fmt: skip
        with pytest.raises(kind):
            release.to_geopackage(tmp_path / "n.gpkg", axes=wrong)
    with pytest.raises(NotAnswerable, match="cannot be shown in a plane"):
        release_of(cells(x=hg.Integer(0, 1, outside="other"), y=LAT)).to_geopackage("n.gpkg")


def test_columns_of_a_geopackage_differ_in_more_than_case(tmp_path: Path) -> None:
    one = hg.Category(["a"])
    odd = {'"; DROP TABLE parts; --': one, "Sex": one, "sex": one, "geom": one}
    release_of(cells(lon=LON, lat=LAT, **odd)).to_geopackage(tmp_path / "m.gpkg")
    with sqlite3.connect(tmp_path / "m.gpkg") as file:
        names = [row[1] for row in file.execute("PRAGMA table_info(parts)")]
    file.close()
    assert names == ["fid", "geom", *list(odd)[:2], "sex_axis", "geom_axis",
                     "count", "lower", "upper"]  # fmt: skip


# SDMX


def observations(release: hg.Release, path: Path, **options: Any) -> list[dict[str, str]]:
    release.to_sdmx(path, **options)
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_sdmx_has_an_observation_per_part(tmp_path: Path) -> None:
    found = observations(people(), tmp_path / "r.sdmx.csv", whole=True)
    assert list(found[0]) == [
        "STRUCTURE", "STRUCTURE_ID", "ACTION", "AGE", "SEX", "OBS_VALUE", "OBS_VALUE_WHOLE",
        "OBS_STATUS", "LOWER_95", "UPPER_95",
    ]  # fmt: skip
    first, second, third = found[:3]
    assert (first["STRUCTURE"], first["ACTION"]) == ("dataflow", "I")
    assert first["STRUCTURE_ID"] == "HUSHGRAM:COUNTS_AGE_SEX(1.0.0)"
    assert [one["SEX"] for one in (first, second, third)] == ["F", "M", "_O"]
    assert [one["OBS_VALUE"] for one in (first, second)] == ["40", "-3"]
    assert [one["OBS_STATUS"] for one in (first, second)] == ["A", "U"]
    assert sum(int(one["OBS_VALUE_WHOLE"]) for one in found) == people().count().value


def test_sdmx_names_values_of_every_kind(tmp_path: Path) -> None:
    from hushgram.geometry.partition import Grid

    domain = hg.Domain(
        age=hg.Integer(0, 9), x=hg.Regular(4, 0, 1), day=hg.Date("2024-01-01", "2024-12-31", "1mo"),
        kind=hg.Category(["=1+1", "b"]),
    )  # fmt: skip
    release = release_of(Grid(domain, (2, 2, 6, 2)))
    found = observations(release, tmp_path / "r.sdmx.csv", structure="XY:D(1.0)", names=True)
    first = found[0]
    assert (first["AGE"], first["X"], first["KIND"], first["STRUCTURE_ID"]) == (
        "0..4", "0:0.5", "_1_1", "XY:D(1.0)",
    )  # fmt: skip
    assert first["TIME_PERIOD"] == "2024-01-01/P60D"
    assert first["kind"] == "'=1+1"
    assert first["Status"].startswith("Low reliability")
    with pytest.raises(BadInput, match=r"AGENCY:ID\(VERSION\)"):
        release.to_sdmx(tmp_path / "s.sdmx.csv", structure="XY")


# Whole numbers


def test_whole_numbers_add_up_and_stay_near() -> None:
    rng = np.random.default_rng(3)
    true = np.zeros((32, 32), dtype=int)
    true[:8, :8] = rng.poisson(40, (8, 8))
    grid = cells(a=hg.Integer(0, 31), b=hg.Integer(0, 31))
    errors = []
    for _ in range(20):
        noisy = true + rng.laplace(0, 2, true.shape).round().astype(int)
        release = release_of(grid, noisy)
        whole = release.whole_counts().reshape(true.shape)
        assert whole.min() >= 0
        assert whole.sum() == noisy.sum()
        errors.append([(whole - true)[:8, :8].sum(), np.abs(whole - true)[8:].mean()])
    crowded, empty = np.mean(errors, axis=0)
    assert abs(crowded) < 0.03 * true.sum()  # clipping every part by itself takes a tenth
    assert empty < 0.5


def test_whole_numbers_of_the_total_of_nothing() -> None:
    assert release_of(cells(x=hg.Integer(0, 2)), [-5, 2, 1]).whole_counts().tolist() == [0, 0, 0]
    assert release_of(cells(x=hg.Integer(0, 0)), [7]).whole_counts().tolist() == [7]
    with pytest.raises(NotAnswerable, match="a total below"):
        release_of(cells(x=hg.Integer(0, 0)), [2**60]).whole_counts()


def test_whole_numbers_of_many_axes_have_an_order() -> None:
    many = cells(**{f"a{n}": hg.Integer(0, int(n == 0)) for n in range(63)})
    assert release_of(many, [3, 4]).whole_counts().tolist() == [3, 4]


def test_the_older_formats_have_them_too(tmp_path: Path) -> None:
    release = release_of(cells(lon=LON, lat=LAT))
    release.to_csv(tmp_path / "r.csv", whole=True)
    head = (tmp_path / "r.csv").read_text().splitlines()[0]
    assert head.endswith(f",uneven,{WHOLE}")
    release.to_geojson(tmp_path / "r.geojson", whole=True)
    assert WHOLE in (tmp_path / "r.geojson").read_text()
    release.to_geoparquet(tmp_path / "r.geoparquet", whole=True)
