"""Where the bounds of questions lie, and how that agrees with where values are counted."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.errors import QuestionError
from tests.reference import edges_of
from tests.strategies import dates, evens, integers, mean_values, variables

ORDERED = st.one_of(evens(), variables(), integers(), dates())


def finite(axis: Axis) -> list[Any]:
    values = [v for v in mean_values(axis) if isinstance(v, dt.datetime) or math.isfinite(v)]
    return sorted(set(values))


@given(ORDERED)
@settings(max_examples=200)
def test_positions_rise_with_the_values(axis: Axis) -> None:
    positions = axis.positions(finite(axis))
    assert (np.diff(positions) >= 0).all()
    assert positions.min() >= 0
    assert positions.max() <= axis.bins


@given(ORDERED)
def test_edges_lie_on_whole_positions(axis: Axis) -> None:
    assert axis.positions(edges_of(axis)).tolist() == list(range(axis.bins + 1))
    assert [axis.edge(i) for i in range(axis.bins + 1)] == edges_of(axis)


@given(ORDERED)
def test_positions_lie_in_the_bin_that_counts_the_value(axis: Axis) -> None:
    for value in finite(axis):
        index = axis.index(value)
        inside = edges_of(axis)[0] <= value < edges_of(axis)[-1]
        if not inside or index is None:
            continue
        position = float(axis.positions([value])[0])
        if isinstance(axis, Integer):  # a question from 2.5 on begins with 3
            assert index == math.floor(value) - axis.lo
            assert position == math.ceil(value) - axis.lo
        else:
            assert index <= position <= index + 1


@given(ORDERED)
def test_open_ends(axis: Axis) -> None:
    assert axis.positions([-math.inf, math.inf]).tolist() == [0, axis.bins]


@given(ORDERED, st.data())
def test_windows_shift_positions(axis: Axis, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, axis.bins - 1))
    stop = data.draw(st.integers(start + 1, axis.bins))
    window = Window(axis, start, stop)
    assert window.positions(edges_of(axis)[start : stop + 1]).tolist() == list(
        range(window.bins + 1)
    )
    assert window.edge(0) == axis.edge(start)
    assert window.positions([-math.inf, math.inf]).tolist() == [0, window.bins]


def test_shares_of_a_bin() -> None:
    assert Regular(4, 0, 4).positions([0.5, 3.25]).tolist() == [0.5, 3.25]
    assert Variable([0, 10, 30]).positions([5, 20]).tolist() == [0.5, 1.5]
    assert Date("2024-01-01", "2024-12-31", "1mo").positions(["2024-02-15 12:00"])[0] == 1.5
    assert Integer(0, 9).positions([2.5]).tolist() == [3]
    assert Interval(0, 1).positions([0.25])[0] == 2**18


@pytest.mark.parametrize("values", [["a"], [math.nan], [None], [[1, 2], 3], [dt.date(2024, 1, 1)]])
def test_questions_that_are_no_numbers(values: Any) -> None:
    for axis in (Regular(3, 0, 1), Interval(0, 1), Variable([0, 1]), Integer(0, 3)):
        with pytest.raises(QuestionError):
            axis.positions(values)


@pytest.mark.parametrize("values", [["a"], [None], [5], ["2024-02-30"], [math.nan]])
def test_questions_that_are_no_dates(values: Any) -> None:
    with pytest.raises(QuestionError):
        Date("2024-01-01", "2024-12-31").positions(values)


def test_categories_have_no_positions() -> None:
    with pytest.raises(QuestionError):
        Category(["a"]).positions(["a"])
