"""Files that are kept open, so that all passes read the version from before the charge.

A file may be replaced or rewritten while it is counted. Passes, or row groups, of different
versions would see a row that moved in between twice, which the noise for one row does not hide. So
each file is opened once, before the charge, and identified by its device, inode, size and time of
change. On Linux its descriptor is kept and opened again for each reader, which gives the same file
whatever its name stands for by now. Elsewhere, and where the files are too many to be kept open,
readers open the name and compare. A file that was rewritten in place is an error.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from hushgram.errors import SourceError, TableChanged

MOST = 256
"""The maximum number of files of a table that are kept open."""

DESCRIPTORS = Path("/proc/self/fd")
"""Where Linux lets a process open a file again by its descriptor."""


class FileIdentity(NamedTuple):
    """What identifies one version of a file."""

    device: int
    inode: int
    size: int
    changed_ns: int

    @classmethod
    def of(cls, about: os.stat_result) -> FileIdentity:
        return cls(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


class HeldFile:
    """One version of a file. It is closed when nobody holds this object any more."""

    def __init__(self, path: Path, *, keep_open: bool) -> None:
        self.path = path
        descriptor = open_regular(path)
        self.identity = FileIdentity.of(os.fstat(descriptor))
        by_descriptor = DESCRIPTORS / str(descriptor)
        self.kept_open = keep_open and identity_at(by_descriptor) == self.identity
        self._place = by_descriptor if self.kept_open else path
        self._other_version_seen = False
        if self.kept_open:
            weakref.finalize(self, os.close, descriptor)
        else:
            os.close(descriptor)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def place(self) -> str:
        """What readers open, if they are to see this version: a path that stays its own only
        where the file is kept open."""
        return str(self._place)

    def open(self) -> pa.OSFile:
        """This version's bytes, from the beginning."""
        file = pa.OSFile(self.place)
        if FileIdentity.of(os.fstat(file.fileno())) != self.identity:
            file.close()
            self._other_version_seen = True
            raise self._change_error()
        return file

    def check(self) -> None:
        """Refuse a file that was rewritten, or is no longer the one that was opened."""
        if self._other_version_seen or identity_at(self._place) != self.identity:
            raise self._change_error()

    def _change_error(self) -> TableChanged:
        return TableChanged(
            f"{self.name} changed after it was opened, so its rows cannot be counted "
            "consistently. Publish a copy that no program writes to. The charge stays "
            "spent."
        )


def hold(paths: Sequence[Path]) -> list[HeldFile]:
    """The files as they are now, kept open if they are not too many."""
    few = len(paths) <= min(MOST, descriptor_limit() // 4)
    return [HeldFile(path, keep_open=few) for path in paths]


def check_unchanged(files: Sequence[HeldFile]) -> None:
    for file in files:
        file.check()


def open_regular(path: Path) -> int:
    """A descriptor of a file. Pipes and devices are refused, and not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise SourceError(f"Cannot read {path.name}: {error.strerror or 'I/O error'}.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError(f"{path.name} is not a regular file. Copy its contents to a file.")
    return descriptor


def descriptor_limit() -> int:
    """How many files this process may have open."""
    try:
        import resource
    except ImportError:  # Windows, where none are kept open
        return 0
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def identity_at(place: Path) -> FileIdentity | None:
    try:
        return FileIdentity.of(place.stat())
    except OSError:
        return None
