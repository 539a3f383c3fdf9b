"""Errors of SQLite and the operating system, and what to do about them."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from hushgram.errors import LedgerCorrupted, LedgerError
from hushgram.trusted.ledger.store import LOCKED

_NO_WAY_IN = (
    "cannot be opened or written. Check that the file and its folder exist and that you "
    "have permission to write to both, or choose another file with HUSHGRAM_LEDGER."
)
_FULL = (
    "cannot be written, because the disk is full or over quota. Free some space, then try again."
)
_DEVICE = "cannot be read or written: the disk reports an error. Check the disk, then try again."
_DAMAGED = (
    "is not an intact ledger file: it is damaged, truncated or something else. Do not "
    "publish with it. Restore it from a backup, or choose another file with "
    "HUSHGRAM_LEDGER."
)

_SQLITE = {
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_PROTOCOL: LOCKED,
    sqlite3.SQLITE_READONLY: _NO_WAY_IN,
    sqlite3.SQLITE_CANTOPEN: _NO_WAY_IN,
    sqlite3.SQLITE_PERM: _NO_WAY_IN,
    sqlite3.SQLITE_AUTH: _NO_WAY_IN,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _DEVICE,
}
_SYSTEM = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL, errno.EIO: _DEVICE}


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn errors of SQLite and of the system into the ledger's own."""
    try:
        yield
    except sqlite3.Error as error:
        # Extended codes keep the plain one in their low byte; Python's own errors have none.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _SQLITE:
            raise LedgerError(f"The ledger {where} {_SQLITE[code]}") from error
        raise LedgerCorrupted(f"The ledger {where} {_DAMAGED} (SQLite: {error})") from error
    except UnicodeDecodeError as error:  # SQLite's complaint quotes bytes of the file
        raise LedgerCorrupted(f"The ledger {where} {_DAMAGED}") from error
    except OSError as error:
        reason = _SYSTEM.get(error.errno or 0, _NO_WAY_IN)
        raise LedgerError(f"The ledger {where} {reason} (System: {error.strerror})") from error
