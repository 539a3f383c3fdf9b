"""The median as people buy it: its value, what it spends, and what it never spends."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.errors import BadInput, BudgetExceeded, DomainError, EpsilonError, SourceError
from hushgram.spending.median import value_at
from tests.spending.test_publish import spent

PEOPLE = pd.DataFrame(
    {
        "age": np.tile(np.arange(20, 60), 50),
        "height": np.tile(np.linspace(1.5, 1.9, 40), 50),
        "born": np.tile(pd.date_range("2000-01-01", periods=40), 50),
        "who": np.arange(2000) % 500,
    }
)
AGE = {"age": hg.Integer(0, 120)}


def median(source: Any = PEOPLE, axis: Any = AGE, **more: Any) -> Any:
    return hg.smooth_median(source, axis, **{"epsilon": 1, "account": "people", **more})


def test_dense_ages_have_a_median_near_the_true_one() -> None:
    found = hg.smooth_median(PEOPLE, AGE, epsilon=10, account="people")
    assert 0 <= found <= 120
    hg.Ledger.open().set_cap("people", 10**6, allow_large=True)
    many = [median(epsilon=10) for _ in range(30)]
    assert abs(float(np.median(many)) - 39.5) < 2
    assert all(value * 2 == int(value * 2) for value in many)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_whole_numbers_have_their_median_exactly(epsilon: str) -> None:
    ages = np.tile(np.arange(20, 61), 900)
    ledger = hg.Ledger.in_memory(allow_large=True)
    ledger.open_account("people", 10**6, allow_large=True)
    table = pd.DataFrame({"age": ages})
    for kind, near in ((hg.Integer(0, 120), 0), (hg.Interval(0, 121), 0.001)):
        many = [median(table, {"age": kind}, epsilon=epsilon, ledger=ledger) for _ in range(5)]
        assert max(abs(value - 40) for value in many) <= near


def test_every_ordered_axis_gives_its_own_kind_of_value() -> None:
    height = median(axis={"height": (1.0, 2.5)}, account="a")
    assert isinstance(height, float)
    assert 1.0 < height < 2.5
    day = median(axis={"born": hg.Date("2000-01-01", "2000-12-31")}, account="b")
    assert type(day) is dt.date
    hour = median(axis={"born": hg.Date("2000-01-01", "2000-12-31", "6h")}, account="c")
    assert isinstance(hour, dt.datetime)
    assert median(axis=hg.Domain(age=hg.Regular(12, 0, 120)), account="d") % 5 == 0
    assert 0 < median(axis={"age": hg.Variable([0, 18, 65, 120])}, account="e") < 120


@pytest.mark.parametrize(
    "axis",
    [
        AGE,
        {"height": (1.0, 2.5)},
        {"born": hg.Date("2000-01-01", "2000-12-31")},
        {"born": hg.Date("2000-01-01", "2000-12-31", "6h")},
    ],
    ids=["age", "height", "day", "hour"],
)
def test_a_request_that_is_made_again_is_free(axis: Any) -> None:
    first, again = (median(axis=axis, request="june") for _ in range(2))
    assert (first, type(first)) == (again, type(again))
    assert spent() == {"people": 1}


def test_where_places_lie() -> None:
    half = Fraction(5, 2)
    assert value_at(hg.Integer(-3, 3), Fraction(2)) == -1
    assert value_at(hg.Integer(-3, 3), half) == -0.5
    assert value_at(hg.Regular(10, 0, 1), half) == pytest.approx(0.3)
    assert value_at(hg.Variable([0, 1, 3, 7]), Fraction(3, 2)) == 3.5
    assert value_at(hg.Variable([1e308, 1.5e308, 1.7e308]), Fraction(0)) == 1.25e308
    months = hg.Date("2024-01-01", "2024-12-31", "1mo")
    assert value_at(months, half) == dt.date(2024, 3, 1)


def test_it_is_paid_for_and_kept() -> None:
    ledger = hg.Ledger.open()
    value = median(ledger=ledger, unit=hg.User("who", max_rows=4), neighbours="replace-one")
    assert spent() == {"people": 1}
    assert [entry.kind for entry in ledger.entries("people")] == ["open", "charge", "commit"]
    assert ledger.verify() == 3
    receipt = ledger.entries("people")[1].field("receipt")
    kept = json.loads(ledger._store.spool.read(receipt))  # type: ignore[attr-defined]
    assert kept["value"] == value
    assert kept["receipt"]["id"] == receipt
    assert kept["unit"] == {"user": "who", "max_rows": 4}
    with pytest.raises(BudgetExceeded):
        median(unit=hg.User("who", max_rows=4), neighbours="replace-one")


def test_counts_need_no_account() -> None:
    assert 0 <= hg.smooth_median(hg.Counts([0, 5, 900, 5, 0]), epsilon=1) <= 4
    assert spent() == {}


@pytest.mark.parametrize(
    ("spoilt", "error", "words"),
    [
        ({"axis": {**AGE, "height": (1, 2)}}, DomainError, "A median needs exactly one axis"),
        ({"axis": {"who": hg.Category([1, 2])}}, DomainError, "with an order"),
        (
            {"axis": {"age": hg.Integer(0, 9, outside="other")}},
            DomainError,
            "that counts every row",
        ),
        ({"axis": {}}, DomainError, "at least one axis"),
        ({"axis": None}, DomainError, "The domain is missing"),
        ({"axis": {"weight": (0, 1)}}, SourceError, "weight"),
        ({"account": None}, BadInput, "account is missing"),
        ({"epsilon": 0}, EpsilonError, "positive"),
        ({"epsilon": 11}, EpsilonError, "allow_large"),
        ({"unit": "people"}, BadInput, "unit"),
        ({"neighbours": "all"}, BadInput, "neighbours"),
        ({"noise": "gaussian"}, BadInput, "Unknown noise='gaussian'"),
        ({"source": "nowhere.csv"}, SourceError, "nowhere.csv"),
    ],
)
def test_bad_input_costs_nothing(spoilt: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        median(**spoilt)
    assert spent() == {}
