"""What is shown of a table before anything is paid for: the names and types of its columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from hushgram.declare.axis_kinds import kinds_for
from hushgram.errors import SourceError
from hushgram.web.studio.declaration import TableForm

MOST = 2000
"""Columns, or names in a folder, that are listed."""


def describe_columns(table: TableForm) -> dict[str, Any]:
    """Names and types. No row is read."""
    from hushgram.spending.columns import columns

    types = columns(table.as_source())
    listed = list(types.items())[:MOST]
    return {
        "columns": [
            {"name": name, "type": kind, "kinds": kinds_for(kind)} for name, kind in listed
        ],
        "more": len(types) - len(listed),
    }


def list_folder(text: str, start: Path) -> dict[str, Any]:
    """The folders and tables in a folder that this user may see; hidden ones are left out."""
    folder = path_in(start, text or ".")
    try:
        found = sorted(entries(folder), key=place_of)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"Cannot list the folder {folder.name!r}: {reason}.") from None
    return {
        "folder": str(folder),
        "parent": None if folder.parent == folder else str(folder.parent),
        "entries": found[:MOST],
        "more": max(len(found) - MOST, 0),
    }


def place_of(entry: dict[str, str]) -> tuple[bool, str]:
    """Folders come first, and names are in the order of the alphabet."""
    return entry["kind"] != "folder", entry["name"].casefold()


def path_in(start: Path, text: str) -> Path:
    """A path that somebody typed; ``~`` is a home folder, if there is such a user."""
    path = Path(text)
    with suppress(RuntimeError):
        path = path.expanduser()
    return Path(os.path.normpath(start / path))


def entries(folder: Path) -> Iterator[dict[str, str]]:
    from hushgram.trusted.engine.sources.files import format_of

    with os.scandir(folder) as listed:
        for one in listed:
            if one.name.startswith("."):
                continue
            path = os.path.join(folder, one.name)  # noqa: PTH118 - a name may be of any bytes
            if is_folder(one):
                yield {"name": one.name, "path": path, "kind": "folder"}
            elif (kind := format_of(Path(one.name))) is not None:
                yield {"name": one.name, "path": path, "kind": kind}


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Not so for a link that leads in a circle, or where this user may not look."""
    try:
        return entry.is_dir()
    except OSError:
        return False
