"""How axes and questions are written."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.cli.grammar import parse_axis, parse_domain, parse_question
from hushgram.declare.axis import Axis, Window
from hushgram.errors import QuestionError
from tests.samples import cells, release_of
from tests.strategies import up_to

AXES: dict[str, Axis] = {
    "-180:180": hg.Interval(-180, 180),
    "-1.5e2:.5": hg.Interval(-150, 0.5),
    "+1:2.": hg.Interval(1, 2),
    "-180:180/256": hg.Regular(256, -180, 180),
    "0:1/1": hg.Regular(1, 0, 1),
    "17..90": hg.Integer(17, 90),
    "-5..-1": hg.Integer(-5, -1),
    "3..3": hg.Integer(3, 3),
    "[0,18,65,120]": hg.Variable([0, 18, 65, 120]),
    "[ -1.5, 2e3 ]": hg.Variable([-1.5, 2000]),
    "F,M": hg.Category(["F", "M"]),
    "F, M , X": hg.Category(["F", "M", "X"]),
    "one,": hg.Category(["one"]),
    "1,2,3": hg.Category(["1", "2", "3"]),
    "Ærø,東京": hg.Category(["Ærø", "東京"]),
    "2024-01-01..2024-12-31": hg.Date("2024-01-01", "2024-12-31", "1d"),
    "2024-01-01..2024-12-31/1mo": hg.Date("2024-01-01", "2024-12-31", "1mo"),
    "2024-01-01T06:00..2024-01-01T18:30/30min": hg.Date(
        "2024-01-01T06:00", "2024-01-01T18:30", "30min"
    ),
}


@pytest.mark.parametrize("text", AXES)
def test_axes(text: str) -> None:
    assert parse_axis("x", text) == AXES[text]
    assert parse_domain([f"x={text}"], []) == hg.Domain(x=AXES[text])


@pytest.mark.parametrize("policy", ["drop", "clamp", "other"])
def test_outside(policy: Any) -> None:
    domain = parse_domain(["age=0..9", "odd name = 0:1/2"], [f"odd name={policy}"])
    assert domain == hg.Domain(
        {"age": hg.Integer(0, 9), "odd name": hg.Regular(2, 0, 1, outside=policy)}
    )


DOMAIN = hg.Domain(
    {
        "lon": hg.Interval(-180, 180),
        "x": hg.Regular(4, 0, 1),
        "age": hg.Integer(0, 99, outside="other"),
        "sex": hg.Category(["F", "M"], outside="other"),
        "flag": hg.Category([True, False]),
        "code": hg.Category([1, 2, 3]),
        "day": hg.Date("2024-01-01", "2024-12-31", outside="other"),
        "month": hg.Date("2024-01-01", "2024-12-31", "1mo"),
        "odd name": hg.Integer(0, 1),
        "some": Window(hg.Integer(0, 99), 10, 20),
    }
)
QUESTIONS: dict[str, Any] = {
    "lon=-74.3:-73.7": (-74.3, -73.7),
    "lon=:10": (None, 10.0),
    "lon=10:": (10.0, None),
    "lon=:": (None, None),
    "lon=-5..5": (-5.0, 5.0),
    "x=0.25:0.5": (0.25, 0.5),
    "x=0.3": [0.3],
    "age=17..29": (17.0, 30.0),
    "age=..29": (None, 30.0),
    "age=17..": (17.0, None),
    "age=17:29": (17.0, 29.0),
    "age=17": [17.0],
    "age=17,19": [17.0, 19.0],
    "age=other": "other",
    "sex=F": ["F"],
    "sex=F,M": ["F", "M"],
    "sex=F, M": ["F", "M"],
    "sex=other": "other",
    "flag=true": ["true"],
    "code=2": ["2"],
    "odd name=1": [1.0],
    "some=12..14": (12.0, 15.0),
    "day=2024-02-29": [dt.datetime(2024, 2, 29)],
    "day=2024-02-28,2024-03-01": [dt.datetime(2024, 2, 28), dt.datetime(2024, 3, 1)],
    "day=2024-02-28..2024-02-29": (dt.datetime(2024, 2, 28), dt.datetime(2024, 3, 1)),
    "day=2024-02-28..": (dt.datetime(2024, 2, 28), None),
    "day=..2024-12-31": (None, None),
    "day=2024-12-30..2030-01-01": (dt.datetime(2024, 12, 30), None),
    "day=2020-01-01..2024-01-01": (dt.datetime(2020, 1, 1), dt.datetime(2024, 1, 2)),
    "month=2024-02-10..2024-03-10": (dt.datetime(2024, 2, 10), dt.datetime(2024, 4, 1)),
}


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions(text: str) -> None:
    assert parse_question(DOMAIN, [text]) == {text.partition("=")[0]: QUESTIONS[text]}


def test_several_questions() -> None:
    assert parse_question(DOMAIN, []) == {}
    assert parse_question(DOMAIN, ["age=1", "sex=F"]) == {"age": [1.0], "sex": ["F"]}


@pytest.mark.parametrize("policy", ["drop", "clamp", "other"])
def test_what_lies_beyond_the_axis_is_not_known(policy: Any) -> None:
    """A range with nothing in it that was counted is no zero."""
    release = release_of(cells(day=hg.Date("2024-01-01", "2024-01-03", outside=policy)), None)

    def count(text: str) -> float:
        return release.count(parse_question(release.domain, [text])).value

    for beyond in ("2020-01-01..2020-12-31", "2030-01-01..2030-12-31", "..2020-12-31"):
        with pytest.raises(QuestionError, match="is outside the axis"):
            count(f"day={beyond}")
    assert count("day=2020-01-01..2024-01-02") == 1
    assert count("day=2024-01-02..2030-01-01") == 3


def test_truth_values_and_numbers_are_found_by_what_is_typed() -> None:
    release = release_of(cells(flag=hg.Category([True, False]), code=hg.Category([7, 8])))
    for words, value in {("flag=true",): 1, ("flag=False",): 5, ("code=8", "flag=True"): 1}.items():
        assert release.count(parse_question(release.domain, list(words))).value == value


signs = st.text(st.sampled_from("0123456789.:,/[]+-eE=xadoT ²٣_\n"), max_size=30)
texts = st.one_of(st.text(max_size=30), signs)


@settings(max_examples=up_to(400))
@given(texts, texts)
def test_any_text_is_an_axis_or_an_error_of_ours(text: str, outside: str) -> None:
    with suppress(hg.HushgramError):
        assert isinstance(parse_axis("x", text), Axis)
    with suppress(hg.HushgramError):
        parse_domain([text], [outside])
    with suppress(hg.HushgramError):
        parse_domain([f"x={text}"], [f"x={outside}"])


@settings(max_examples=up_to(400))
@given(st.sampled_from(list(DOMAIN)), texts)
def test_any_text_is_a_question_or_an_error_of_ours(name: str, text: str) -> None:
    release = release_of(cells(**{name: SMALL[name]}))
    with suppress(hg.HushgramError):
        release.count(parse_question(release.domain, [f"{name}={text}"]))
    with suppress(hg.HushgramError):
        parse_question(DOMAIN, [text])


SMALL = {name: axis for name, axis in DOMAIN.items() if name != "lon"} | {
    "lon": hg.Interval(-180, 180, resolution=8)
}
