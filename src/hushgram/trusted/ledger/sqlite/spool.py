"""Finished releases, stored durably so that a committed request can be repeated.

A release is stored in two steps: written before the transaction, and renamed within it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hushgram.trusted.ledger.location import make_private, sync_folder

SUFFIX = ".hush.parquet"


class FolderSpool:
    """A folder next to the ledger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def stage(self, receipt_id: str, release: bytes) -> Iterator[Callable[[], None]]:
        """Write the bytes under a temporary name; yield the function that renames the file."""
        make_private(self.folder)
        temporary = self.folder / f".{secrets.token_hex(8)}.part"
        final = self._file(receipt_id)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(release)
                stream.flush()
                os.fsync(stream.fileno())

            def place() -> None:
                temporary.replace(final)
                sync_folder(self.folder)

            yield place
        finally:
            temporary.unlink(missing_ok=True)

    def read(self, receipt_id: str) -> bytes | None:
        try:
            return self._file(receipt_id).read_bytes()
        except FileNotFoundError:
            return None

    def ids(self) -> set[str]:
        if not self.folder.is_dir():
            return set()
        return {file.name.removesuffix(SUFFIX) for file in self.folder.glob(f"[!.]*{SUFFIX}")}

    def _file(self, receipt_id: str) -> Path:
        return self.folder / f"{receipt_id}{SUFFIX}"


class MemorySpool:
    """A dictionary, for ledgers that end with the process."""

    def __init__(self) -> None:
        self._releases: dict[str, bytes] = {}

    @contextmanager
    def stage(self, receipt_id: str, release: bytes) -> Iterator[Callable[[], None]]:
        def place() -> None:
            self._releases[receipt_id] = release

        yield place

    def read(self, receipt_id: str) -> bytes | None:
        return self._releases.get(receipt_id)

    def ids(self) -> set[str]:
        return set(self._releases)


Spool = FolderSpool | MemorySpool

_BINARY: int = getattr(os, "O_BINARY", 0)
