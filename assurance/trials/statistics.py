"""Statistical checks that take about a second. NONPRIVATE."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from assurance.adversaries import all_operation_pairs, attacks
from assurance.full import audit_mechanism, audit_operation
from hushgram.lab.audit import ALPHA, OperationPair
from hushgram.mechanisms.registry import MECHANISMS
from hushgram.queries import Query

LEVEL = ALPHA / 1000
"""Allows for more tests than all bugs together need."""

DRAWS = 60_000
"""The number of draws on each table."""


def operation_losses(kind: type[Query], draws: int = DRAWS) -> None:
    """No event on two neighbours violates the claimed epsilon, at whole and fractional scales."""
    for pair in all_operation_pairs():
        if type(pair.query) is kind:
            slow = any(axis.other for axis in pair.first.domain.axes)
            for factor in (Fraction(1), Fraction(2, 3)):
                check_not_convicted(cheaper(pair, factor), draws // 10 if slow else draws)


def cheaper(pair: OperationPair, factor: Fraction) -> OperationPair:
    query = replace(pair.query, epsilon=pair.query.epsilon * factor)  # type: ignore[type-var]
    return replace(pair, query=query)


def check_not_convicted(pair: OperationPair, draws: int) -> None:
    row = audit_operation(pair, draws, LEVEL)
    assert not row.convicted, f"{row.pair}: claims {row.claimed:.3g}, loses at least {row.at_least}"


def mechanism_losses(name: str, runs: int = 2000) -> None:
    """No event violates a mechanism's claimed epsilon, on a line."""
    for attack in attacks(MECHANISMS[name]()):
        if attack.name in ("line, empty cell", "line, end to end"):
            row = audit_mechanism(attack, runs, seconds=20, level=LEVEL)
            assert not row.convicted, (
                f"{row.pair}: claims {row.claimed:.3g}, loses at least {row.at_least}"
            )
