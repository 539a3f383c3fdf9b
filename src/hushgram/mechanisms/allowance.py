"""A vault that only spends part of another vault's budget."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import budget_exceeded
from hushgram.geometry.partition import Partition
from hushgram.queries import Query, Vault


class Allowance:
    """A vault that answers until a given part of another's budget is spent.

    It reserves the rest of the budget for something else. Privacy does not depend on it, since the
    vault behind it charges every query itself.
    """

    def __init__(self, vault: Vault, epsilon: Fraction) -> None:
        self._vault = vault
        self._epsilon = epsilon
        self._remaining = epsilon

    @property
    def domain(self) -> Domain:
        return self._vault.domain

    @property
    def epsilon(self) -> Fraction:
        return self._epsilon

    @property
    def remaining(self) -> Fraction:
        return self._remaining

    def ask(self, query: Any) -> Any:
        self._take(query.epsilon)
        return self._vault.ask(query)

    def variance(self, query: Query) -> float:
        return self._vault.variance(query)

    def split(self, partition: Partition, epsilon: Fraction) -> Sequence[Vault]:
        self._take(epsilon)
        return self._vault.split(partition, epsilon)

    def _take(self, epsilon: Fraction) -> None:
        if epsilon > self._remaining:
            raise budget_exceeded(epsilon, self._remaining, "the mechanism")
        self._remaining -= epsilon
