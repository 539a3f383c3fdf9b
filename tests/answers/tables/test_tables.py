"""Many ranges at once, from whatever holds them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.errors import QuestionError
from tests.samples import cells, release_of

RELEASE = release_of(
    cells(
        age=hg.Integer(0, 9),
        x=hg.Regular(4, 0, 1),
        day=hg.Date("2024-01-01", "2024-01-03"),
        sex=hg.Category(["F", "M"]),
    )
)
ARRAY = RELEASE.to_array()
BOUNDS = {
    "age_lo": [2, 0, 9],
    "age_hi": [5, 10, 10],
    "x_lo": [0.0, 0.25, 0.5],
    "x_hi": [0.5, 0.75, 1.0],
    "day_lo": [dt.date(2024, 1, 1)] * 3,
    "day_hi": [dt.date(2024, 1, 2), dt.date(2024, 1, 3), dt.date(2024, 1, 4)],
}
EXPECTED = [ARRAY[2:5, :2, :1].sum(), ARRAY[:, 1:3, :2].sum(), ARRAY[9:, 2:, :3].sum()]
FRAMES: dict[str, Callable[[Any], Any]] = {
    "mapping": dict,
    "arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "pandas": pd.DataFrame,
    "series": lambda columns: {name: pd.Series(values) for name, values in columns.items()},
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": lambda columns: pa.RecordBatch.from_pydict(columns),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_bounds(frame: str) -> None:
    answers = RELEASE.count(FRAMES[frame](BOUNDS))
    assert answers.values.tolist() == EXPECTED
    assert answers.partial.tolist() == [0, 0, 0]
    columns = ["value", "lower", "upper", "noise_lower", "noise_upper", "partial"]
    assert answers.to_pandas().columns.tolist() == columns
    assert answers[1].value == EXPECTED[1]
    assert answers[1].interval == (answers.lower[1], answers.upper[1])
    assert answers[1].noise_interval == (answers.noise_lower[1], answers.noise_upper[1])


@pytest.mark.parametrize("frame", [name for name in FRAMES if name != "arrays"])
def test_columns_of_pairs(frame: str) -> None:
    pairs = {
        "age": list(zip(BOUNDS["age_lo"], BOUNDS["age_hi"], strict=True)),
        "x": list(zip(BOUNDS["x_lo"], BOUNDS["x_hi"], strict=True)),
        "day": list(zip(BOUNDS["day_lo"], BOUNDS["day_hi"], strict=True)),
    }
    assert RELEASE.count(FRAMES[frame](pairs)).values.tolist() == EXPECTED


def test_pairs_of_columns_and_arrays_of_pairs() -> None:
    expected = [ARRAY[2:5].sum(), ARRAY.sum(), ARRAY[9:].sum()]
    lows, highs = np.array(BOUNDS["age_lo"]), np.array(BOUNDS["age_hi"])
    assert RELEASE.count({"age": (lows, highs)}).values.tolist() == expected
    assert RELEASE.count({"age": np.stack([lows, highs], axis=1)}).values.tolist() == expected


@pytest.mark.parametrize("frame", ["mapping", "polars", "arrow", "batch"])
def test_none_is_an_open_end(frame: str) -> None:
    table = FRAMES[frame]({"age_lo": [None, 2, None], "age_hi": [3, None, None]})
    expected = [ARRAY[:3].sum(), ARRAY[2:].sum(), ARRAY.sum()]
    assert RELEASE.count(table).values.tolist() == expected


@pytest.mark.parametrize("frame", FRAMES)
def test_a_column_left_out_is_an_open_end(frame: str) -> None:
    table = FRAMES[frame]({"age_lo": [2, 9], "x_hi": [0.25, 0.5]})
    assert RELEASE.count(table).values.tolist() == [ARRAY[2:, :1].sum(), ARRAY[9:, :2].sum()]


def test_cut_cells_count_in_proportion() -> None:
    answers = RELEASE.count({"x_lo": [0.125, 0.25], "x_hi": [0.5, 0.5]})
    assert answers.values.tolist() == [ARRAY[:, 0].sum() / 2 + ARRAY[:, 1].sum(), ARRAY[:, 1].sum()]
    assert answers.partial.tolist() == [ARRAY[:, 0].sum() / 2, 0]


def test_no_rows_give_no_answers() -> None:
    assert len(RELEASE.count({"age_lo": [], "age_hi": []})) == 0
    assert len(RELEASE.count(pa.table({"age_lo": pa.array([], pa.int64())}))) == 0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"height_lo": [1], "height_hi": [2]},
            "no axis 'height_lo'. Its axes: 'age', 'x', 'day', 'sex'",
        ),
        ({"age_lo": [1], "age_hi": [2], "colour": ["red"]}, "no axis 'colour'"),
        ({"age_lo": [1, 2], "age_hi": [2]}, "1 and 2 rows"),
        ({"age_lo": [1], "x_lo": [0, 0.5]}, "1 and 2 rows"),
        ({"age_lo": 1, "age_hi": 2}, "age_lo and age_hi must be lists with one bound per row"),
        ({"age_lo": "12", "age_hi": [2]}, "one bound per row"),
        ({"age_lo": [[1]], "age_hi": [2]}, "one bound per row"),
        ({"age_lo": [3], "age_hi": [1]}, r"The range age=\(3, 1\) ends before it starts"),
        ({"age_lo": [0, 30], "age_hi": [1, 20]}, r"age=\(30, 20\) ends before it starts"),
        ({"age_lo": [np.nan], "age_hi": [1]}, "cannot end at NaN"),
        ({"age_lo": np.array([np.nan]), "age_hi": [1]}, "cannot end at NaN"),
        ({"age_lo": ["young"], "age_hi": ["old"]}, "need numbers as bounds. Found 'young'"),
        ({"age_lo": [1], "age_hi": [2], "age": [(1, 2)]}, "either 'age', or age_lo and age_hi,"),
        ({"age": [(1, 2, 3)]}, r"'age' of a table of ranges must contain pairs \(lo, hi\)"),
        ({"age_lo": [1], "sex": ["F"]}, r"one question at a time: count\(sex=…\)"),
        ({"sex": [("F", "M")]}, "Categories have no order. Ask for one value or a list,"),
        ({"day_lo": ["monday"]}, "'monday' is not a date. Write it like 2024-12-31"),
        ({"day_lo": np.array(["NaT"], "datetime64[D]")}, "cannot end at NaT"),
        ({"day_lo": [pd.NaT]}, "cannot end at NaN"),
        (pd.DataFrame({"other": [1]}), "no axis 'other'"),
        (pd.DataFrame(), "columns such as age_lo and age_hi"),
        ([1, 2], "a mapping or a data frame. Found list"),
        ("age", "a mapping or a data frame. Found str"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_table_is_said(table: Any, message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        RELEASE.count(table)


def test_a_table_and_axes_are_not_mixed() -> None:
    with pytest.raises(QuestionError, match="either a table of ranges or named axes"):
        RELEASE.count({"age_lo": [1]}, sex="F")  # type: ignore[call-overload]
