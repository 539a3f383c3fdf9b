"""What the vault needs to know to answer one kind of query."""

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
    """Exact integers in, noisy integers out; nothing else of the table leaves."""

    proof: ClassVar[str]
    """The page in ``docs/proofs`` that shows it private."""

    additive: ClassVar[bool]
    """Whether each number of the exact vector simply gets noise of its own."""

    def check(self, query: Any, domain: Domain) -> None:
        """Refuse a query that does not fit the domain, before anything is charged."""

    def sensitivity(self, query: Any, table: Sensitivity) -> int:
        """How far one unit moves the exact vector, in L1."""

    def count(self, query: Any, table: Table, domain: Domain) -> Ints | Occupied | RowPlaces:
        """The exact vector, or its entries that are not zero. The only line of an operation that
        touches the table."""

    def perturb(self, query: Any, exact: Any, scale: Fraction, noise: Noise) -> Ints:
        """What the noise leaves of the exact vector, ``scale`` being sensitivity / epsilon. The
        audits draw from this."""

    def answer(self, query: Any, noisy: Ints, scale: Fraction) -> Any:
        """The noisy vector as the mechanism gets it."""
