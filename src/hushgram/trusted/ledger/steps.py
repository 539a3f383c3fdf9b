"""The steps that write to the ledger, within the caller's transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from hushgram.base.exact import format_number, to_text
from hushgram.declare.epsilon import LARGE, budget_exceeded, refuse_large
from hushgram.errors import BadInput, BudgetError, RequestConflict
from hushgram.trusted.ledger.account import (
    Account,
    refuse_lookalike,
    set_cap_command,
    unknown_account_error,
)
from hushgram.trusted.ledger.journal import Journal
from hushgram.trusted.ledger.opening import Opening
from hushgram.trusted.ledger.receipt import new_id, new_salt
from hushgram.trusted.ledger.request import Request, Ticket, ticket_of


def require_account(journal: Journal, name: str) -> Account:
    """Return the account, or raise an error that lists the known ones."""
    account = journal.find_account(name)
    if account is None:
        raise unknown_account_error(name, journal.names())
    return account


def resolve_account(journal: Journal, asked: Request) -> Request:
    """Return the request with the ledger's spelling of its account, so that all spellings are
    equal.

    Raises if the request cannot be hashed, before anything is charged.
    """
    known = journal.find_account(asked.account)
    found = asked if known is None else replace(asked, account=known.name)
    found.digest()
    return found


def open_account(journal: Journal, account: Account) -> None:
    known = journal.find_account(account.name)
    if known is not None:
        raise BadInput(
            f"Account {known.name!r} already exists, with cap {format_number(known.cap)}. "
            "Change the cap with: hushgram ledger set-cap, or choose another name."
        )
    refuse_lookalike(account.name, journal.names())
    journal.record(account, "open")


def charge(
    journal: Journal, asked: Request, cap: Fraction | None = None, *, allow_large: bool
) -> Ticket:
    """Check, then write a charge. A new account is opened with the cap.

    If a check fails, the transaction is rolled back.
    """
    account, opening = journal.account(asked.account), None
    if account is None:
        account = first_account(asked, cap, allow_large=allow_large)
        opening = Opening(account.name, account.cap, tuple(journal.names()))
        open_account(journal, account)
    elif cap not in (None, account.cap):
        raise other_cap_error(account, cap)
    account.require(asked.unit, asked.neighbours)
    entry = journal.record(
        account.with_charge(asked.epsilon),
        "charge",
        epsilon=to_text(asked.epsilon),
        request=asked.id,
        request_hash=asked.digest(),
        receipt=new_id(),
        salt=new_salt(),
    )
    return ticket_of(entry, opening)


def first_account(asked: Request, cap: Fraction | None, *, allow_large: bool) -> Account:
    """Return the account that a first charge opens: with the given cap, or a cap of 1, or of
    epsilon if that is larger."""
    refuse_large(asked.epsilon, "epsilon", allowed=allow_large)
    if cap is not None and cap < asked.epsilon:
        raise budget_exceeded(
            asked.epsilon,
            cap,
            f"the new account {asked.account!r}",
            "Use a larger cap (--cap) or a smaller epsilon.",
        )
    chosen = max(Fraction(1), asked.epsilon) if cap is None else cap
    return Account(asked.account, chosen, asked.unit, asked.neighbours)


def other_cap_error(account: Account, cap: Fraction) -> BudgetError:
    """Return the error for a charge that gives a different cap for an existing account."""
    flag = " --allow-large" if cap > LARGE else ""
    return BudgetError(
        f"Account {account.name!r} already exists with cap {format_number(account.cap)}, "
        f"but the cap {format_number(cap)} was given. Leave out the cap, or change it "
        f"first: {set_cap_command(account.name, cap)}{flag}"
    )


def commit(journal: Journal, ticket: Ticket, release: bytes, place: Callable[[], None]) -> None:
    """Move the staged release into place and record it. Committing the same bytes again does
    nothing."""
    _require_issued(journal, ticket)
    receipt, digest = ticket.receipt.id, hashlib.sha256(release).hexdigest()
    done = journal.commit_of_receipt(receipt)
    if done is None:
        place()
        journal.append(ticket.account, "commit", {"receipt": receipt, "sha256": digest})
    elif done.field("sha256") != digest:
        raise RequestConflict(
            f"Request ID {ticket.request_id!r} already has a different release. A charge "
            "pays for one release. Publish again with a new ID."
        )


def _require_issued(journal: Journal, shown: Ticket) -> None:
    charged = journal.charge_of_receipt(shown.receipt.id)
    if charged is None or ticket_of(charged) != shown:
        raise RequestConflict(
            f"This ledger has no charge for request ID {shown.request_id!r}. Commit to the "
            "ledger that was charged, and do not publish anything that it does not "
            "contain."
        )
