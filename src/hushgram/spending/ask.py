"""Charge, then count, then add noise: the only way to query a table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from hushgram.declare.source import Source
from hushgram.spending.charge import ReceiptJson, Spending, charge
from hushgram.spending.rehearsal import rehearse

if TYPE_CHECKING:
    from hushgram.trusted.noise import Noise

Found = TypeVar("Found")


class Rehearsal(NamedTuple):
    """Steps that touch no row, and what decides which code they run through."""

    steps: Callable[[], object]
    key: Hashable


class Ask(Protocol[Found]):
    """A request about a table that is opened but not yet read."""

    def check(self) -> None:
        """Refuse what the table's schema cannot give, and a file that has changed. Reads no row."""

    def rehearsals(self, noise: Noise) -> Iterable[Rehearsal]:
        """The same steps on the table without its rows."""

    def request(self) -> Mapping[str, object]:
        """What a request id stands for, besides the source and the unit."""

    def look(self, noise: Noise, receipt: ReceiptJson | None) -> Found:
        """Ask the rows through vaults, which add the noise. Only ever called after the charge."""

    def to_bytes(self, found: Found, receipt: ReceiptJson | None) -> bytes:
        """What the ledger keeps."""

    def from_bytes(self, kept: bytes) -> Found:
        """What was found when the same request was finished before."""


def charge_and_look(source: Source, ask: Ask[Found], spending: Spending) -> Found:
    """Prepare without rows, charge the account, and only then look; a look adds its noise.

    A request that was finished before gives what was found then, at no charge.
    """
    noise = prepare(ask, spending)
    charged = charge(source, spending, ask.request())
    if isinstance(charged, bytes):
        return ask.from_bytes(charged)
    found = ask.look(noise, charged.receipt)
    charged.keep(ask.to_bytes(found, charged.receipt))
    return found


def prepare(ask: Ask[Found], spending: Spending) -> Noise:
    """Whatever can fail without looking at rows fails here, at no charge."""
    from hushgram.trusted.noise import source as noise_source

    noise = noise_source(spending.noise)
    ask.check()
    for steps, key in ask.rehearsals(noise):
        rehearse(steps, key)
    ask.check()  # again: a file may have changed in the seconds of a first rehearsal
    return noise
