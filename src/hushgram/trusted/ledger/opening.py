"""Accounts that charges open, and how a program learns about them.

Publishing returns releases, which do not mention accounts. So a program can listen for openings,
and show users every account that their command opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction

_listener: ContextVar[list[Opening] | None] = ContextVar("openings", default=None)


@dataclass(frozen=True)
class Opening:
    """A new account: its name, its cap, and the accounts that existed before."""

    account: str
    cap: Fraction
    others: tuple[str, ...]


@contextmanager
def openings() -> Iterator[list[Opening]]:
    """Collect the accounts that are opened within the context, whether or not the charges succeed.

    >>> from hushgram.trusted.ledger import Ledger
    >>> with openings() as opened:
    ...     ticket = Ledger.in_memory().begin("a", "0.1", unit="rows", neighbours="add-remove")
    >>> opened
    [Opening(account='a', cap=Fraction(1, 1), others=())]
    """
    opened: list[Opening] = []
    token = _listener.set(opened)
    try:
        yield opened
    finally:
        _listener.reset(token)


def announce(opening: Opening) -> None:
    """Report an opening to the listener, if there is one."""
    opened = _listener.get()
    if opened is not None:
        opened.append(opening)
