"""The ledger, which publishing charges.

It guarantees three things, proved in ``docs/proofs/ledger.md``: nothing is released without a
charge, no account is overdrawn, and noise for one request is drawn at most once. There are no
refunds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fractions import Fraction

from hushgram.base.exact import Number
from hushgram.declare.epsilon import as_epsilon, refuse_large
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import BadInput
from hushgram.trusted.ledger import audit, steps
from hushgram.trusted.ledger.account import Account, check_name, check_promise
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.location import ledger_path, ledger_url
from hushgram.trusted.ledger.opening import announce
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.request import (
    Finished,
    Request,
    Ticket,
    check_id,
    other_request_error,
    pending_request_error,
    ticket_of,
)
from hushgram.trusted.ledger.store import Store


class RolledBack(Exception):
    """Ends a transaction without committing it."""


class Ledger:
    """The record of privacy budgets: accounts, charges and receipts. Each step is a transaction.

    >>> ledger = Ledger.in_memory()
    >>> ticket = ledger.begin("checkins", "0.5", unit="rows", neighbours="add-remove")
    >>> ledger.commit(ticket, b"the release file")
    >>> ledger.account("checkins").remaining
    Fraction(1, 2)
    """

    def __init__(self, store: Store, *, allow_large: bool = False) -> None:
        if isinstance(store, str | os.PathLike):
            raise BadInput("Ledgers are opened by path or URL with Ledger.open(…).")
        self._store = store
        self._allow_large = allow_large

    @staticmethod
    def in_memory(*, allow_large: bool = False) -> Ledger:
        """A ledger in memory that ends with the process, for tests and experiments."""
        from hushgram.trusted.ledger.sqlite import MemoryStore

        return Ledger(MemoryStore(), allow_large=allow_large)

    @staticmethod
    def open(path: str | os.PathLike[str] | None = None, *, timeout: float = 60.0) -> Ledger:
        """Open the permanent ledger: at `path`, at HUSHGRAM_LEDGER, or in the user data folder.

        A path that starts with ``postgresql://`` opens a shared ledger for a team. If there is no
        ledger, it is created. `timeout` is the number of seconds to wait while another program
        writes.
        """
        store: Store
        url = ledger_url(path)
        if url is not None:
            from hushgram.trusted.ledger.postgres import PostgresStore

            store = PostgresStore.at(url, timeout=timeout)
        else:
            from hushgram.trusted.ledger.sqlite import FileStore

            store = FileStore.at(ledger_path(path), timeout=timeout)
        with store.reading():  # raises now if the ledger cannot be read
            return Ledger(store)

    @staticmethod
    def exists(path: str | os.PathLike[str] | None = None) -> bool:
        """Return whether `open` would find a ledger. A ledger on a server is assumed to exist."""
        return ledger_url(path) is not None or ledger_path(path).exists()

    def __repr__(self) -> str:
        return f"Ledger({self.location!r})"

    @property
    def durable(self) -> bool:
        """Whether the record outlives the process."""
        return self._store.durable

    @property
    def location(self) -> str:
        """Where the ledger is, as text."""
        return self._store.where

    def open_account(
        self,
        name: str,
        cap: Number,
        *,
        unit: str | Unit = "rows",
        neighbours: str = "add-remove",
        allow_large: bool = False,
    ) -> Account:
        """Open a new account. A cap above 10 needs `allow_large`.

        The unit is ``"rows"`` or a `User`, whose ``max_rows`` does not matter; or the key of
        either.
        """
        exact = self._cap(cap, allow_large=allow_large)
        key = unit.key if isinstance(unit, Rows | User) else unit
        account = Account(check_name(name), exact, *check_promise(key, neighbours))
        with self._writing() as journal:
            steps.open_account(journal, account)
        return account

    def account(self, name: str) -> Account:
        """Return the account with this name. Raises UnknownAccount if there is none."""
        with self._reading() as journal:
            return steps.require_account(journal, check_name(name))

    def accounts(self) -> list[Account]:
        """Return all accounts, sorted by name."""
        with self._reading() as journal:
            return journal.accounts()

    def entries(self, name: str | None = None) -> list[Entry]:
        """Return the entries of one account or of all, the oldest first."""
        with self._reading() as journal:
            if name is not None:
                name = steps.require_account(journal, check_name(name)).name
            return [entry.check() for entry in journal.entries(name)]

    def set_cap(self, name: str, cap: Number, *, allow_large: bool = False) -> Account:
        """Raise or lower the cap of an account, but not below what is spent."""
        exact = self._cap(cap, allow_large=allow_large)
        with self._writing() as journal:
            account = steps.require_account(journal, check_name(name)).with_cap(exact)
            journal.record(account, "cap")
        return account

    def begin(
        self,
        account: str,
        epsilon: Number,
        *,
        unit: str,
        neighbours: str,
        request_id: str | None = None,
        request: Mapping[str, object] | None = None,
        cap: Number | None = None,
        allow_large: bool = False,
    ) -> Ticket | Finished:
        """Charge an account. Once a ticket is returned, the charge is durable and the data may be
        read.

        An unknown account is opened, which the ticket records: with this `cap`, or with 1, or with
        this epsilon if that is larger. A `request_id` that was committed returns its stored release
        at no cost; one that is pending, or was used for another request, raises RequestConflict.
        """
        name, promise = check_name(account), check_promise(unit, neighbours)
        asked = Request(check_id(request_id), name, as_epsilon(epsilon), *promise, request or {})
        allowed = allow_large or self._allow_large
        first = None if cap is None else self._cap(cap, allow_large=allowed)
        with self._writing() as journal:
            asked = steps.resolve_account(journal, asked)
            earlier = journal.charge_of_request(asked.id)
            if earlier is None:
                ticket = steps.charge(journal, asked, first, allow_large=allowed)
            else:
                commit = journal.commit_of_receipt(earlier.field("receipt"))
        if earlier is not None:
            return self._stored_release(asked, earlier, commit)
        if ticket.opening is not None:
            announce(ticket.opening)
        return ticket

    def commit(self, ticket: Ticket, release: bytes) -> None:
        """Store the finished release durably. Only then may it be published.

        Committing the same bytes again does nothing, so a commit can be retried after an error.
        """
        with self._store.keeping(ticket.receipt.id, release) as (rows, keep):
            journal = Journal(rows)
            journal.check_end()
            steps.commit(journal, ticket, release, keep)

    def preview(
        self,
        account: str,
        epsilon: Number,
        *,
        unit: str,
        neighbours: str,
        cap: Number | None = None,
        allow_large: bool = False,
    ) -> tuple[Account, bool]:
        """Return the account as it would be after a charge, and whether the charge would open it.

        The charge goes through all checks of `begin` and is rolled back.
        """
        name, promise = check_name(account), check_promise(unit, neighbours)
        asked = Request(check_id(None), name, as_epsilon(epsilon), *promise, {})
        allowed = allow_large or self._allow_large
        first = None if cap is None else self._cap(cap, allow_large=allowed)
        with suppress(RolledBack), self._writing() as journal:
            asked = steps.resolve_account(journal, asked)
            ticket = steps.charge(journal, asked, first, allow_large=allowed)
            after = journal.account(ticket.account)
            raise RolledBack
        assert after is not None
        return after, ticket.opening is not None

    def outcome(self, request_id: str) -> Finished | Ticket | None:
        """Return the outcome of a request: its release, if it is stored; the ticket of its charge,
        if the release is not stored (yet); None if nothing was charged."""
        with self._reading() as journal:
            charge = journal.charge_of_request(check_id(request_id))
            if charge is None:
                return None
            paid = ticket_of(charge)
            commit = journal.commit_of_receipt(paid.receipt.id)
        return paid if commit is None else self._read_finished(paid, commit)

    def find(self, receipt: Receipt) -> bool:
        """Return whether this ledger issued the receipt, with this epsilon and seal."""
        with self._reading() as journal:
            charge = journal.charge_of_receipt(receipt.id)
            return charge is not None and Receipt.of(charge) == receipt

    def verify(self, receipts: Iterable[Receipt] = (), *, committed: bool = False) -> int:
        """Verify the whole ledger and return the number of entries, or raise LedgerCorrupted.

        With `receipts` of existing releases, this also detects a ledger that was replaced by an
        older copy. Releases are published after they are committed: with `committed`, it also
        detects a copy from before the commit.
        """
        with self._store.reading() as rows:
            kept = rows.releases()
            rows.check()
            history = audit.replay(Journal(rows).entries())
        # Releases never change and may be many, so writers need not wait for this check.
        with self._store.reading() as rows:
            audit.check_releases(history, rows, kept)
        audit.check_receipts(history, receipts, committed=committed)
        return history.length

    def _stored_release(self, asked: Request, earlier: Entry, commit: Entry | None) -> Finished:
        """Return the release of an earlier charge, or raise if it was for another request or is
        pending."""
        if earlier.field("request_hash") != asked.digest():
            raise other_request_error(asked.id)
        paid = ticket_of(earlier)
        if commit is None:
            raise pending_request_error(paid)
        return self._read_finished(paid, commit)

    def _read_finished(self, paid: Ticket, commit: Entry) -> Finished:
        with self._store.reading() as rows:
            release = audit.read_release(rows, commit)
        return Finished(paid.request_id, paid.account, paid.epsilon, paid.receipt, release)

    def _cap(self, cap: Number, *, allow_large: bool) -> Fraction:
        exact = as_epsilon(cap, "The cap")
        refuse_large(exact, "the cap", allowed=allow_large or self._allow_large)
        return exact

    @contextmanager
    def _reading(self) -> Iterator[Journal]:
        with self._store.reading() as rows:
            yield Journal(rows)

    @contextmanager
    def _writing(self) -> Iterator[Journal]:
        with self._store.writing() as rows:
            journal = Journal(rows)
            journal.check_end()
            yield journal
