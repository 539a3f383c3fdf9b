"""A good number of rows per person: what is chosen, what it spends, and what it never spends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetExceeded,
    EpsilonError,
    RequestConflict,
    SourceError,
)
from hushgram.spending.max_rows import CHOICES, ROWS_AXIS, best_choice
from tests.spending.test_publish import spent


def owning(*owned: int) -> pa.Table:
    """A table of people who own so many rows, which lie evenly on 0 to 9."""
    names = np.repeat(np.arange(len(owned)), owned)
    return pa.table({"who": names, "x": np.arange(len(names)) % 10})


VISITS = owning(*[1] * 500, *[4] * 2000, *[40] * 20)


@pytest.fixture(autouse=True)
def _no_accidents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in some hundred searches noise is taken for people; not in tests."""
    monkeypatch.setattr("hushgram.spending.max_rows.CHANCE", 1e-9)


def find(source: Any = VISITS, column: str = "who", **more: Any) -> int:
    given = {
        "epsilon": 1, "release_epsilon": 1, "account": "visits", "ledger": hg.Ledger.in_memory(),
        **more,
    }  # fmt: skip
    return hg.find_max_rows(source, column, **given)


def test_choices_rise_by_at_most_a_half() -> None:
    steps = np.array(CHOICES[3:]) / np.array(CHOICES[2:-1])
    assert CHOICES[:7] == (1, 2, 3, 4, 6, 8, 12)
    assert steps.max() <= 1.5
    assert CHOICES[-1] <= 10**9
    assert all(ROWS_AXIS.index(choice) == place for place, choice in enumerate(CHOICES))
    assert all(
        ROWS_AXIS.index(choice + 1) == place + 1 for place, choice in enumerate(CHOICES[:-1])
    )
    assert ROWS_AXIS.index(10**12) == len(CHOICES) - 1


def test_the_choice_has_the_smallest_error() -> None:
    """The formula of the documentation, by brute force over all bounds of a small table."""
    rng = np.random.default_rng(0)
    for row in (Fraction(1, 2), Fraction(3), Fraction(40)):
        owned = rng.choice(CHOICES[:4], 3000)  # bins of one number each: nothing is rounded
        people = np.bincount([ROWS_AXIS.index(k) for k in owned], minlength=len(CHOICES)).astype(
            float
        )

        def error(bound: int, owned: Any = owned, row: Fraction = row) -> float:
            scale = float(row) * bound
            kept = np.minimum(owned, bound).sum()
            cells = min(max(kept / (10 * scale), 1), 64)
            return float((owned - np.minimum(owned, bound)).sum() / 3
                         + scale * np.sqrt(2 * cells / 3))  # fmt: skip

        assert best_choice(people, row, 64, "ranges") == min((1, 2, 3, 4), key=error)


def test_more_noise_wants_fewer_rows() -> None:
    people = np.zeros(len(CHOICES))
    people[:20] = 10_000 / np.arange(1, 21) ** 2
    for workload in ("ranges", "cells"):
        found = [best_choice(people, Fraction(k), 1000, workload) for k in (1, 10, 100, 1000)]
        assert found == sorted(found, reverse=True)
        assert found[0] > found[-1]
    assert best_choice(people * 0, Fraction(1), None, "ranges") == 1


def test_a_few_people_with_many_rows_are_not_worth_the_noise() -> None:
    assert find() in (4, 6)
    assert find(neighbours="replace-one") in (4, 6)
    assert find(owning(*[1] * 3000)) == 1
    many = owning(*[40] * 3000)
    assert find(many) in (32, 48)
    assert find(many, release_epsilon="0.0001") == 1


def test_only_rows_that_will_count_are_counted() -> None:
    domain = {"x": hg.Integer(0, 1)}
    assert find(owning(*[20] * 2000)) in (16, 24)
    assert find(owning(*[20] * 2000), domain=domain) == 4
    assert find(owning(*[20] * 2000), domain=domain, workload="cells") == 4


def test_nobody_is_there() -> None:
    assert find(VISITS.slice(0, 0)) == 1
    assert find(owning(10**6)) == 1  # one person, whom nobody may see


def test_one_account_pays_for_the_search_and_for_every_bound() -> None:
    ledger = hg.Ledger.open()
    ledger.open_account("visits", 3, unit="user:who", neighbours="add-remove")
    bound = find(ledger=ledger, epsilon="0.5", request="monday")
    assert find(ledger=ledger, epsilon="0.5", request="monday") == bound
    with pytest.raises(RequestConflict, match="different request"):
        find(ledger=ledger, epsilon="0.5", request="monday", release_epsilon=2)
    domain = hg.Domain(x=hg.Integer(0, 9))
    for rows in (bound, 2 * bound):
        unit = hg.User("who", max_rows=rows)
        hg.publish(VISITS, domain, epsilon=1, account="visits", unit=unit, ledger=ledger)
    assert spent() == {"visits": Fraction(5, 2)}
    with pytest.raises(BudgetExceeded):
        find(ledger=ledger)
    with pytest.raises(AccountMismatch):
        hg.publish(VISITS, domain, epsilon="0.5", account="visits", ledger=ledger)
    assert ledger.verify() == 7


@pytest.mark.parametrize(
    ("spoilt", "error", "words"),
    [
        ({"column": "name"}, SourceError, "no column 'name'"),
        ({"column": ""}, BadInput, "user column"),
        ({"source": hg.Counts([1, 2])}, SourceError, "Counts have no users"),
        ({"domain": {"y": (0, 1)}}, SourceError, "no column 'y'"),
        ({"workload": "maps"}, BadInput, "workload='maps'. Use"),
        ({"workload": "cells"}, BadInput, "needs a domain"),
        ({"release_epsilon": 0}, EpsilonError, "positive"),
        ({"epsilon": -1}, EpsilonError, "positive"),
        ({"epsilon": 11}, EpsilonError, "allow_large"),
        ({"account": None}, BadInput, "account is missing"),
        ({"neighbours": "all"}, BadInput, "neighbours"),
        ({"noise": "gaussian"}, BadInput, "Unknown noise='gaussian'"),
    ],
)
def test_bad_input_costs_nothing(spoilt: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        find(**{"ledger": hg.Ledger.open(), **spoilt})
    assert spent() == {}
