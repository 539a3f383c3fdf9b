"""Questions that do not fit: one sentence that says what to do."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.errors import QuestionError
from tests.samples import cells, release_of

RELEASE = release_of(
    cells(
        age=hg.Integer(0, 9, outside="other"),
        lon=hg.Interval(0, 1, resolution=4),
        sex=hg.Category(["F", "M"]),
        day=hg.Date("2024-01-01", "2024-01-03"),
        x=hg.Variable([0, 1, 5]),
    )
)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"height": 3}, "no axis 'height'. It has 'age', 'lon', 'sex', 'day', 'x'"),
        ({"age": (5, 2)}, r"the range age=\(5, 2\) ends before it starts"),
        ({"age": (50, 20)}, r"age=\(50, 20\) ends before it starts"),
        ({"age": (2.9, 2.1)}, "ends before it starts"),
        ({"x": (9, 8)}, "ends before it starts"),
        ({"day": ("2024-01-03", "2024-01-01")}, "ends before it starts"),
        ({"day": ("2030-01-03", dt.date(2030, 1, 1))}, "ends before it starts"),
        ({"age": (float("nan"), 2)}, "cannot end at NaN"),
        ({"lon": (0, np.nan)}, "cannot end at NaN"),
        ({"day": (pd.NaT, None)}, "cannot end at NaN"),
        ({"age": (1, 2, 3)}, r"a range has two ends, age=\(lo, hi\)"),
        ({"age": (1,)}, "a range has two ends"),
        ({"age": ((1, 2), (3, 4))}, "each end of a range is one number"),
        ({"age": ("young", "old")}, "no range of numbers"),
        ({"age": float("nan")}, "nan does not lie on the axis 'age'"),
        ({"age": None}, "None does not lie on the axis 'age'"),
        ({"age": 10}, "10 does not lie on the axis 'age'"),
        ({"age": [[1, 2]]}, "does not lie on the axis 'age'"),
        ({"lon": 0.5}, r"'lon' is continuous: ask for a range, lon=\(lo, hi\)"),
        ({"lon": [0.5, "other"]}, "'lon' is continuous"),
        ({"lon": "other"}, "'other' does not lie on the axis 'lon'"),
        ({"sex": ("A", "Z")}, "'A' does not lie on the axis 'sex', which has "),
        ({"sex": (1, 2)}, "1 does not lie on the axis 'sex'"),
        ({"sex": "other"}, "'other' does not lie on the axis 'sex'"),
        ({"sex": "f"}, "'f' does not lie on the axis 'sex'"),
        ({"day": "yesterday"}, "'yesterday' does not lie on the axis 'day'"),
        ({"day": ("yesterday", None)}, "'yesterday' is no date. Write it like 2024-12-31"),
        ({"day": (1, 2)}, "1 is no date"),
    ],
    ids=str,
)
def test_a_question_that_does_not_fit_says_what_to_do(question: Any, message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        RELEASE.count(**question)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), "high", None, (0, 1), True])
def test_a_confidence_lies_between_0_and_1(confidence: Any) -> None:
    with pytest.raises(QuestionError, match="a confidence lies between 0 and 1"):
        RELEASE.count(confidence=confidence)


def test_messages_stay_short_where_an_axis_is_long() -> None:
    release = release_of(cells(place=hg.Category([f"place {k}" for k in range(5000)])))
    with pytest.raises(QuestionError) as caught:
        release.count(place="x" * 5000)
    assert len(str(caught.value)) < 600
