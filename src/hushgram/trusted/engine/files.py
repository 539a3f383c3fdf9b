"""CSV and Parquet: a file, a glob, a folder."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.errors import SourceError
from hushgram.text_format import DEFAULT, OF_FILES, TextFormat
from hushgram.trusted.engine.arrow import parquet_tasks
from hushgram.trusted.engine.csv import CsvFile
from hushgram.trusted.engine.plain import ROWS
from hushgram.trusted.engine.stream import open_stream
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
    name = paths[0].name.lower()
    if not name.endswith(PARQUET):
        return open_csv(paths, form)
    check_no_bytes(form)
    return open_parquet(paths)


def check_no_bytes(form: TextFormat) -> None:
    """Refuse what is declared about a text file's bytes where there are none."""
    for option in OF_FILES:
        if option in form.declared:
            raise SourceError(
                f"{option} says how a CSV or TSV file is written, and the source is no such file. "
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
    return each_once(found)


def inside(folder: Path) -> list[Path]:
    """The tables in a folder and below. Hidden ones are copies that programs keep of others."""
    if (folder / "_delta_log").exists():
        raise SourceError(
            f"{folder} is a Delta table, which keeps old copies of its rows. Read it with a "
            "library for Delta, and publish the table that it gives."
        )
    found = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.name.lower().endswith(PARQUET + CSV) and path.is_file():
            found.append(path)
    return found


def each_once(paths: Sequence[Path]) -> list[Path]:
    """A row counts once: of a file with several names the first, and none beside its own copy."""
    files: dict[tuple[int, int], Path] = {}
    names: dict[Path, Path] = {}
    for path in paths:
        about = path.stat()
        if (about.st_dev, about.st_ino) in files:
            continue
        files[about.st_dev, about.st_ino] = path
        other = names.setdefault(unpacked(path), path)
        if other is not path:
            raise SourceError(
                f"{path.name} looks like {other.name} in another packing, whose rows would count "
                "twice. Name the files that are meant."
            )
    return list(files.values())


def unpacked(path: Path) -> Path:
    """The name of a file without its packing.

    >>> unpacked(Path("x.csv.gz")).name
    'x.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path


def open_parquet(paths: Sequence[Path]) -> Table:
    schema = parquet_schema(paths[0])
    for path in paths[1:]:
        if not parquet_schema(path).equals(schema):
            raise SourceError(f"{path.name} has other columns or types than {paths[0].name}.")

    def batches(columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
        import pyarrow.dataset as ds

        files = ds.dataset([str(path) for path in paths], schema=schema, format="parquet")
        wanted = {f"c{place}": ds.field(name) for place, name in enumerate(columns)}
        reader: Iterable[pa.RecordBatch] = files.scanner(
            columns=wanted, batch_size=ROWS
        ).to_reader()
        return reader

    def native(backend: Any, columns: list[str]) -> ibis.Table | None:
        return scanned(backend, paths, schema, columns)

    return open_stream(
        schema, batches, lambda columns: parquet_tasks(paths, columns), native=native
    )


def scanned(
    backend: Any, paths: Sequence[Path], schema: pa.Schema, columns: list[str]
) -> ibis.Table | None:
    """The files as the engine itself reads them, which takes half the time of a stream.

    Only where nothing can go wrong: whole numbers, which no value makes unreadable and of which
    the files' statistics tell all (see `relations` for those with NaN), and names that the engine
    cannot take for a pattern or for one another.
    """
    numbers = all(pa.types.is_integer(schema.field(name).type) for name in columns)
    distinct = len({name.casefold() for name in schema.names}) == len(schema.names)
    if not numbers or not distinct or any(glob.has_magic(str(path)) for path in paths):
        return None
    table = backend.read_parquet([str(path) for path in paths], hive_partitioning=False)
    return table.select(**{f"c{place}": table[name] for place, name in enumerate(columns)})


def parquet_schema(path: Path) -> pa.Schema:
    try:
        schema = pq.read_schema(path).remove_metadata()
        schema.names  # noqa: B018 - names that are no UTF-8 are an error only when they are asked for
    except (OSError, UnicodeError, pa.ArrowException):
        raise SourceError(f"{path.name} is not a readable Parquet file.") from None
    return schema


def open_csv(paths: Sequence[Path], form: TextFormat = DEFAULT) -> Table:
    file = CsvFile(paths, form)
    schema = pa.schema([(name, pa.string()) for name in file.header])
    return open_stream(
        schema,
        file.reader,
        no_rows=file.no_rows,
        header=HEADER if form.separator is None else DECLARED_HEADER,
        lossy=True,
        rows_only=LINE_BREAKS if form.line_breaks is None else "",
    )
