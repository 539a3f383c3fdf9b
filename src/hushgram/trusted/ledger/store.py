"""Storage of a ledger: append-only entries, and the releases that were charged.

The rules of accounts, charges and the hash chain are implemented once, above this interface. A
store provides transactions with one writer at a time, which are durable once they end without an
error. It raises its own errors as `LedgerError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

LOCKED = (
    "has been in use by another program for too long. Wait until the other publish ends "
    "(or stop it), then try again."
)
"""The reason in every store's error if it cannot be locked in time."""


class LedgerRows(Protocol):
    """The ledger within one transaction: the table ``entries`` and the finished releases."""

    def execute(
        self, statement: str, values: Sequence[object] = ()
    ) -> Iterable[tuple[Any, ...]]: ...

    def field(self, name: str) -> str:
        """Return the SQL for one value of an entry's payload, exactly as in the indexes."""

    def check(self) -> None:
        """Raise LedgerCorrupted unless the tables and their guards are as they were created."""

    def release(self, receipt_id: str) -> bytes | None: ...

    def releases(self) -> set[str]:
        """Return the receipt IDs of all releases.

        Call it before reading the entries: then the charge of every release is among them.
        """


class Store(Protocol):
    """The location of a ledger, and its transactions."""

    where: str
    """For people to read; contains no secret."""

    durable: bool

    def reading(self) -> AbstractContextManager[LedgerRows]:
        """Open a consistent view of the ledger. It does not wait for writers, except while one
        commits."""

    def writing(self) -> AbstractContextManager[LedgerRows]:
        """Open a durable transaction that excludes other writers."""

    def keeping(
        self, receipt_id: str, release: bytes
    ) -> AbstractContextManager[tuple[LedgerRows, Callable[[], None]]]:
        """Open a durable transaction that also stores a release, with the function that stores it.

        The bytes are sent before the transaction blocks others.
        """
