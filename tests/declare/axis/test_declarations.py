"""What can be declared, what cannot, and how an axis survives JSON."""

from __future__ import annotations

import datetime as dt
import json
import math
import pickle
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import (
    Axis,
    Category,
    Date,
    Integer,
    Interval,
    Regular,
    Variable,
    Window,
    axis_from_json,
)
from hushgram.declare.axis.base import MAX_BINS
from hushgram.errors import DomainError
from tests.strategies import axes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
FIELDS = ["kind", "lo", "hi", "bins", "edges", "values", "start", "stop", "step", "axis", "outside",
          "resolution"]  # fmt: skip


@given(axes())
def test_json_and_back(axis: Axis) -> None:
    back = axis_from_json(json.loads(json.dumps(axis.to_json())))
    assert back == axis
    assert hash(back) == hash(axis)
    assert type(back) is type(axis)
    assert back.to_json() == axis.to_json()
    assert pickle.loads(pickle.dumps(axis)) == axis


@given(axes())
def test_repr_rebuilds_it(axis: Axis) -> None:
    names = {cls.__name__: cls for cls in (Category, Date, Integer, Interval, Regular, Variable)}
    assert eval(repr(axis), {**names, "Window": Window, "datetime": dt}) == axis


@given(axes())
def test_axes_are_frozen(axis: Axis) -> None:
    for name in ("outside", "bins", "lo"):
        with pytest.raises(AttributeError):
            setattr(axis, name, 5)


@given(axes(), st.sampled_from(FIELDS), JSON)
def test_one_malformed_field_is_a_domain_error(axis: Axis, field: str, value: Any) -> None:
    with suppress(DomainError):
        axis_from_json({**axis.to_json(), field: value})


@given(JSON)
def test_any_json_is_an_axis_or_a_domain_error(data: Any) -> None:
    with suppress(DomainError):
        axis_from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        [], "regular", 5, None, {}, {"kind": None}, {"kind": []}, {"kind": {}}, {"kind": "circle"},
        {"kind": "regular"}, {"kind": "regular", "bins": 3, "lo": 0, "hi": 1, "more": 1},
        {"kind": "window"}, {"kind": "window", "axis": 5, "start": 0, "stop": 1},
        {"kind": "window", "axis": Integer(0, 9).to_json(), "start": 0.5, "stop": 2},
        {"kind": "window", "axis": Integer(0, 9).to_json(), "start": "0", "stop": 2},
        {"kind": "window", "axis": Integer(0, 9).to_json(), "start": 0, "stop": 11},
        {"kind": "window", "axis": Integer(0, 9).to_json(), "start": 0, "stop": 2,
         "outside": "other"},
        {"kind": "window", "axis": Window(Integer(0, 9), 0, 2).to_json(), "start": 0, "stop": 1},
        {"kind": "integer", "lo": "a", "hi": 3}, {"kind": "integer", "lo": None, "hi": 3},
        {"kind": "category", "values": None}, {"kind": "category", "values": [["a"]]},
        {"kind": "category", "values": {"a": 1}}, {"kind": "variable", "edges": 5},
        {"kind": "date", "start": 5, "stop": 6}, {"kind": "interval", "lo": 0, "hi": 1,
        "outside": []},
    ],
)  # fmt: skip
def test_malformed_json(data: Any) -> None:
    with pytest.raises(DomainError):
        axis_from_json(data)


def test_nested_windows_do_not_fill_the_stack() -> None:
    data: Any = Integer(0, 9).to_json()
    for _ in range(100_000):
        data = {"kind": "window", "axis": data, "start": 0, "stop": 1}
    with pytest.raises(DomainError):
        axis_from_json(data)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Regular(0, 0, 1), lambda: Regular(2.0, 0, 1), lambda: Regular(True, 0, 1),
        lambda: Regular(MAX_BINS + 1, 0, 1), lambda: Regular(3, 1, 1), lambda: Regular(3, 2, 1),
        lambda: Regular(3, 0, math.inf), lambda: Regular(3, math.nan, 1), lambda: Regular(3, "0",
        1),
        lambda: Regular(3, 0, 1, outside="keep"), lambda: Regular(3, -1e308, 1e308),
        lambda: Regular(10, 0, 1e-320), lambda: Interval(0, 5e-324), lambda: Interval(1, 1 + 1e-9),
        lambda: Regular(3, 0, 10**400), lambda: Interval(1e-311, 2e-311, 2), lambda: Interval(None,
        1),
        lambda: Interval(0, 1, resolution=0), lambda: Interval(0, 1, resolution="9"),
        lambda: Variable([0]), lambda: Variable([]), lambda: Variable([0, 0]), lambda: Variable([1,
        0]),
        lambda: Variable([0, math.nan]), lambda: Variable(["a", "b"]), lambda: Variable(7),
        lambda: Variable("ab"), lambda: Variable([0, 10**400]),
        lambda: Integer(0.5, 3), lambda: Integer(3, 2), lambda: Integer(0, 2**53),
        lambda: Integer(-(2**53), 0), lambda: Integer("a", 3), lambda: Integer(0, math.inf),
        lambda: Integer(math.nan, 3), lambda: Integer(True, 3), lambda: Integer(0, MAX_BINS),
        lambda: Integer(None, 3), lambda: Integer(0, 1e300), lambda: Integer(0, 10**400),
        lambda: Category([]), lambda: Category("ab"), lambda: Category(["a", "a"]),
        lambda: Category(["a", 1]), lambda: Category([1, True]), lambda: Category([1.5]),
        lambda: Category({"a", "b"}), lambda: Category(None), lambda: Category([None]),
        lambda: Category(["a"], outside="clamp"), lambda: Category(["\ud800"]),
        lambda: Category([["a"]]), lambda: Category([10**5000]),
        lambda: Date("2024-01-01", "2023-01-01"), lambda: Date("x", "2023-01-01"),
        lambda: Date("2024-01-01", "2024-02-01", "1fortnight"), lambda: Date("2024-01-01", None),
        lambda: Date("2024-01-01", "2024-02-01", "1d\n"), lambda: Date("2024-01-01", "2024-02-01",
        1),
        lambda: Date("2024-01-02", "2024-02-01", "1mo"), lambda: Date("2024-01-01", "2024-02-01",
        "0d"),
        lambda: Date("2024-01-01", "2024-02-01", "9" * 5000 + "d"),
        lambda: Date("9999-12-01", "9999-12-31"), lambda: Date("9999-01-01", "9999-12-31", "1mo"),
        lambda: Date("2024-01-01", "2024-02-01", "999999999y"),
        lambda: Date("1900-01-01", "2100-01-01", "1s"),
        lambda: Date("2024-01-01 00:00:00.5", "2024-02-01"),
        lambda: Window(5, 0, 1), lambda: Window(Integer(0, 9), 3, 3), lambda: Window(Integer(0, 9),
        -1, 3),
        lambda: Window(Integer(0, 9), 0, 11), lambda: Window(Integer(0, 9), False, True),
        lambda: Window(Integer(0, 9), 0, 1, outside="clamp"),
    ],
)  # fmt: skip
def test_what_cannot_be_declared(declare: Any) -> None:
    with pytest.raises(DomainError) as refused:
        declare()
    assert str(refused.value).endswith((".", "?"))


def test_bounds_of_numpy_types() -> None:
    assert Regular(3, np.float32(0), np.int64(1)) == Regular(3, 0, 1)
    assert Integer(np.int64(0), 9.0) == Integer(0, 9)
    assert Variable(np.array([0.0, 1.0, 2.5])).bins == 2
    assert Integer(-(2**53) + 1, -(2**53) + 1).index(-(2**53) + 1) == 0
    assert Integer(2**53 - 1, 2**53 - 1).index(2**53) is None


def test_policies_are_part_of_what_an_axis_is() -> None:
    assert Integer(0, 9) != Integer(0, 9, outside="clamp")
    assert Regular(3, 0, 1) != Interval(0, 1, 3)
    assert Regular(3, 0, 1).size == 3
    assert Regular(3, 0, 1, outside="other").size == 4


def test_truth_values_and_numbers_are_other_categories() -> None:
    """In Python, True is 1; in a table, "true" is not "1"."""
    assert Category([True, False]) != Category([1, 0])
    assert Category([1, 0]) == Category([1, 0])
    assert hash(Category([1, 0])) == hash(Category([1, 0]))


def test_a_stop_that_is_a_day_means_all_of_it() -> None:
    assert Date("2024-01-01", "2024-01-31", "1h").bins == 31 * 24
    assert Date("2024-01-01", dt.date(2024, 1, 31), "30min").bins == 31 * 48
    assert Date("2024-01-01", "2024-01-31 00:00", "1h").bins == 30 * 24 + 1
    assert Date("2024-01-01", "2024-01-31", "1d").bins == 31
    hours = Date("2024-01-01", "2024-01-02", "6h")
    assert axis_from_json(hours.to_json()) == hours


def test_other_is_not_both_a_category_and_a_policy() -> None:
    assert Category(["other"]).bins == 1
    with pytest.raises(DomainError, match="other"):
        Category(["a", "other"], outside="other")


WRITTEN: list[tuple[Axis, str]] = [
    (Interval(0, 1), "Interval(0.0, 1.0)"),
    (Interval(0, 1, 16, outside="clamp"), "Interval(0.0, 1.0, resolution=16, outside='clamp')"),
    (Regular(3, 0, 1), "Regular(3, 0.0, 1.0)"),
    (Variable((0, 18, 120), outside="other"), "Variable([0.0, 18.0, 120.0], outside='other')"),
    (Integer(0, 9), "Integer(0, 9)"),
    (Category(("F", "M")), "Category(['F', 'M'])"),
    (Category([True]), "Category([True])"),
    (Date("2024-01-01", "2024-12-31"), "Date('2024-01-01', '2024-12-31')"),
    (Date("2024-01-01", "2024-12-31", "1mo"), "Date('2024-01-01', '2024-12-31', step='1mo')"),
    (
        Date("2024-01-01", "2024-01-02 00:00", "6h"),
        "Date('2024-01-01T00:00:00', '2024-01-02T00:00:00', step='6h')",
    ),
    (Window(Integer(0, 9), 2, 5), "Window(Integer(0, 9), 2, 5)"),
]


@pytest.mark.parametrize(("axis", "text"), WRITTEN, ids=[text for _, text in WRITTEN])
def test_an_axis_is_written_as_the_call_that_makes_it(axis: Axis, text: str) -> None:
    assert repr(axis) == text


@given(axes())
def test_what_an_axis_is_written_as_makes_it(axis: Axis) -> None:
    for one in (axis, Window(axis, 0, 1)):
        assert eval(repr(one)) == one


@given(axes(), st.data())
def test_a_window_tells_what_it_is_a_window_of(either: Axis, data: Any) -> None:
    axis = either.whole
    assert (axis.whole, axis.offset, axis.declared) == (axis, 0, axis.bins)
    start = data.draw(st.integers(0, axis.size - 1))
    window = Window(axis, start, data.draw(st.integers(start + 1, axis.size)))
    assert (window.whole, window.offset) == (axis, start)
    kept = range(axis.size)[start : window.stop]
    assert window.declared == sum(index < axis.bins for index in kept)
    assert [window.edge(n) for n in range(window.declared)] == [
        axis.edge(index) for index in kept if index < axis.bins
    ]
