"""Read the XML of workbooks so that no cell can make it fail. This module imports openpyxl.

XML forbids some characters, but programs write them nevertheless, and a cell that is declared as a
number may contain none. Either would make the whole workbook unreadable. Here, such a cell is
empty. Texts are never changed: openpyxl removes some characters, which could make two people's
names equal.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from openpyxl.cell.text import Text
from openpyxl.reader.excel import ExcelReader
from openpyxl.worksheet._reader import WorkSheetParser
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse

SUSPECT = re.compile(
    rb"[\x01-\x08\x0b\x0c\x0e-\x1f]|\xed[\xa0-\xbf][\x80-\xbf]|\xef\xbf[\xbe\xbf]"
    rb"|&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));"
)
"""UTF-8 sequences that XML forbids, and numeric references, which may refer to one."""

MARK = "\U0010ffff"
"""Replaces such a character. XML allows it, and Unicode guarantees that it is not a character."""

LONGEST_REFERENCE, LONGEST_CHARACTER = 12, 3
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16, which is read unchanged."""


def read_book(data: bytes) -> Any:
    """Load the workbook in these bytes."""
    reader = WorkbookReader(io.BytesIO(data), read_only=True, data_only=True)
    reader.archive = SoundArchive(io.BytesIO(data))
    reader.read()
    return reader.wb


def numbered_rows(sheet: Any) -> Iterator[tuple[int, dict[int, Any]]]:
    """Yield the rows of a sheet: the number of each, and its values by column."""
    book = sheet.parent
    formats = {name: getattr(book, f"_{name}") for name in ("date_formats", "timedelta_formats")}
    strings = sheet._shared_strings
    with book._archive.open(sheet._worksheet_path) as source:
        for number, cells in SheetCells(source, strings, True, book.epoch, **formats).parse():
            yield number, {cell["column"]: cell["value"] for cell in cells}


class WorkbookReader(ExcelReader):  # type: ignore[misc]
    """Reads shared strings unchanged. openpyxl would remove "x005F_" from them."""

    def read_strings(self) -> None:
        part = self.package.find(SHARED_STRINGS)
        if part is not None:
            with self.archive.open(part.PartName[1:]) as source:
                self.shared_strings = list(shared_texts(source))


def shared_texts(source: Any) -> Iterator[str | None]:
    """Yield the shared strings; None for one that cannot be read."""
    for _, node in iterparse(source):
        if node.tag == f"{{{SHEET_MAIN_NS}}}si":
            try:
                text = Text.from_tree(node).content
            except Exception:
                text = None
            node.clear()
            yield text


class SheetCells(WorkSheetParser):  # type: ignore[misc]
    """Reads cells. Cells with marked text, and cells that do not fit their declared type, are
    empty."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        try:
            found = dict(super().parse_cell(element))
        except Exception:  # an invalid number, or a missing shared string
            return {"column": self.col_counter, "value": None}
        marked = isinstance(found["value"], str) and MARK in found["value"]
        return {**found, "value": None} if marked or found["data_type"] == "e" else found


class SoundArchive(zipfile.ZipFile):
    """A workbook archive that marks forbidden characters in its XML."""

    def open(self, name: Any, *more: Any, **options: Any) -> Any:
        return SoundXml(super().open(name, *more, **options))


class SoundXml(io.BufferedIOBase):
    """An XML file that marks forbidden characters. A read never ends inside a character or a
    reference."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._rest = b""
        self._replaces: bool | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        whole, stop, data = size is None or size < 0, 0, self._rest
        while not stop:
            block = self._raw.read() if whole else self._raw.read(size)
            data += block
            stop = len(data) if whole or not block else last_end(data)
            if not block:
                break
        if self._replaces is None:
            self._replaces = not data.startswith(OTHER_ENCODINGS)
        self._rest = data[stop:]
        return SUSPECT.sub(replacement, data[:stop]) if self._replaces else data[:stop]

    def close(self) -> None:
        self._raw.close()
        super().close()


def last_end(data: bytes) -> int:
    """Return where data may be cut: before an incomplete reference, or before an incomplete
    character."""
    stop = data.rfind(b"&", max(len(data) - LONGEST_REFERENCE, 0))
    if stop < 0:
        stop = max(len(data) - LONGEST_CHARACTER + 1, 0)
        while stop and data[stop] & 0xC0 == 0x80:  # inside a character
            stop -= 1
    return stop


def replacement(found: re.Match[bytes]) -> bytes:
    """Return the replacement of a match: itself, or the mark.

    >>> SUSPECT.sub(replacement, b"a&#xD800;b&#10;c&#65534;").decode().replace(MARK, "!")
    'a!b&#10;c!'
    """
    sixteen, ten = found.groups(default=b"")
    code = int(sixteen, 16) if sixteen else int(ten or b"0")
    return found.group() if allows(code) else MARK.encode()


def allows(code: int) -> bool:
    """Return whether XML 1.0 allows a character.

    >>> [allows(code) for code in (9, 11, 0xD7FF, 0xD800, 0xFFFD, 0xFFFE, 0x1F600, 0x110000)]
    [True, False, True, False, True, False, True, False]
    """
    bmp = 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD
    return code in (0x9, 0xA, 0xD) or bmp or 0x10000 <= code <= 0x10FFFF
