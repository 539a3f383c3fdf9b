"""The one way in which a table is asked: its order, and what each end of it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, EpsilonError, RequestConflict
from hushgram.spending import task as tasks
from hushgram.spending.charge import Spending
from hushgram.spending.task import Rehearsal, charge_and_run
from hushgram.trusted.noise import Native

OPTIONS: dict[str, Any] = {
    "epsilon": "1/2", "unit": "rows", "neighbours": "add-remove", "account": "a", "noise": "native",
    "request": "r", "cap": None, "allow_large": False,
}  # fmt: skip


@dataclass
class Listening:
    """An ask that writes down what is done to it, and may fail at one step."""

    fails: str = ""
    steps: list[str] = field(default_factory=list)

    def step(self, name: str) -> None:
        self.steps.append(name)
        if name == self.fails:
            raise OSError(name)

    def check(self) -> None:
        self.step("check")

    def rehearsals(self, noise: Any) -> Iterator[Rehearsal]:
        assert isinstance(noise, Native)
        yield Rehearsal(lambda: self.step("rehearse"), object())

    def request(self) -> dict[str, object]:
        return {"answer": "test"}

    def run(self, noise: Any, receipt: Any) -> int:
        self.step("run")
        return 7

    def to_bytes(self, found: int, receipt: Any) -> bytes:
        self.step("write")
        return str(found).encode()

    def from_bytes(self, kept: bytes) -> int:
        self.step("read")
        return int(kept)


def spending(ledger: hg.Ledger, **more: Any) -> Spending:
    return Spending.of(**{**OPTIONS, "ledger": ledger, **more})


def kinds(ledger: hg.Ledger) -> list[str]:
    return [entry.kind for entry in ledger.entries()]


def test_the_charge_comes_after_all_that_needs_no_row_and_before_the_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger, ask = hg.Ledger.in_memory(), Listening()
    real = tasks.charge

    def charge(*arguments: Any) -> Any:
        ask.steps.append("charge")
        return real(*arguments)

    monkeypatch.setattr(tasks, "charge", charge)
    assert charge_and_run("t.csv", ask, spending(ledger)) == 7
    before = ["check", "rehearse", "check", "charge"]
    assert ask.steps == [*before, "run", "write"]
    assert charge_and_run("t.csv", ask, spending(ledger)) == 7
    assert ask.steps[6:] == [*before, "read"]
    assert kinds(ledger) == ["open", "charge", "commit"]


@pytest.mark.parametrize("step", ["check", "rehearse"])
def test_what_fails_before_the_charge_is_free(step: str) -> None:
    ledger = hg.Ledger.in_memory()
    with pytest.raises((OSError, hg.MachineNotReady), match=step):
        charge_and_run("t.csv", Listening(step), spending(ledger))
    assert kinds(ledger) == []


@pytest.mark.parametrize("step", ["run", "write"])
def test_what_fails_after_the_charge_is_paid_for_and_never_drawn_again(step: str) -> None:
    ledger = hg.Ledger.in_memory()
    with pytest.raises(OSError, match=step):
        charge_and_run("t.csv", Listening(step), spending(ledger))
    assert kinds(ledger) == ["open", "charge"]
    ask = Listening()
    with pytest.raises(RequestConflict, match="did not finish"):
        charge_and_run("t.csv", ask, spending(ledger))
    assert "run" not in ask.steps


def test_spending_is_exact_and_checked_when_it_is_made() -> None:
    made = spending(hg.Ledger.in_memory(), epsilon=0.1)
    assert (made.epsilon, made.unit) == (Fraction(1, 10), Rows())
    spoilt = {"epsilon": 0, "unit": "people", "neighbours": "x"}
    for name, value in spoilt.items():
        with pytest.raises(EpsilonError if name == "epsilon" else BadInput):
            spending(hg.Ledger.in_memory(), **{name: value})
