"""Describe a table once: where it is, how its text is formatted, and which rows to include."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushgram.declare.condition import Where
from hushgram.declare.text_format import Text

if TYPE_CHECKING:
    from hushgram.declare.source import Source


def read(
    source: Source,
    *,
    where: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    date_format: str | None = None,
    line_breaks: str | None = None,
) -> Source:
    """Describe a table: its text format and the rows to include. Nothing is opened yet.

    The result is a source for `publish`, `ask`, `find_bounds` and all other functions that take a
    table. A table without options is returned as it is.

    Parameters
    ----------
    source
        Any source of `hushgram.publish`: a path, a glob, a folder, a URL, or a data frame.
    where
        Only include rows where this condition holds, as in `Where`.
    separator, decimal, encoding, date_format, line_breaks
        How text is formatted, as in `Text`.

    Examples
    --------
    >>> read("people.csv", where="age >= 18", separator=";", decimal=",")
    Where(Text('people.csv', separator=';', decimal=','), 'age >= 18')
    """
    options = {
        "separator": separator,
        "decimal": decimal,
        "encoding": encoding,
        "date_format": date_format,
        "line_breaks": line_breaks,
    }
    given = {name: value for name, value in options.items() if value is not None}
    table: Source = Text(source, **given) if given else source
    return table if where is None else Where(table, where)
