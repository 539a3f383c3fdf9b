"""An account that a charge has opened, and how the program learns of it.

What publishes returns releases, which say nothing about accounts. So a program listens next to it,
and shows users every account that their command has opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction

_heard: ContextVar[list[Opening] | None] = ContextVar("openings", default=None)


@dataclass(frozen=True)
class Opening:
    """A new account: its name, its cap, and the accounts that were there before."""

    account: str
    cap: Fraction
    others: tuple[str, ...]


@contextmanager
def openings() -> Iterator[list[Opening]]:
    """The accounts that charges open while this block runs, whatever happens to the charge.

    >>> from hushgram.trusted.ledger import Ledger
    >>> with openings() as opened:
    ...     ticket = Ledger.in_memory().begin("a", "0.1", unit="rows", neighbours="add-remove")
    >>> opened
    [Opening(account='a', cap=Fraction(1, 1), others=())]
    """
    heard: list[Opening] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def announce(opening: Opening) -> None:
    """Tell whoever listens."""
    heard = _heard.get()
    if heard is not None:
        heard.append(opening)
