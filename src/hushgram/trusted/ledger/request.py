"""A request for a release: its ID, what the ID is bound to, and its possible outcomes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from hushgram.base.exact import format_number, to_text
from hushgram.errors import BadInput, RequestConflict
from hushgram.trusted.ledger.chain import Entry, canonical
from hushgram.trusted.ledger.opening import Opening
from hushgram.trusted.ledger.receipt import Receipt, new_id

_ID_LENGTH = 200


@dataclass(frozen=True)
class Ticket:
    """A completed charge without a release yet. It pays for one release."""

    request_id: str
    account: str
    epsilon: Fraction
    receipt: Receipt
    opening: Opening | None = field(default=None, compare=False)
    """The account, if this charge opened it."""


@dataclass(frozen=True)
class Finished:
    """A request that was committed before, with its stored release."""

    request_id: str
    account: str
    epsilon: Fraction
    receipt: Receipt
    release: bytes = field(repr=False)


@dataclass(frozen=True)
class Request:
    """A request to charge an account. The ledger only stores a hash of `details`."""

    id: str
    account: str
    epsilon: Fraction
    unit: str
    neighbours: str
    details: Mapping[str, object]

    def digest(self) -> str:
        """Return the hash that a request ID is bound to."""
        bound = {
            "account": self.account,
            "epsilon": to_text(self.epsilon),
            "unit": self.unit,
            "neighbours": self.neighbours,
            "request": dict(self.details),
        }
        try:
            return hashlib.sha256(canonical(bound).encode()).hexdigest()
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"Cannot write the request as JSON: {error}. Use text, finite numbers, "
                "fractions, lists and mappings with text keys."
            ) from error


def check_id(request_id: str | None) -> str:
    """Return the given ID, or a random one."""
    if request_id is None:
        return new_id()
    sound = isinstance(request_id, str) and 1 <= len(request_id) <= _ID_LENGTH
    if not sound or not request_id.isprintable():
        raise BadInput(
            f"A request ID must have 1 to {_ID_LENGTH} printable characters. Found "
            f"{repr(request_id)[:60]}. Leave it out to get a random one."
        )
    return request_id


def ticket_of(charge: Entry, opening: Opening | None = None) -> Ticket:
    """Return the ticket of an entry of kind "charge"."""
    receipt = Receipt.of(charge)
    return Ticket(charge.field("request"), charge.account, receipt.epsilon, receipt, opening)


def other_request_error(request_id: str) -> RequestConflict:
    return RequestConflict(
        f"Request ID {request_id!r} was already used for a different request. Use a new "
        "ID, or repeat the earlier request unchanged."
    )


def pending_request_error(pending: Ticket) -> RequestConflict:
    """Return the error for a pending request. Running it again without a charge would be an unpaid
    release."""
    return RequestConflict(
        f"Request ID {pending.request_id!r} belongs to a publish that did not finish, or "
        f"is still running. Its epsilon {format_number(pending.epsilon)} stays spent in "
        f"account {pending.account!r}. Publish again with a new ID."
    )
