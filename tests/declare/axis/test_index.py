"""Every axis finds the index that first principles find."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from tests.reference import edges_of, place
from tests.strategies import as_texts, axes, evens, mean_values, up_to

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.binary(max_size=3),
    st.datetimes(), st.dates(), st.decimals(), st.integers(-(10**400), 10**400),
    st.datetimes(timezones=st.timezones()), st.lists(st.integers(), max_size=2),
)  # fmt: skip


@given(axes())
@settings(max_examples=up_to(300))
def test_the_meanest_values(axis: Axis) -> None:
    for value in (values := mean_values(axis)) + as_texts(values):
        assert axis.index(value) == place(axis, value), value


@given(axes(), st.lists(ANYTHING, max_size=20))
@example(Category(["true"]), [True, False, "True"])
@settings(max_examples=up_to(200))
def test_anything_at_all(axis: Axis, values: list[Any]) -> None:
    for value in values:
        found = axis.index(value)
        assert found is None or 0 <= found < axis.size
        if not isinstance(value, bytes | list | dt.date):
            assert found == place(axis, value), value


@given(evens(), st.lists(st.floats(0, 1), min_size=1, max_size=50))
@settings(max_examples=up_to(200))
def test_points_between_the_bounds(axis: Any, shares: list[float]) -> None:
    for share in shares:
        x = axis.lo + share * (axis.hi - axis.lo)
        assert axis.index(x) == place(axis, x)


@pytest.mark.parametrize(("lo", "hi"), [(-180, 180), (0, 1), (-1e-7, 3e5), (0.1, 0.7), (-1, 1e-17)])
def test_a_million_bins(lo: float, hi: float) -> None:
    axis = Interval(lo, hi, outside="other")
    edges = np.array(edges_of(axis))
    rng = np.random.default_rng(5)
    for i in rng.integers(1, axis.bins, 3000):
        edge = float(edges[i])
        assert axis.edge(int(i)) == edge
        assert axis.index(edge) == i
        assert axis.index(math.nextafter(edge, -math.inf)) == i - 1


def test_the_upper_bound_lies_in_the_last_bin() -> None:
    assert Regular(10, 0, 1).index(1) == 9
    assert Variable([0, 1, 5]).index(5) == 1
    assert Interval(-1, 1e-17, 7).index(1e-17) == 6
    assert Integer(0, 9).index(10) is None
    assert Integer(0, 9).index(9.999999) == 9


@pytest.mark.parametrize("rounded", [0.0, 5e-18, 9.9e-18])
def test_an_edge_formula_that_misses_the_upper_bound(rounded: float) -> None:
    """``lo + span`` rounds to 0 here, below ``hi``: what lies between is in the last bin."""
    axis = Regular(4, -1, 1e-17)
    assert axis.lo + axis.span < axis.hi
    assert axis.index(rounded) == 3


@pytest.mark.parametrize(
    "value",
    [None, math.nan, "x", "", b"1", True, np.bool_(True), [1], object(), Decimal("NaN"), pd.NA,
     pd.NaT, 1j, Decimal("sNaN"), np.array([1.0, 2.0]), dt.date(2024, 1, 1)],
)  # fmt: skip
def test_what_is_no_number(value: Any) -> None:
    for outside, expected in {"drop": None, "other": 3, "clamp": 0}.items():
        for axis in (
            Regular(3, 0, 3, outside=outside),
            Interval(0, 3, 3, outside=outside),
            Variable([0, 1, 2, 3], outside=outside),
            Integer(0, 2, outside=outside),
        ):
            assert axis.index(value) == expected, (axis, value)


def test_numbers_of_all_types() -> None:
    axis = Regular(10, 0, 1)
    for value in (
        0.35,
        np.float32(0.35),
        Decimal("0.35"),
        Fraction(7, 20),
        "0.35",
        np.float64(0.35),
    ):
        assert axis.index(value) == 3
    assert Integer(0, 9).index(np.uint8(4)) == 4
    assert Integer(0, 9, outside="clamp").index(10**400) == 9
    assert Integer(0, 9, outside="clamp").index(-(10**400)) == 0


@pytest.mark.parametrize(
    "value",
    [None, 5, "2024", "", pd.NaT, np.datetime64("NaT"), dt.time(3), 20240101, True,
     dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14)))],
)  # fmt: skip
def test_what_is_no_date(value: Any) -> None:
    for outside, expected in {"drop": None, "other": 366, "clamp": 0}.items():
        assert Date("2024-01-01", "2024-12-31", outside=outside).index(value) == expected


def test_dates_of_all_types() -> None:
    hours = Date("2024-01-01", "2024-01-01", "1h")
    berlin = dt.timezone(dt.timedelta(hours=1))
    assert hours.bins == 24
    days = Date("2024-01-01", "2024-01-31")
    for value in (
        "2024-01-05", dt.date(2024, 1, 5), dt.datetime(2024, 1, 5, 12), np.datetime64("2024-01-05"),
        np.datetime64("2024-01-05T12:00:00.123456789"),
        pd.Timestamp("2024-01-05 23:59:59.999999999"),
        dt.datetime(2024, 1, 6, 0, 30, tzinfo=berlin), "2024-01-05T00:00", "2024-01-05 23:59:59.5",
    ):  # fmt: skip
        assert days.index(value) == 4, value


def test_categories_are_compared_as_texts() -> None:
    assert Category([1, 2]).index("2") == 1
    assert Category(["1", "2"]).index(2) == 1
    assert Category([1, 2]).index(np.int64(2)) == 1
    assert Category([1, 2]).index(2.0) is None
    assert Category([1, 2]).index(True) is None
    assert Category([True, False]).index("FALSE") == 1
    assert Category([True, False]).index(np.bool_(False)) == 1
    assert Category(["a"]).index("a ") is None
    assert Category(["a"]).index([]) is None
    assert Category([7]).index(10**5000) is None


@given(axes())
def test_windows_of_windows_are_windows(axis: Axis) -> None:
    inner = Window(axis, 0, axis.size)
    assert not isinstance(inner.axis, Window)
    for value in mean_values(axis)[:40]:
        assert inner.index(value) == axis.index(value)
    half = axis.size // 2
    sides = [Window(axis, 0, half), Window(axis, half, axis.size)] if half else [inner]
    for value in mean_values(axis)[:40]:
        found = [side.index(value) for side in sides]
        assert sum(index is not None for index in found) == (axis.index(value) is not None)
