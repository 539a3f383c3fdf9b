"""Sheets of Excel workbooks (``.xlsx``), read with openpyxl.

The first row contains the column names. Formulas have the values that were saved with them. A cell
may have any type, independently of the others in its column: see `objects`. No cell can make others
unreadable: see `workbook_xml`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from hushgram.declare.text_format import TextFormat
from hushgram.errors import MissingExtra, SourceError
from hushgram.trusted.engine.sources.frames import Naming
from hushgram.trusted.engine.sources.held import HeldFile
from hushgram.trusted.engine.sources.objects import open_objects, text_schema
from hushgram.trusted.engine.sources.sqlite import choose
from hushgram.trusted.engine.table import Table

HEADER = "Columns are named in the first row of a sheet; upper and lower case differ"


def open_workbook(file: HeldFile, sheet: str | None, form: TextFormat) -> Table:
    """Open a sheet of a workbook, by default the only one."""
    book = load(file)
    name = choose(file, sheet, [one.title for one in book.worksheets], "sheet")
    names = header_of(book[name], file)
    rows = partial(read_rows, file, name, names)
    known = [one for one in names if one]
    return open_objects(text_schema(known), rows, [file], form, header=HEADER)


def load(file: HeldFile) -> Any:
    try:
        from hushgram.trusted.engine.sources.workbook_xml import read_book
    except ImportError:
        raise MissingExtra("openpyxl", "excel", "an Excel workbook") from None
    warnings.filterwarnings("ignore", module=r"openpyxl\.")  # they quote cells
    try:
        with file.open() as stream:
            return read_book(stream.read())
    except Exception:  # a broken archive or XML may raise anything
        broken = unreadable(file)
    raise broken


def unreadable(file: HeldFile) -> SourceError:
    return SourceError(f"Cannot read {file.name} as an Excel workbook (.xlsx).")


def header_of(sheet: Any, file: HeldFile) -> list[str]:
    """Return the names in the first row, "" for columns without a name. Messages never quote them:
    if a sheet has no header, they are a row of data."""
    from hushgram.trusted.engine.sources.workbook_xml import numbered_rows

    try:
        number, first = next(numbered_rows(sheet), (1, {}))
    except Exception:
        number, first = 0, {}
    if not number:
        raise unreadable(file)
    width = max(first, default=0) if number == 1 else 0
    values = [first.get(place) for place in range(1, width + 1)]
    names = ["" if value is None else str(value) for value in values]
    known = [name for name in names if name]
    if not known:
        raise SourceError(f"The first row of {file.name} must name the columns. It is empty.")
    if len(set(known)) < len(known):
        raise SourceError(f"The first row of {file.name} names a column twice.")
    return names


def read_rows(
    file: HeldFile, sheet: str, names: Sequence[str], columns: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """Yield the named columns of every row that is not blank."""
    from hushgram.trusted.engine.sources.workbook_xml import numbered_rows

    places = [names.index(name) + 1 for name in columns]
    people = [isinstance(name, Naming) for name in columns]
    for number, row in numbered_rows(load(file)[sheet]):
        if number > 1 and any(value is not None for value in row.values()):
            values = [row.get(place) for place in places]
            yield list(map(one_line, values, people))


def one_line(value: Any, names_person: bool) -> Any:
    """A value, but nobody for a name of several lines: XML makes one of all line breaks, which may
    tell people apart."""
    return None if names_person and isinstance(value, str) and "\n" in value else value
