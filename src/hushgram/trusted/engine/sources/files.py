"""CSV and Parquet: a file, a glob, a folder."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from hushgram.declare.text_format import DEFAULT, OF_FILES, TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources.csv import CsvFile
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged, hold
from hushgram.trusted.engine.sources.old_copies import refuse_old_copies
from hushgram.trusted.engine.sources.parquet import open_parquet
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.table import Table

PARQUET = (".parquet", ".parq", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
HEADER = (
    "The first line of a text file names its columns, between commas (in .tsv: tabs), and capitals "
    "count; this one does not name it. If the file uses another separator, declare it: --separator "
    "';' (in Python: Text(source, separator=';'))"
)
DECLARED_HEADER = (
    "The first line of a text file names its columns, between the declared separators, and "
    "capitals count; this one does not name it"
)
LINE_BREAKS = (
    "A CSV file may contain line breaks inside values, and then one person's note can pass for "
    "other people's rows. To protect people, declare one of: --line-breaks never (no value "
    "contains a line break) or --line-breaks quoted (values with line breaks are in quotation "
    "marks, and quotation marks inside are doubled, as in RFC 4180). In Python: Text(source, "
    'line_breaks="never") or Text(source, line_breaks="quoted"). Parquet files need no declaration.'
)
"""Why people in a CSV need a declaration: the same words for every file."""


def open_path(source: str | Path, form: TextFormat = DEFAULT) -> Table:
    paths = matching(source)
    for path in paths:
        if not path.name.lower().endswith(PARQUET + CSV):
            raise SourceError(
                f"{path.name} is neither CSV nor Parquet by its name, which would end in .csv, "
                ".tsv or .parquet. Save it as one of these."
            )
    refuse_old_copies(paths)
    files = each_once(hold(paths))
    if not files[0].name.lower().endswith(PARQUET):
        return open_csv(files, form)
    check_no_bytes(form)
    return open_parquet(files)


def check_no_bytes(form: TextFormat) -> None:
    """Refuse what is declared about a text file's bytes where there are none."""
    for option in OF_FILES:
        if option in form.declared:
            raise SourceError(
                f"{option} says how a CSV or TSV file is written, and this source is not one. "
                "Leave it out."
            )


def matching(source: str | Path) -> list[Path]:
    """The files that a path, a glob or a directory stands for, of one format."""
    path = Path(source)
    if path.is_dir():
        found, hint = inside(path), "holds no CSV or Parquet file"
    elif path.exists():
        found, hint = [path], ""
    else:
        found = sorted(Path(p) for p in glob.glob(str(source), recursive=True))  # noqa: PTH207
        found = [p for p in found if p.is_file()]
        hint = "matches no file" if glob.has_magic(str(source)) else "does not exist"
    if not found:
        raise SourceError(f"{source} {hint}.")
    if len({p.name.lower().endswith(PARQUET) for p in found}) > 1:
        raise SourceError(f"{source} mixes CSV and Parquet files. Name the files of one format.")
    return found


def inside(folder: Path) -> list[Path]:
    """The tables in a folder and below. Hidden ones are copies that programs keep of others."""
    found = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.name.lower().endswith(PARQUET + CSV) and path.is_file():
            found.append(path)
    return found


def each_once(files: Sequence[HeldFile]) -> list[HeldFile]:
    """A row counts once: of a file with several names the first, and none beside its own copy."""
    found: dict[tuple[int, int], HeldFile] = {}
    names: dict[Path, HeldFile] = {}
    for file in files:
        inode = file.identity.device, file.identity.inode
        if inode in found:
            continue
        found[inode] = file
        other = names.setdefault(strip_packing(file.path), file)
        if other is not file:
            raise SourceError(
                f"{file.name} looks like {other.name} in another packing, whose rows would count "
                "twice. Name the files that are meant."
            )
    return list(found.values())


def strip_packing(path: Path) -> Path:
    """The name of a file without its packing.

    >>> strip_packing(Path("x.csv.gz")).name
    'x.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path


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
