"""What a command tells of the account it spent from: whether it is new, and what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from hushgram.cli.output import visible

if TYPE_CHECKING:
    from hushgram.trusted.ledger.opening import Opening

MOST_NAMES = 10
"""Of accounts, in a line for people."""


def announced(work: Callable[..., Any], *given: Any, **named: Any) -> tuple[Any, Opening | None]:
    """What the work gives back, and the account that it opened, if it did.

    Work that fails after it has opened one says so at once.
    """
    from hushgram.trusted.ledger.opening import openings

    with openings() as opened:
        try:
            return work(*given, **named), next(iter(opened), None)
        except BaseException:
            for one in opened:
                typer.echo(visible(new_account(one)), err=True)
            raise


def rest_of(account: str, opening: Opening | None) -> dict[str, Any]:
    """Its name, what is left, the cap; and if it is new, with which others."""
    from hushgram.base.exact import format_number
    from hushgram.trusted.ledger import Ledger

    left = Ledger.open().account(account)
    return {
        "account": left.name,
        "remaining": format_number(left.remaining),
        "cap": format_number(left.cap),
        "new_account": None if opening is None else opening_facts(opening),
    }


def opening_facts(opening: Opening) -> dict[str, Any]:
    from hushgram.base.exact import format_number

    return {
        "name": opening.account,
        "cap": format_number(opening.cap),
        "others": list(opening.others),
    }


def told(rest: dict[str, Any], opening: Opening | None) -> str:
    """A line or two for people."""
    left = f"Account {rest['account']}: {rest['remaining']} of {rest['cap']} left."
    return left if opening is None else f"{new_account(opening)}\n{left}"


def new_account(opening: Opening) -> str:
    """
    >>> from fractions import Fraction
    >>> from hushgram.trusted.ledger.opening import Opening
    >>> new_account(Opening("stops", Fraction(1), ("a", "b")))
    "New account 'stops': cap ε = 1. Other accounts here: 'a', 'b'."
    """
    from hushgram.base.exact import format_number

    names = [repr(name) for name in opening.others[:MOST_NAMES]]
    names += ["…"] * (len(opening.others) > MOST_NAMES)
    others = f"Other accounts here: {', '.join(names)}." if names else "No other accounts here."
    return f"New account {opening.account!r}: cap ε = {format_number(opening.cap)}. {others}"
