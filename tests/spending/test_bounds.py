"""Bounds as people buy them: where they lie, what they spend, and what they never spend."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import axis_from_json
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import (
    BadInput,
    BudgetExceeded,
    EpsilonError,
    NothingFound,
    RequestConflict,
    SourceError,
)
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, Transcript, loss
from hushgram.spending.answer import AnswerTask
from hushgram.spending.bounds import LADDERS, search, towards_zero, widths
from hushgram.spending.charge import Spending
from hushgram.spending.task import charge_and_run
from hushgram.trusted.engine.sources.counted import CountedTable
from hushgram.trusted.noise import Native
from tests.spending.test_publish import spent

N = 20_000
RNG = np.random.default_rng(4)
FILMS = pd.DataFrame(
    {
        "year": RNG.integers(1990, 2021, N),
        "income": RNG.lognormal(10.5, 0.8, N),
        "lon": RNG.normal(-73.97, 0.05, N),
        "share": RNG.beta(2, 50, N),
        "change": RNG.normal(0, 1, N),
        "day": (np.datetime64("2019-03-01") + RNG.integers(0, 700, N)).astype("datetime64[s]"),
        "who": np.arange(N) % 10_000,
        "zero": np.zeros(N),
    }
)


@pytest.fixture(autouse=True)
def _no_accidents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in some hundred searches bounds reach out to where nothing is; not in tests."""
    monkeypatch.setattr("hushgram.spending.bounds.CHANCE", 1e-9)


def find(source: Any = FILMS, column: str = "year", **more: Any) -> Any:
    given = {"epsilon": 1, "account": "films", "ledger": hg.Ledger.in_memory(), **more}
    return hg.find_bounds(source, column, **given)


@pytest.mark.parametrize("column", ["year", "income", "lon", "share", "change"])
def test_bounds_hold_nearly_all_rows_and_little_else(column: str) -> None:
    axis = find(column=column)
    assert type(axis) is hg.Interval
    values = FILMS[column]
    assert ((values < axis.lo) | (values > axis.hi)).mean() < 0.01
    middle = np.quantile(values, [0.005, 0.995])
    assert axis.hi - axis.lo < 6 * (middle[1] - middle[0])


def test_whole_numbers_and_days_have_their_own_axes() -> None:
    years = find(kind="integer")
    assert type(years) is hg.Integer
    assert 1984 <= years.lo <= 1990
    assert 2020 <= years.hi <= 2031
    days = find(column="day", kind="date")
    assert type(days) is hg.Date
    assert days.step == "1d"
    assert dt.datetime(2019, 1, 1) <= days.start <= dt.datetime(2019, 3, 15)
    assert dt.datetime(2021, 1, 1) <= days.stop <= dt.datetime(2021, 3, 1)
    for axis, column in ((years, "year"), (days, "day")):
        assert hg.publish(FILMS, {column: axis}, epsilon=1, account=column).domain[column] == axis


def test_few_numbers_have_narrow_bounds() -> None:
    assert find(column="zero", kind="integer") == hg.Integer(0, 0)
    constant = pa.table({"x": [-7] * 1000})
    assert find(constant, "x", kind="integer") == hg.Integer(-7, -7)
    axis = find(constant, "x")
    assert axis.lo <= -7 < axis.hi
    assert axis.hi - axis.lo < 0.5


def test_bounds_near_zero_begin_there() -> None:
    assert towards_zero(1, 3.9) == (1, 3.9)
    assert towards_zero(-3.9, -1) == (-3.9, -1)
    assert towards_zero(-100, -25) == (-100, 0)
    assert towards_zero(-1, 4) == (-1, 4)
    few = find(pa.table({"x": np.linspace(0, 100, 400)}), "x")
    assert 0 <= few.lo < 15
    assert 80 < few.hi <= 128


def test_a_smaller_coverage_leaves_the_far_values_out() -> None:
    rows = pa.table({"x": np.concatenate([np.linspace(0, 100, N), np.linspace(1e6, 2e6, 400)])})
    assert find(rows, "x").hi >= 1.9e6
    share = np.quantile(rows["x"], 0.9)  # about 92
    assert share <= find(rows, "x", coverage=0.9).hi <= 128


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_people_with_many_rows(neighbours: str) -> None:
    axis = find(unit=hg.User("who", max_rows=2), neighbours=neighbours)
    assert 1900 < axis.lo <= 1992
    assert 2018 <= axis.hi < 2100
    days = find(column="day", kind="date", unit=hg.User("who", max_rows=1), neighbours=neighbours)
    assert 2018 <= days.start.year <= days.stop.year <= 2021


def test_every_source_will_do(tmp_path: Path) -> None:
    FILMS.to_csv(tmp_path / "films.csv", index=False)
    pl.from_pandas(FILMS).write_parquet(tmp_path / "films.parquet")
    sources = (tmp_path / "films.csv", tmp_path / "films.parquet", pl.from_pandas(FILMS))
    for source in sources:
        assert 1900 < find(source).lo <= 1992
        assert 2018 <= find(source, "day", kind="date").start.year <= 2019


def test_it_is_paid_for_and_kept() -> None:
    ledger = hg.Ledger.open()
    axis = find(ledger=ledger, request="monday", coverage=0.9)
    assert spent() == {"films": 1}
    assert [entry.kind for entry in ledger.entries("films")] == ["open", "charge", "commit"]
    assert find(ledger=ledger, request="monday", coverage=0.9) == axis
    assert spent() == {"films": 1}
    for other in ({"coverage": 1}, {"kind": "integer"}, {"column": "lon"}):
        with pytest.raises(RequestConflict, match="different request"):
            find(**{"ledger": ledger, "request": "monday", "coverage": 0.9, **other})
    with pytest.raises(BudgetExceeded):
        find(ledger=ledger)
    assert ledger.verify() == 3


def test_too_few_rows_are_said_and_paid_for() -> None:
    ledger = hg.Ledger.open()
    for _ in range(2):
        with pytest.raises(
            NothingFound, match=r"too few rows for this epsilon.* The epsilon was spent"
        ):
            find(pa.table({"x": [5]}), "x", epsilon="0.1", ledger=ledger, request="r")
    assert spent() == {"films": Fraction(1, 10)}
    with pytest.raises(NothingFound):
        find(pa.table({"x": ["a", None, ""] * 1000}), "x")


def test_no_value_is_an_error() -> None:
    odd = [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, None]
    axis = find(pa.table({"x": pa.array([*odd * 50, *[3.0] * 2000], pa.float64())}), "x")
    assert axis.lo <= 3 <= axis.hi


@pytest.mark.parametrize(
    ("spoilt", "error", "words"),
    [
        ({"kind": "text"}, BadInput, "bounds 'text'. Use one of"),
        ({"coverage": 0.4}, BadInput, "from 0.5 to 1"),
        ({"coverage": True}, BadInput, "from 0.5 to 1"),
        ({"coverage": "all"}, BadInput, "from 0.5 to 1"),
        ({"coverage": float("nan")}, BadInput, "from 0.5 to 1"),
        ({"column": "weight"}, SourceError, "weight"),
        ({"column": "day"}, SourceError, "does not fit"),
        ({"source": hg.Counts([1, 2])}, SourceError, "have bounds,"),
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
        find(**{"ledger": hg.Ledger.open(), **spoilt})
    assert spent() == {}


@pytest.mark.parametrize("kind", sorted(LADDERS))
def test_widths_are_those_of_the_bins(kind: str) -> None:
    axis = LADDERS[kind].coarse
    found = widths(axis)
    assert len(found) == axis.bins
    assert (found > 0).all()


@pytest.mark.parametrize("kind", sorted(LADDERS))
def test_whatever_is_found_is_an_axis(kind: str) -> None:
    """Nothing may fail once it is paid for: from any bins to any others, coarse and fine."""
    ladder = LADDERS[kind]
    rng = np.random.default_rng(0)
    starts = range(ladder.coarse.bins)
    wide = zip(starts, rng.permutation(ladder.coarse.bins), strict=True)
    for first, other in [*((start, start) for start in starts), *map(sorted, wide)]:
        between = ladder.edges(ladder.coarse.edge(first), ladder.coarse.edge(other + 1))
        fine = ladder.fine(*between)
        assert fine.bins <= 129
        for start, stop in ((0, 1), (fine.bins - 1, fine.bins), (0, fine.bins)):
            axis = ladder.found(fine.edge(start), fine.edge(stop))
            assert axis_from_json(axis.to_json()) == axis


@pytest.mark.parametrize("kind", ["interval", "integer"])
def test_nothing_but_the_paid_answers_depends_on_the_table(kind: str) -> None:
    """The same answers give the same questions and the same bounds on a neighbouring table, whose
    counts are no further away than the noise was made for."""
    values = [1990 + n % 31 for n in range(4000)]

    def run(rows: list[int], recording: Transcript | None) -> tuple[Any, Transcript]:
        transcript = Transcript()

        def vault(axis: Any, part: Fraction) -> Any:
            domain = Domain(x=axis)
            terms = {"unit": Rows(), "neighbours": "add-remove", "noise": Native()}
            table = IndexedTable.of_values(domain, [[row] for row in rows])
            made: Any
            if recording is None:
                made = RecordingVault.over(table, domain, part, **terms)
            else:
                made = ReplayingVault.of(recording, table, domain, part, **terms)
            made.transcript = transcript
            return made

        return search(vault, Fraction(1), LADDERS[kind], 0.95), transcript

    axis, first = run(values, None)
    again, second = run([*values, 10**9], first)
    assert again == axis
    assert len(first.steps) == 2
    assert loss(first, second) <= 1
    last, third = run([*values, 2000], first)
    assert last == axis
    assert loss(first, third) == 1


def test_what_is_kept_can_be_read() -> None:
    ledger = hg.Ledger.in_memory()
    spending = Spending.of(
        epsilon="1/2", unit=hg.User("who", 3), neighbours="add-remove", account="films",
        ledger=ledger, noise="native", request="r", cap=None, allow_large=False,
    )  # fmt: skip
    looks: list[Fraction] = []

    def find(table: Any, budget: Any) -> list[int]:
        if table is counted:
            looks.append(budget.remaining)
        return [1, 2]

    counted = CountedTable(hg.Counts([1]))
    counted.check = lambda domain, unit: None  # type: ignore[method-assign] # it has no people
    ask = AnswerTask(counted, hg.Counts([1]).domain, spending, {"answer": "test"}, find)
    for _ in range(2):
        assert charge_and_run("t.csv", ask, spending) == [1, 2]
    assert looks == [Fraction(1, 2)]
    again = ledger.begin(
        "films", "0.5", unit="user:who", neighbours="add-remove", request_id="r",
        request={"source": "t.csv", "max_rows": 3, "answer": "test"},
    )  # fmt: skip
    kept = json.loads(again.release)  # type: ignore[union-attr]
    assert kept["found"] == [1, 2]
    assert kept["unit"] == {"user": "who", "max_rows": 3}
    assert kept["epsilon"] == "0.5"
