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
        ({"height": 3}, "no axis 'height'. Its axes: 'age', 'lon', 'sex', 'day', 'x'"),
        ({"age": (5, 2)}, r"The range age=\(5, 2\) ends before it starts"),
        ({"age": (50, 20)}, r"age=\(50, 20\) ends before it starts"),
        ({"age": (2.9, 2.1)}, "ends before it starts"),
        ({"x": (9, 8)}, "ends before it starts"),
        ({"day": ("2024-01-03", "2024-01-01")}, "ends before it starts"),
        ({"day": ("2030-01-03", dt.date(2030, 1, 1))}, "ends before it starts"),
        ({"age": (float("nan"), 2)}, "cannot end at NaN"),
        ({"lon": (0, np.nan)}, "cannot end at NaN"),
        ({"day": (pd.NaT, None)}, "cannot end at NaN"),
        ({"age": (1, 2, 3)}, r"A range needs two ends, age=\(lo, hi\)"),
        ({"age": (1,)}, "A range needs two ends,"),
        ({"age": ((1, 2), (3, 4))}, "Each end of a range must be"),
        ({"age": ("young", "old")}, "need numbers as bounds"),
        ({"age": float("nan")}, "nan is not on the axis 'age',"),
        ({"age": None}, "None is not on the axis 'age',"),
        ({"age": 10}, "10 is not on the axis 'age',"),
        ({"age": [[1, 2]]}, "is not on the axis 'age',"),
        ({"lon": 0.5}, r"'lon' is continuous\. Ask for a range, lon=\(lo, hi\)"),
        ({"lon": [0.5, "other"]}, "'lon' is continuous"),
        ({"lon": "other"}, "'other' is not on the axis 'lon',"),
        ({"sex": ("A", "Z")}, "'A' is not on the axis 'sex', which has"),
        ({"sex": (1, 2)}, "1 is not on the axis 'sex',"),
        ({"sex": "other"}, "'other' is not on the axis 'sex',"),
        ({"sex": "f"}, "'f' is not on the axis 'sex',"),
        ({"day": "yesterday"}, "'yesterday' is not on the axis 'day',"),
        ({"day": ("yesterday", None)}, "'yesterday' is not a date. Write it like 2024-12-31"),
        ({"day": (1, 2)}, "1 is not a date"),
    ],
    ids=str,
)
def test_a_question_that_does_not_fit_says_what_to_do(question: Any, message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        RELEASE.count(**question)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), "high", None, (0, 1), True])
def test_a_confidence_lies_between_0_and_1(confidence: Any) -> None:
    with pytest.raises(QuestionError, match="confidence must be between 0 and 1,"):
        RELEASE.count(confidence=confidence)


def test_messages_stay_short_where_an_axis_is_long() -> None:
    release = release_of(cells(place=hg.Category([f"place {k}" for k in range(5000)])))
    with pytest.raises(QuestionError) as caught:
        release.count(place="x" * 5000)
    assert len(str(caught.value)) < 600


BEYOND: list[tuple[dict[str, Any], str]] = [
    ({"age": (500, 600)}, r"age=\(500, 600\) is outside the axis, which has 0 to 9, 10 bins,"),
    ({"age": (10, None)}, r"age=\(10, None\) is outside"),
    ({"age": (None, 0)}, r"age=\(None, 0\) is outside"),
    ({"age": (-9, -1)}, 'Rows from there are counted as "other"'),
    ({"lon": (1, 2)}, "The release does not know"),
    ({"lon": (-np.inf, -1.0)}, "The release does not know"),
    ({"day": ("2030-01-01", "2030-02-01")}, "counted in the nearest bin. Ask about that"),
    ({"day": (None, dt.date(2024, 1, 1))}, "counted in the nearest bin"),
    ({"x": (np.float64(7), 9)}, r"x=\(7\.0, 9\) is outside"),
]
POLICIES = release_of(
    cells(
        age=hg.Integer(0, 9, outside="other"),
        lon=hg.Interval(0, 1, resolution=4),
        day=hg.Date("2024-01-01", "2024-01-03", outside="clamp"),
        x=hg.Variable([0, 1, 5]),
    )
)


@pytest.mark.parametrize(("question", "message"), BEYOND, ids=str)
def test_what_the_release_does_not_cover_is_no_zero(question: Any, message: str) -> None:
    for ask in (POLICIES.count, POLICIES.slice, POLICIES.share):
        with pytest.raises(QuestionError, match=message):
            ask(**question)
    elsewhere = "lon" if "lon" not in question else "x"
    with pytest.raises(QuestionError, match=message):
        POLICIES.quantile(elsewhere, 0.5, where=question)
    ((name, (low, high)),) = question.items()
    with pytest.raises(QuestionError, match=f"Row 1: .*{message}"):
        POLICIES.count({f"{name}_lo": [None, low, low], f"{name}_hi": [None, high, high]})


def test_what_a_view_has_cut_away_is_no_zero() -> None:
    release = release_of(cells(age=hg.Integer(0, 9, outside="clamp")))
    view = release.slice(age=(2, 5))
    with pytest.raises(QuestionError, match=r"has 2 to 4, 3 bins. The"):
        view.count(age=(5, 9))
    assert view.count(age=(0, 9)).value == view.count().value == 2 + 3 + 4
    assert release.count(age=(9, 500)).value == 9


def test_an_empty_range_holds_nothing_wherever_it_lies() -> None:
    for low in (-3, 0, 5, 10, 77):
        assert RELEASE.count(age=(low, low)).interval == (0, 0)
    assert RELEASE.count(age=(9.2, 9.8)).interval == (0, 0)
    assert RELEASE.rank("age", -5).interval == (0, 0)
    assert RELEASE.cdf("age", -5).value == 0


def test_a_range_that_reaches_beyond_counts_what_is_covered() -> None:
    assert RELEASE.count(age=(5, 500)).value == RELEASE.count(age=(5, None)).value
    assert RELEASE.count(age=(-500, 500)).value == RELEASE.count(age=(None, None)).value
