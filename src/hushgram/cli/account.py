"""What an account has left after a command spent from it."""

from __future__ import annotations


def rest_of(account: str) -> dict[str, str]:
    """Its name, what is left, and the cap."""
    from hushgram.exact import format_number as plain
    from hushgram.trusted.ledger import Ledger

    left = Ledger.open().account(account)
    return {"account": account, "remaining": plain(left.remaining), "cap": plain(left.cap)}


def told(rest: dict[str, str]) -> str:
    return f"Account {rest['account']}: {rest['remaining']} of {rest['cap']} left."
