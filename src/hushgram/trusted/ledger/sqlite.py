"""The ledger in SQLite: a file for keeps, or memory for trials."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from hushgram.trusted.ledger import audit, teller
from hushgram.trusted.ledger.account import Account, checked_name, checked_promise
from hushgram.trusted.ledger.budget import Budget, positive, refuse_large
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.database import Database, FileDatabase
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.ledger import Ledger
from hushgram.trusted.ledger.location import ledger_path
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.request import (
    Finished,
    Request,
    Ticket,
    checked_id,
    forfeited,
    other_request,
    ticket_of,
)
from hushgram.trusted.ledger.spool import FolderSpool, Spool
from hushgram.trusted.ledger.trouble import explained


class SqliteLedger(Ledger):
    """One transaction per step; see `Ledger` for what the steps mean."""

    def __init__(self, database: Database, spool: Spool, *, allow_large: bool = False) -> None:
        self._database = database
        self._spool = spool
        self._allow_large = allow_large

    @classmethod
    def at(
        cls, path: str | os.PathLike[str] | None = None, *, timeout: float = 60.0
    ) -> SqliteLedger:
        """The ledger in that file, made if need be; `timeout` is how long to wait for a lock."""
        file = ledger_path(path)
        database = FileDatabase(file, timeout=timeout)
        spool = FolderSpool(file.with_name(f"{file.name}.spool"))
        with explained(str(file)):
            audit.refuse_leftovers(file, spool)
        database.create()
        ledger = cls(database, spool)
        with ledger._reading():  # what is wrong with the file is said now, not when it matters
            return ledger

    def __repr__(self) -> str:
        return f"SqliteLedger({self.location!r})"

    @property
    def durable(self) -> bool:
        return self._database.durable

    @property
    def location(self) -> str:
        return self._database.where

    def open_account(
        self, name: str, cap: Budget, *, unit: str, neighbours: str, allow_large: bool = False
    ) -> Account:
        exact = self._cap(cap, allow_large=allow_large)
        account = Account(checked_name(name), exact, *checked_promise(unit, neighbours))
        with self._writing() as journal:
            teller.open_account(journal, account)
        return account

    def account(self, name: str) -> Account:
        with self._reading() as journal:
            return teller.existing(journal, checked_name(name))

    def accounts(self) -> list[Account]:
        with self._reading() as journal:
            return journal.accounts()

    def entries(self, name: str | None = None) -> list[Entry]:
        with self._reading() as journal:
            if name is not None:
                name = teller.existing(journal, checked_name(name)).name
            return [entry.check() for entry in journal.entries(name)]

    def set_cap(self, name: str, cap: Budget, *, allow_large: bool = False) -> Account:
        exact = self._cap(cap, allow_large=allow_large)
        with self._writing() as journal:
            account = teller.existing(journal, checked_name(name)).recapped(exact)
            journal.record(account, "cap")
        return account

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
        promise = checked_promise(unit, neighbours)
        asked = Request(
            checked_id(request_id),
            checked_name(account),
            positive(epsilon),
            *promise,
            request or {},
        )
        digest = asked.digest()
        allowed = allow_large or self._allow_large
        with self._writing() as journal:
            earlier = journal.charge_of_request(asked.id)
            if earlier is None:
                return ticket_of(teller.charge(journal, asked, allow_large=allowed))
            commit = journal.commit_of_receipt(earlier.field("receipt"))
        if earlier.field("request_hash") != digest:
            raise other_request(asked.id)
        paid = ticket_of(earlier)
        if commit is None:
            raise forfeited(paid)
        with explained(self.location):
            release = audit.read_release(self._spool, commit)
        return Finished(paid.request_id, paid.account, paid.epsilon, paid.receipt, release)

    def commit(self, ticket: Ticket, release: bytes) -> None:
        # The slow write comes first; under the lock there is only a rename.
        with (
            explained(self.location),
            self._spool.staged(ticket.receipt.id, release) as place,
            self._writing() as journal,
        ):
            teller.commit(journal, ticket, release, place)

    def find(self, receipt: Receipt) -> bool:
        with self._reading() as journal:
            charge = journal.charge_of_receipt(receipt.id)
            return charge is not None and Receipt.of(charge) == receipt

    def verify(self, receipts: Iterable[Receipt] = ()) -> int:
        with explained(self.location):
            # Listed before the entries are read: what is spooled by then was charged before.
            seen = self._spool.ids()
            with self._database.transaction(write=False) as connection:
                audit.check_file(connection)
                history = audit.replay(Journal(connection).entries())
                audit.check_schema(connection)
            audit.check_spool(history, self._spool, seen)
            audit.check_receipts(history, receipts)
        return history.length

    def _cap(self, cap: Budget, *, allow_large: bool) -> Fraction:
        exact = positive(cap, "the cap")
        refuse_large(exact, "the cap", allowed=allow_large or self._allow_large)
        return exact

    @contextmanager
    def _reading(self) -> Iterator[Journal]:
        with self._database.transaction(write=False) as connection:
            yield Journal(connection)

    @contextmanager
    def _writing(self) -> Iterator[Journal]:
        with self._database.transaction(write=True) as connection:
            journal = Journal(connection)
            journal.check_end()
            yield journal
