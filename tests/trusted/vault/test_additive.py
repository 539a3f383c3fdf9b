"""Operations that add noise to sums: all of them get it, with the scale sensitivity / epsilon."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hushgram.lab.audit import OperationPair, operation_pairs
from hushgram.queries import CellSums, Linear, NodeCounts, PartCounts, PartSums, SortedSums, Total
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from hushgram.trusted.vault.operations import OPERATIONS

ADDITIVE = {PartCounts, PartSums, Total, Linear, SortedSums, CellSums, NodeCounts}
PAIRS = [pair for pair in operation_pairs() if type(pair.query) in ADDITIVE]


class Shift(Native):
    """No noise, but a mark, and a note of the scale that was asked for."""

    def __init__(self) -> None:
        self.scales: list[Fraction] = []

    def add_discrete_laplace(
        self, values: npt.NDArray[np.int64], scale: Fraction
    ) -> npt.NDArray[np.int64]:
        self.scales.append(scale)
        return values + 1000


def test_which_operations_add_noise() -> None:
    assert {kind for kind, operation in OPERATIONS.items() if operation.additive} == ADDITIVE


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{type(pair.query).__name__} {pair.name}")
def test_all_that_is_answered_carries_noise_of_the_stated_scale(pair: OperationPair) -> None:
    noise, domain = Shift(), pair.first.domain
    terms: dict[str, Any] = {"unit": pair.unit, "neighbours": pair.neighbours, "noise": noise}
    vault = TableVault(pair.first, domain, pair.query.epsilon, **terms)
    operation = OPERATIONS[type(pair.query)]
    exact = operation.count(pair.query, pair.first, domain)
    answer = vault.ask(pair.query)
    stated = operation.sensitivity(pair.query, vault._sensitivity) / pair.query.epsilon
    if not stated:
        assert noise.scales == []
        return
    assert noise.scales == [stated] == [answer.scale]
    value = answer.value if isinstance(pair.query, Total) else answer.values
    assert np.array_equal(np.ravel(value), np.ravel(exact) + 1000)
