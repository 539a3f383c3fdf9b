"""The domain: frozen, ordered, printable, and the same after JSON."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Grid
from tests.reference import place
from tests.strategies import domains, mean_values

KINDS = (Category, Date, Integer, Interval, Regular, Variable, Window, Domain)


@given(domains())
def test_json_and_back(domain: Domain) -> None:
    back = Domain.from_json(json.loads(json.dumps(domain.to_json())))
    assert back == domain
    assert hash(back) == hash(domain)
    assert back.names == domain.names


@given(domains())
def test_copies_are_equal(domain: Domain) -> None:
    for twin in (copy.copy(domain), copy.deepcopy(domain), pickle.loads(pickle.dumps(domain))):
        assert twin == domain
        assert hash(twin) == hash(domain)


@given(domains())
def test_repr_rebuilds_it(domain: Domain) -> None:
    names = {kind.__name__: kind for kind in KINDS}
    assert eval(repr(domain), {**names, "datetime": datetime}) == domain


@given(domains(), st.data())
def test_boxes_are_windows(domain: Domain, data: st.DataObject) -> None:
    ranges = []
    for size in domain.shape:
        start = data.draw(st.integers(0, size - 1))
        ranges.append((start, data.draw(st.integers(start + 1, size))))
    box = domain.box(ranges)
    assert box.shape == tuple(stop - start for start, stop in ranges)
    for axis, whole, (start, stop) in zip(box.axes, domain.axes, ranges, strict=True):
        for value in mean_values(whole)[:30]:
            found = place(whole, value)
            inside = found is not None and start <= found < stop
            assert axis.index(value) == (found - start if inside and found is not None else None)


def test_the_whole_box_is_the_domain() -> None:
    domain = Domain(x=Integer(0, 9, outside="other"), y=Interval(0, 1))
    assert domain.box([(0, 11), (0, 2**20)]) == domain


def test_a_domain_is_frozen() -> None:
    domain = Domain(x=Integer(0, 9))
    with pytest.raises(AttributeError):
        domain.names = ("y",)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        domain._axes = {}
    with pytest.raises(AttributeError):
        del domain._axes
    with pytest.raises(TypeError):
        domain["x"] = Integer(0, 3)  # type: ignore[index]


def test_the_order_is_part_of_a_domain() -> None:
    x, y = Integer(0, 9), Integer(0, 3)
    assert Domain(x=x, y=y) != Domain(y=y, x=x)
    assert Domain(x=x) != Domain(z=x)
    assert Domain(x=x) != {"x": x}
    assert len({Domain(x=x), Domain(x=x), Domain(y=x)}) == 2


def test_what_a_domain_says() -> None:
    domain = Domain({"odd name": Category(["a"], outside="other"), "t": (0, 1)})
    assert repr(domain).startswith("Domain({'odd name': ")
    assert domain.shape == (2, 2**20)
    assert domain.cells == 2**21
    assert domain.continuous == ("t",)
    assert domain["t"] == Interval(0, 1)
    assert domain.loses_rows
    assert not Domain(x=Integer(0, 9, outside="clamp")).loses_rows
    assert Domain(x=Integer(0, 9, outside="clamp")).box([(0, 5)]).loses_rows


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Domain(), lambda: Domain({}), lambda: Domain(x=5), lambda: Domain(x=[0, 1]),
        lambda: Domain(x=None), lambda: Domain({"": Integer(0, 1)}), lambda: Domain({5: Integer(0,
        1)}),
        lambda: Domain([Integer(0, 1)]), lambda: Domain("x"), lambda: Domain(x=(0, 1, 2)),
        lambda: Domain(x=(1, 0)), lambda: Domain({"\ud800": Integer(0, 1)}),
        lambda: Domain(x="0:1"),
    ],
)  # fmt: skip
def test_what_is_no_domain(declare: Any) -> None:
    with pytest.raises(DomainError):
        declare()


@pytest.mark.parametrize(
    "data",
    [
        None, {}, "x", 5, [], [5], [{}], [{"name": 5}], [{"name": "x"}], [{"name": "x",
        "kind": "q"}],
        [{"name": "x", "kind": "integer", "lo": 0}],
        [{"name": "", "kind": "integer", "lo": 0, "hi": 1}],
        [{"name": "x", "kind": "integer", "lo": 0, "hi": 1}] * 2,
        [{"name": "x", "kind": "integer", "lo": 0, "hi": 1, "more": 2}],
    ],
)  # fmt: skip
def test_what_is_no_domain_in_json(data: Any) -> None:
    with pytest.raises(DomainError):
        Domain.from_json(data)


def test_a_missing_bound_names_the_column() -> None:
    with pytest.raises(DomainError, match="income:"):
        Domain(income=None)


def test_a_million_million_cells_are_refused_at_once() -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    started = time.perf_counter()
    with pytest.raises(DomainError, match="1,099,511,627,776"):
        Grid.of_cells(domain)
    assert time.perf_counter() - started < 0.1
