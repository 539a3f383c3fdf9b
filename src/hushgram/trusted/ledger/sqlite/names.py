"""Refuse a ledger file with several names.

SQLite's locks belong to the file itself, so they work across names. But recovery after a crash
depends on files next to a *name*: SQLite's rollback journal and the spool. A program that uses
another name would not see them, and a journal that is found later would undo charges made since. So
a second name is refused, whether it is a hard link or a mount of the file alone.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from hushgram.errors import LedgerError

MOUNTS = Path("/proc/self/mountinfo")

_ESCAPED = re.compile(rb"\\([0-7]{3})")


def refuse_other_names(path: Path) -> None:
    """Raise LedgerError if the file has another name, or is a mount point. Both are public
    facts."""
    if _links(path) > 1:
        drop_fresh_names(path)  # of a process that is creating the ledger, or was killed
        links = _links(path)
        if links > 1:
            raise LedgerError(
                f"The ledger {path} has {links} names (hard links). After a crash, a "
                "program that uses another name would not see what has to be recovered. "
                "Keep one name. Find the others with: find / -xdev -samefile "
                f"{shlex.quote(str(path))}, and delete them."
            )
    if is_mount_point(path):
        raise LedgerError(
            f"The ledger {path} is mounted as a single file. After a crash, a program "
            "outside this mount would not see what has to be recovered. Mount the folder "
            "that contains the ledger instead."
        )


def fresh_name(path: Path, token: str) -> Path:
    """Return the temporary name under which a ledger is created."""
    return path.with_name(f".{path.name}.{token}.new")


def drop_fresh_names(path: Path) -> None:
    """Remove the temporary names under which this file was created.

    A ledger gets its name by a hard link, which never replaces an existing file. Until the
    temporary name is removed, the file has two names, and any process may remove it.
    """
    with os.scandir(path.parent) as entries:
        fresh = [entry.path for entry in entries if _is_fresh(entry.name, path)]
    for name in fresh:
        with suppress(FileNotFoundError):  # another process removed it first
            if os.path.samestat(os.lstat(name), path.stat()):
                Path(name).unlink()


def _is_fresh(name: str, path: Path) -> bool:
    return name.startswith(f".{path.name}.") and name.endswith(".new")


def is_mount_point(path: Path) -> bool:
    """Return whether a file system, or a part of one, is mounted at exactly this path.

    ``os.path.ismount`` does not see files that are mounted from the same file system.
    """
    try:
        lines = MOUNTS.read_bytes().splitlines()
    except OSError:  # only on Linux
        return False
    return os.fsencode(path) in {_unescape(line.split(b" ")[4]) for line in lines}


def _unescape(mount: bytes) -> bytes:
    """Return a path in which the kernel escaped spaces and line breaks in octal.

    >>> _unescape(rb"/srv/my\\040ledger.db")
    b'/srv/my ledger.db'
    """
    return _ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), mount)


def _links(path: Path) -> int:
    """Return the number of names of a file; 1 for anything else, about which SQLite will
    complain."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 1
    return found.st_nlink if stat.S_ISREG(found.st_mode) else 1
