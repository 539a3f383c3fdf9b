"""Comma-separated text, in which each record is one row.

Why not use a library? In all of them, a stray quotation mark can swallow the lines after it, a
malformed row can be an error, and sampled values decide the types. Each of these lets one row of
the file change others, which noise calibrated to one row does not cover. Here, a newline always
ends a row; a row with too few fields has NULLs; extra fields are cut; bytes that are invalid in the
encoding make a NULL; blank lines are skipped; a record of more than 16 MiB is cut; and all values
are text, which the axes interpret.

A quoted value may contain line breaks only if the steward declares ``line_breaks="quoted"``: that
the file was written by a program which quotes such values and doubles quotation marks. See
``docs/proofs/csv.md`` for what each declaration assumes, and why it is enough.

One pass over the bytes, or two if line breaks may be quoted. O(bytes), compiled.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.declare.text_format import DEFAULT, TextFormat
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources import records
from hushgram.trusted.engine.sources.charsets import charset
from hushgram.trusted.engine.sources.held import HeldFile
from hushgram.trusted.engine.sources.packed import BROKEN, open_text, text_name

LONGEST_HEADER = 1 << 20
BOM = b"\xef\xbb\xbf"


class CsvFile:
    """One or more files with the same header line."""

    def __init__(self, paths: Sequence[HeldFile], form: TextFormat = DEFAULT) -> None:
        self.paths = list(paths)
        self.form = form
        self.header = self._header(self.paths[0])
        for path in self.paths[1:]:
            if self._header(path) != self.header:
                raise SourceError(f"{path.name} has a different header line than {paths[0].name}.")

    def _header(self, path: HeldFile) -> list[str]:
        """Return the names in the first record. Messages never quote them: if a file has no header,
        they are a row of data."""
        raw = first_bytes(path)
        start = raw.removeprefix(self._mark)
        end, _ = self._ends(path)(start)
        line = (start if end < 0 else start[:end]).removesuffix(b"\r")
        if not line.strip():
            raise SourceError(f"{path.name} is empty. Its first line must name the columns.")
        if end < 0 and len(raw) == LONGEST_HEADER:
            raise SourceError(f"The first line of {path.name} is too long to be a header.")
        try:
            text = line.decode(self.form.encoding)
        except UnicodeDecodeError:
            text = None
        if text is None:  # outside the handler: its error quotes the bytes
            raise SourceError(
                f"The first line of {path.name} is not {self.form.encoding.upper()} text. "
                "Declare its encoding, for example --encoding cp1252. In Python: "
                'Text(source, encoding="cp1252").'
            )
        names = split_header(text, self._delimiter(path))
        if len(set(names)) < len(names):
            raise SourceError(f"The first line of {path.name} names a column twice.")
        return names

    def reader(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Return the named columns as batches of text."""
        return self._reader(columns, open_text)

    def no_rows(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Return the same for a file with only a header. No file is read, but every loop is
        compiled."""
        return self._reader(columns, lambda path: io.BytesIO(b"\n"))

    def _reader(
        self, columns: Sequence[str], streams: Callable[[HeldFile], Any]
    ) -> pa.RecordBatchReader:
        places = np.array([self.header.index(name) for name in columns], dtype=np.int64)
        schema = pa.schema([(name, pa.string()) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, self._batches(places, schema, streams))

    def _batches(
        self, places: Any, schema: pa.Schema, streams: Callable[[HeldFile], Any]
    ) -> Iterator[pa.RecordBatch]:
        # Imported late, because it compiles.
        from hushgram.trusted.engine.sources.fields import split_records

        breaks, characters = self.form.line_breaks == "quoted", charset(self.form.encoding)
        for path in self.paths:
            mark = ord(self._delimiter(path))
            with streams(path) as stream:
                read = records.blocks(stream, self._mark)
                for block in records.whole_records(read, self._ends(path)):
                    fields = split_records(block, mark, places, breaks, characters)
                    yield pa.record_batch(fields, schema=schema)

    def _delimiter(self, path: HeldFile) -> str:
        return self.form.separator or usual_separator(path)

    def _ends(self, path: HeldFile) -> records.Ends:
        quoted = self.form.line_breaks == "quoted"
        return records.quoted_ends(self._delimiter(path)) if quoted else records.line_ends

    @property
    def _mark(self) -> bytes:
        """The byte order mark that may precede the text."""
        return BOM if self.form.encoding == "utf-8" else b""


def usual_separator(path: HeldFile) -> str:
    return "\t" if text_name(path).lower().endswith(".tsv") else ","


def split_header(line: str, mark: str) -> list[str]:
    import csv

    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        raise SourceError("The first line of the file does not name columns.") from None


def first_bytes(path: HeldFile) -> bytes:
    try:
        with open_text(path) as stream:
            return bytes(stream.read(LONGEST_HEADER))
    except (OSError, *BROKEN) as error:
        reason = getattr(error, "strerror", None) or "I/O error"
        raise SourceError(f"Cannot read {path.name}: {reason}.") from None
