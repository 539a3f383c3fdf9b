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
"""Seconds that a process waits for its turn."""


@dataclass(frozen=True)
class Crowd:
    """How often the account could pay, and how long an answer took."""

    attempts: int
    affordable: int
    paid: int
    spent: Fraction
    seconds: float
    waits: list[float]
    """Seconds of every attempt, refused ones too: each needs the same lock."""

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
    """Half of all attempts can be paid."""
    affordable = max(processes * attempts // 2, 1)
    account = f"crowd {secrets.token_hex(8)}"
    epsilon = str(Fraction(1, affordable))
    done(lambda: bool(Ledger.open(place).open_account(account, 1, **ROWS)))
    gate, opener = os.pipe()

    def work(pipe: int) -> list[object]:
        os.close(opener)
        os.read(gate, 1)  # until the gate is closed for all
        return spend(place, account, epsilon, attempts)

    children = [start(work) for _ in range(processes)]
    begin = time.monotonic()
    os.close(opener)
    ends = [child.end() for child in children]
    seconds = time.monotonic() - begin
    os.close(gate)
    spent = Fraction(done(lambda: verify_spent(place, account)))
    paid = sum(end.said[0] for end in ends)
    waits = [wait for end in ends for wait in end.said[1]]
    return Crowd(processes * attempts, affordable, paid, spent, seconds, waits)


def spend(place: str, account: str, epsilon: str, attempts: int) -> list[object]:
    """How often it could pay, and how long each attempt took."""
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
