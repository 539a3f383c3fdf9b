"""The ledger's entries within one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple

from hushgram.base.exact import to_text
from hushgram.trusted.ledger.account import Account, ambiguous_name_error
from hushgram.trusted.ledger.chain import Entry, check_link, corruption_error, next_entry
from hushgram.trusted.ledger.lookalikes import identity
from hushgram.trusted.ledger.store import LedgerRows

_ROW = "SELECT seq, account, kind, payload, time, prev_hash, hash FROM entries"


class Journal:
    """Appends and finds entries. Every entry that is found is checked against its hash."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows
        self._end: Entry | None = None

    def check_end(self) -> None:
        """Check that the last link is valid and that no entry is missing, in constant time.

        `verify` checks the whole chain. Appended entries continue the end that was found here: if
        another writer came in between, the number of the entry would be taken.
        """
        last = list(self._select("ORDER BY seq DESC LIMIT 2"))
        if last:
            check_link(last[1].check() if len(last) == 2 else None, last[0])
        ((count,),) = self._rows.execute("SELECT count(*) FROM entries")
        if count != (last[0].seq if last else 0):
            raise corruption_error(f"it has {count} entries and the last is number {last[0].seq}")
        self._end = last[0] if last else None

    def append(self, account: str, kind: str, details: Mapping[str, str]) -> Entry:
        entry = next_entry(self._end, account, kind, details)
        self._rows.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(entry))
        self._end = entry
        return entry

    def record(self, account: Account, kind: str, **details: str) -> Entry:
        """Append an entry with the account's new state."""
        return self.append(account.name, kind, {**state_of(account), **details})

    def account(self, name: str) -> Account | None:
        entry = self._one("WHERE kind <> 'commit' AND account = ? ORDER BY seq DESC LIMIT 1", name)
        return None if entry is None else account_at(entry)

    def find_account(self, name: str) -> Account | None:
        """Return the account with this name in any spelling: case, width, invisible characters."""
        exact = self.account(name)
        if exact is not None:
            return exact
        wanted = identity(name)
        same = [known for known in self.names() if identity(known) == wanted]
        if len(same) > 1:
            raise ambiguous_name_error(name, same)
        return self.account(same[0]) if same else None

    def names(self) -> list[str]:
        """Return the names of all accounts, as spelled when they were opened."""
        query = "SELECT DISTINCT account FROM entries WHERE kind <> 'commit' ORDER BY account"
        return [name for (name,) in self._rows.execute(query)]

    def accounts(self) -> list[Account]:
        latest = "SELECT max(seq) FROM entries WHERE kind <> 'commit' GROUP BY account"
        entries = self._select(f"WHERE seq IN ({latest}) ORDER BY account")
        return [account_at(entry.check()) for entry in entries]

    def entries(self, account: str | None = None) -> Iterator[Entry]:
        """Yield entries without checking them, for an audit."""
        if account is None:
            return self._select("ORDER BY seq")
        return self._select("WHERE account = ? ORDER BY seq", account)

    def charge_of_request(self, request_id: str) -> Entry | None:
        return self._by_field("charge", "request", request_id)

    def charge_of_receipt(self, receipt_id: str) -> Entry | None:
        return self._by_field("charge", "receipt", receipt_id)

    def commit_of_receipt(self, receipt_id: str) -> Entry | None:
        return self._by_field("commit", "receipt", receipt_id)

    def _by_field(self, kind: str, name: str, value: str) -> Entry | None:
        return self._one(f"WHERE kind = '{kind}' AND {self._rows.field(name)} = ?", value)

    def _one(self, where: str, *values: str) -> Entry | None:
        entry = next(self._select(where, *values), None)
        return None if entry is None else entry.check()

    def _select(self, where: str, *values: str) -> Iterator[Entry]:
        for row in self._rows.execute(f"{_ROW} {where}", values):
            if not isinstance(row[0], int) or not all(isinstance(cell, str) for cell in row[1:]):
                raise corruption_error(f"entry {row[0]} is not readable")
            yield Entry(*row)


def state_of(account: Account) -> dict[str, str]:
    return {
        "cap": to_text(account.cap),
        "spent": to_text(account.spent),
        "unit": account.unit,
        "neighbours": account.neighbours,
    }


def account_at(entry: Entry) -> Account:
    """Return the account's state after this entry."""
    return Account(
        entry.account,
        entry.budget("cap"),
        entry.field("unit"),
        entry.field("neighbours"),
        entry.budget("spent"),
    )
