"""Check that charges come before counting, and are never refunded. NONPRIVATE."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BudgetExceeded
from hushgram.geometry.partition import Grid
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.identity import Identity
from hushgram.queries import PartCounts, Total, Vault
from hushgram.spending.publish import publish
from hushgram.trusted.engine.sources.counted import Counts
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from hushgram.trusted.vault.budget_pool import BudgetPool

LINE = Domain(x=Integer(0, 3))
MANY = 10**6
"""A number of rows that noise cannot hide."""
KEYED = Domain(x=Integer(0, 3), where=Category(("a", "b")))


@dataclass(frozen=True, kw_only=True)
class Fails(Identity):
    """A mechanism that counts, then fails before anything is released. Without rows, as in a
    rehearsal, it does not fail."""

    name: ClassVar[str] = "fails"

    def estimate(self, vault: Vault) -> Estimate:
        total = vault.ask(Total(vault.remaining / 2))
        if total.value > MANY / 2:
            raise RuntimeError("broken after a look")
        return super().estimate(vault)


def exact_sums() -> None:
    """Ten tenths and three thirds are exactly one, and then nothing is left."""
    for epsilon, times in (("0.1", 10), ("1/3", 3)):
        ledger = Ledger.in_memory()
        ledger.open_account("a", 1, unit="rows", neighbours="add-remove")
        for _ in range(times):
            publish(Counts([1, 2]), epsilon=epsilon, account="a", ledger=ledger)
        left = ledger.account("a").remaining
        assert left == 0, f"{times} times {epsilon} leave {left} of 1"
        again = partial(publish, epsilon="0.000000001", account="a", ledger=ledger)
        assert_refused(partial(again, Counts([1, 2])), "a release beyond the cap")


def kept_when_it_fails() -> None:
    """A release that fails after counting stays charged."""
    ledger = Ledger.in_memory()
    ledger.open_account("a", 1, unit="rows", neighbours="add-remove")
    with suppress(RuntimeError):
        publish(Counts([MANY, 2]), epsilon="0.5", account="a", ledger=ledger, mechanism=Fails())
    left = ledger.account("a").remaining
    assert left == Fraction(1, 2), f"after a look for 1/2 of 1, {left} is left"


def same_for_a_request() -> None:
    """A repeated request returns the same bytes, without new noise."""
    ledger = Ledger.in_memory()
    ledger.open_account("a", 10, unit="rows", neighbours="add-remove")
    answers = {
        publish(Counts([1, 2]), epsilon="0.01", account="a", ledger=ledger, request="r").to_bytes()
        for _ in range(3)
    }
    assert len(answers) == 1, f"{len(answers)} answers to one paid request"


def pool_empties() -> None:
    """A plan's budget pool pays for every vault, and the vaults of keys once."""
    pool = BudgetPool(Fraction(1), unit=Rows(), neighbours="add-remove", noise=Native())
    pool.open_vault(IndexedTable(LINE, [[0]]), LINE, Fraction(1, 2))
    pool.open_vaults(IndexedTable(KEYED, [[0, 0]]), KEYED, "where", Fraction(1, 2))
    assert pool.remaining == 0, f"{pool.remaining} of 1 is left when all of it is spent"
    assert_refused(
        lambda: pool.open_vault(IndexedTable(LINE, []), LINE, Fraction(1, 9)), "an empty pool"
    )


def paid_before_looked() -> None:
    """A query beyond the budget is refused before the table is read, and every query is charged."""
    table = IndexedTable(LINE, [[0]])
    vault = TableVault(
        table, LINE, Fraction(1), unit=Rows(), neighbours="add-remove", noise=Native()
    )
    vault.ask(PartCounts(Grid.of_cells(LINE), Fraction(1, 2)))
    assert vault.remaining == Fraction(1, 2), f"1/2 of 1 was asked for, {vault.remaining} is left"
    reads = table.reads
    assert_refused(lambda: vault.ask(Total(Fraction(3, 4))), "more than is left")
    assert table.reads == reads, "the table was read for a refused query"


def assert_refused(ask: Any, what: str) -> None:
    try:
        ask()
    except BudgetExceeded:
        return
    raise AssertionError(f"{what} was paid for")


TRIALS = (exact_sums, kept_when_it_fails, same_for_a_request, pool_empties, paid_before_looked)
