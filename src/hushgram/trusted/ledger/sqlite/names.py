"""A ledger file has one name.

SQLite's locks belong to the file itself, so two names never share one charge. But what recovers a
ledger after a crash lies next to a *name*: SQLite's rollback journal and the spool. Through another
name nobody would see them, and a journal that is found later would undo what others were charged
since. So a second name is refused, whether it is a hard link or a mount of the file alone.
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
    """LedgerError if the file has another name, or is a mount point; both are public facts."""
    if _links(path) > 1:
        drop_fresh_names(path)  # of a process that is making the ledger, or was killed at it
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
    """Where a ledger is made, before it gets its name."""
    return path.with_name(f".{path.name}.{token}.new")


def drop_fresh_names(path: Path) -> None:
    """Remove the names under which this very file was made.

    A ledger gets its name by a link, which never replaces another; until the first name is removed
    it has two, and whoever sees that may finish it.
    """
    with os.scandir(path.parent) as entries:
        fresh = [entry.path for entry in entries if _is_fresh(entry.name, path)]
    for name in fresh:
        with suppress(FileNotFoundError):  # its maker was faster
            if os.path.samestat(os.lstat(name), path.stat()):
                Path(name).unlink()


def _is_fresh(name: str, path: Path) -> bool:
    return name.startswith(f".{path.name}.") and name.endswith(".new")


def is_mount_point(path: Path) -> bool:
    """Whether a file system, or a part of one, is mounted at this very path.

    ``os.path.ismount`` does not see files that are mounted from the same file system.
    """
    try:
        lines = MOUNTS.read_bytes().splitlines()
    except OSError:  # only Linux says so
        return False
    return os.fsencode(path) in {_unescape(line.split(b" ")[4]) for line in lines}


def _unescape(mount: bytes) -> bytes:
    """The path that the kernel wrote with its spaces and line ends in octal.

    >>> _unescape(rb"/srv/my\\040ledger.db")
    b'/srv/my ledger.db'
    """
    return _ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), mount)


def _links(path: Path) -> int:
    """The number of names of a file; what is there instead of one is found out by SQLite."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 1
    return found.st_nlink if stat.S_ISREG(found.st_mode) else 1
