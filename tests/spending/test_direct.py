"""Questions that are paid for one by one: their values, intervals, and what they spend."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.cli.direct import answer_json
from hushgram.errors import (
    BadInput,
    BudgetExceeded,
    DomainError,
    EpsilonError,
    QuestionError,
    SourceError,
)
from hushgram.geometry.partition import Grid
from hushgram.queries import Measurement, NoisyTotal, SortedSums, Total
from hushgram.spending.clamped import Outer, move_outwards
from hushgram.spending.direct_sum import add_rows
from hushgram.spending.noisy_amount import Beyond, NoisyAmount
from hushgram.spending.noisy_number import NoiseTerm, NoisyNumber
from tests.spending.test_publish import spent

PEOPLE = pd.DataFrame(
    {
        "age": np.tile(np.arange(20, 60), 50),
        "height": np.tile(np.linspace(1.5, 1.9, 40), 50),
        "born": np.tile(pd.date_range("2000-01-01", periods=40), 50),
        "sex": ["F", "M"] * 1000,
        "member": [True, False, False, True] * 500,
        "who": np.arange(2000) % 500,
    }
)
TYPED = pa.table(PEOPLE)
"""The same with declared types."""
AGE = {"age": hg.Integer(0, 120)}


def ask(aggregate: str = "count", axis: Any = None, source: Any = PEOPLE, **more: Any) -> Any:
    return hg.ask(source, aggregate, axis, **{"epsilon": 1, "account": "people", **more})


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("age >= 30", 1500),
        ("born >= '2000-01-11'", 1500),
        ("sex = 'F'", 1000),
        ("member = true", 1000),
        ("height > 1.7 AND sex = 'M'", 500),
        ("age IS NULL", 0),
    ],
)
def test_a_count_is_of_the_rows_that_a_condition_chooses(condition: str, true: int) -> None:
    found = ask(where=condition)
    assert isinstance(found.value, int)
    assert abs(found.value - true) < 30
    assert found.interval == (found.value - 3, found.value + 3)
    assert spent() == {"people": 1}


def test_every_row_of_a_condition_counts_whatever_it_holds() -> None:
    odd = pd.DataFrame({"x": [1.0, None, np.inf, -5e300] * 100, "t": ["", None, "a", "1"] * 100})
    for column in odd:
        found = ask(source=odd, where=f"{column} IS NULL OR NOT {column} IS NULL", cap=2)
        assert abs(found.value - 400) < 30


def test_a_count_of_axes_is_of_the_rows_that_fit() -> None:
    found = ask(axis={"age": hg.Integer(0, 39), "sex": hg.Category(["F"])}, where="member = true")
    fit = (PEOPLE.age < 40) & (PEOPLE.sex == "F") & PEOPLE.member
    assert abs(found.value - fit.sum()) < 30


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    """0.95 of 40, less four standard deviations."""
    ledger = hg.Ledger.in_memory()
    pays = {"ledger": ledger, "cap": 10**4, "allow_large": True}
    truth = {"count": 1000, "sum": PEOPLE.age[PEOPLE.sex == "F"].sum()}
    for aggregate, axis in (("count", None), ("sum", AGE)):
        many = [ask(aggregate, axis, where="sex = 'F'", **pays) for _ in range(40)]
        held = [one.interval[0] <= truth[aggregate] <= one.interval[1] for one in many]
        assert sum(held) > 40 * 0.95 - 6
        assert len({one.value for one in many}) > 3


def test_a_wider_interval_for_the_same_answer() -> None:
    first = ask(where="sex = 'F'", request="june")
    again = ask(where="sex = 'F'", request="june", confidence=0.999)
    assert first.value == again.value
    assert again.interval[0] < first.interval[0]
    assert spent() == {"people": 1}


@pytest.mark.parametrize(
    ("axis", "true"),
    [
        (AGE, PEOPLE.age.sum()),
        ({"age": hg.Integer(-200, 0, outside="clamp")}, 0),
        ({"age": hg.Integer(50, 50)}, 50 * 50),
        ({"height": hg.Interval(0, 3)}, PEOPLE.height.sum()),
        ({"height": hg.Regular(30, 0, 3)}, PEOPLE.height.sum()),
    ],
    ids=str,
)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_sum_is_near_the_true_one(axis: Any, true: float, neighbours: Any) -> None:
    found = ask("sum", axis, epsilon=5, neighbours=neighbours, confidence=0.9999)
    assert found.interval[0] <= true <= found.interval[1]


class ExactVault:
    """Answers without noise."""

    def __init__(self, domain: hg.Domain, indices: list[int]) -> None:
        self.domain, self.remaining, self.indices = domain, Fraction(1), np.array(indices, int)

    def ask(self, query: Any) -> Any:
        self.remaining -= query.epsilon
        if isinstance(query, Total):
            return NoisyTotal(len(self.indices), 0.0, Fraction(0))
        assert isinstance(query, SortedSums)
        places, rows = np.unique(self.indices, return_counts=True)
        return Measurement(query.groups, query.groups.sums(places, rows), 0.0, Fraction(0))


@given(
    lo=st.integers(-(10**6), 10**6),
    width=st.integers(0, 2**20),
    shares=st.lists(st.floats(0, 1), max_size=20),
)
def test_without_noise_a_sum_is_exact(lo: int, width: int, shares: list[float]) -> None:
    indices = [round(share * width) for share in shares]
    vault = ExactVault(hg.Domain(x=hg.Integer(lo, lo + width)), indices)
    assert add_rows(vault).sum(0.95)[0] == sum(lo + index for index in indices)  # type: ignore[arg-type]
    assert vault.remaining == 0


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize(
    ("asked", "axis"),
    [
        ("mean", AGE),
        ("mean", {"age": hg.Integer(0, 45, outside="clamp")}),
        ("mean", {"height": hg.Interval(0, 3)}),
        (hg.Mean("height", 0, 3, step="0.01"), None),
        (hg.Mean("height", 1.6, 1.7, outside="drop"), None),
    ],
    ids=str,
)
def test_a_mean_is_near_the_true_one(asked: Any, axis: Any, neighbours: Any) -> None:
    found = ask(asked, axis, where="sex = 'F'", epsilon=5, neighbours=neighbours, confidence=0.9999)
    women = PEOPLE[PEOPLE.sex == "F"]
    (column,) = axis or [asked.column]
    values = women[column].clip(0, 45 if "45" in str(axis) else 120)
    if getattr(asked, "outside", "") == "drop":
        values = values[values.between(1.6, 1.7)]
    assert found.interval[0] <= values.mean() <= found.interval[1]
    assert found.interval[1] - found.interval[0] < 3


def test_a_sum_around_0_has_the_noise_of_one_row() -> None:
    """Nothing is paid for the number of rows, where nobody needs it."""
    found = ask("sum", AGE, source=TYPED, confidence=0.95)
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(120 * np.log(20), rel=0.02)
    person = hg.User("who", max_rows=4)
    bounded = hg.Sum("age", 0, 120, per_person=150, step=1)
    found = ask(bounded, source=TYPED, unit=person, account="other")
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(150 * np.log(20), rel=0.02)


def test_whole_numbers_without_a_declared_type_are_hardly_rounded() -> None:
    """The type of a pandas column follows from its rows, so an axis alone decides the step."""
    found = ask("sum", AGE, confidence=0.95)
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(120 * np.log(20), rel=0.05)


def test_too_few_rows_to_say() -> None:
    found = ask("mean", AGE, source=TYPED, where="age > 300", epsilon="0.01")
    assert np.isnan(found.value)
    assert found.interval == (0, 120)
    assert str(found) == "too few rows to say: between 0 and 120"


@pytest.mark.parametrize("asked", ["sum", "mean"])
def test_bounds_that_nobody_knows_are_found(asked: str) -> None:
    rng = np.random.default_rng(4)
    pay = pd.DataFrame({"pay": rng.lognormal(10, 0.7, 4000)})
    found = ask(asked, "pay", source=pay, epsilon=4)
    truth = getattr(pay.pay, asked)()
    assert found.interval[0] <= truth <= found.interval[1]
    assert found.bounds is not None
    assert 0 <= found.bounds[0] < found.bounds[1]
    assert 0 < found.beyond < 200
    assert "; allows for up to" in str(found)
    assert spent() == {"people": 4}


def test_rows_without_a_number_are_not_beyond_bounds_that_are_found() -> None:
    values = np.random.default_rng(4).normal(50, 10, 4000)
    values[::2] = np.nan
    found = ask("mean", "v", source=pd.DataFrame({"v": values}), epsilon=4)
    assert found.interval[0] <= np.nanmean(values) <= found.interval[1]
    assert found.interval[1] - found.interval[0] < 2
    assert found.beyond < 100


@pytest.mark.parametrize("asked", ["sum", "mean"])
def test_bounds_are_moved_out_to_where_rows_are(asked: str) -> None:
    """A tenth of the values are far from the others, and spread over many powers of two."""
    rng = np.random.default_rng(4)
    values = np.where(rng.random(5000) < 0.1, rng.lognormal(8, 1, 5000), 0)
    pay = pd.DataFrame({"pay": values})
    found = ask(asked, "pay", source=pay, epsilon=1)
    truth = getattr(pay.pay, asked)()
    assert found.bounds[1] > 1000
    assert found.interval[0] <= truth <= found.interval[1]


def test_bins_beyond_bounds_with_rows_move_them() -> None:
    domain = hg.Domain(x=hg.Variable([-100, -5, 0, 1, 5, 100]))
    cells = Grid.of_cells(domain)

    def moved(*counts: int) -> Outer | None:
        return move_outwards(Measurement(cells, np.array(counts), 2.0, Fraction(1)), 2)

    assert moved(1, -2, 0, 3, 4) == Outer(0, 1, Beyond(-1, 7, 2.0, 2.0, (2, 2)))
    assert moved(1, -2, 0, 90, 4) == Outer(0, 5, Beyond(-1, 4, 2.0, 10.0, (2, 1)))
    assert moved(1, 50, 0, 90, 4) == Outer(-5, 5, Beyond(1, 4, 2.0, 20.0, (1, 1)))
    assert moved(1, -2, 0, 3, 40) is None
    assert moved(40, -2, 0, 3, 4) is None


def test_zeros_alone_say_nothing_of_bounds() -> None:
    """All bounds would be next to 0, and a few rows beyond them would be anything."""
    values = np.zeros(4000)
    values[:30] = 5000
    with pytest.raises(hg.NothingFound, match="too few values other than 0"):
        ask("mean", "v", source=pd.DataFrame({"v": values}), epsilon=1)


def test_nothing_is_known_of_a_mean_of_too_few_rows_with_bounds_that_were_found() -> None:
    number = NoisyAmount(5, 2.5, 1, 9.0, 1.0, 0.25, 0.0, 3.0, 0.1, Beyond(1, 2, 3.0, 4.0))
    value, interval = number.mean(0.95)
    assert np.isnan(value)
    assert interval == (-np.inf, np.inf)
    answer = hg.DirectAnswer("mean", value, interval, 0.95, (0.0, 3.0), 3)
    assert str(answer) == "too few rows to say"
    assert answer_json(answer)["value"] is None
    assert answer_json(answer)["interval"] == [None, None]


def test_no_bounds_are_found_of_few_rows() -> None:
    with pytest.raises(hg.NothingFound, match="too few rows"):
        ask("mean", "age", epsilon="0.001")


def test_amounts_are_kept_as_json() -> None:
    number = NoisyAmount(5, 2.5, 7, 0.5, 1.0, 0.25, 0.0, 3.0, 0.1, Beyond(1, 2, 3.0, 4.0))
    kept = json.loads(json.dumps(number.to_json()))
    assert NoisyAmount.from_json(kept) == number
    del kept["beyond"]["bins"]  # as it was kept before rows were counted at several distances
    assert NoisyAmount.from_json(kept) == number


def test_numbers_are_kept_as_json() -> None:
    number = NoisyNumber(5, (NoiseTerm(120, 2.5), NoiseTerm(1, 0.0)), 0.25)
    assert NoisyNumber.from_json(json.loads(json.dumps(number.to_json()))) == number
    assert NoisyNumber(7, ()).interval(0.95) == (7, 7)


def test_a_median_has_no_interval() -> None:
    found = ask("median", {"born": hg.Date("2000-01-01", "2000-12-31")}, where="sex = 'F'")
    assert isinstance(found.value, dt.date)
    assert found.interval is None
    assert str(found) == str(found.value)


def test_it_prints_itself() -> None:
    assert str(hg.DirectAnswer("count", 1234, (1231, 1237), 0.95)) == "1,234 ± 3 (95 %)"
    assert str(hg.DirectAnswer("sum", 1.5, (1.25, 1.75), 0.9)) == "1.5 ± 0.25 (90 %)"


def test_it_is_paid_for_and_kept() -> None:
    ledger = hg.Ledger.open()
    found = ask(where="age >= 30", unit=hg.User("who", max_rows=4), neighbours="replace-one")
    assert spent() == {"people": 1}
    assert [entry.kind for entry in ledger.entries("people")] == ["open", "charge", "commit"]
    receipt = ledger.entries("people")[1].field("receipt")
    kept = json.loads(ledger._store.spool.read(receipt))  # type: ignore[attr-defined]
    assert (kept["answer"], kept["where"]) == ("count", "age >= 30")
    assert kept["found"]["value"] == found.value
    with pytest.raises(BudgetExceeded):
        ask(where="age >= 30", unit=hg.User("who", max_rows=4), neighbours="replace-one")


def test_people_with_many_rows_have_more_noise() -> None:
    found = ask(where="age >= 0", unit=hg.User("who", max_rows=4))
    assert found.interval[1] - found.interval[0] == pytest.approx(2 * 4 * np.log(20), abs=2)


def test_counts_bring_their_axes() -> None:
    with pytest.warns(hg.Unaccounted):
        assert abs(hg.ask(hg.Counts([1, 2, 300]), epsilon=1).value - 303) < 30
    with pytest.warns(hg.Unaccounted):
        assert abs(hg.ask(hg.Counts([1, 2, 300]), "sum", epsilon=1).value - 602) < 200


@pytest.mark.parametrize(
    ("spoilt", "error", "text"),
    [
        ({"aggregate": "mode"}, BadInput, "Unknown aggregate 'mode'. Use one of count, sum"),
        ({"aggregate": None}, BadInput, "Unknown aggregate"),
        ({"where": None}, DomainError, "Say which rows to count"),
        ({"where": "age >="}, BadInput, "Cannot read"),
        ({"where": "weight > 3"}, SourceError, "weight"),
        ({"aggregate": "sum"}, DomainError, "A sum needs a column and its public bounds"),
        ({"aggregate": "sum", "axis": {"sex": hg.Category(["F"])}}, DomainError, "A sum or mean"),
        ({"aggregate": "sum", "axis": {**AGE, "who": (0, 9)}}, DomainError, "A sum or mean"),
        ({"aggregate": "sum", "axis": {"age": hg.Integer(0, 9, outside="other")}}, DomainError,
         "counts every row"),
        ({"aggregate": "mean", "axis": {"sex": hg.Category(["F"])}}, DomainError, "A sum or mean"),
        ({"aggregate": "count", "axis": "age"}, BadInput, "A count needs the bounds"),
        ({"aggregate": hg.Mean("age", 0, 9), "axis": AGE}, BadInput, "Leave the axis out"),
        ({"aggregate": "mean", "axis": "age", "source": hg.Counts([1, 2]), "where": None},
         SourceError, "already have axes"),
        ({"aggregate": "median", "axis": {"sex": hg.Category(["F"])}}, DomainError, "an order"),
        ({"confidence": 1}, QuestionError, "between 0 and 1"),
        ({"account": None}, BadInput, "account is missing"),
        ({"epsilon": 0}, EpsilonError, "positive"),
        ({"epsilon": 11}, EpsilonError, "allow_large"),
        ({"unit": "people"}, BadInput, "unit"),
        ({"neighbours": "all"}, BadInput, "neighbours"),
        ({"source": hg.Counts([1, 2]), "account": "a"}, BadInput, "no rows to filter"),
    ],
)  # fmt: skip
def test_bad_input_costs_nothing(spoilt: dict[str, Any], error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        ask(**{"where": "age >= 30", **spoilt})
    assert spent() == {}
