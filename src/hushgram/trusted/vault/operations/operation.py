"""The interface by which the vault answers one kind of query."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Protocol

from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Ints
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity


class Operation(Protocol):
    """One kind of query: exact integers in, noisy integers out. Nothing else about the table
    leaves."""

    proof: ClassVar[str]
    """The page in ``docs/proofs`` with its privacy proof."""

    additive: ClassVar[bool]
    """Whether each number of the exact vector gets independent noise."""

    def check(self, query: Any, domain: Domain) -> None:
        """Raise if a query does not fit the domain, before anything is charged."""

    def sensitivity(self, query: Any, table: Sensitivity) -> int:
        """Return how far one unit moves the exact vector, in L1."""

    def count(self, query: Any, table: Table, domain: Domain) -> Ints | Occupied | RowPlaces:
        """Return the exact vector, or its nonzero entries. The only part of an operation that
        accesses the table."""

    def perturb(self, query: Any, exact: Any, scale: Fraction, noise: Noise) -> Ints:
        """Add noise to the exact vector, or choose from it; ``scale`` is sensitivity / epsilon. The
        audits sample this."""

    def answer(self, query: Any, noisy: Ints, scale: Fraction) -> Any:
        """Return the noisy vector in the form that the mechanism gets."""
