"""How a table's texts are written: public declarations, the same for every row.

The separator, the decimal mark, the format of dates, the encoding: none of it is guessed from the
table, because then one row could change how all others are read.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from string import punctuation
from typing import TYPE_CHECKING, Any

from hushgram.declare.condition import Where
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
"""By Python's names. In all of them a byte below 128 is that ASCII character and never a part of
another one, so that newlines, quotation marks and separators are found byte by byte."""

SEPARATORS = "\t " + punctuation.replace('"', "")

OF_FILES = ("separator", "encoding", "line_breaks")
"""What is said about bytes; other sources have texts already."""


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """How texts are written; see `Text`."""

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
        self.dates  # noqa: B018 - a format that cannot be used is refused here

    @cached_property
    def dates(self) -> DateFormat | None:
        """How dates are written, if not as 2024-12-31."""
        return None if self.date_format is None else DateFormat(self.date_format)

    @property
    def declared(self) -> dict[str, str]:
        """The options that differ from the default."""
        options = fields(TextFormat)
        given = {option.name: getattr(self, option.name) for option in options}
        return {o.name: given[o.name] for o in options if given[o.name] != o.default}


@dataclass(frozen=True, repr=False)
class Text(TextFormat):
    """A source whose texts are written in a declared way: itself a source.

    Parameters
    ----------
    source
        As for `hushgram.publish`, also `Where`.
    separator
        What stands between the fields of a CSV file: one character, or ``"tab"``. By default a
        comma; in ``.tsv`` files, a tab.
    decimal
        ``","`` if 1,5 is one and a half, in every text column that is read as numbers. 1.5 is then
        missing. There are no thousands separators.
    encoding
        The encoding of a CSV file, ``"utf-8"`` by default. A value with bytes that it does not
        define is missing.
    date_format
        How dates are written in text columns, such as ``"%d.%m.%Y"``; by default as 2024-12-31,
        which is then missing. Fields: %Y or %y, %m, %d, %H, %M, %S, %f.
    line_breaks
        What is known about line breaks inside the values of a CSV file: ``"never"``, there are
        none; or ``"quoted"``, such values are in quotation marks, and quotation marks inside are
        doubled, as in RFC 4180. A file of people, not rows, needs one of the two:
        see ``docs/guides/sources.md``.

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
            raise BadInput("The source is a Text already. Declare all its options in one Text(…).")

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.declared.items())
        return f"Text({source_text(self.source)}{options})"


def source_text(source: object) -> str:
    """A source in words, without rows or secrets of it.

    >>> source_text("postgresql://me:secret@host/db/t"), source_text(Path("a.csv"))
    ("'postgresql://…'", "'a.csv'")
    >>> source_text([1])
    '<list>'
    """
    if isinstance(source, Where):
        return f"Where({source_text(source.source)}, {source.condition!r})"
    if isinstance(source, str | Path):
        scheme, url, _ = str(source).partition("://")
        return repr(f"{scheme}://…" if url else scheme)
    return f"<{type(source).__name__}>"


def check_separator(separator: object) -> str | None:
    if separator is None or separator == "tab":
        return separator and "\t"
    if isinstance(separator, str) and separator in SEPARATORS and len(separator) == 1:
        return separator
    raise BadInput(
        'separator must be a single character such as ";" or "|" (no letter, digit or quotation '
        f'mark), or "tab". Found {separator!r}.'
    )


def check_encoding(encoding: Any) -> str:
    try:
        return ENCODINGS[codecs.lookup(encoding).name]
    except (LookupError, TypeError, ValueError):
        known = ", ".join(dict.fromkeys(ENCODINGS.values()))
    raise BadInput(
        f"encoding {encoding!r} is not supported. Supported: {known}. Save other files as UTF-8."
    )


DEFAULT = TextFormat()
"""Texts as they are written without a declaration."""
