"""Text files whose quoted values hold line breaks: a record is a row, wherever it is cut."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushgram.declare.text_format import TextFormat
from hushgram.trusted.engine.sources import records
from hushgram.trusted.engine.sources.csv import CsvFile
from hushgram.trusted.engine.sources.fields import RECORD, record_ends, split_records
from hushgram.trusted.engine.sources.held import hold
from tests.strategies import up_to
from tests.trusted.interpreted import interpret

NAMES = ["who", "note", "x"]
VALUE = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', '""', "\n", "\r\n", "\r", 'a"\n"b', "a,b", '",\n"', "\n\n", 'x"', '"x', "\ufeff", "\0"]
)
ROWS = st.lists(st.lists(VALUE, min_size=3, max_size=3), max_size=6)
SIZES = st.sampled_from([1, 2, 3, 5, 17, 1 << 24])
WAYS: list[dict[str, Any]] = [
    {"quoting": csv.QUOTE_MINIMAL, "lineterminator": "\r\n"},
    {"quoting": csv.QUOTE_ALL, "lineterminator": "\r\n"},
    {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"},
    {"quoting": csv.QUOTE_NONNUMERIC, "lineterminator": "\n"},
]
"""Writers that quote whatever holds a separator, a quotation mark, a return or a newline."""

Row = tuple[str | None, ...]


def written(rows: Sequence[Sequence[str]], separator: str = ",", **how: Any) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, **how).writerows([NAMES, *rows])
    return stream.getvalue().encode()


def read(raw: bytes, folder: Path, name: str = "a.csv", **form: Any) -> list[Row]:
    """The rows that a file is read as, with the names of its header."""
    (folder / name).write_bytes(raw)
    file = CsvFile(hold([folder / name]), TextFormat(line_breaks="quoted", **form))
    table = file.reader(file.header).read_all()
    table.validate(full=True)
    return [tuple(row) for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]


def cut(size: int, longest: int = 1 << 24) -> Any:
    patch = pytest.MonkeyPatch()
    patch.setattr(records, "BLOCK", size)
    patch.setattr(records, "LONGEST_RECORD", longest)
    return patch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quoted")


@given(rows=ROWS, how=st.sampled_from(WAYS), separator=st.sampled_from(",;\t|"), size=SIZES)
@settings(max_examples=up_to(400))
def test_what_a_writer_wrote_is_read_back(
    folder: Path, rows: list[list[str]], how: dict[str, Any], separator: str, size: int
) -> None:
    raw = written(rows, separator, **how)
    patch = cut(size)
    try:
        found = read(raw, folder, separator=separator)
        open_end = raw.removesuffix(how["lineterminator"].encode())
        without_end = read(open_end, folder, separator=separator)
    finally:
        patch.undo()
    assert [tuple(value or "" for value in row) for row in found] == [tuple(row) for row in rows]
    assert without_end == found


@given(rows=ROWS, other=st.lists(VALUE, min_size=3, max_size=3), size=SIZES, data=st.data())
@settings(max_examples=up_to(300))
def test_one_record_changes_no_other(
    folder: Path, rows: list[list[str]], other: list[str], size: int, data: st.DataObject
) -> None:
    """The attack, with any values: the record is added, and everything else stays."""
    place = data.draw(st.integers(0, len(rows)))
    how = data.draw(st.sampled_from(WAYS))
    patch = cut(size)
    try:
        before = read(written(rows, **how), folder)
        own = read(written([other], **how), folder)
        after = read(written([*rows[:place], other, *rows[place:]], **how), folder)
    finally:
        patch.undo()
    assert len(own) == 1
    assert after == [*before[:place], *own, *before[place:]]


LONG = st.text(st.sampled_from('a"\n\r,é'), min_size=0, max_size=40)


@given(
    rows=st.lists(st.tuples(LONG, LONG), max_size=5),
    longest=st.integers(1, 30),
    size=st.integers(1, 30),
)
@settings(max_examples=up_to(300))
@example([("a", "b"), ("x", "\n" * 40), ("c", "d")], 12, 1)
@example([("a", "b"), ('"' * 20, "z"), ("c", "d")], 12, 12)
def test_a_record_that_is_too_long_is_cut_by_itself(
    folder: Path, rows: list[tuple[str, str]], longest: int, size: int
) -> None:
    """It is still one row, and the others are what they are without it. Whether it is cut hangs on
    its own length only, and not on where blocks begin."""
    size = min(size, longest)
    raw = [b'"%b","%b"' % tuple(v.replace('"', '""').encode() for v in row) for row in rows]
    patch = cut(size, longest)
    try:
        found = read(b"a,b\n" + b"".join(record + b"\n" for record in raw), folder)
        alone = [read(b"a,b\n" + record + b"\n", folder) for record in raw]
    finally:
        patch.undo()
    assert found == [row for one in alone for row in one]
    assert len(found) == len(rows)
    for row, expected, record in zip(found, rows, raw, strict=True):
        if len(record) <= longest:
            assert row == expected
        elif row[0] is not None:
            assert expected[0].startswith(row[0])


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.csv", bytes),
        ("a.csv.gz", gzip.compress),
        ("a.csv.zst", lambda raw: pa.compress(raw, "zstd", asbytes=True)),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("size", [1, 4, 1 << 24])
def test_packed_files_marks_and_headers_of_many_lines(
    folder: Path, name: str, pack: Any, mark: bytes, size: int
) -> None:
    raw = mark + b'"wh\no","a ""note"""\r\n"ann","1\r\n2"\r\n\r\n"bob","3"\r\ncy,"4\n'
    patch = cut(size)
    try:
        found = read(pack(raw), folder, name)
    finally:
        patch.undo()
    assert found == [("ann", "1\r\n2"), ("bob", "3"), ("cy", "4\n")]
    file = CsvFile(hold([folder / name]), TextFormat(line_breaks="quoted"))
    assert file.header == ["wh\no", 'a "note"']


def test_files_end_where_they_end(folder: Path) -> None:
    """A record that one file leaves open does not go on in the next."""
    (folder / "1.csv").write_bytes(b'a,b\n1,"2\n3,4')
    (folder / "2.csv").write_bytes(b"a,b\n5,6\n")
    form = TextFormat(line_breaks="quoted")
    table = CsvFile(hold([folder / "1.csv", folder / "2.csv"]), form).reader(["a", "b"]).read_all()
    assert table.to_pydict() == {"a": ["1", "5"], "b": ["2\n3,4", "6"]}


def other_writers(table: pa.Table, file: Path) -> dict[str, Any]:
    import duckdb
    import polars as pl
    import pyarrow.csv as pc

    connection = duckdb.connect()
    connection.register("texts", table)
    return {
        "pandas": lambda: table.to_pandas().to_csv(file, index=False),
        "polars": lambda: pl.from_arrow(table).write_csv(file),  # type: ignore[union-attr]
        "duckdb": lambda: connection.sql(f"COPY texts TO '{file}' (FORMAT csv, HEADER)"),
        "arrow": lambda: pc.write_csv(table, file),
    }


@pytest.mark.parametrize("writer", ["pandas", "polars", "duckdb", "arrow"])
def test_programs_that_the_guide_names_write_such_files(folder: Path, writer: str) -> None:
    """Every short note in two columns. Pandas leaves a return at a record's end without quotes."""
    notes = ["".join(some) for n in (1, 2, 3) for some in itertools.product('"\n\r,a', repeat=n)]
    table = pa.table({"a": notes, "b": notes[::-1]})
    file = folder / f"{writer}.csv"
    other_writers(table, file)[writer]()
    found = read(file.read_bytes(), folder)
    expected = list(zip(notes, notes[::-1], strict=True))
    if writer == "pandas":
        found = [(a, (b or "").rstrip("\r")) for a, b in found]
        expected = [(a, b.rstrip("\r")) for a, b in expected]
    assert found == expected


MARKS = [b'"', b",", b"\n", b"\r", b"a"]


def by_the_rules(raw: bytes) -> list[list[bytes]]:
    """Records and their fields, from first principles: quotation marks count in pairs from a
    field's start."""
    found, fields, begin, place = [], [], 0, 0
    raw += b"\n"
    while place < len(raw):
        if place == begin and raw[place] == 34:
            place += 1
            while (place < len(raw) and raw[place] != 34) or raw[place : place + 2] == b'""':
                place += 2 if raw[place : place + 2] == b'""' else 1
            place += 1
            if place >= len(raw):  # open until the end, which is not part of the file
                return [*found, [*fields, raw[begin:-1].removesuffix(b"\r")]]
            continue
        if raw[place] in b",\n":
            end = raw[begin:place]
            fields.append(end if raw[place] == 44 else end.removesuffix(b"\r"))
            begin = place + 1
            if raw[place] == 10:
                found += [fields] if fields != [b""] else []
                fields = []
        place += 1
    return found


def meaning(field: bytes) -> str | None:
    if field.startswith(b'"'):
        return field[1:].replace(b'""', b"\0").partition(b'"')[0].replace(b"\0", b'"').decode()
    return field.decode() or None


@pytest.mark.parametrize("length", range(7))
def test_all_files_of_a_few_marks(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """Interpreted, so that no byte outside of a block is looked at; compiled, the same."""
    loops: list[ModuleType | None] = [
        interpret(monkeypatch, "hushgram.trusted.engine.sources.fields")
    ]
    for marks in itertools.product(MARKS, repeat=length):
        raw = b"".join(marks)
        rows = by_the_rules(raw)
        expected = [[meaning(row[p]) if p < len(row) else None for row in rows] for p in range(3)]
        block = np.frombuffer(raw, dtype=np.uint8)
        for module in loops if length < 6 else []:
            assert module is not None
            columns = module.split_records(block, 44, np.arange(3), breaks=True)
            assert [column.to_pylist() for column in columns] == expected, raw
        columns = split_records(block, 44, np.arange(3), breaks=True)
        assert [column.to_pylist() for column in columns] == expected, raw
        if raw.endswith(b"\n"):
            closed = record_ends(block, 44, RECORD)[2] == RECORD
            apart = by_the_rules(raw + b"a")
            assert closed == (apart == [*rows, [b"a"]]), raw


def test_no_record_is_cut_that_fits_into_a_block() -> None:
    """Else its place in the file, and so the other records, would decide whether it is cut."""
    assert records.LONGEST_RECORD >= records.BLOCK
