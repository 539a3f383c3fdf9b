"""Read and write results as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hushgram.base.files import write_new
from hushgram.errors import BadInput


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_new(path, text.getvalue().encode(), overwrite=True)


def append(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append rows to a CSV file with these columns, or create it."""
    begins = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0].keys(), lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def earlier(path: Path | None, kind: type) -> list[dict[str, str]]:
    """Read the rows that a resuming command has written before; none if the file does not exist.
    The columns must be the fields of a dataclass."""
    if path is None or not path.exists():
        return []
    rows = read(path)
    if any(set(row) != {one.name for one in fields(kind)} for row in rows):
        raise BadInput(f"{path} is a different kind of CSV file. Name one that this command wrote.")
    return rows
