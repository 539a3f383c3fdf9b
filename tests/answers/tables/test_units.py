"""Positions along indices as numbers and as values."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.answers.tables.units import places, value_at
from hushgram.declare.axis import Category, Date, Integer, Regular, Variable, Window
from tests.samples import axes


@given(axes)
def test_places_are_the_edges(axis: Any) -> None:
    found = places(axis, np.arange(axis.bins + 1))
    assert (np.diff(found) > 0).all()
    if isinstance(axis, Regular | Variable | Integer):
        assert found.tolist() == pytest.approx([axis.edge(n) for n in range(axis.bins + 1)])
    if isinstance(axis, Category | Integer):
        assert np.diff(found).tolist() == [1.0] * axis.bins


@given(axes.filter(lambda axis: axis.ordered), st.floats(0, 1), st.booleans())
def test_values_lie_on_the_axis(axis: Any, share: float, ends: bool) -> None:
    value = value_at(axis, share * axis.bins, ends=ends)
    plain = type(axis)
    assert plain is not Integer or isinstance(value, int)
    if isinstance(axis, Date):
        assert axis.start.date() <= (value.date() if isinstance(value, dt.datetime) else value)
        return
    assert axis.edge(0) <= value <= axis.edge(axis.bins)


def test_windows_are_parts_of_their_axis() -> None:
    window = Window(Regular(10, 0, 1), 4, 7)
    assert places(window, [0, 3]).tolist() == pytest.approx([0.4, 0.7])
    assert value_at(window, 3, ends=True) == pytest.approx(0.7)
    whole = Window(Integer(0, 9), 4, 7)
    assert [value_at(whole, at, ends=False) for at in (0, 1.0, 3.0)] == [4, 5, 6]
    assert [value_at(whole, at, ends=True) for at in (0, 1.0, 3.0)] == [4, 4, 6]


def test_the_last_day_ends_the_axis() -> None:
    axis = Date("2024-01-01", "2024-01-03")
    assert value_at(axis, 3.0, ends=False) == dt.date(2024, 1, 3)
    assert value_at(axis, 0.0, ends=True) == dt.date(2024, 1, 1)
    assert value_at(axis, 1.0, ends=True) == dt.date(2024, 1, 1)
    assert value_at(axis, 1.0, ends=False) == dt.date(2024, 1, 2)
