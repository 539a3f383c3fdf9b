"""Storage of a ledger: entries that only grow, and the releases they paid for.

The rules of accounts, charges and the hash chain are written once, above this interface. A store
gives transactions: one writer at a time, from the first reading to the last writing, and once the
writing has ended without an error it is durable. It explains its own errors as `LedgerError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

LOCKED = (
    "has been in use by another program for too long. Wait until the other publish ends "
    "(or stop it), then try again."
)
"""What every store says of itself when it cannot be locked in time."""


class LedgerRows(Protocol):
    """The ledger within one transaction: the table ``entries`` and the finished releases."""

    def execute(
        self, statement: str, values: Sequence[object] = ()
    ) -> Iterable[tuple[Any, ...]]: ...

    def field(self, name: str) -> str:
        """The SQL for one text of an entry's payload, as the indexes spell it."""

    def check(self) -> None:
        """LedgerCorrupted unless the tables and what guards them are as they were made."""

    def release(self, receipt_id: str) -> bytes | None: ...

    def releases(self) -> set[str]:
        """The receipt ids of all releases.

        Asked before the entries are read: what is kept by then was charged before.
        """


class Store(Protocol):
    """Where a ledger is, and its transactions."""

    where: str
    """For people; holds no secret."""

    durable: bool

    def reading(self) -> AbstractContextManager[LedgerRows]:
        """One state of the ledger. It waits for no writer, or only while one ends."""

    def writing(self) -> AbstractContextManager[LedgerRows]:
        """All of it durably or nothing, with no other writer in between."""

    def keeping(
        self, receipt_id: str, release: bytes
    ) -> AbstractContextManager[tuple[LedgerRows, Callable[[], None]]]:
        """`writing`, and the step that keeps the release with it.

        The bytes travel before the transaction holds up others.
        """
