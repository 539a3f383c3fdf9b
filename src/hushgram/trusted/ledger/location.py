"""The location of the ledger, and private folders for it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from hushgram.errors import LedgerError

VARIABLE = "HUSHGRAM_LEDGER"

_SERVER = re.compile(r"postgres(ql)?://")
_URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)


def ledger_url(
    path: str | os.PathLike[str] | None = None, environ: Mapping[str, str] = os.environ
) -> str | None:
    """Return the address of a ledger on a server, if the given path or HUSHGRAM_LEDGER is one.

    Messages never show it, because an address may contain a password.
    """
    chosen = os.fspath(path or environ.get(VARIABLE) or "")
    if _SERVER.match(chosen):
        return chosen
    if _URL.match(chosen):
        raise LedgerError(
            f"This address is neither a file nor a PostgreSQL server. Set {VARIABLE} to a "
            "file, or to an address that starts with postgresql://"
        )
    return None


def ledger_path(
    path: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> Path:
    """Return the given path, or HUSHGRAM_LEDGER, or a file in the user data folder; always
    absolute.

    The variable must be absolute: the working directory may change, and the ledger must not.
    """
    chosen = path or environ.get(VARIABLE)
    try:
        found = Path(chosen).expanduser() if chosen else _user_data(environ, platform) / "ledger.db"
        if not path and not found.is_absolute():
            raise LedgerError(
                f"{VARIABLE} is {chosen!r}, a relative path: in every folder it would be a "
                "different ledger with different budgets. Use the full path, such as "
                f"{found.absolute()}."
            )
        # Resolved once, so that a later change of directory or link cannot split ledger and spool.
        return found.resolve()
    except (RuntimeError, ValueError, OSError) as error:
        raise LedgerError(
            f"Cannot determine where the ledger is ({error}). Set {VARIABLE} to a file "
            "such as /srv/hushgram/ledger.db."
        ) from error


def make_private(folder: Path) -> None:
    """Create the folder and its missing parents, accessible only to the owner."""
    if folder.is_dir():
        return
    make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder to disk: new names in it survive a power cut only after that."""
    if os.name == "nt":  # Windows has no handle for it; NTFS journals its names
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _user_data(environ: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        base = environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData" / "Local") / "hushgram"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hushgram"
    base = environ.get("XDG_DATA_HOME", "")
    # The XDG standard says to ignore relative paths.
    known = Path(base) if base.startswith("/") else Path.home() / ".local" / "share"
    return known / "hushgram"
