"""Run the fast audit: every operation and some mechanisms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hushgram.lab.audit.choice_pairs import choice_pairs
from hushgram.lab.audit.count_pairs import count_pairs
from hushgram.lab.audit.finding import ALPHA, Finding
from hushgram.lab.audit.mechanisms import audit_mechanism, mechanism_pairs
from hushgram.lab.audit.operations import audit_operation
from hushgram.lab.audit.pairs import OperationPair
from hushgram.lab.audit.sum_pairs import sum_pairs
from hushgram.mechanisms.base import Mechanism

FAST_RUNS = 20_000
"""Runs of a mechanism on a pair of tables, half of them on each."""

OPERATION_RUNS = 1_000_000
"""Runs of an operation on a pair of tables."""


def operation_pairs() -> Iterator[OperationPair]:
    """Yield every kind of query with its worst cases."""
    yield from count_pairs()
    yield from sum_pairs()
    yield from choice_pairs()


def audit(
    mechanisms: list[Mechanism],
    *,
    runs: int = FAST_RUNS,
    operation_runs: int = OPERATION_RUNS,
    epsilon: Fraction = Fraction(1),
) -> Iterator[Finding]:
    """Audit every operation and the given mechanisms, and yield the findings. The full audit is
    `assurance.full`."""
    operations = list(operation_pairs())
    pairs = [(m, pair) for m in mechanisms for pair in mechanism_pairs(m)]
    alpha = ALPHA / (len(operations) + len(pairs))
    for operation in operations:
        yield audit_operation(operation, operation_runs, alpha)
    for mechanism, pair in pairs:
        yield audit_mechanism(mechanism, pair, runs, alpha, epsilon)
