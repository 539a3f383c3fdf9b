"""The XML of workbooks, read so that no cell can stop it. Importing this module imports openpyxl.

XML forbids some characters, which programs write nevertheless if a text has them, and what is
written as a number may be none. Either would make the whole workbook unreadable. Here such a cell
is empty. And no text becomes another, as in openpyxl, which takes some characters out: one person
could take the name of another.
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
"""Characters of UTF-8 that XML forbids, and references by number, which may stand for one."""

MARK = "\U0010ffff"
"""Takes the place of such a character. XML has it, and Unicode promises that no text needs it."""

LONGEST_REFERENCE, LONGEST_CHARACTER = 12, 3
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 starts. It is read as it is."""


def read_book(data: bytes) -> Any:
    """The workbook in these bytes."""
    reader = WorkbookReader(io.BytesIO(data), read_only=True, data_only=True)
    reader.archive = SoundArchive(io.BytesIO(data))
    reader.read()
    return reader.wb


def numbered_rows(sheet: Any) -> Iterator[tuple[int, dict[int, Any]]]:
    """The rows of a sheet, as long as they are: the number of each, and its values by column."""
    book = sheet.parent
    formats = {name: getattr(book, f"_{name}") for name in ("date_formats", "timedelta_formats")}
    strings = sheet._shared_strings
    with book._archive.open(sheet._worksheet_path) as source:
        for number, cells in SheetCells(source, strings, True, book.epoch, **formats).parse():
            yield number, {cell["column"]: cell["value"] for cell in cells}


class WorkbookReader(ExcelReader):  # type: ignore[misc]
    """Reads the list of texts as it is. openpyxl would leave out "x005F_" wherever it is."""

    def read_strings(self) -> None:
        part = self.package.find(SHARED_STRINGS)
        if part is not None:
            with self.archive.open(part.PartName[1:]) as source:
                self.shared_strings = list(shared_texts(source))


def shared_texts(source: Any) -> Iterator[str | None]:
    """The texts in a list of them; None for one that cannot be read."""
    for _, node in iterparse(source):
        if node.tag == f"{{{SHEET_MAIN_NS}}}si":
            try:
                text = Text.from_tree(node).content
            except Exception:
                text = None
            node.clear()
            yield text


class SheetCells(WorkSheetParser):  # type: ignore[misc]
    """Reads cells. One with a marked text is empty, as is one with an error, or with something else
    than it says."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        try:
            found = dict(super().parse_cell(element))
        except Exception:  # of a number that is none, or a text that is not in the list of texts
            return {"column": self.col_counter, "value": None}
        marked = isinstance(found["value"], str) and MARK in found["value"]
        return {**found, "value": None} if marked or found["data_type"] == "e" else found


class SoundArchive(zipfile.ZipFile):
    """A workbook in whose XML forbidden characters are marked."""

    def open(self, name: Any, *more: Any, **options: Any) -> Any:
        return SoundXml(super().open(name, *more, **options))


class SoundXml(io.BufferedIOBase):
    """A file of XML; what a read gives ends neither inside a character nor inside a reference."""

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
        return SUSPECT.sub(sound, data[:stop]) if self._replaces else data[:stop]

    def close(self) -> None:
        self._raw.close()
        super().close()


def last_end(data: bytes) -> int:
    """Where data may be cut: before a reference that may go on, or before a character that may."""
    stop = data.rfind(b"&", max(len(data) - LONGEST_REFERENCE, 0))
    if stop < 0:
        stop = max(len(data) - LONGEST_CHARACTER + 1, 0)
        while stop and data[stop] & 0xC0 == 0x80:  # inside a character
            stop -= 1
    return stop


def sound(found: re.Match[bytes]) -> bytes:
    """What stands for a suspect: itself, or the mark.

    >>> SUSPECT.sub(sound, b"a&#xD800;b&#10;c&#65534;").decode().replace(MARK, "!")
    'a!b&#10;c!'
    """
    sixteen, ten = found.groups(default=b"")
    code = int(sixteen, 16) if sixteen else int(ten or b"0")
    return found.group() if allows(code) else MARK.encode()


def allows(code: int) -> bool:
    """Whether XML 1.0 has a character.

    >>> [allows(code) for code in (9, 11, 0xD7FF, 0xD800, 0xFFFD, 0xFFFE, 0x1F600, 0x110000)]
    [True, False, True, False, True, False, True, False]
    """
    bmp = 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD
    return code in (0x9, 0xA, 0xD) or bmp or 0x10000 <= code <= 0x10FFFF
