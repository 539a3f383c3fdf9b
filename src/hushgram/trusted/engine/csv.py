"""Comma-separated text, read so that one line is one row.

Why not a library's reader: in all of them a stray quotation mark can swallow the lines after it,
a malformed row can be an error, and sampled values decide the types. Each lets one row of the
file change what the others become, which no noise that is calibrated to one row covers. Here a
newline always ends the row, whatever stands before it; a row with too few fields has NULLs; one
with too many is cut; bytes that are no UTF-8 make a NULL; blank lines are no rows; a line of more
than 16 MiB is cut; all values are text, and the axes say what they mean. A quoted value cannot
contain a newline: such tables are for Parquet.

One pass over the bytes, O(bytes), compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.errors import SourceError
from hushgram.trusted.engine.held import HeldFile
from hushgram.trusted.engine.plain import decoded

BLOCK = 1 << 24
LONGEST_HEADER = 1 << 20
BOM = b"\xef\xbb\xbf"


class CsvFile:
    """One or more files with the same header line."""

    def __init__(self, paths: Sequence[HeldFile]) -> None:
        self.paths = list(paths)
        self.header = self._header(self.paths[0])
        for path in self.paths[1:]:
            if self._header(path) != self.header:
                raise SourceError(f"{path.name} has another header line than {paths[0].name}.")

    def _header(self, path: HeldFile) -> list[str]:
        """The names in the first line. They are never quoted in a message: where a file lacks
        its header, they are somebody's row."""
        start = first_bytes(path)
        line = start.partition(b"\n")[0].removesuffix(b"\r").removeprefix(BOM)
        if not line.strip():
            raise SourceError(f"{path.name} is empty: its first line must name the columns.")
        if b"\n" not in start and len(start) == LONGEST_HEADER:
            raise SourceError(f"the first line of {path.name} is too long to name columns.")
        text = decoded(line)
        if text is None:
            raise SourceError(f"the first line of {path.name} is not UTF-8 text.")
        names = split_header(text, delimiter(path))
        if len(set(names)) < len(names):
            raise SourceError(f"the first line of {path.name} names a column twice.")
        return names

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
                    columns = split_lines(block, ord(delimiter(path)), places)
                    yield pa.record_batch(columns, schema=schema)


def delimiter(path: HeldFile) -> str:
    return "\t" if path.name.lower().endswith((".tsv", ".tsv.gz", ".tsv.zst")) else ","


def split_header(line: str, mark: str) -> list[str]:
    import csv

    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        raise SourceError("the first line of the file does not name columns.") from None


def first_bytes(path: HeldFile) -> bytes:
    try:
        with opened(path) as stream:
            return bytes(stream.read(LONGEST_HEADER))
    except OSError as error:
        raise SourceError(f"{path.name} cannot be read: {error.strerror or 'I/O error'}.") from None


def opened(path: HeldFile) -> Any:
    """The file's text, unpacked if its name says that it is packed."""
    packing = {".gz": "gzip", ".zst": "zstd"}.get(path.path.suffix.lower())
    return pa.input_stream(path.open(), compression=packing)


def whole_lines(stream: Any) -> Iterator[Any]:
    """Blocks of bytes that end with a newline, without the header line.

    A line is cut at its own length of `BLOCK`, wherever in the file it stands.
    """
    rest, header = b"", True
    while chunk := stream.read(BLOCK):
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if first < 0:
            rest = (rest + chunk)[:BLOCK]
            continue
        line = b"" if header else (rest + chunk[:first])[:BLOCK] + b"\n"
        header = False
        yield np.frombuffer(line + chunk[first + 1 : last + 1], dtype=np.uint8)
        rest = chunk[last + 1 :]
    if rest and not header:
        yield np.frombuffer(rest + b"\n", dtype=np.uint8)
