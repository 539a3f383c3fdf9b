"""Many processes that spend from one account at once."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assurance.fire.children import done, start
from hushgram.errors import BudgetExceeded
from hushgram.trusted.ledger import Ledger

ROWS: dict[str, Any] = {"unit": "rows", "neighbours": "add-remove"}
WAIT = 600.0
"""The maximum number of seconds that a process waits for the lock."""


@dataclass(frozen=True)
class Crowd:
    """The number of successful charges, and how long each attempt took."""

    attempts: int
    affordable: int
    paid: int
    spent: Fraction
    seconds: float
    waits: list[float]
    """Seconds of every attempt, including refused ones, which need the same lock."""

    @property
    def exact(self) -> bool:
        return self.paid == self.affordable and self.spent == 1

    @property
    def rate(self) -> float:
        """Attempts per second, of all processes together."""
        return self.attempts / self.seconds

    def wait(self, share: float) -> float:
        return float(np.quantile(self.waits, share))


def crowd(place: str, processes: int, attempts: int) -> Crowd:
    """Run processes that charge one account, whose budget covers half of all attempts."""
    affordable = max(processes * attempts // 2, 1)
    account = f"crowd {secrets.token_hex(8)}"
    epsilon = str(Fraction(1, affordable))
    done(lambda: bool(Ledger.open(place).open_account(account, 1, **ROWS)))
    gate, opener = os.pipe()

    def work(pipe: int) -> list[object]:
        os.close(opener)
        os.read(gate, 1)  # blocks until the gate is closed, to start all at once
        return spend(place, account, epsilon, attempts)

    children = [start(work) for _ in range(processes)]
    begin = time.monotonic()
    os.close(opener)
    ends = [child.end() for child in children]
    seconds = time.monotonic() - begin
    os.close(gate)
    spent = Fraction(done(lambda: verify_spent(place, account)))
    paid = sum(end.result[0] for end in ends)
    waits = [wait for end in ends for wait in end.result[1]]
    return Crowd(processes * attempts, affordable, paid, spent, seconds, waits)


def spend(place: str, account: str, epsilon: str, attempts: int) -> list[object]:
    """Return the number of successful charges, and how long each attempt took."""
    ledger, paid, waits = Ledger.open(place, timeout=WAIT), 0, []
    for _ in range(attempts):
        begin = time.perf_counter()
        try:
            ledger.begin(account, epsilon, **ROWS)
            paid += 1
        except BudgetExceeded:
            pass
        waits.append(round(time.perf_counter() - begin, 6))
    return [paid, waits]


def verify_spent(place: str, account: str) -> str:
    ledger = Ledger.open(place)
    ledger.verify()
    return str(ledger.account(account).spent)
