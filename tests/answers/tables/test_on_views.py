"""A view answers as a release would that never had more: in the values of its own range."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.declare.axis import Axis
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.release import Release
from hushgram.show.charts.canvas import render
from tests.samples import cells, release_of

KINDS = {
    "integer": (hg.Integer(0, 9), (2, 6), hg.Integer(2, 5)),
    "regular": (hg.Regular(10, -5, 5), (-3, 1), hg.Regular(4, -3, 1)),
    "variable": (hg.Variable([0, 1, 3, 7, 9]), (1, 7), hg.Variable([1, 3, 7])),
    "category": (hg.Category(["a", "b", "c", "d"]), ["b", "c"], hg.Category(["b", "c"])),
    "numbered": (hg.Category([3, 5, 7, 9]), [5, 7], hg.Category([5, 7])),
    "months": (
        hg.Date("2024-01-01", "2024-12-31", "1mo"),
        ("2024-02-01", "2024-05-01"),
        hg.Date("2024-02-01", "2024-04-30", "1mo"),
    ),
    "hours": (
        hg.Date("2024-01-01", "2024-01-01", "6h"),
        ("2024-01-01T06:00", "2024-01-01T18:00"),
        hg.Date("2024-01-01T06:00", "2024-01-01T17:59", "6h"),
    ),
    "lon": (hg.Interval(-8, 8, resolution=8), (-4, 4), hg.Interval(-4, 4, resolution=4)),
}
"""An axis, a range of it, and the axis that was declared for that range alone."""

LAT = hg.Regular(3, -30, 30)
SEX = hg.Category(["F", "M"])


def pair(kind: str, other: Axis = LAT, name: str = "lat") -> tuple[Release, Release]:
    """A view of a range, and the release of that range alone: a view of all of it, so that both
    know the same about their noise."""
    whole, asked, part = KINDS[kind]
    counts = np.random.default_rng(7).integers(20, 90, size=(whole.size, other.size))
    view = release_of(cells(**{"lon": whole, name: other}), counts).slice(lon=asked)
    start = view.domain["lon"].offset
    inside = counts[start : start + part.size]
    return view, release_of(cells(**{"lon": part, name: other}), inside).project("lon", name)


def same(found: Any, expected: Any) -> None:
    """Equal tables, texts and numbers, up to the last digit of a double."""
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    elif isinstance(expected, str | bytes | list | dict):
        assert found == expected
    else:
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-9)


def written(suffix: str, write: Callable[[Release, Path], None]) -> Callable[[Release, Path], Any]:
    def text(release: Release, folder: Path) -> str:
        path = folder / f"{id(release)}.{suffix}"
        write(release, path)
        return path.read_text()

    return text


def without_uneven(text: str) -> list[str]:
    """The lines of a CSV file but for the last column: how rows of a view lie follows from more
    parts than those that it shows."""
    return [line.rpartition(",")[0] for line in text.splitlines()]


ANSWERS: dict[str, Callable[[Release, Path], Any]] = {
    "group_by": lambda r, _: r.group_by("lon"),
    "group_by both": lambda r, _: r.group_by("lon", "lat"),
    "to_pandas": lambda r, _: r.to_pandas().drop(columns="uneven"),
    "to_array": lambda r, _: r.to_array(),
    "density": lambda r, _: r.density().to_pandas(),
    "sample": lambda r, _: r.sample(50, rng=np.random.default_rng(1)).to_pylist(),
    "sql": lambda r, _: r.sql("SELECT * EXCLUDE uneven FROM release ORDER BY ALL"),
    "csv": lambda r, folder: without_uneven(written("csv", lambda r, p: r.to_csv(p))(r, folder)),
    "plot": lambda r, _: render(r.project("lon").plot(), ".svg", texts=True),
    "heat map": lambda r, _: render(r.plot(), ".svg", texts=True),
    "uhi": lambda r, _: [list(axis) for axis in r.axes],
    "blocks": lambda r, _: hg.match_blocks(r, r).to_arrow().to_pylist(),
    "l1": lambda r, _: hg.distance(r, r, "l1"),
    "weighted rows": lambda r, _: weighted(r),
    "count": lambda r, _: [r.count(lat=(-10, 30)).value, r.count().value],
}


def weighted(release: Release) -> list[Any]:
    """Weighted rows that predict an axis with a class for each value."""
    features, classes, weights = hg.weighted_rows(release, "lon")
    return [features["lat"].tolist(), classes.tolist(), np.round(weights, 6).tolist()]


ORDERED: dict[str, Callable[[Release, Path], Any]] = {
    "quantiles": lambda r, _: [str(one) for one in r.quantile("lon", [0, 0.1, 0.5, 0.9, 1])],
    "quantile plot": lambda r, _: render(r.plot(kind="quantiles", axes="lon"), ".svg", texts=True),
    "cdf": lambda r, _: r.cdf("lon", r.median("lon").value).value,
    "rank": lambda r, _: r.rank("lon", r.median("lon").value).value,
    "emd": lambda r, _: hg.distance(r.project("lon"), mirrored(r.project("lon"))),
    "kl": lambda r, _: hg.distance(r, mirrored(r), "kl"),
    "rollup": lambda r, _: r.rollup(lon=[r.domain["lon"].edge(1)]).to_pandas().iloc[:, :-1],
}


def mirrored(release: Release) -> Release:
    from dataclasses import replace

    turned = release.estimate.values[::-1].copy()
    return replace(release, estimate=replace(release.estimate, values=turned))


def numbers_of(answer: hg.Answer) -> Any:
    """The value and its noise. A view knows more about how rows lie: it was cut from more parts."""
    return np.array([answer.value, *(answer.noise_interval or ())])


NUMERIC: dict[str, Callable[[Release, Path], Any]] = {
    "sum": lambda r, _: numbers_of(r.sum("lon")),
    "average": lambda r, _: numbers_of(r.average("lon")),
}

CLASSES = ("integer", "category", "numbered")
UNORDERED = ("category", "numbered")
DATES = ("months", "hours")


def asked_of(kind: str) -> dict[str, Callable[[Release, Path], Any]]:
    found = dict(ANSWERS)
    if kind not in CLASSES:
        del found["weighted rows"]
    if kind not in UNORDERED:
        found |= ORDERED
        if kind not in DATES:
            found |= NUMERIC
    return found


@pytest.mark.parametrize(
    ("kind", "answer"), [(kind, answer) for kind in KINDS for answer in asked_of(kind)]
)
def test_a_view_answers_in_its_own_values(kind: str, answer: str, tmp_path: Path) -> None:
    ask = asked_of(kind)[answer]
    view, alone = pair(kind)
    same(ask(view, tmp_path), ask(alone, tmp_path))


@pytest.mark.parametrize("kind", ["regular", "variable", "lon"])
def test_a_view_of_a_map_is_a_map(kind: str, tmp_path: Path) -> None:
    write = written("geojson", lambda r, path: r.to_geojson(path))
    view, alone = pair(kind)
    assert write(view, tmp_path) == write(alone, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_of_a_view_tells_its_own_values(kind: str) -> None:
    """It says besides that the axis is a part of another."""
    view, alone = pair(kind)
    assert view.report().replace("part of ", "") == alone.report()


def test_classes_are_those_of_the_view() -> None:
    counts = np.zeros((2, 10), dtype=np.int64)
    counts[0, 3] = counts[1, 4] = 900
    release = release_of(cells(x0=hg.Integer(0, 1), x1=hg.Integer(0, 9)), counts)
    for one in (release, release.slice(x1=(2, 5)), release.slice(x1=(3, 10)).slice(x1=(3, 5))):
        model = hg.HistogramClassifier.from_release(one, "x1")
        assert model.predict({"x0": [0, 1]}).tolist() == [3, 4]
        assert model.predict_proba({"x0": [0, 1]}).shape == (2, one.domain["x1"].bins)
        assert sorted(set(hg.weighted_rows(one, "x1")[1].tolist())) == [3, 4]


def test_a_class_that_was_cut_away_is_none() -> None:
    vote = hg.Category(["yes", "no", "never"], outside="other")
    release = release_of(cells(age=hg.Integer(0, 1), vote=vote), [[9, 8, 7, 6], [5, 4, 3, 2]])
    for asked, classes in {("no",): ["no"], ("no", "never", "other"): ["no", "never"]}.items():
        view = release.slice(vote=list(asked))
        model = hg.HistogramClassifier.from_release(view, "vote")
        assert model.classes_.tolist() == classes
        assert set(hg.weighted_rows(view, "vote")[1]) == set(classes)
    with pytest.raises(NotAnswerable, match="'vote' only has the"):
        hg.weighted_rows(release.slice(vote="other"), "vote")


def test_slices_of_several_classes_count_for_each_of_them() -> None:
    """Coarser slices of the target hold several of its values, evenly."""
    counts = np.array([[900, 0, 0, 0], [0, 0, 0, 900]])
    release = release_of(cells(x0=hg.Integer(0, 1), x1=hg.Integer(0, 3)), counts)
    model = hg.HistogramClassifier.from_release(release.rollup(x1=2), "x1")
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.predict({"x0": [0, 1]}).tolist() == [0, 2]
    shares = model.predict_proba({"x0": [0, 1]})
    np.testing.assert_allclose(shares[:, ::2], shares[:, 1::2])


AGES = hg.Integer(0, 4, outside="other")


def with_other() -> tuple[Release, Release]:
    """A view of the last numbers and of what is no number, and all that it was cut from."""
    release = release_of(cells(age=AGES), [9, 9, 9, 4, 4, 1000])
    return release.slice(age=[3, 4, "other"]), release


def test_other_in_a_view_is_no_number() -> None:
    view, release = with_other()
    numbers = release.slice(age=(3, None))
    assert [one.value for one in view.quantile("age", [0, 1])] == [3, 4]
    assert view.quantile("age", 0.7).value == numbers.quantile("age", 0.7).value
    assert view.cdf("age", 3).value == 0.5
    assert view.sum("age").value == 28
    assert view.density().to_pandas()["count"].tolist() == [4, 4]
    assert hg.distance(view, view) == 0
    assert hg.distance(view, view, slices=1) == 0
    assert view.sample(504).column("age").null_count == 500
    with pytest.raises(QuestionError, match="has no position, so it has no density"):
        view.density(at={"age": ["other"]})
    with pytest.raises(NotAnswerable, match="the noise"):
        release.slice(age="other").median("age")


def test_the_program_shows_what_a_view_holds(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from hushgram.cli.app import app

    view, _ = pair("lon", SEX, "sex")
    view.save(tmp_path / "view.hush.parquet")
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "view.hush.parquet")]).stdout
    line = next(line for line in shown.splitlines() if line.startswith("lon"))
    assert " ".join(line.split()) == "lon part of interval -4.0 to 4.0, continuous"
    assert "window" not in shown


def test_geojson_of_a_saved_view(tmp_path: Path) -> None:
    view, _ = pair("lon")
    view.save(tmp_path / "view.hush.parquet")
    hg.load(tmp_path / "view.hush.parquet").to_geojson(tmp_path / "m.geojson")
    features = json.loads((tmp_path / "m.geojson").read_text())["features"]
    corners = {corner[0] for one in features for corner in one["geometry"]["coordinates"][0]}
    assert corners == {-4, -2, 0, 2, 4}
