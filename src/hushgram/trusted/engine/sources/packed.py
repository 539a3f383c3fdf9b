"""Text files on disk: plain or compressed."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.held import HeldFile

PACKINGS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
"""Compression formats by file extension. ``.zip`` is separate, because it contains named files."""


OTHER_FORMATS = frozenset(
    (
        *(".parquet", ".pq", ".parq", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".json"),
        *(".xlsx", ".db", ".sqlite", ".gpkg"),
    )
)
"""Formats that are not read from archives, where only CSV and TSV are supported."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
"""Exceptions for broken or unsupported archives."""


def open_text(file: HeldFile) -> Any:
    """Open the file's text, decompressed according to its extension."""
    suffix = file.path.suffix.lower()
    if suffix == ".zip":
        return open_member(file)
    return pa.input_stream(file.open(), compression=PACKINGS.get(suffix))


def open_member(file: HeldFile) -> Any:
    """Open the only file in an archive."""
    archive, member = find_member(file)
    return archive.open(member)


def find_member(file: HeldFile) -> tuple[zipfile.ZipFile, zipfile.ZipInfo]:
    try:
        archive = zipfile.ZipFile(file.open())
        members = [one for one in archive.infolist() if is_table(one)]
    except (OSError, ValueError, zipfile.BadZipFile):
        raise SourceError(f"Cannot read {file.name} as a ZIP archive.") from None
    if len(members) != 1:
        raise SourceError(
            f"{file.name} must contain exactly one file. Found {len(members)}. Unpack it into a "
            "folder and publish the folder."
        )
    if members[0].flag_bits & 1:
        raise SourceError(f"{file.name} is encrypted. Unpack it first.")
    name = PurePosixPath(members[0].filename)
    if name.suffix.lower() in OTHER_FORMATS:
        raise SourceError(f"{file.name} contains {name.name}, not a CSV file. Unpack it first.")
    return archive, members[0]


def is_table(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a user's file, not one of the archiving program."""
    hidden = any(part.startswith((".", "__")) for part in PurePosixPath(member.filename).parts)
    return not member.is_dir() and not hidden


def text_name(file: HeldFile) -> str:
    """Return the name of the text: the file name without its compression extension, or the name
    inside the archive."""
    if file.path.suffix.lower() == ".zip":
        return PurePosixPath(find_member(file)[1].filename).name
    return strip_packing(file.path).name


def strip_packing(path: Path) -> Path:
    """Return the path of a file without its compression extension.

    >>> strip_packing(Path("x.csv.gz")).name
    'x.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in PACKINGS else path
