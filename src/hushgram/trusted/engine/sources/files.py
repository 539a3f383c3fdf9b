"""Files by name: a single file, a glob, a folder, or a table inside a file."""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from hushgram.base.text import shorten
from hushgram.declare.text_format import DEFAULT, OF_FILES, TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.csv import CsvFile
from hushgram.trusted.engine.sources.geopackage import open_geopackage
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged, hold
from hushgram.trusted.engine.sources.ipc import open_arrow_files
from hushgram.trusted.engine.sources.json_lines import open_json_lines
from hushgram.trusted.engine.sources.old_copies import refuse_old_copies
from hushgram.trusted.engine.sources.packed import PACKINGS, text_name
from hushgram.trusted.engine.sources.parquet import open_parquet
from hushgram.trusted.engine.sources.refused import refuse
from hushgram.trusted.engine.sources.sqlite import open_sqlite
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.sources.workbook import open_workbook
from hushgram.trusted.engine.table import Table

PARQUET = (".parquet", ".parq", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
TEXTS = (".csv", ".tsv")
CSV = tuple(text + packing for text in TEXTS for packing in ("", *PACKINGS, ".zip"))
JSON = tuple(text + packing for text in (".jsonl", ".ndjson") for packing in ("", *PACKINGS))
SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
FORMATS = {
    "CSV": (*CSV, ".zip"),
    "Parquet": PARQUET,
    "Arrow": ARROW,
    "JSON lines": JSON,
    "SQLite": SQLITE,
    "GeoPackage": (".gpkg",),
    "Excel": (".xlsx", ".xlsm"),
}
"""File extensions by format."""

IN_FOLDERS = (*CSV, *PARQUET, *ARROW, *JSON)
"""Extensions that are read from folders. Databases and workbooks may contain several tables, so
they must be named."""

CONTAINERS: dict[str, Callable[[HeldFile, str | None, TextFormat], Table]] = {
    "SQLite": open_sqlite,
    "GeoPackage": open_geopackage,
    "Excel": open_workbook,
}
"""Formats whose files contain named tables: ``trips.db/table``."""

HEADER = (
    "Columns are named in the first line of a text file, separated by commas (in .tsv "
    "files, tabs); upper and lower case differ. If the file uses another separator, "
    "declare it: --separator ';' (in Python: Text(source, separator=';'))"
)
DECLARED_HEADER = (
    "Columns are named in the first line of a text file, separated by the declared "
    "separator; upper and lower case differ"
)
LINE_BREAKS = (
    "A CSV file may contain line breaks inside values, so one person's text could pass "
    "for rows of other people. To protect people, declare one of: --line-breaks never (no "
    "value contains a line break) or --line-breaks quoted (values with line breaks are in "
    "quotation marks, and quotation marks inside are doubled, as in RFC 4180). In Python: "
    'Text(source, line_breaks="never") or Text(source, line_breaks="quoted"). Parquet '
    "files need no declaration."
)
"""Why user-level privacy on CSV files needs a declaration."""


def open_path(source: str | Path, form: TextFormat = DEFAULT) -> Table:
    path, member = split_member(Path(source))
    paths = [path] if member else matching(source)
    kind = one_format(source, paths)
    refuse_old_copies(paths)
    files = each_once(hold(paths))
    if kind == "CSV":
        return open_csv(files, form)
    check_no_bytes(form)
    if kind in CONTAINERS:
        if len(files) > 1:
            raise SourceError(f"{source} matches {len(files)} {kind} files. Name one of them.")
        return CONTAINERS[kind](files[0], member, form)
    if kind == "JSON lines":
        return open_json_lines(files, form)
    return open_parquet(files) if kind == "Parquet" else open_arrow_files(files)


def split_member(path: Path) -> tuple[Path, str | None]:
    """Return a file, and the table in it if one is named: ``trips.db/table``."""
    parent = path.parent
    if format_of(parent) in CONTAINERS and parent.is_file():
        return parent, path.name
    return path, None


def format_of(path: Path) -> str | None:
    """Return the format of a file, by its name.

    >>> format_of(Path("a.CSV.gz")), format_of(Path("a.txt"))
    ('CSV', None)
    """
    name = path.name.lower()
    return next((kind for kind, endings in FORMATS.items() if name.endswith(endings)), None)


def one_format(source: str | Path, paths: Sequence[Path]) -> str:
    """Return the common format of the files."""
    found = [format_of(path) for path in paths]
    if None in found:
        raise refuse(paths[found.index(None)].name)
    kinds = [kind for kind in FORMATS if kind in found]
    if len(kinds) > 1:
        raise SourceError(
            f"{source} mixes {' and '.join(kinds)} files. Name the files of one format."
        )
    return kinds[0]


def check_no_bytes(form: TextFormat) -> None:
    """Refuse options for CSV files if the source is not one."""
    for option in OF_FILES:
        if option in form.declared:
            raise SourceError(
                f"{option} only applies to CSV and TSV files, but this source is something "
                "else. Leave it out."
            )


def matching(source: str | Path) -> list[Path]:
    """Return the files that a path, a glob or a folder stands for."""
    try:
        found, hint = search(str(source))
    except OSError as error:  # such as a name that is too long
        raise SourceError(f"Cannot open {shorten(str(source))}: {error.strerror}.") from None
    if not found:
        raise SourceError(f"{source} {hint}.")
    return found


def search(source: str) -> tuple[list[Path], str]:
    """Return the files, and what to say if there are none."""
    path = Path(source)
    if path.is_dir():
        return inside(path), "contains no CSV, Parquet, Arrow or JSON lines file"
    if path.exists():
        return [path], ""
    found = sorted(Path(p) for p in glob.glob(source, recursive=True))  # noqa: PTH207
    hint = "matches no file" if glob.has_magic(source) else "does not exist"
    return [p for p in found if p.is_file()], hint


def inside(folder: Path) -> list[Path]:
    """Return the tables in a folder and its subfolders, except hidden ones, which are often
    copies."""
    found = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.name.lower().endswith(IN_FOLDERS) and path.is_file():
            found.append(path)
    return found


def each_once(files: Sequence[HeldFile]) -> list[HeldFile]:
    """Return each file once, so that each row counts once. Refuses a file next to a compressed copy
    of it."""
    found: dict[tuple[int, int], HeldFile] = {}
    names: dict[Path, HeldFile] = {}
    for file in files:
        inode = file.identity.device, file.identity.inode
        if inode in found:
            continue
        found[inode] = file
        other = names.setdefault(file.path.with_name(text_name(file)), file)
        if other is not file:
            raise SourceError(
                f"{file.name} looks like a compressed copy of {other.name}, whose rows "
                "would count twice. Name the files to use."
            )
    return list(found.values())


def open_csv(files: Sequence[HeldFile], form: TextFormat = DEFAULT) -> Table:
    file = CsvFile(files, form)
    schema = pa.schema([(name, pa.string()) for name in file.header])
    return open_stream(
        schema,
        file.reader,
        no_rows=file.no_rows,
        header=HEADER if form.separator is None else DECLARED_HEADER,
        lossy=True,
        rows_only=LINE_BREAKS if form.line_breaks is None else "",
        unchanged=partial(check_unchanged, files),
    )
