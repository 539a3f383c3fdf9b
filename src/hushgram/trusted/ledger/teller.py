"""The steps that write to the book, each within the caller's one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from hushgram.epsilon import refuse_large
from hushgram.errors import BadInput, RequestConflict
from hushgram.exact import format_number, to_text
from hushgram.trusted.ledger.account import Account, unknown
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.receipt import new_id, new_salt
from hushgram.trusted.ledger.request import Request, Ticket, ticket_of


def existing(journal: Journal, name: str) -> Account:
    """The account, or an error that lists the known ones."""
    account = journal.account(name)
    if account is None:
        raise unknown(name, [known.name for known in journal.accounts()])
    return account


def open_account(journal: Journal, account: Account) -> None:
    known = journal.account(account.name)
    if known is not None:
        raise BadInput(
            f"account {known.name!r} exists already, with cap {format_number(known.cap)}. "
            "Change the cap with: hushgram ledger set-cap, or choose another name."
        )
    journal.record(account, "open")


def charge(journal: Journal, asked: Request, *, allow_large: bool) -> Entry:
    """Check, then write the charge; an account that is new gets this epsilon as its cap.

    Where a check fails, the transaction takes back what was written before it.
    """
    account = journal.account(asked.account)
    if account is None:
        refuse_large(asked.epsilon, "epsilon", allowed=allow_large)
        account = Account(asked.account, asked.epsilon, asked.unit, asked.neighbours)
        journal.record(account, "open")
    account.require(asked.unit, asked.neighbours)
    return journal.record(
        account.charged(asked.epsilon),
        "charge",
        epsilon=to_text(asked.epsilon),
        request=asked.id,
        request_hash=asked.digest(),
        receipt=new_id(),
        salt=new_salt(),
    )


def commit(journal: Journal, ticket: Ticket, release: bytes, place: Callable[[], None]) -> None:
    """Put the staged release in its place and say so; the same bytes again are no news."""
    _require_issued(journal, ticket)
    receipt, digest = ticket.receipt.id, hashlib.sha256(release).hexdigest()
    done = journal.commit_of_receipt(receipt)
    if done is None:
        place()
        journal.append(ticket.account, "commit", {"receipt": receipt, "sha256": digest})
    elif done.field("sha256") != digest:
        raise RequestConflict(
            f"request id {ticket.request_id!r} has its release already, and these bytes are "
            "others. A charge pays for one release: ask anew with a new request id."
        )


def _require_issued(journal: Journal, shown: Ticket) -> None:
    charged = journal.charge_of_receipt(shown.receipt.id)
    if charged is None or ticket_of(charged) != shown:
        raise RequestConflict(
            f"this ledger has no charge for request id {shown.request_id!r}. "
            "Commit to the ledger that began it, and publish nothing that it does not know."
        )
