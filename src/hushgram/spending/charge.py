"""The budget of a call, and charging it to an account."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from hushgram.base.exact import Number
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.source import Source
from hushgram.declare.unit import Neighbours, Unit, UnitOption, User, as_neighbours, as_unit
from hushgram.errors import BadInput, Unaccounted
from hushgram.spending.dry_run import AccountPreview
from hushgram.spending.identity import source_identity

if TYPE_CHECKING:
    from hushgram.trusted.ledger import Ledger


@dataclass(frozen=True)
class Spending:
    """What a call may spend, whom it protects, and which account pays. Every call that spends has
    these options; they are checked once."""

    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    account: str | None
    ledger: Ledger | None
    noise: str
    request: str | None
    cap: Number | None
    allow_large: bool

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number,
        unit: UnitOption,
        neighbours: Neighbours,
        account: str | None,
        ledger: Ledger | None,
        noise: str,
        request: str | None,
        cap: Number | None,
        allow_large: bool,
    ) -> Spending:
        """Check the keywords of a call. The ledger checks the account's name and cap when it
        charges."""
        if isinstance(ledger, str | os.PathLike):
            raise BadInput("ledger must be a Ledger. Found text. Open it first: Ledger.open(…).")
        return cls(
            as_epsilon(epsilon),
            as_unit(unit),
            as_neighbours(neighbours),
            account,
            ledger,
            noise,
            request,
            cap,
            allow_large,
        )


ReceiptJson = Mapping[str, str]
"""The receipt of a durable ledger, as JSON."""


@dataclass(frozen=True)
class Charge:
    """A completed charge, and a function that stores the result."""

    receipt: ReceiptJson | None
    """None if the ledger is not durable."""

    keep: Callable[[bytes], None]
    """Stores the result. Must be called before the result is returned."""


def charge(source: Source, spending: Spending, asked: Mapping[str, object]) -> Charge | bytes:
    """Charge the account of a table for a request, of which the ledger stores only a hash.

    Returns the stored bytes if the request was completed before.
    """
    from hushgram.trusted.ledger import Finished

    ledger, account = ledger_and_account(source, spending)
    ticket = ledger.begin(
        account,
        spending.epsilon,
        unit=spending.unit.key,
        neighbours=spending.neighbours,
        request_id=spending.request,
        request={"source": source_identity(source), **unit_identity(spending.unit), **asked},
        cap=spending.cap,
        allow_large=spending.allow_large,
    )
    if isinstance(ticket, Finished):
        return ticket.release
    receipt = ticket.receipt.to_json() if ledger.durable else None
    return Charge(receipt, partial(ledger.commit, ticket))


def preview_charge(source: Source, spending: Spending) -> AccountPreview | None:
    """Return the account as it would be after a charge, with all its checks; None if no account
    pays."""
    from hushgram.trusted.engine.sources.counted import Counts
    from hushgram.trusted.ledger import Ledger

    if spending.account is None and isinstance(source, Counts):
        return None
    if spending.ledger is None and not Ledger.exists():  # a preview must not create one
        spending = replace(spending, ledger=Ledger.in_memory())
    ledger, account = ledger_and_account(source, spending)
    after, new = ledger.preview(
        account,
        spending.epsilon,
        unit=spending.unit.key,
        neighbours=spending.neighbours,
        cap=spending.cap,
        allow_large=spending.allow_large,
    )
    return AccountPreview(after.name, after.cap, after.remaining, new)


def ledger_and_account(source: Source, spending: Spending) -> tuple[Ledger, str]:
    """Return the ledger and the account to charge. Counts need no account; tables do."""
    from hushgram.trusted.engine.sources.counted import Counts
    from hushgram.trusted.ledger import Ledger

    if spending.account is not None:
        return spending.ledger or Ledger.open(), spending.account
    if not isinstance(source, Counts):
        raise BadInput(
            "An account is missing. Every table needs one, so that the budget spent on it "
            'is recorded. Choose a name, for example account="checkins".'
        )
    if spending.ledger is None:
        warnings.warn(
            "These counts are published without an account, so the budget they spend is "
            'not recorded. If they come from private data, give an account: account="…".',
            Unaccounted,
            stacklevel=stack_outside(),
        )
    return spending.ledger or Ledger.in_memory(), "counts"


def unit_identity(unit: Unit) -> dict[str, object]:
    """Return the part of a request about people: an account does not depend on their
    ``max_rows``."""
    return {"max_rows": unit.max_rows} if isinstance(unit, User) else {}


def stack_outside() -> int:
    """Return the number of stack levels up to Hushgram's caller, so that warnings point there."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hushgram."):
        depth, frame = depth + 1, frame.f_back
    return depth
