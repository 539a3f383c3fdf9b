"""The truths of the questions are those of the rows, and a broken interval is seen."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.answers.counting.intervals import half_width
from hushgram.declare.axis import OTHER, Axis, Category, Date, Integer, Interval, Regular
from hushgram.lab.coverage.judge import Judge
from hushgram.lab.coverage.numbers import to_number
from hushgram.lab.coverage.questions import SHARES
from hushgram.lab.coverage.run import ask_releases, mean_of, single_thread
from hushgram.lab.coverage.tables import JudgedTable, TableRecipe
from hushgram.mechanisms.registry import parse_mechanism


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with single_thread():
        yield


def make_table(axes: dict[str, Axis], rows: Any) -> JudgedTable:
    return TableRecipe("tiny", "choosing", axes, lambda: np.array(rows, dtype=np.float64)).make()


def mixed_table() -> JudgedTable:
    rng = np.random.default_rng(3)
    axes: dict[str, Axis] = {
        "pay": Regular(10, 0, 100),
        "degree": Integer(0, 7, outside="other"),
        "sex": Category(["F", "M"], outside="other"),
    }
    pay, degree = 10.0 * rng.integers(0, 9, 400), rng.integers(0, 11, 400)
    return make_table(axes, np.stack([pay, degree, rng.integers(0, 3, 400)], axis=1))


def lies_in(table: JudgedTable, row: Any, asked: dict[str, Any]) -> bool:
    """As a person would decide it, value by value."""
    for name, wanted in asked.items():
        axis, value = table.domain[name], row[table.domain.names.index(name)]
        if isinstance(axis, Category):
            label = axis.values[int(value)] if value < axis.bins else OTHER
            good = label == wanted
        elif wanted == OTHER:
            good = bool(np.isnan(value))
        else:
            low, high = (to_number(axis, end) for end in wanted)
            good = low <= value < high
        if not good:
            return False
    return True


def test_true_counts_and_sums_are_those_of_the_rows() -> None:
    table = mixed_table()
    judge = Judge(table, 8)
    kinds = [str(questions.kind) for questions in judge.boxes]
    assert len(kinds) == len(set(kinds)) == 2 * (4 + 5)
    assert {"count small off, at rows", "count one axis on, anywhere", "count cell, at rows"} <= {
        *kinds
    }
    asked_other = 0
    for questions in judge.boxes:
        for box in questions.boxes:
            inside = [row for row in table.rows if lies_in(table, row, box.asked)]
            assert box.rows == len(inside)
            assert box.sums["pay"] == pytest.approx(sum(row[0] for row in inside))
            asked_other += OTHER in box.asked.values()
    assert asked_other


def test_true_quantiles_ranks_and_groups_are_those_of_the_rows() -> None:
    table = mixed_table()
    judge = Judge(table, 1)
    for question in judge.quantiles:
        place = table.domain.names.index(question.axis)
        where = question.where or {}
        known = [r[place] for r in table.rows if lies_in(table, r, where) and r[place] == r[place]]
        for share, truth in zip(question.shares, question.truth, strict=True):
            reached = [sum(v <= truth for v in known), sum(v < truth for v in known)]
            assert reached[1] < share * len(known) + 1e-9
            assert reached[0] >= share * len(known) - 1e-9
    for rank in judge.ranks:
        column = table.rows[:, table.domain.names.index(rank.axis)]
        included = isinstance(table.domain[rank.axis], Integer)
        below = [value <= rank.value if included else value < rank.value for value in column]
        assert rank.rows == sum(below)
    assert [question.axes for question in judge.groups] == [
        ("pay",), ("degree",), ("sex",), ("pay", "degree")
    ]  # fmt: skip
    assert all(question.counts.sum() == len(table.rows) for question in judge.groups)
    assert judge.groups[2].counts[2] == (table.rows[:, 2] == 2).sum()


def test_rows_that_do_not_fit_follow_the_policy() -> None:
    rows = [[-5.0], [0.25], [7.0]]
    dropped = make_table({"x": Interval(0, 1)}, rows)
    clamped = make_table({"x": Interval(0, 1, outside="clamp")}, rows)
    other = make_table({"x": Regular(4, 0, 1, outside="other")}, rows)
    assert dropped.rows.tolist() == [[0.25]]
    assert clamped.indexed.rows[:, 0].tolist() == [0, 2**18, 2**20 - 1]
    assert other.indexed.rows[:, 0].tolist() == [4, 1, 4]


def test_days() -> None:
    axis = Date("2024-01-01", "2024-12-29", "1w")
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=5 * n % 364) for n in range(300)]
    table = make_table({"day": axis}, [[to_number(axis, day)] for day in days])
    assert table.indexed.rows[:, 0].tolist() == [axis.index(day) for day in days]
    judge = Judge(table, 5)
    release = judge.publish(parse_mechanism("identity"), Fraction(1000))
    for verdicts in judge.ask(release):
        assert verdicts.holds.all(), verdicts.question
        if " on" in verdicts.question or verdicts.question == "group":
            assert verdicts.error.max() < 1


@pytest.mark.parametrize("name", ["identity", "privtree-hb", "dpcube"])
def test_every_kind_is_asked_of_every_kind_of_release(name: str) -> None:
    judge = Judge(mixed_table(), 4)
    found = ask_releases([judge], parse_mechanism(name), "1", 1)
    kinds = {kind.partition(",")[0].split(" ")[0] for kind in found}
    assert kinds == {"count", "quantile", "rank", "cdf", "group", "share", "sum", "average"}
    counts = found["count medium off, at rows"][0]
    assert (counts.hard >= counts.half_width - 1e-6).all()
    assert (counts.half_width >= counts.noise - 1e-6).all()
    quantiles = found["quantile"][0]
    assert len(quantiles.holds) + quantiles.refused == len(SHARES)
    assert np.isnan(quantiles.noise).all()


def test_an_empty_table_has_no_rows_to_look_at() -> None:
    judge = Judge(make_table({"x": Interval(0, 1)}, np.empty((0, 1))), 5)
    assert {questions.kind.at_rows for questions in judge.boxes} == {False}
    found = ask_releases([judge], parse_mechanism("privtree-hb"), "1", 2)
    assert {kind.partition(" ")[0] for kind in found} == {"count", "sum"}


def test_a_broken_interval_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    judge = Judge(make_table({"x": Regular(32, 0, 1)}, rng.random((500, 1))), 40)

    def held() -> float:
        """Of single cells, which are independent."""
        releases = [judge.publish(parse_mechanism("identity"), Fraction("0.1")) for _ in range(5)]
        found = [one for release in releases for one in judge.ask_counts(release)]
        return mean_of([one.holds for one in found if one.question == "count cell, anywhere"])

    assert held() > 0.85
    narrow = "hushgram.answers.unevenness.widths.half_width"
    monkeypatch.setattr(narrow, lambda *given: 0.1 * half_width(*given))
    assert held() < 0.4
