"""Sources whose values are Python objects: databases, workbooks, JSON.

Each cell of these may have any type, independently of the others in its column. So every column is
read as text, and the axes interpret it, as for pandas columns of objects: one row cannot change how
another is read, and no value is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa

from hushgram.declare.text_format import TextFormat
from hushgram.trusted.engine.sources.frames import Naming, name_of, text_in
from hushgram.trusted.engine.sources.held import HeldFile, check_unchanged
from hushgram.trusted.engine.sources.stream import open_stream
from hushgram.trusted.engine.table import Table

TEXT = pa.large_string()
BATCH = 1 << 14

Rows = Callable[[Sequence[str]], Iterable[Sequence[Any]]]
"""Returns the values of the named columns, row by row. Called for each pass."""


def open_objects(
    schema: Any, rows: Rows, files: Sequence[HeldFile], form: TextFormat, **more: Any
) -> Table:
    """Open a table of Python objects. Such a source may leave out rows, such as blank ones."""
    return open_stream(
        schema,
        lambda columns: text_batches(rows(columns), columns, form),
        lossy=True,
        unchanged=partial(check_unchanged, files),
        **more,
    )


def text_schema(names: Iterable[str]) -> pa.Schema:
    return pa.schema([(name, TEXT) for name in names])


def text_batches(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], form: TextFormat
) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches of texts. A user column gets names."""
    as_text = [
        name_of if isinstance(one, Naming) else partial(text_in, form=form) for one in columns
    ]
    names = [f"c{place}" for place in range(len(columns))]
    source = iter(rows)
    while some := list(islice(source, BATCH)):
        values = zip(as_text, zip(*some, strict=True), strict=True)
        arrays = [pa.array([text(one) for one in column], TEXT) for text, column in values]
        yield pa.RecordBatch.from_arrays(arrays, names)
