"""Arrow files (Feather): typed columns in batches, read by parallel tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from hushgram.errors import SourceError
from hushgram.trusted.engine.compiled.arrow import Task
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged
from hushgram.trusted.engine.sources.plain import ROWS
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.table import Table


def open_arrow_files(files: Sequence[HeldFile]) -> Table:
    """Open one or more files with the same columns and types."""
    schema, batches = read_head(files[0])
    heads = {files[0]: batches}
    for file in files[1:]:
        other, heads[file] = read_head(file)
        if not other.equals(schema):
            raise SourceError(f"{file.name} has different columns or types than {files[0].name}.")

    def tasks(columns: Sequence[str]) -> list[Task]:
        return [
            partial(read_batch, file, columns, number)
            for file, many in heads.items()
            for number in range(many)
        ]

    def read(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for task in tasks(columns):
            yield from task()

    return open_stream(schema, read, tasks, unchanged=partial(check_unchanged, files))


def read_head(file: HeldFile) -> tuple[pa.Schema, int]:
    """Read the schema and the number of batches from a file's footer, without its rows."""
    try:
        with file.open() as stream:
            if bytes(stream.read(4)) == b"FEA1":
                raise SourceError(
                    f"{file.name} is a Feather file of version 1. Convert it to version 2, "
                    "or to Parquet."
                )
            reader = pa.ipc.open_file(stream)
            schema: pa.Schema = reader.schema.remove_metadata()
            schema.names  # noqa: B018 - names that are not UTF-8 raise only when they are read
            return schema, int(reader.num_record_batches)
    except (OSError, UnicodeError, pa.ArrowException):
        raise SourceError(f"Cannot read {file.name} as an Arrow or Feather file.") from None


def read_batch(file: HeldFile, columns: Sequence[str], number: int) -> Iterator[Any]:
    """Yield the rows of one batch, a few at a time."""
    with file.open() as stream:
        places = sorted({pa.ipc.open_file(stream).schema.get_field_index(one) for one in columns})
        options = pa.ipc.IpcReadOptions(included_fields=places)
        batch = pa.ipc.open_file(stream, options=options).get_batch(number)
        batch.validate()
        wanted = batch.select([str(name) for name in columns])
        for start in range(0, wanted.num_rows, ROWS):
            yield wanted.slice(start, ROWS)
