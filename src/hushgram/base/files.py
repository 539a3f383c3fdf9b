"""Writing files atomically, and never over an existing one unless the caller says so."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hushgram.errors import OutputError

PREFIX = ".hushgram-"

DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
"""Names that mean a device on Windows, in any folder and with any extension. Files may be copied
there."""

KINDS = {
    ".parquet": "Parquet", ".html": "HTML", ".xlsx": "Excel", ".gpkg": "GeoPackage", ".csv": "CSV",
}  # fmt: skip
"""The formats that Hushgram writes, by file extension."""

FORMATS = {
    *KINDS, ".tsv", ".txt", ".json", ".geojson", ".htm", ".pdf", ".png", ".svg",
    ".jpg", ".zip", ".gz",
}  # fmt: skip
"""Extensions that promise a format."""


def check_format(path: Path, what: str, ending: str = ".parquet") -> None:
    """Refuse a file extension of another format.

    >>> check_format(Path("out.csv"), "a release")
    Traceback (most recent call last):
    hushgram.errors.OutputError: Wrong file name out.csv: a release is written as Parquet. Use \
out.parquet.
    """
    if path.suffix.casefold() in FORMATS - {ending}:
        better = path.with_suffix(ending).name
        raise OutputError(
            f"Wrong file name {path}: {what} is written as {KINDS[ending]}. Use {better}."
        )


def check_writable(path: Path, *, overwrite: bool = False) -> None:
    """Raise unless the file can be written. Called before anything is spent."""
    with explain_errors(path):
        if path.is_dir():
            raise OutputError(
                f"{path} is a folder. Give a file name, such as {path / 'r.hush.parquet'}."
            )
        if path.name.partition(".")[0].rstrip().casefold() in DEVICES:
            raise OutputError(f"{path} is the name of a device on Windows. Choose another name.")
        if is_taken(path) and not overwrite:
            raise already_exists(path)
        with tempfile.TemporaryFile(dir=path.parent, prefix=PREFIX):
            pass


def write_new(path: Path, data: bytes, *, overwrite: bool = False, mode: int = 0o666) -> None:
    """Write a file atomically: it appears complete or not at all."""
    with new_file(path, overwrite=overwrite, mode=mode) as file:
        file.write(data)


@contextmanager
def new_file(path: Path, *, overwrite: bool = False, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Write a temporary file in the same folder, make it durable, then rename it."""
    check_writable(path, overwrite=overwrite)
    with explain_errors(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=PREFIX)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(mode & ~umask())
            if overwrite:
                temporary.replace(path)
            else:
                place(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def is_taken(path: Path) -> bool:
    """Whether a file or folder has this name. Raises for an impossible name."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def place(temporary: Path, path: Path) -> None:
    """Rename a file; raise FileExistsError if another has this name.

    A hard link does this in one step. Some memory sticks and network folders have no hard links:
    there an empty file reserves the name first, and is then replaced.
    """
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        path.open("xb").close()
        temporary.replace(path)


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into an `OutputError` with a clear message."""
    try:
        yield
    except FileExistsError:
        raise already_exists(path) from None
    except OutputError:
        raise
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
        hint = f" Create the folder {path.parent} first." if missing else ""
        raise OutputError(f"Cannot write {path}: {reason}.{hint}") from None


def already_exists(path: Path) -> OutputError:
    return OutputError(
        f"{path} already exists. Choose another name, or overwrite it with --force "
        "(overwrite=True)."
    )
