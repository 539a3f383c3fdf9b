"""Errors of PostgreSQL and what to do about them, without any password."""

from __future__ import annotations

from hushgram.errors import HushgramError, LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.postgres.address import PostgresAddress
from hushgram.trusted.ledger.store import LOCKED

_SLOW = "takes too long to answer. Ask who runs the server what keeps it busy, then try again."
_NO_RIGHT = (
    "refuses this user a right that is needed. Let its owner grant it, as in the guide "
    "docs/guides/teams.md."
)
_SHORT = (
    "cannot be read or written, because the server lacks disk, memory or connections. Let who runs "
    "it look after that, then try again."
)
_READ_ONLY = "cannot be written: the server is read-only or a standby. Name the primary server."
_GONE = (
    "is unreachable, and nothing was written. Check the address, the user, the password and that "
    "the server runs, then try again."
)
_DAMAGED = (
    "is not a sound ledger: its tables are damaged, changed, or something else. Publish nothing "
    "with it; restore it from a backup, or choose another with HUSHGRAM_LEDGER."
)

_BY_STATE = {
    "55P03": LOCKED,
    "40P01": LOCKED,
    "57014": _SLOW,
    "25P03": _SLOW,
    "42501": _NO_RIGHT,
    "25006": _READ_ONLY,
}
_BY_CLASS = {"08": _GONE, "53": _SHORT, "57": _GONE, "58": _SHORT}


def explain_error(address: PostgresAddress, error: Exception) -> HushgramError:
    """The ledger's own error for one of the driver's.

    An error without a state is no answer of the server: there is no connection (any more).
    """
    state = getattr(error, "sqlstate", None)
    said = _GONE
    if state is not None:
        said = _BY_STATE.get(state) or _BY_CLASS.get(state[:2]) or _DAMAGED
    kind = LedgerCorrupted if said is _DAMAGED else LedgerError
    return kind(f"the ledger {address.where} {said}{address.reason(error)}")


def unknown_outcome_error(address: PostgresAddress) -> LedgerError:
    """For a connection that broke while a step was made durable.

    To call it spent is safe either way: whoever asked gets no ticket and looks at nothing.
    """
    return LedgerError(
        f"the connection to the ledger {address.where} was lost while a step was being written, so "
        "it may be recorded or not: count its epsilon as spent. No release came of it. When the "
        "server answers again, look with: hushgram ledger show, then publish anew; an id that was "
        "charged is never charged twice."
    )
