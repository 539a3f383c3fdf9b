"""Errors of PostgreSQL and what to do about them, without any password."""

from __future__ import annotations

from hushgram.errors import HushgramError, LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.postgres.address import PostgresAddress
from hushgram.trusted.ledger.store import LOCKED

_SLOW = (
    "takes too long to answer. Ask the administrator of the server what keeps it busy, then "
    "try again."
)
_NO_RIGHT = (
    "does not give this user the necessary permission. Ask its owner to grant it, as "
    "described in docs/guides/teams.md."
)
_SHORT = (
    "cannot be read or written, because the server lacks disk space, memory or "
    "connections. Ask its administrator to fix this, then try again."
)
_READ_ONLY = "cannot be written: the server is read-only or a standby. Use the primary server."
_GONE = (
    "cannot be reached, and nothing was written. Check the address, user and password, "
    "and that the server runs, then try again."
)
_DAMAGED = (
    "is not an intact ledger: its tables are damaged, changed or something else. Do not "
    "publish with it. Restore it from a backup, or choose another with HUSHGRAM_LEDGER."
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
    """Return the ledger's error for an error of the driver.

    An error without a state does not come from the server: there is no connection (any more).
    """
    state = getattr(error, "sqlstate", None)
    reason = _GONE
    if state is not None:
        reason = _BY_STATE.get(state) or _BY_CLASS.get(state[:2]) or _DAMAGED
    kind = LedgerCorrupted if reason is _DAMAGED else LedgerError
    return kind(f"The ledger {address.where} {reason}{address.reason(error)}")


def unknown_outcome_error(address: PostgresAddress) -> LedgerError:
    """Return the error for a connection that broke during a commit.

    Counting the epsilon as spent is safe in either case: the caller gets no ticket and reads
    nothing.
    """
    return LedgerError(
        f"The connection to the ledger {address.where} was lost while a step was being "
        "written, so the step may or may not be recorded. Count its epsilon as spent. No "
        "release was made. When the server answers again, check with: hushgram ledger "
        "show. Then publish again; a request ID is never charged twice."
    )
