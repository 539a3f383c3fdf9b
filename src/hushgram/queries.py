"""What a mechanism may ask: frozen requests, each with its price, and the vault that answers.

The catalogue is closed. Each kind of query has one trusted operation, one proof in
``docs/proofs`` and one audit. A mechanism sees noisy answers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, overload

from hushgram.domain import Domain
from hushgram.errors import BudgetError
from hushgram.estimate import Measurement, NoisyTotal
from hushgram.partition import Partition


class Query:
    """A request with its price."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.epsilon, Fraction) or self.epsilon <= 0:
            raise BudgetError(f"a query costs a positive fraction, not {self.epsilon!r}.")


@dataclass(frozen=True)
class Total(Query):
    """How many rows lie in the domain?"""

    epsilon: Fraction


@dataclass(frozen=True)
class Counts(Query):
    """How many rows lie in each part? Every part is answered, empty or not."""

    partition: Partition
    epsilon: Fraction


class Vault(Protocol):
    """What a mechanism is given: a sealed table with a budget."""

    @property
    def domain(self) -> Domain: ...

    @property
    def epsilon(self) -> Fraction:
        """The whole budget."""

    @property
    def remaining(self) -> Fraction:
        """What is left of it."""

    @overload
    def ask(self, query: Total) -> NoisyTotal: ...

    @overload
    def ask(self, query: Counts) -> Measurement: ...

    def ask(self, query: Total | Counts) -> NoisyTotal | Measurement:
        """Charge, then look, then add noise."""

    def variance(self, query: Query) -> float:
        """The variance that the noise of a query would have. Public, free."""

    def split(self, partition: Partition, epsilon: Fraction) -> Sequence[Vault]:
        """One vault per part of a grid; the parts are disjoint, so all cost ``epsilon`` once."""
