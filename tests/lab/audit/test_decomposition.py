"""The audit convicts trees without a floor or without decay, and acquits the right one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hushgram.lab.audit import ALPHA, Finding, OperationPair, audit_operation
from hushgram.lab.audit.choice_pairs import decomposition_pairs
from hushgram.trusted.vault.operations.decomposition import SplitRule

LEVEL = ALPHA / 100
RUNS = 1_000_000
"""A fortieth of which is run."""

PAIRS = {pair.name: pair for pair in decomposition_pairs()}


def audited(name: str, runs: int = RUNS) -> Finding:
    return audit_operation(PAIRS[name], runs, LEVEL)


@pytest.mark.slow
def test_the_audit_sees_most_of_what_a_first_row_loses() -> None:
    """The exact loss of this pair is 1 / λ, 9/13 of the claim."""
    finding = audited("first row")
    assert not finding.convicted
    assert finding.bound.epsilon > 0.5 * finding.claimed


def planted(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Let every rule have these fields instead of the calibrated ones."""
    right = SplitRule.calibrate

    def wrong(threshold: int, scale: Fraction, fan_out: int) -> SplitRule:
        rule = right(threshold, scale, fan_out)
        return Wrong(rule.threshold, rule.noise, changed.get("floor", rule.floor))

    class Wrong(SplitRule):
        decay = changed.get("decay", SplitRule.decay)

    monkeypatch.setattr(SplitRule, "calibrate", wrong)


@pytest.mark.slow
def test_without_a_floor_it_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row in an empty table moves every node on its way down."""
    planted(monkeypatch, floor=10**6, decay=1)
    assert audited("first row", 2 * RUNS).convicted


@pytest.mark.slow
def test_without_decay_it_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, decay=0)
    assert audited("first row").convicted


def test_pairs_are_neighbours() -> None:
    for pair in decomposition_pairs():
        assert isinstance(pair, OperationPair)
        added = len(pair.first.rows) - len(pair.second.rows)
        assert added == (1 if pair.neighbours == "add-remove" else 0)
