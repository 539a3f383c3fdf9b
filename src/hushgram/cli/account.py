"""What commands print about the account that they charged: whether it is new, and what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from hushgram.cli.output import visible

if TYPE_CHECKING:
    from hushgram.trusted.ledger.opening import Opening

MOST_NAMES = 10
"""Names of accounts to print in one line."""

Result = TypeVar("Result")


def spend(work: Callable[[], Result]) -> tuple[Result, Opening | None]:
    """Run work that spends budget. Also returns the account that it opened, if any.

    If the work fails after opening an account, the new account is reported at once.
    """
    from hushgram.trusted.ledger.opening import openings

    with openings() as opened:
        try:
            return work(), next(iter(opened), None)
        except BaseException:
            for one in opened:
                typer.echo(visible(opening_text(one)), err=True)
            raise


def account_json(account: str, opening: Opening | None) -> dict[str, Any]:
    """Return the name, remaining budget and cap; for a new account, also the other accounts."""
    from hushgram.base.exact import format_number
    from hushgram.trusted.ledger import Ledger

    left = Ledger.open().account(account)
    return {
        "account": left.name,
        "remaining": format_number(left.remaining),
        "cap": format_number(left.cap),
        "new_account": None if opening is None else opening_json(opening),
    }


def account_text(facts: dict[str, Any], opening: Opening | None) -> str:
    """Return the same as one or two lines of text."""
    left = f"Account {facts['account']}: {facts['remaining']} of {facts['cap']} left."
    return left if opening is None else f"{opening_text(opening)}\n{left}"


def epsilon_text(epsilon: str) -> str:
    """Return the budget as a plain number.

    >>> epsilon_text("1/4")
    '0.25'
    """
    from hushgram.base.exact import format_number
    from hushgram.declare.epsilon import as_epsilon

    return format_number(as_epsilon(epsilon))


def opening_json(opening: Opening) -> dict[str, Any]:
    from hushgram.base.exact import format_number

    return {
        "name": opening.account,
        "cap": format_number(opening.cap),
        "others": list(opening.others),
    }


def opening_text(opening: Opening) -> str:
    """
    >>> from fractions import Fraction
    >>> from hushgram.trusted.ledger.opening import Opening
    >>> opening_text(Opening("stops", Fraction(1), ("a", "b")))
    "New account 'stops': cap ε = 1. Other accounts in this ledger: 'a', 'b'."
    """
    from hushgram.base.exact import format_number

    names = [repr(name) for name in opening.others[:MOST_NAMES]]
    names += ["…"] * (len(opening.others) > MOST_NAMES)
    others = (
        f"Other accounts in this ledger: {', '.join(names)}."
        if names
        else "This is the only account in the ledger."
    )
    return f"New account {opening.account!r}: cap ε = {format_number(opening.cap)}. {others}"
