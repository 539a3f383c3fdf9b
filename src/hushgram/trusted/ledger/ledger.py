"""The ledger: the interface that publishing pays through.

Three promises, argued in ``docs/proofs/ledger.md``: nothing is released unpaid, no account is
overdrawn, and one request is drawn at most once. There is no refund.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from hushgram.trusted.ledger.account import Account
from hushgram.trusted.ledger.budget import Budget
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.request import Finished, Ticket


class Ledger(ABC):
    """Accounts, charges and receipts.

    >>> ledger = Ledger.in_memory()
    >>> ticket = ledger.begin("checkins", "0.5", unit="rows", neighbours="add-remove")
    >>> ledger.commit(ticket, b"the release file")
    >>> ledger.account("checkins").remaining
    Fraction(0, 1)
    """

    @staticmethod
    def in_memory(*, allow_large: bool = False) -> Ledger:
        """A ledger that ends with the process, for tests and trials."""
        from hushgram.trusted.ledger.database import MemoryDatabase
        from hushgram.trusted.ledger.spool import MemorySpool
        from hushgram.trusted.ledger.sqlite import SqliteLedger

        return SqliteLedger(MemoryDatabase(), MemorySpool(), allow_large=allow_large)

    @staticmethod
    def open(path: str | os.PathLike[str] | None = None) -> Ledger:
        """The durable ledger: at `path`, else at HUSHGRAM_LEDGER, else in the user data folder."""
        from hushgram.trusted.ledger.sqlite import SqliteLedger

        return SqliteLedger.at(path)

    @property
    @abstractmethod
    def durable(self) -> bool:
        """Whether what is spent is remembered after the process."""

    @property
    @abstractmethod
    def location(self) -> str:
        """Where it is, for people."""

    @abstractmethod
    def open_account(
        self, name: str, cap: Budget, *, unit: str, neighbours: str, allow_large: bool = False
    ) -> Account:
        """A new account; above 10 only with `allow_large`."""

    @abstractmethod
    def account(self, name: str) -> Account:
        """The account of that name, or UnknownAccount."""

    @abstractmethod
    def accounts(self) -> list[Account]:
        """All accounts by name."""

    @abstractmethod
    def entries(self, name: str | None = None) -> list[Entry]:
        """The book's lines, of one account or of all, oldest first."""

    @abstractmethod
    def set_cap(self, name: str, cap: Budget, *, allow_large: bool = False) -> Account:
        """Raise or lower the cap, never below what is spent."""

    @abstractmethod
    def begin(
        self,
        account: str,
        epsilon: Budget,
        *,
        unit: str,
        neighbours: str,
        request_id: str | None = None,
        request: Mapping[str, object] | None = None,
        allow_large: bool = False,
    ) -> Ticket | Finished:
        """Pay. Once a ticket is returned, the charge is durable and the data may be looked at.

        An unknown account is opened with this epsilon as its cap. A `request_id` that was committed
        gives its stored release, at no charge; one that is pending, or stands for another request,
        raises RequestConflict.
        """

    @abstractmethod
    def commit(self, ticket: Ticket, release: bytes) -> None:
        """Keep the finished release durably; only then may it leave.

        Committing the same bytes again does nothing, so that it can be retried after an error.
        """

    @abstractmethod
    def find(self, receipt: Receipt) -> bool:
        """Whether this ledger issued the receipt, with this epsilon and seal."""

    @abstractmethod
    def verify(self, receipts: Iterable[Receipt] = ()) -> int:
        """Re-read everything; the number of entries if all is well, else LedgerCorrupted.

        With `receipts` of existing releases, a ledger that was replaced by an older copy is found.
        """
