"""Check the whole ledger from its first entry."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from hushgram.errors import BudgetError, LedgerCorrupted
from hushgram.trusted.ledger.account import Account
from hushgram.trusted.ledger.chain import Entry, check_link, corruption_error
from hushgram.trusted.ledger.journal import account_at
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.store import LedgerRows


@dataclass
class History:
    """The state that the entries lead to, computed without trusting the states they claim."""

    length: int = 0
    accounts: dict[str, Account] = field(default_factory=dict)
    charges: dict[str, Entry] = field(default_factory=dict)
    requests: set[str] = field(default_factory=set)
    commits: dict[str, Entry] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Apply one entry, with the same rules that wrote it."""
        if entry.kind == "commit":
            self._commit(entry)
            return
        claimed = account_at(entry)
        if self._after(entry, claimed) != claimed:
            raise corruption_error(f"{entry} does not follow from the account's state before it")
        self.accounts[entry.account] = claimed
        if entry.kind == "charge":
            self._charge(entry)

    def _after(self, entry: Entry, claimed: Account) -> Account | None:
        before = self.accounts.get(entry.account)
        try:
            if entry.kind == "open" and before is None and claimed.cap > 0:
                return Account(claimed.name, claimed.cap, claimed.unit, claimed.neighbours)
            if entry.kind == "cap" and before is not None:
                return before.with_cap(claimed.cap)
            if entry.kind == "charge" and before is not None and entry.budget("epsilon") > 0:
                return before.with_charge(entry.budget("epsilon"))
        except BudgetError:
            return None
        return None

    def _charge(self, entry: Entry) -> None:
        receipt, request = entry.field("receipt"), entry.field("request")
        if receipt in self.charges or request in self.requests:
            raise corruption_error(f"{entry} repeats an earlier request or receipt")
        self.charges[receipt] = entry
        self.requests.add(request)

    def _commit(self, entry: Entry) -> None:
        receipt = entry.field("receipt")
        charge = self.charges.get(receipt)
        if charge is None or charge.account != entry.account or receipt in self.commits:
            raise corruption_error(f"{entry} has no pending charge")
        self.commits[receipt] = entry


def replay(entries: Iterable[Entry]) -> History:
    """Follow the chain and the sums; raise at the first entry that breaks either."""
    history, last = History(), None
    for entry in entries:
        check_link(last, entry)
        history.add(entry)
        history.length += 1
        last = entry
    return history


def check_releases(history: History, rows: LedgerRows, kept: set[str]) -> None:
    """Raise if a committed release is missing or changed, or if a stored release was never
    charged."""
    for commit in history.commits.values():
        read_release(rows, commit)
    for receipt in sorted(kept - history.charges.keys()):
        raise _older_copy_error(f"release {receipt} in the spool")


def check_receipts(history: History, receipts: Iterable[Receipt], *, committed: bool) -> None:
    """Raise if the ledger does not know the receipt of an existing release: then it has lost
    entries.

    With `committed`, also raise if a published release was not committed.
    """
    for receipt in receipts:
        charge = history.charges.get(receipt.id)
        if charge is None or Receipt.of(charge) != receipt:
            raise _older_copy_error(f"receipt {receipt.id} (epsilon {receipt.epsilon})")
        if committed and receipt.id not in history.commits:
            raise _older_copy_error(f"the finished release of receipt {receipt.id}")


def read_release(rows: LedgerRows, commit: Entry) -> bytes:
    """Return the bytes of a committed release, or raise if they are missing or changed."""
    receipt = commit.field("receipt")
    release = rows.release(receipt)
    if release is None:
        raise corruption_error(f"release {receipt} of {commit} is missing from the spool")
    if hashlib.sha256(release).hexdigest() != commit.field("sha256"):
        raise corruption_error(f"release {receipt} of {commit} was changed in the spool")
    return release


def _older_copy_error(evidence: str) -> LedgerCorrupted:
    return LedgerCorrupted(
        f"The ledger does not contain {evidence}, although it was paid for. It was "
        "probably replaced by an older copy, or is a different ledger, so its remaining "
        "budgets may be wrong. Do not publish with it. Restore the newest copy and run: "
        "hushgram ledger verify"
    )
