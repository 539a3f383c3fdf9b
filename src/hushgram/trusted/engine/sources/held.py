"""Files that are kept open, so that all passes read the version from before the charge.

A file may be replaced or rewritten while it is counted. If passes or row groups read different
versions, a row that moved in between would be counted twice, which noise for one row does not hide.
So each file is opened once, before the charge, and identified by its device, inode, size and time
of change. On Linux, the descriptor is kept and reopened for each reader, which gives the same file
even if its name now refers to another. On other systems, or with too many files to keep open,
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
"""Where Linux lets a process reopen a file by its descriptor."""


class FileIdentity(NamedTuple):
    """What distinguishes one version of a file from others."""

    device: int
    inode: int
    size: int
    changed_ns: int

    @classmethod
    def of(cls, about: os.stat_result) -> FileIdentity:
        return cls(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


class HeldFile:
    """One version of a file. It is closed when this object is deleted."""

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
        """The path that readers open. It is certain to be this version only if the file is kept
        open."""
        return str(self._place)

    def open(self) -> pa.OSFile:
        """Open this version's bytes from the beginning."""
        file = pa.OSFile(self.place)
        if FileIdentity.of(os.fstat(file.fileno())) != self.identity:
            file.close()
            self._other_version_seen = True
            raise self._change_error()
        return file

    def check(self) -> None:
        """Raise if the file was rewritten or replaced after it was opened."""
        if self._other_version_seen or identity_at(self._place) != self.identity:
            raise self._change_error()

    def _change_error(self) -> TableChanged:
        return TableChanged(
            f"{self.name} changed after it was opened, so its rows cannot be counted "
            "consistently. Publish a copy that no program writes to. The charge stays "
            "spent."
        )


def hold(paths: Sequence[Path]) -> list[HeldFile]:
    """Open the current versions of the files, and keep them open unless there are too many."""
    few = len(paths) <= min(MOST, descriptor_limit() // 4)
    return [HeldFile(path, keep_open=few) for path in paths]


def check_unchanged(files: Sequence[HeldFile]) -> None:
    for file in files:
        file.check()


def open_regular(path: Path) -> int:
    """Return a descriptor of a file. Pipes and devices are refused without waiting for them."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise SourceError(f"Cannot read {path.name}: {error.strerror or 'I/O error'}.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError(f"{path.name} is not a regular file. Copy its contents to a file.")
    return descriptor


def descriptor_limit() -> int:
    """Return how many files this process may have open."""
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
