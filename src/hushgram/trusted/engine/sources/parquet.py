"""Parquet files: read in batches by parallel tasks, or by the engine itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.errors import SourceError
from hushgram.trusted.engine.compiled import arrow
from hushgram.trusted.engine.compiled.arrow import Task
from hushgram.trusted.engine.sources import plain
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged
from hushgram.trusted.engine.sources.old_copies import refuse_writer
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.table import Table

BUFFER = 1 << 18
"""Bytes of a file read at once: they stay in the processor's cache until they are decoded."""


def open_parquet(files: Sequence[HeldFile]) -> Table:
    """One or more files of the same columns and types."""
    schema = parquet_schema(files[0])
    for file in files[1:]:
        if not parquet_schema(file).equals(schema):
            raise SourceError(f"{file.name} has different columns or types than {files[0].name}.")
    return open_stream(
        schema,
        partial(parquet_batches, files),
        partial(parquet_tasks, files),
        native=partial(scan_natively, files, schema),
        unchanged=partial(check_unchanged, files),
    )


def parquet_schema(file: HeldFile) -> pa.Schema:
    try:
        with file.open() as stream:
            schema = pq.read_schema(stream)
        schema.names  # noqa: B018 - names that are no UTF-8 are an error only when they are asked for
    except (OSError, UnicodeError, pa.ArrowException):
        raise SourceError(f"Cannot read {file.name} as a Parquet file.") from None
    refuse_writer(file.path, schema.metadata or ())
    return schema.remove_metadata()


def parquet_batches(files: Sequence[HeldFile], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of all files, of which one is read at a time, its columns side by side."""
    for file in files:
        yield from batches_of(file, columns, plain.ROWS)


def parquet_tasks(files: Sequence[HeldFile], columns: Sequence[str]) -> list[Task]:
    """One task per row group."""
    return [
        partial(batches_of, file, columns, arrow.ROWS, group)
        for file in files
        for group in range(row_groups(file))
    ]


def batches_of(
    file: HeldFile, columns: Sequence[str], rows: int, group: int | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of a file, or of one row group of it; footer and rows are those of one version."""
    with file.open() as stream:
        parquet = pq.ParquetFile(stream, pre_buffer=False, buffer_size=BUFFER)
        for batch in parquet.iter_batches(
            rows,
            row_groups=None if group is None else [group],
            columns=list(columns),
            use_threads=group is None,
        ):
            yield batch.select(columns)


def row_groups(file: HeldFile) -> int:
    with file.open() as stream:
        return int(pq.read_metadata(stream).num_row_groups)


def scan_natively(
    files: Sequence[HeldFile], schema: pa.Schema, backend: Any, columns: list[str]
) -> ibis.Table | None:
    """The files as the engine itself reads them, which takes half the time of a stream.

    Only where nothing can go wrong: whole numbers, which no value makes unreadable and of which
    the files' statistics tell all (see `relations` for those with NaN), names that the engine
    cannot take for one another, and files that are kept open, so that it sees this version.
    """
    numbers = all(pa.types.is_integer(schema.field(name).type) for name in columns)
    distinct = len({name.casefold() for name in schema.names}) == len(schema.names)
    if not numbers or not distinct or not all(file.kept_open for file in files):
        return None
    table = backend.read_parquet([file.place for file in files], hive_partitioning=False)
    return table.select(**{f"c{place}": table[name] for place, name in enumerate(columns)})
