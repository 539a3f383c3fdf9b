"""The audit convicts cuts at medians that are drawn too steeply."""

from __future__ import annotations

from typing import Any

import pytest

from hushgram.lab.audit import ALPHA, audit_operation
from hushgram.lab.audit.choice_pairs import medians_pairs
from hushgram.queries import Medians
from hushgram.trusted.vault.operations import OPERATIONS

LEVEL = ALPHA / 100
PAIRS = {pair.name: pair for pair in medians_pairs()}


def doubled(right: Any) -> dict[str, Any]:
    """A rate without the 2."""

    def perturb(query: Any, exact: Any, scale: Any, noise: Any) -> Any:
        return right.perturb(query, exact, scale / 2, noise)

    return {"perturb": staticmethod(perturb)}


def one_step(right: Any) -> dict[str, Any]:
    """As if a replaced row left no box."""
    return {"sensitivity": staticmethod(lambda query, table: 1)}


BUGS: dict[str, tuple[str, Any, int]] = {
    "a rate without the 2": ("in the middle", doubled, 700_000),
    "a replaced row as one step": ("other box", one_step, 1_200_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_are_convicted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pair, bug, runs = BUGS[name]
    right = OPERATIONS[Medians]
    monkeypatch.setitem(OPERATIONS, Medians, type("Planted", (type(right),), bug(right))())
    finding = audit_operation(PAIRS[pair], runs, LEVEL)
    assert finding.convicted, finding


@pytest.mark.slow
def test_the_audit_sees_most_of_epsilon() -> None:
    """The chance of the worse cut goes from 1/(1 + e) to 1/(1 + e²): a loss of 0.81."""
    assert audit_operation(PAIRS["in the middle"], 700_000, LEVEL).bound.epsilon > 0.4
