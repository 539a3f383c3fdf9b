"""The names and types of a table's columns, which a steward may see before declaring axes."""

from __future__ import annotations

from hushgram.declare.source import Source


def columns(source: Source) -> dict[str, str]:
    """Return the names and types of the columns of a table, in order.

    Only the schema is read, never a row, so this costs no budget. Columns of text files are
    ``"string"``; axes and measures read numbers and dates from their text. JSON lines have no
    schema, so nothing is listed for them. The first line of a text file and the first row of a
    sheet are assumed to be column names. If a file has no header, they are a row of data.

    Parameters
    ----------
    source
        Any source of `hushgram.publish`.

    Examples
    --------
    >>> import hushgram as hg, pyarrow as pa
    >>> hg.columns(pa.table({"age": [31, 47], "city": ["Bern", "Basel"]}))
    {'age': 'int64', 'city': 'string'}
    """
    from hushgram.trusted.engine.sources.source import open_table

    return open_table(source).column_types()
