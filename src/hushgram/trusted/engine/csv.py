"""Comma-separated text, read so that one line is one row.

Why not a library's reader: in all of them a stray quotation mark can swallow the lines after it,
a malformed row can be an error, and sampled values decide the types. Each lets one row of the
file change what the others become, which no noise that is calibrated to one row covers. Here a
newline always ends the row, whatever stands before it; a row with too few fields has NULLs; one
with too many is cut; bytes that are no UTF-8 make a NULL; blank lines are no rows; all values
are text, and the axes say what they mean. A quoted value cannot contain a newline: such tables
are for Parquet.

One pass over the bytes, O(bytes), compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.errors import SourceError

BLOCK = 1 << 24
NEWLINE, CARRIAGE_RETURN = ord("\n"), ord("\r")


class CsvFile:
    """One or more files with the same header line."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self.delimiter = "\t" if ".tsv" in self.paths[0].name.lower() else ","
        self.header = self._header(self.paths[0])
        for path in self.paths[1:]:
            if self._header(path) != self.header:
                raise SourceError(f"{path.name} has another header line than {paths[0].name}.")

    def _header(self, path: Path) -> list[str]:
        """The names in the first line. They are never quoted in a message: where a file lacks
        its header, they are somebody's row."""
        with opened(path) as stream:
            line = stream.read(1 << 20).partition(b"\n")[0].rstrip(b"\r")
        if not line.strip():
            raise SourceError(f"{path.name} is empty: its first line must name the columns.")
        try:
            names = self._split_header(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise SourceError(f"the first line of {path.name} is not UTF-8 text.") from None
        if len(set(names)) < len(names):
            raise SourceError(f"the first line of {path.name} names a column twice.")
        return names

    def _split_header(self, line: str) -> list[str]:
        import csv

        return next(csv.reader([line], delimiter=self.delimiter))

    def reader(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """The named columns as batches of text."""
        places = np.array([self.header.index(name) for name in columns], dtype=np.int64)
        schema = pa.schema([(name, pa.string()) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, self._batches(places, schema))

    def _batches(self, places: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        from hushgram.trusted.engine.fields import split_lines  # compiled: loaded when needed

        for path in self.paths:
            with opened(path) as stream:
                for block in whole_lines(stream):
                    columns = split_lines(block, ord(self.delimiter), places)
                    yield pa.record_batch(columns, schema=schema)


def opened(path: Path) -> Any:
    try:
        return pa.input_stream(str(path), compression="detect")
    except OSError as error:
        raise SourceError(f"{path.name} cannot be read: {error.strerror or 'I/O error'}.") from None


def whole_lines(stream: Any) -> Iterator[Any]:
    """Blocks of bytes that end with a newline, without the header line."""
    rest, header = b"", True
    while chunk := stream.read(BLOCK):
        rest += chunk
        if header:
            _, found, rest = rest.partition(b"\n")
            if not found:
                rest = b""
                continue
            header = False
        end = rest.rfind(b"\n") + 1
        if end:
            yield np.frombuffer(rest, dtype=np.uint8)[:end]
            rest = rest[end:]
    if rest and not header:
        yield np.frombuffer(rest + b"\n", dtype=np.uint8)
