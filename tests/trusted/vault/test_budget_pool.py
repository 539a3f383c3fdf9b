"""A pool gives out what was charged, once; vaults per key cost what one of them may spend."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import BadInput, BudgetExceeded
from hushgram.geometry.partition import Grid
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, Transcript, loss
from hushgram.queries import PartCounts, Total
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault, budget_pool
from hushgram.trusted.vault.budget_pool import BudgetPool

WHOLE = Domain(key=Category(["a", "b"]), x=Integer(0, 2))
ROWS = [[0, 0], [0, 2], [1, 1], [1, 1]]


def table(rows: Any = ROWS) -> IndexedTable:
    return IndexedTable(WHOLE, rows)


def full(**more: Any) -> BudgetPool:
    terms: dict[str, Any] = {"unit": Rows(), "neighbours": "add-remove", **more}
    return BudgetPool(Fraction(1), **terms, noise=Native())


def test_no_more_is_given_out_than_was_charged() -> None:
    money = full()
    half = Fraction(1, 2)
    assert money.open_vault(table(), WHOLE, half).epsilon == half
    assert money.remaining == half
    with pytest.raises(BudgetExceeded, match=r"the plan has epsilon 0\.5 left, but 0\.6 was"):
        money.open_vaults(table(), WHOLE, "key", Fraction(3, 5))
    assert [one.epsilon for one in money.open_vaults(table(), WHOLE, "key", half)] == [half, half]
    assert money.remaining == 0
    with pytest.raises(BudgetExceeded):
        money.open_vault(table(), WHOLE, Fraction(1, 10**9))
    with pytest.raises(BudgetExceeded):
        money.open_vaults(table(), WHOLE, "key", Fraction(1, 10**9))


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), 0.5, 1])
def test_a_price_is_a_positive_fraction(epsilon: Any) -> None:
    money = full()
    with pytest.raises(BadInput):
        money.open_vault(table(), WHOLE, epsilon)
    with pytest.raises(BadInput):
        money.open_vaults(table(), WHOLE, "key", epsilon)
    assert money.remaining == 1


def test_each_vault_sees_the_rows_of_its_key() -> None:
    vaults = full().open_vaults(table(), WHOLE, "key", Fraction(1))
    assert [one.domain for one in vaults] == [Domain(x=Integer(0, 2))] * 2
    exact = [one._table.count(Grid.of_cells(one.domain)).tolist() for one in vaults]
    assert exact == [[1, 0, 1], [0, 2, 0]]


def test_a_vault_on_all_rows_is_calibrated_like_one_without_a_plan() -> None:
    """A replaced row changes one total by one, but leaves one key and enters another."""
    terms = {"unit": Rows(), "neighbours": "replace-one"}
    alone = TableVault(table(), WHOLE, Fraction(1), **terms, noise=Native())  # type: ignore[arg-type]
    whole = full(**terms).open_vault(table(), WHOLE, Fraction(1))
    parts = full(**terms).open_vaults(table(), WHOLE, "key", Fraction(1))
    total = Total(Fraction(1))
    assert whole.variance(total) == alone.variance(total) < parts[0].variance(total)


def asked(rows: Any, monkeypatch: Any, replayed: Any = None, **more: Any) -> Transcript:
    """Every vault spends its budget on a total and on counts."""
    transcript = Transcript()

    def recording(*arguments: Any, **terms: Any) -> RecordingVault:
        vault = (RecordingVault if replayed is None else ReplayingVault)(*arguments, **terms)
        vault.transcript = transcript
        if isinstance(vault, ReplayingVault):
            vault.recording = replayed
        return vault

    with monkeypatch.context() as patch:
        patch.setattr(budget_pool, "TableVault", recording)
        for vault in full(**more).open_vaults(table(rows), WHOLE, "key", Fraction(1)):
            vault.ask(Total(Fraction(1, 3)))
            vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
    return transcript


def lost(first: Any, second: Any, monkeypatch: Any, **more: Any) -> Fraction:
    recorded = asked(first, monkeypatch, **more)
    return loss(recorded, asked(second, monkeypatch, recorded, **more))


@pytest.mark.parametrize(
    ("second", "unit", "neighbours"),
    [
        (ROWS[1:], Rows(), "add-remove"),
        ([[1, 0], *ROWS[1:]], Rows(), "replace-one"),
        ([[0, 1], *ROWS[1:]], Rows(), "replace-one"),
        ([], User("u", 4), "add-remove"),
        ([[1, 2], [1, 2], [0, 0], [0, 0]], User("u", 4), "replace-one"),
    ],
)
def test_all_vaults_together_lose_no_more_than_one_may(
    second: Any, unit: Any, neighbours: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 < lost(ROWS, second, monkeypatch, unit=unit, neighbours=neighbours) <= 1


def test_totals_per_key_need_the_larger_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack: a row that moves from one key to the other changes both totals."""
    monkeypatch.setattr(Sensitivity, "total", property(lambda self: 1))
    assert lost(ROWS, [[1, 0], *ROWS[1:]], monkeypatch, neighbours="replace-one") > 1


def test_another_vault_of_the_table_chooses_no_other_rows_for_the_keys() -> None:
    """One row of a person counts, under one key; chosen again between two keys, it might count
    under both."""
    rows = pa.table({"who": ["ann"] * 40, "key": ["a", "b"] * 20, "x": [0] * 40})
    unit = User("who", 1)
    for _ in range(8):
        money, table = full(unit=unit), open_table(rows)
        keyed = money.open_vaults(table, WHOLE, "key", Fraction(1, 2))
        first = keyed[0]._table.count(Grid.of_cells(keyed[0].domain)).sum()
        money.open_vault(table, Domain(x=Integer(0, 2)), Fraction(1, 4)).ask(Total(Fraction(1, 4)))
        money.open_vault(table, WHOLE, Fraction(1, 4)).ask(Total(Fraction(1, 4)))
        second = keyed[1]._table.count(Grid.of_cells(keyed[1].domain)).sum()
        assert first + second == 1
