"""Files that appear whole or not at all, and never overwrite another unless asked to."""

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
"""What Windows takes for a device, in any folder and with any ending. Files travel."""


KINDS = {
    ".parquet": "Parquet", ".html": "HTML", ".xlsx": "Excel", ".gpkg": "GeoPackage", ".csv": "CSV",
}  # fmt: skip
"""What is written here, by the ending of its name."""

FORMATS = {
    *KINDS, ".tsv", ".txt", ".json", ".geojson", ".htm", ".pdf", ".png", ".svg",
    ".jpg", ".zip", ".gz",
}  # fmt: skip


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
    """Check that an output can be written, before anything is spent."""
    with explain_trouble(path):
        if path.is_dir():
            raise OutputError(
                f"{path} is a folder. Give a file name, such as {path / 'r.hush.parquet'}."
            )
        if path.name.partition(".")[0].rstrip().casefold() in DEVICES:
            raise OutputError(f"{path} is the name of a device on Windows. Choose another name.")
        if is_taken(path) and not overwrite:
            raise exists(path)
        with tempfile.TemporaryFile(dir=path.parent, prefix=PREFIX):
            pass


def write_new(path: Path, data: bytes, *, overwrite: bool = False, mode: int = 0o666) -> None:
    """Write a file that appears whole or not at all."""
    with new_file(path, overwrite=overwrite, mode=mode) as file:
        file.write(data)


@contextmanager
def new_file(path: Path, *, overwrite: bool = False, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Write a temporary file next to it, make it durable, then give it its name."""
    check_writable(path, overwrite=overwrite)
    with explain_trouble(path):
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
    """Whether something has that name; an impossible name is an error already here."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def place(temporary: Path, path: Path) -> None:
    """Give a file its name, unless another has it.

    A hard link does so in one step. Some memory sticks and network folders have none: there the
    name is taken first, and the file moved to it.
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
def explain_trouble(path: Path) -> Iterator[None]:
    """What the system complains about, in a sentence."""
    try:
        yield
    except FileExistsError:
        raise exists(path) from None
    except OutputError:
        raise
    except (OSError, ValueError) as error:  # a ValueError is a name with a null byte in it
        reason = getattr(error, "strerror", None) or error
        missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
        hint = f" Create the folder {path.parent} first." if missing else ""
        raise OutputError(f"Cannot write {path}: {reason}.{hint}") from None


def exists(path: Path) -> OutputError:
    return OutputError(
        f"{path} already exists. Choose another name, or overwrite it with --force "
        "(overwrite=True)."
    )
