"""Tables, arrays and CSV of a release."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import hushgram as hg
from hushgram.declare.axis import Window
from hushgram.geometry.labels import label_columns
from hushgram.geometry.partition import Grid, Refined
from hushgram.release import Release
from hushgram.release.export import harmless
from tests.samples import cells, estimate_of, release_of, releases


def rows(file: Path) -> list[list[str]]:
    with file.open(newline="") as lines:
        return list(csv.reader(lines))


def test_a_data_frame_has_labels_counts_and_variances() -> None:
    release = release_of(cells(age=hg.Integer(17, 18), sex=hg.Category(["F", "M"])))
    frame = release.to_pandas()
    assert frame.columns.tolist() == ["age", "sex", "count", "variance", "uneven"]
    assert frame["age"].tolist() == [17, 17, 18, 18]
    assert frame["sex"].tolist() == ["F", "M", "F", "M"]
    assert frame["count"].tolist() == [0, 1, 2, 3]
    assert frame["variance"].tolist() == release.variances().ravel().tolist()
    assert frame.attrs == {}


def labels(grid: Grid | Refined) -> dict[str, list[Any]]:
    return {name: column.to_pylist() for name, column in label_columns(grid).items()}


def test_labels_of_every_kind_of_axis() -> None:
    assert labels(cells(x=hg.Regular(2, 0, 1, outside="other"))) == {
        "x_lo": [0.0, 0.5, None], "x_hi": [0.5, 1.0, None],
    }  # fmt: skip
    assert labels(cells(x=hg.Variable([0, 18, 65]))) == {"x_lo": [0, 18], "x_hi": [18, 65]}
    assert labels(cells(x=hg.Integer(5, 6, outside="other"))) == {"x": [5, 6, None]}
    assert labels(cells(x=hg.Category([True, False], outside="other"))) == {
        "x": ["True", "False", "other"]
    }
    days = dt.date(2024, 1, 31), dt.date(2024, 2, 1), dt.date(2024, 2, 2)
    assert labels(cells(x=hg.Date("2024-01-31", "2024-02-01", outside="other"))) == {
        "x_lo": [*days[:2], None], "x_hi": [*days[1:], None],
    }  # fmt: skip
    hours = [dt.datetime(2024, 1, 31, hour) for hour in (22, 23)] + [dt.datetime(2024, 2, 1)]
    assert labels(cells(x=hg.Date("2024-01-31 22:00", "2024-01-31 23:59", "1h"))) == {
        "x_lo": hours[:2], "x_hi": hours[1:],
    }  # fmt: skip


def test_labels_of_coarse_slices() -> None:
    domain = hg.Domain(
        x=hg.Interval(0, 1), age=hg.Integer(0, 9), sex=hg.Category(["F", "M"], outside="other")
    )
    found = labels(Grid(domain, (1, 2, 1)))
    assert found["x_lo"] == [0.0] * 4
    assert found["age_lo"] == [0, 0, 5, 5]
    assert found["age_hi"] == [5, 5, 10, 10]
    assert found["sex"] == ["F|M", "other"] * 2


def test_labels_of_windows_and_refined_grids() -> None:
    window = Window(hg.Integer(10, 19), 3, 5)
    assert labels(cells(x=window)) == {"x": [13, 14]}
    grid = Grid(hg.Domain(x=hg.Regular(4, 0, 4)), (2,))
    assert labels(Refined(grid, np.array([[1], [2]]))) == {"x_lo": [0, 2, 3], "x_hi": [2, 3, 4]}


def test_names_that_are_taken_are_told_apart() -> None:
    one = hg.Integer(0, 0)
    assert list(labels(cells(count=one, variance=one))) == ["count_axis", "variance_axis"]
    assert list(labels(cells(x=hg.Regular(1, 0, 1), x_lo=one))) == ["x_lo", "x_hi", "x_lo_axis"]
    assert list(labels(cells(count=one, count_axis=one))) == ["count_axis", "count_axis_axis"]


def test_an_array_is_shaped_like_the_domain() -> None:
    release = release_of(cells(a=hg.Integer(0, 1), b=hg.Integer(0, 2, outside="other")), [-3] * 8)
    array = release.to_array()
    assert array.tolist() == [[-3] * 4] * 2
    array[0, 0] = 99  # a copy: releases are frozen
    assert release.to_array()[0, 0] == -3
    with pytest.raises(ValueError, match="read-only"):
        release.estimate.values[0] = 99


DANGEROUS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1"]


@pytest.mark.parametrize("text", DANGEROUS)
def test_csv_is_no_formula(tmp_path: Path, text: str) -> None:
    release = release_of(cells(**{text: hg.Category([text, "plain"])}))
    release.to_csv(tmp_path / "r.csv")
    assert rows(tmp_path / "r.csv") == [
        [f"'{text}", "count", "variance", "uneven"],
        [f"'{text}", "0", str(release.variances()[0]), "0.0"],
        ["plain", "1", str(release.variances()[0]), "0.0"],
    ]


def test_csv_headers_of_ranges_are_no_formula_either(tmp_path: Path) -> None:
    release_of(cells(**{"=x": hg.Regular(1, -5, 5)})).to_csv(tmp_path / "r.csv")
    head, row = rows(tmp_path / "r.csv")
    assert head[:2] == ["'=x_lo", "'=x_hi"]
    assert row[:2] == ["-5.0", "5.0"]


@pytest.mark.parametrize("value", [-3, -0.5, None, dt.date(2024, 1, 1), "F", ""])
def test_harmless_values_stay(value: Any) -> None:
    assert harmless(value) == value


@settings(max_examples=40)
@given(releases(max_axes=2))
def test_csv_has_a_row_per_cell(tmp_path_factory: pytest.TempPathFactory, release: Release) -> None:
    file = tmp_path_factory.mktemp("csv") / "r.csv"
    release.to_csv(file)
    head, *body = rows(file)
    assert len(body) == release.estimate.partition.size
    assert {len(row) for row in body} == {len(head)}
    assert [int(row[-3]) for row in body] == release.estimate.values.tolist()
    for text in (
        *head,
        *(row[0] for row in body if isinstance(release.domain.axes[0], hg.Category)),
    ):
        assert not text.startswith(tuple("=+-@\t\r\n"))


def test_repr_says_what_it_is() -> None:
    release = release_of(cells(age=hg.Integer(0, 4), sex=hg.Category(["F", "M"])))
    assert repr(release) == "<Release of age, sex (5x2 cells), identity, epsilon 0.5>"
    grid = Grid(hg.Domain(x=hg.Regular(4, 0, 4)), (2,))
    fine = Refined(grid, np.array([[1], [2]]))
    other = Release(
        estimate_of(fine), "agrid", {}, release.epsilon, release.unit, release.neighbours
    )
    assert repr(other) == "<Release of x (3 cells), agrid, epsilon 0.5>"
