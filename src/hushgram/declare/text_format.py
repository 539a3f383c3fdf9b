"""How the text in a table is formatted. The format is public and the same for every row.

The separator, the decimal mark, the date format and the encoding are never guessed from the table,
because then one row could change how all others are read.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, fields
from functools import cached_property
from string import punctuation
from typing import TYPE_CHECKING, Any

from hushgram.declare.condition import Where, source_text
from hushgram.declare.date_format import DateFormat
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.declare.source import Source

ENCODINGS = {
    "utf-8": "utf-8", "utf-8-sig": "utf-8",
    "iso8859-1": "latin-1", "iso8859-2": "iso-8859-2", "iso8859-15": "iso-8859-15",
    "cp1250": "cp1250", "cp1251": "cp1251", "cp1252": "cp1252", "cp1253": "cp1253",
    "cp1254": "cp1254", "cp1257": "cp1257", "cp437": "cp437", "cp850": "cp850",
    "mac-roman": "mac-roman",
}  # fmt: skip
"""Supported encodings by Python's names. In all of them, a byte below 128 is that ASCII character
and never part of another one, so newlines, quotation marks and separators can be found by byte."""

SEPARATORS = "\t " + punctuation.replace('"', "")

OF_FILES = ("separator", "encoding", "line_breaks")
"""Options that only apply to files; other sources contain decoded text."""


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """How text is formatted; see `Text`."""

    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    date_format: str | None = None
    line_breaks: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", check_separator(self.separator))
        object.__setattr__(self, "encoding", check_encoding(self.encoding))
        if self.decimal not in (".", ","):
            raise BadInput(f'decimal must be "." or ",". Found {self.decimal!r}.')
        if self.line_breaks not in (None, "never", "quoted"):
            raise BadInput(f'line_breaks must be "never" or "quoted". Found {self.line_breaks!r}.')
        self.dates  # noqa: B018 - raises an error if the format cannot be used

    @cached_property
    def dates(self) -> DateFormat | None:
        """The format of dates, unless they look like 2024-12-31."""
        return None if self.date_format is None else DateFormat(self.date_format)

    @property
    def declared(self) -> dict[str, str]:
        """The options that differ from the default."""
        options = fields(TextFormat)
        given = {option.name: getattr(self, option.name) for option in options}
        return {o.name: given[o.name] for o in options if given[o.name] != o.default}


@dataclass(frozen=True, repr=False)
class Text(TextFormat):
    """Declare how the text in a source is formatted: separator, decimal mark, encoding, dates.

    The result is itself a source.

    Parameters
    ----------
    source
        Any source of `hushgram.publish`, including `Where`.
    separator
        The field separator of a CSV file: one character, or ``"tab"``. The default is a comma,
        or a tab in ``.tsv`` files.
    decimal
        The decimal mark in text columns that are read as numbers. With ``","``, 1,5 is one and a
        half, and 1.5 is treated as missing. Thousands separators are not supported.
    encoding
        The encoding of a CSV file, ``"utf-8"`` by default. A value that cannot be decoded is
        treated as missing.
    date_format
        The format of dates in text columns, such as ``"%d.%m.%Y"``. By default, dates look like
        2024-12-31; with another format, such dates are treated as missing. Fields: %Y or %y, %m,
        %d, %H, %M, %S, %f.
    line_breaks
        Whether values of a CSV file contain line breaks: ``"never"``; or ``"quoted"``, if such
        values are in quotation marks and quotation marks inside them are doubled, as in RFC 4180.
        Needed for CSV files if the privacy unit is a person: see ``docs/guides/sources.md``.

    Examples
    --------
    >>> Text("people.csv", separator=";", decimal=",", date_format="%d.%m.%Y")
    Text('people.csv', separator=';', decimal=',', date_format='%d.%m.%Y')
    """

    source: Source

    def __post_init__(self) -> None:
        super().__post_init__()
        inner = self.source
        while isinstance(inner, Where):
            inner = inner.source
        if isinstance(inner, Text):
            raise BadInput("The source is already a Text. Combine all options in one Text(…).")

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.declared.items())
        return f"Text({source_text(self.source)}{options})"


def check_separator(separator: object) -> str | None:
    if separator is None or separator == "tab":
        return separator and "\t"
    if isinstance(separator, str) and separator in SEPARATORS and len(separator) == 1:
        return separator
    raise BadInput(
        'separator must be a single character such as ";" or "|" (not a letter, digit or '
        f'quotation mark), or "tab". Found {separator!r}.'
    )


def check_encoding(encoding: Any) -> str:
    try:
        return ENCODINGS[codecs.lookup(encoding).name]
    except (LookupError, TypeError, ValueError):
        known = ", ".join(dict.fromkeys(ENCODINGS.values()))
    raise BadInput(f"Unsupported encoding {encoding!r}. Use {known}, or save the file as UTF-8.")


DEFAULT = TextFormat()
"""The default format."""
