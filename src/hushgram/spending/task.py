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
    """Steps that do not read rows."""

    steps: Callable[[], object]
    key: Hashable
    """Equal for rehearsals that run through the same code: one of them is enough."""


class Task(Protocol[Found]):
    """A question about a table that is open but not read yet."""

    def check(self) -> None:
        """Raise if the schema does not fit or a file has changed. Does not read rows."""

    def rehearsals(self, noise: Noise) -> Iterable[Rehearsal]:
        """Return the same steps, on the table without its rows."""

    def request(self) -> Mapping[str, object]:
        """Return what a request ID stands for, in addition to the source and the unit."""

    def run(self, noise: Noise, receipt: ReceiptJson | None) -> Found:
        """Query the rows through vaults, which add the noise. Called only after the charge."""

    def to_bytes(self, found: Found, receipt: ReceiptJson | None) -> bytes:
        """Return what the ledger stores."""

    def from_bytes(self, kept: bytes) -> Found:
        """Return the result of an earlier run of the same request."""


def charge_and_run(source: Source, task: Task[Found], spending: Spending) -> Found:
    """Prepare without rows, charge the account, and only then count and add noise.

    A request that was completed before returns its stored result at no cost.
    """
    noise = prepare(task, spending)
    charged = charge(source, spending, task.request())
    if isinstance(charged, bytes):
        return task.from_bytes(charged)
    found = task.run(noise, charged.receipt)
    charged.keep(task.to_bytes(found, charged.receipt))
    return found


def prepare(task: Task[Found], spending: Spending) -> Noise:
    """Run everything that can fail without reading rows, so that failures cost nothing."""
    from hushgram.trusted.noise import source as noise_source

    noise = noise_source(spending.noise)
    task.check()
    for steps, key in task.rehearsals(noise):
        rehearse(steps, key)
    task.check()  # again: a file may have changed in the seconds of a first rehearsal
    return noise
