"""Refuse the files of table formats that keep old copies of rows.

Delta, Iceberg, Hudi and similar formats never change a data file: a changed row is written again to
another file, and a log says which files count. Without the log, a row that was changed ten times
would count eleven times, which noise for one row does not hide. Such tables are recognised by
marker files in their folders, whether the given path is that folder, above it or below it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hushgram.errors import SourceError


class TableFormat(NamedTuple):
    """A table format: its name, and what reads its tables correctly."""

    name: str
    reader: str


DELTA = TableFormat("a Delta table", "Spark, DuckDB's delta_scan, Ibis or the deltalake package")
ICEBERG = TableFormat("an Iceberg table", "Spark, DuckDB's iceberg_scan or PyIceberg")
HUDI = TableFormat("a Hudi table", "Spark or the hudi package")
PAIMON = TableFormat("a Paimon table", "Spark or PyPaimon")
SPARK_STREAM = TableFormat("the output of a Spark stream", "Spark")
HIVE = TableFormat("a transactional Hive table", "Spark or Hive")
DUCKLAKE = TableFormat("a DuckLake table", "DuckDB's ducklake extension")

MARKERS: Sequence[tuple[TableFormat, str, re.Pattern[str]]] = (
    (DELTA, "_delta_log", re.compile("")),
    (HUDI, ".hoodie", re.compile("")),
    (ICEBERG, "metadata", re.compile(r".*\.metadata\.json(\.gz)?$")),
    (PAIMON, "snapshot", re.compile(r"snapshot-\d+$")),
    (SPARK_STREAM, "_spark_metadata", re.compile("")),
)
"""By format: a subfolder of the table's folder, and a pattern that one of its entries must
match."""

FOLDER_NAMES = {HIVE: re.compile(r"(base_\d{7,}|(delete_)?delta_\d{7,}_\d{7,})(_|$)")}
FILE_NAMES = {DUCKLAKE: re.compile(r"ducklake-[0-9a-f]{8}-[0-9a-f-]{27}(-delete)?\.parquet$")}
"""By format: names of folders and files that occur only in its tables."""

WRITERS = {b"iceberg.schema": ICEBERG}
"""Formats by keys in the footer of a Parquet file."""


def refuse_old_copies(paths: Sequence[Path], *, readable: Iterable[TableFormat] = ()) -> None:
    """Refuse files that belong to a table of such a format, unless it is ``readable``.

    O(files + folders): each folder is inspected once.
    """
    for path in paths:
        for kind, names in FILE_NAMES.items():
            if names.match(path.name):
                raise refusal(kind, f"{path.name} is a data file of {kind.name}.")
    for folder in folders_above(paths):
        found = format_in(folder)
        if found and found[0] not in readable:
            raise refusal(found[0], f"{folder} is {found[0].name}: it has {found[1]}.")


def refuse_writer(path: Path, footer: Iterable[bytes]) -> None:
    """Refuse a Parquet file by the keys in its footer: it may be far from its table's folder."""
    for key in footer:
        if key in WRITERS:
            kind = WRITERS[key]
            raise refusal(kind, f"{path.name} is a data file of {kind.name}.")


def refusal(kind: TableFormat, found: str) -> SourceError:
    return SourceError(
        f"{found} The data files of such a table include old copies of rows, which would "
        f"be counted again. Read the table with {kind.reader}, and publish the table, data "
        "frame or relation that it returns."
    )


def folders_above(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield all folders that contain the files, each once: by the given names, and with links
    resolved."""
    near = {Path(os.path.normpath(path.absolute())).parent for path in paths}
    near |= {path.resolve().parent for path in paths if path.is_symlink()}
    near |= {folder.resolve() for folder in near}
    seen: set[Path] = set()
    for start in sorted(near):
        for folder in (start, *start.parents):
            if folder in seen:
                break
            seen.add(folder)
            yield folder


def format_in(folder: Path) -> tuple[TableFormat, str] | None:
    """Return the format of the table in a folder, and the evidence; None if there is none."""
    for kind, names in FOLDER_NAMES.items():
        if names.match(folder.name):
            return kind, "the name of one"
    for kind, marker, inside in MARKERS:
        if holds(folder / marker, inside):
            return kind, f"a folder {marker}"
    return None


def holds(folder: Path, names: re.Pattern[str]) -> bool:
    """Return whether a folder has an entry that matches. For an empty pattern, whether it
    exists."""
    try:
        if not names.pattern:
            return folder.is_dir()
        with os.scandir(folder) as entries:
            return any(names.match(entry.name) for entry in entries)
    except OSError:
        return False
