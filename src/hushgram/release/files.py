"""Files that appear whole or not at all, and never over another without being told."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hushgram.errors import OutputError


def check_writable(path: Path, *, overwrite: bool = False) -> None:
    """Refuse an output before anything is spent on it."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Name a file, such as {path / 'r.hush.parquet'}.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Choose another name, or overwrite it with --force.")
    try:
        folder = path.parent
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from None


def write_new(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Write a temporary file beside it, make it durable, then give it its name."""
    check_writable(path, overwrite=overwrite)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # noqa: PTH101
        if overwrite:
            os.replace(temporary, path)  # noqa: PTH105
        else:
            os.link(temporary, path)
            os.unlink(temporary)  # noqa: PTH108
    except FileExistsError:
        Path(temporary).unlink(missing_ok=True)
        raise OutputError(f"{path} exists. Choose another name, or overwrite it.") from None
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from None
