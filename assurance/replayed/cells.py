"""Rows of files: usual cells, odd ones, and in text files meaningless lines. NONPRIVATE."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

HEADER = ("x", "y", "kind", "day", "who")

Row = tuple[Any, ...]

ODD = st.sampled_from(
    ["", " ", "abc", "nan", "NaN", "inf", "-inf", "1e400", "-0", "0x10", "1_0", " 3 ", "+2", "3.",
     "١", "9" * 400, "NULL", "true", "2024-02-30", "\t", "é", "\x00", "1e-400", "\ufeff4"]
)  # fmt: skip
WHOLE = st.integers(-1, 7)
REAL = st.one_of(
    st.sampled_from([-0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf")]),
    *[st.floats(-1, 8)] * 3,
)
DAYS = st.dates(dt.date(2023, 12, 30), dt.date(2024, 1, 12))
KINDS = st.sampled_from(["F", "M", "F", "M", "X", "f", "F "])
PEOPLE = st.sampled_from(["ann", "bob", "cy", "0", "-0"])

TEXTS: dict[str, st.SearchStrategy[Any]] = {
    "x": st.one_of(WHOLE, WHOLE, st.floats(-2, 9), ODD),
    "y": st.one_of(*[st.floats(-1.2, 1.2)] * 3, ODD),
    "kind": st.one_of(*[KINDS] * 3, ODD),
    "day": st.one_of(*[DAYS] * 3, ODD),
    "who": st.one_of(*[PEOPLE] * 3, ODD),
}

FORGED = st.sampled_from(
    ["\n", '"', "a\r\nb", "F\n1,0,M,2024-01-01,ann", 'F"\n1,0,M,2024-01-01,"bob', '""\n,,,,cy\n']
)
"""Notes with line breaks and quotation marks, some of which look like rows of others."""

TYPED: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "x": {
        "int64": st.one_of(*[WHOLE] * 3, st.integers(-(2**63), 2**63 - 1)),
        "double": REAL,
        "string": TEXTS["x"].map(str),
    },
    "y": {"double": REAL, "float": st.floats(width=32), "string": TEXTS["y"].map(str)},
    "kind": {"string": TEXTS["kind"]},
    "day": {"date32": DAYS, "string": TEXTS["day"].map(str)},
    "who": {"string": TEXTS["who"], "int64": st.integers(0, 4)},
}

TAME: dict[str, st.SearchStrategy[Any]] = {
    "x": st.integers(0, 3),
    "y": st.floats(-1, 1, width=32),
    "kind": st.sampled_from(["F", "M"]),
    "day": st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 9)),
    "who": st.integers(0, 4),
}
"""Values inside every axis: if all rows but one have these, that one is easily revealed."""

STRANGERS = {"string": "somebody else entirely", "int64": 777}
"""The person who is added, removed or replaced; no other row names them."""


@dataclass(frozen=True)
class FileFormat:
    """A file format, and how to draw rows for it."""

    suffix: str
    types: tuple[str, ...]
    row: st.SearchStrategy[Row] = field(repr=False)
    any_row: st.SearchStrategy[Row | bytes] = field(repr=False)
    """In text files, any line is a row: too many fields, too few, open quotes, invalid bytes."""
    quoted: bool = False
    """Whether the file is text that is quoted properly, including line breaks."""

    @property
    def tame_row(self) -> st.SearchStrategy[Row]:
        kinds = self.types or ("string",) * len(HEADER)
        each = zip(HEADER, kinds, strict=True)
        return st.tuples(*(TAME[n].map(str) if k == "string" else TAME[n] for n, k in each))

    @property
    def stranger(self) -> Any:
        return STRANGERS[self.types[-1] if self.types else "string"]

    def write(self, rows: Sequence[Row | bytes], folder: Path) -> Path:
        path = folder / f"table.{self.suffix}"
        if self.quoted:
            stream = io.StringIO()
            csv.writer(stream).writerows([HEADER, *rows])
            path.write_bytes(stream.getvalue().encode())
        elif self.suffix == "csv":
            lines = [row if isinstance(row, bytes) else line(row) for row in rows]
            path.write_bytes(b"\n".join([",".join(HEADER).encode(), *lines]))
        else:
            pq.write_table(arrow(rows, self.types), path, row_group_size=3)
        return path

    def options(self, people: bool) -> list[str]:
        """Return the options for the file: for people, line breaks must be declared."""
        if self.quoted:
            return ["--line-breaks", "quoted"]
        return ["--line-breaks", "never"] if people and self.suffix == "csv" else []


def line(row: Row) -> bytes:
    return ",".join("" if cell is None else str(cell) for cell in row).encode()


def arrow(rows: Sequence[Any], types: Sequence[str]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(HEADER)
    kinds = [pa.type_for_alias(kind) for kind in types]
    arrays = [pa.array(cells, kind) for cells, kind in zip(columns, kinds, strict=True)]
    return pa.table(dict(zip(HEADER, arrays, strict=True)))


@st.composite
def formats(draw: st.DrawFn) -> FileFormat:
    kind = draw(st.sampled_from(["lines", "quoted", "parquet", "parquet"]))
    if kind == "quoted":
        odd = {name: st.one_of(*[TEXTS[name]] * 3, FORGED) for name in HEADER}
        values = st.tuples(*(odd[name] for name in HEADER))
        return FileFormat("csv", (), values, values, quoted=True)
    if kind == "lines":
        row = st.tuples(*(TEXTS[name] for name in HEADER))
        garbage = st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b'"'))
        mixed: st.SearchStrategy[Row | bytes] = st.one_of(row, row, row, row, garbage)
        return FileFormat("csv", (), row, mixed)
    types = tuple(draw(st.sampled_from(sorted(TYPED[name]))) for name in HEADER)
    each = zip(HEADER, types, strict=True)
    row = st.tuples(*(st.one_of(st.none(), *[TYPED[name][kind]] * 4) for name, kind in each))
    return FileFormat("parquet", types, row, row)
