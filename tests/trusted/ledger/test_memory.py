"""The ledger in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import pytest

from hushgram.errors import BudgetExceeded, LedgerError
from hushgram.trusted.ledger import Ledger
from tests.trusted.ledger.ledger_contract import ROWS, LedgerContract, pay


class TestMemory(LedgerContract):
    durable = False

    @pytest.fixture
    def make(self) -> Callable[[], Ledger]:
        return Ledger.in_memory


def test_large_budgets_can_be_wanted_for_the_whole_ledger() -> None:
    ledger = Ledger.in_memory(allow_large=True)
    pay(ledger, epsilon=50)
    ledger.open_account("b", 100, **ROWS)
    assert ledger.set_cap("checkins", 80).remaining == 30


def test_threads_spend_exactly_the_cap() -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("a", 1, **ROWS)
    refused: list[BudgetExceeded] = []

    def spend() -> None:
        for _ in range(20):
            try:
                pay(ledger, "a", "0.02")
            except BudgetExceeded as error:
                refused.append(error)

    threads = [threading.Thread(target=spend) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.account("a").remaining == 0
    assert len(refused) == 50
    ledger.verify()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_copy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.in_memory()
    monkeypatch.setattr(os, "getpid", lambda: -1)  # what a child would see
    with pytest.raises(LedgerError, match=r"cannot be shared with another process.*Ledger.open"):
        pay(ledger)
