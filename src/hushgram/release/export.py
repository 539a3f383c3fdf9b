"""CSV export, with labels that spreadsheets do not interpret as formulas."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.base.files import write_new
from hushgram.release.columns import with_whole

if TYPE_CHECKING:
    import pyarrow as pa

    from hushgram.release.release import Release

FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Spreadsheets interpret text that starts with one of these as a formula, and run it."""


def write_csv(
    release: Release, path: Path, *, whole: bool = False, overwrite: bool = False
) -> None:
    write_csv_table(with_whole(release, release.to_arrow(), whole), path, overwrite=overwrite)


def write_csv_table(table: pa.Table, path: Path, *, overwrite: bool = False) -> None:
    """Write an Arrow table as CSV, with text that spreadsheets do not interpret as formulas."""
    text = io.StringIO()
    # Line ends of RFC 4180. With "\n" alone, Python would not quote carriage returns.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(name) for name in table.column_names])
    for batch in table.to_batches(max_chunksize=65_536):
        columns = [column.to_pylist() for column in batch.columns]
        writer.writerows([harmless(value) for value in row] for row in zip(*columns, strict=True))
    write_new(path, text.getvalue().encode(), overwrite=overwrite)


def harmless(value: Any) -> Any:
    """The value; text that looks like a formula gets a leading quotation mark.

    >>> harmless("=1+1"), harmless("F"), harmless(-3)
    ("'=1+1", 'F', -3)
    """
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return value
