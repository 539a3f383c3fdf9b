"""JSON lines: one object per line, and one row per line.

A line that is not an object is a row without values. A field that a line lacks, or that is an
object or a list, is missing. JSON escapes line breaks inside texts, so every line is one record.
There is no header: the set of fields would have to be learned from rows. So every field name is
accepted, and a misspelled one is missing in all rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

import ibis.expr.datatypes as types
import pyarrow as pa

from hushgram.declare.text_format import TextFormat
from hushgram.trusted.engine.sources import records
from hushgram.trusted.engine.sources.csv import BOM
from hushgram.trusted.engine.sources.held import HeldFile
from hushgram.trusted.engine.sources.objects import TEXT, open_objects
from hushgram.trusted.engine.sources.packed import open_text
from hushgram.trusted.engine.table import Table

DIGITS = 400
"""Whole numbers with more digits are read as doubles."""


class AnyText:
    """The schema of a table in which every name is a text column."""

    names: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return types.string

    def field(self, name: str) -> pa.Field:
        return pa.field(name, TEXT)


def open_json_lines(files: Sequence[HeldFile], form: TextFormat) -> Table:
    """Open one or more files of JSON lines."""
    return open_objects(AnyText(), partial(read_rows, files), files, form, types=AnyText())


def read_rows(files: Sequence[HeldFile], columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    for file in files:
        with open_text(file) as stream:
            blocks = chain([b"\n"], records.blocks(stream, BOM))  # in place of a header
            for block in records.whole_records(blocks, records.line_ends):
                for line in block.tobytes().split(b"\n"):
                    if line.strip():
                        found = parse(line)
                        yield [plain(found.get(name)) for name in columns]


def parse(line: bytes) -> dict[str, Any]:
    """Return the object in a line, an empty one if there is none.

    >>> parse(b'{"a": 1}'), parse(b'{"a": '), parse(b"[1]"), parse(b"[" * 100_000)
    ({'a': 1}, {}, {}, {})
    """
    try:
        found = json.loads(line, parse_int=whole)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else float(digits)


def plain(value: Any) -> Any:
    """Return a text, a number or a boolean; None for lists and objects."""
    return None if isinstance(value, list | dict) else value
