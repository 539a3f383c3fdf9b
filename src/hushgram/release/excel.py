"""Excel export: a sheet of counts with margins, and a sheet that describes them.

Text remains text: no cell is written as a formula, and text that looks like one has Excel's own
mark for text, so that editing does not turn it into one.
"""

from __future__ import annotations

import datetime as dt
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.base.files import check_format, write_new
from hushgram.declare.axis import OTHER
from hushgram.errors import MissingExtra, NotAnswerable
from hushgram.release.columns import MEANINGS, facts, with_margins
from hushgram.release.export import FORMULA

if TYPE_CHECKING:
    from hushgram.release.release import Release

MAX_ROWS = 2**20 - 1
"""The most rows of a sheet below its header."""

MAX_LENGTH = 32_767
"""The most characters of a cell."""

EXACT = 2**53
"""Excel's numbers are doubles: larger whole numbers are written as text."""

FIRST_DATE = dt.date(1900, 3, 1)
"""Excel counts earlier days incorrectly, and has none before 1900."""

CREATED = dt.datetime(2000, 1, 1)
"""A fixed date of creation, so that the same release gives the same file."""


def write_excel(
    release: Release, path: Path, *, whole: bool = False, overwrite: bool = False
) -> None:
    check_format(path, "an Excel workbook", ".xlsx")
    check_fits(release)
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtra("xlsxwriter", "excel", "an Excel export") from None
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"created": CREATED, "title": facts(release)["content"]})
    sheet = Sheet(book, "Counts")
    table = with_margins(release, whole=whole)
    sheet.head(table.column_names)
    for row in table.to_pylist():
        sheet.row(OTHER if value is None else value for value in row.values())
    about = Sheet(book, "About", widths=(16, 100))
    about.head(("", "about this file"))
    for name, text in facts(release).items():
        about.row((name, text))
    for name in table.column_names:
        if name in MEANINGS:
            about.row((name, MEANINGS[name]))
    book.close()
    write_new(path, buffer.getvalue(), overwrite=overwrite)


def check_fits(release: Release) -> None:
    parts = release.estimate.partition.size
    if parts > MAX_ROWS:
        raise NotAnswerable(
            f"The release has {parts:,} parts, but an Excel sheet holds {MAX_ROWS:,} "
            "rows. Export CSV, or a coarser view: release.rollup(…), release.project(…, "
            "bins=100)."
        )


class Sheet:
    """A sheet that is written from the top, row by row."""

    def __init__(self, book: Any, name: str, widths: tuple[int, ...] = ()) -> None:
        self.sheet = book.add_worksheet(name)
        self.bold = book.add_format({"bold": True, "quote_prefix": True})
        self.text = book.add_format({"quote_prefix": True})
        self.day = book.add_format({"num_format": "yyyy-mm-dd"})
        self.time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.next = 0
        self.sheet.freeze_panes(1, 0)
        for column, width in enumerate(widths):
            self.sheet.set_column(column, column, width)

    def head(self, names: Any) -> None:
        for column, name in enumerate(names):
            self.sheet.write_string(self.next, column, str(name)[:MAX_LENGTH], self.bold)
        self.next += 1

    def row(self, values: Any) -> None:
        for column, value in enumerate(values):
            self.cell(self.next, column, value)
        self.next += 1

    def cell(self, row: int, column: int, value: Any) -> None:
        """Write a number or a date as such, and anything else as text."""
        if is_number(value):
            self.sheet.write_number(row, column, value)
        elif isinstance(value, dt.date) and is_known_date(value):
            timed = isinstance(value, dt.datetime)
            self.sheet.write_datetime(row, column, value, self.time if timed else self.day)
        else:
            text = str(value)[:MAX_LENGTH]
            marked = self.text if text.startswith(FORMULA) else None
            self.sheet.write_string(row, column, text, marked)


def is_number(value: Any) -> bool:
    """Whether Excel can represent the value as a number."""
    if isinstance(value, int):
        return abs(value) <= EXACT
    return isinstance(value, float) and math.isfinite(value)


def is_known_date(value: dt.date) -> bool:
    day = value.date() if isinstance(value, dt.datetime) else value
    return day >= FIRST_DATE
