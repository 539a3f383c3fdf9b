"""Text files: a line is a row, whatever stands in it."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.errors import SourceError
from hushgram.trusted.engine.sources import csv as product
from hushgram.trusted.engine.sources import records
from hushgram.trusted.engine.sources.csv import CsvFile
from hushgram.trusted.engine.sources.fields import is_utf8, split_records
from hushgram.trusted.engine.sources.held import hold
from hushgram.trusted.engine.sources.records import blocks, line_ends, whole_records
from tests.strategies import up_to
from tests.trusted.engine.tables import cells

DOMAIN = Domain(
    age=Integer(0, 3, outside="other"), sex=Category(["F", "M", "a,b"], outside="other")
)
GOOD = b'age,sex\n0,F\n1,M\n2,"a,b"\n"3","F"\n'
LINE = st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b""))
MARKED = st.lists(st.sampled_from([b'"', b",", b"\r", b"a", b"1", b"\xff", b"\xc3", b"\x00", b" "]))
MEAN_LINE = st.one_of(LINE, MARKED.map(b"".join))


def rows_of(raw: bytes, places: int = 2, delimiter: str = ",") -> list[tuple[str | None, ...]]:
    """The rows of a file without its header line."""
    block = np.frombuffer(raw, dtype=np.uint8)
    columns = split_records(block, ord(delimiter), np.arange(places))
    for column in columns:
        column.validate(full=True)
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@given(st.lists(MEAN_LINE, max_size=6), MEAN_LINE, st.data())
@settings(max_examples=up_to(400))
@example([b"1,2", b"3,4"], b'"', None)
@example([b'"', b'3,"4'], b'"a', None)
@example([b"1,2", b"3,4"], b'1,"2', None)
@example([b"1,2", b"3,4"], b'""","\xff', None)
def test_one_line_is_at_most_one_row(lines: list[bytes], line: bytes, data: object) -> None:
    """The attack: a line of any bytes, put anywhere, adds itself or nothing, and changes nobody."""
    place = data.draw(st.integers(0, len(lines))) if isinstance(data, st.DataObject) else 1
    before = rows_of(b"".join(one + b"\n" for one in lines))
    with_it = [*lines[:place], line, *lines[place:]]
    after = rows_of(b"".join(one + b"\n" for one in with_it))
    above = len(rows_of(b"".join(one + b"\n" for one in lines[:place])))
    own = rows_of(line + b"\n")
    assert len(own) == (line.removesuffix(b"\r") != b"")
    assert after == before[:above] + own + before[above:]


@given(line=MEAN_LINE, place=st.integers(0, 4))
@settings(max_examples=up_to(8))
@example(line=b'"', place=0)
@example(line=b'0,"F', place=2)
def test_one_line_moves_the_counts_by_one(
    tmp_path_factory: object, line: bytes, place: int
) -> None:
    folder = tmp_path_factory.mktemp("csv")  # type: ignore[attr-defined]
    lines = GOOD.splitlines(keepends=True)
    before = cells(saved(folder, "a.csv", GOOD), DOMAIN)
    attacked = b"".join([*lines[: place + 1], line + b"\n", *lines[place + 1 :]])
    after = cells(saved(folder, "b.csv", attacked), DOMAIN)
    assert np.abs(np.subtract(after, before)).sum() <= 1


def saved(folder: Path, name: str, raw: bytes) -> Path:
    file = folder / name
    file.write_bytes(raw)
    return file


FIELD = st.text(
    st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=6
) | st.sampled_from(['"', '""', ",", 'a"b', ' "x"', '","', "", "ä", "😀", '"a', 'a"'])


@given(st.lists(st.lists(FIELD, min_size=3, max_size=3), max_size=8), st.sampled_from(",\t"))
@settings(max_examples=up_to(300))
def test_well_formed_lines_read_like_those_of_the_standard_library(
    rows: list[list[str]], delimiter: str
) -> None:
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        written = io.StringIO()
        csv.writer(written, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(
            rows
        )
        raw = written.getvalue().encode()
        again = list(csv.reader(io.StringIO(written.getvalue()), delimiter=delimiter))
        found = [tuple(f or "" for f in row) for row in rows_of(raw, 3, delimiter)]
        assert found == [tuple(row) for row in again] == [tuple(row) for row in rows]
        crlf = raw.replace(b"\n", b"\r\n")
        assert rows_of(crlf, 3, delimiter) == rows_of(raw, 3, delimiter)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (b"a,b", ("a", "b")), (b"a", ("a", None)), (b"a,b,c", ("a", "b")), (b",", (None, None)),
        (b'"",x', ("", "x")), (b'"a,b",c', ("a,b", "c")), (b'"a""b",c', ('a"b', "c")),
        (b'"say ""hi"", ok",c', ('say "hi", ok', "c")), (b'"""",c', ('"', "c")),
        (b'a"b,c', ('a"b', "c")), (b'"a"b,c', ("a", "c")), (b'"a', ("a", None)),
        (b'"a,b', ("a,b", None)), (b'a,"b', ("a", "b")), (b"a,b\r", ("a", "b")), (b'a,"b"\r', ("a",
        "b")),
        (b"\xff,b", (None, "b")), (b"\xc3\xa4,b", ("ä", "b")), (b"a\x00,b", ("a\x00", "b")),
        (b" a , b ", (" a ", " b ")), (b"\r\r", ("\r", None)),
    ],
)  # fmt: skip
def test_the_rules_for_a_line(line: bytes, fields: tuple[str | None, ...]) -> None:
    assert rows_of(line + b"\n") == [fields]
    assert rows_of(b"x,y\n" + line + b"\nz,w\n") == [("x", "y"), fields, ("z", "w")]


def test_blank_lines_are_no_rows() -> None:
    assert rows_of(b"\n\r\na,b\n\n\n") == [("a", "b")]
    assert rows_of(b"") == []


@given(st.binary(max_size=12))
@settings(max_examples=up_to(300))
def test_utf8(raw: bytes) -> None:
    try:
        raw.decode()
        valid = True
    except UnicodeDecodeError:
        valid = False
    assert is_utf8(np.frombuffer(raw, dtype=np.uint8), 0, len(raw)) == valid


def test_every_beginning_of_a_code_point() -> None:
    """All pairs of first bytes, which random bytes seldom reach."""
    for first in range(0xC0, 0x100):
        for second in range(0x70, 0xD0):
            for rest in (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xc0", b"\x80\x7f"):
                raw = bytes([first, second]) + rest
                try:
                    raw.decode()
                    valid = True
                except UnicodeDecodeError:
                    valid = False
                assert is_utf8(np.frombuffer(raw, dtype=np.uint8), 0, len(raw)) == valid, raw


@given(st.lists(st.sampled_from([b"a", b"b,", b"\n", b"\r"])).map(b"".join), st.integers(1, 12))
@settings(max_examples=up_to(300))
def test_blocks_hold_whole_lines(raw: bytes, size: int) -> None:
    """However the file is cut into blocks; a line longer than a block is cut by itself alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BLOCK", size)
        patch.setattr(records, "LONGEST_RECORD", size)
        stream = blocks(io.BytesIO(raw), product.BOM)
        found = [bytes(block) for block in whole_records(stream, line_ends)]
    lines = [line[:size] for line in raw.partition(b"\n")[2].split(b"\n")]
    ended = [line for block in found for line in block.split(b"\n")]
    assert [line for line in ended if line] == [line for line in lines if line]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("plain.csv", GOOD), ("crlf.csv", GOOD.replace(b"\n", b"\r\n")), ("bom.csv",
        b"\xef\xbb\xbf" + GOOD),
        ("end.csv", GOOD.removesuffix(b"\n")), ("UPPER.CSV", GOOD), ("zip.csv.gz",
        gzip.compress(GOOD, mtime=0)),
        ("two.csv.gz", gzip.compress(GOOD[:12], mtime=0) + gzip.compress(GOOD[12:], mtime=0)),
        ("blank.csv", GOOD.replace(b"\n", b"\n\n")), ("quotes.csv", GOOD.replace(b"age", b'"age"')),
        ("more.csv", GOOD.replace(b"\n", b",x\n")), ("other.csv", GOOD.replace(b"age,sex",
        b"age,sex,")),
        ("tab.tsv", b"age\tsex\n0\tF\n1\tM\n2\ta,b\n3\tF\n"), ("notes.tsv.csv", GOOD),
        ("tab.tsv.gz", gzip.compress(b"age\tsex\n0\tF\n1\tM\n2\ta,b\n3\tF\n", mtime=0)),
    ],
)  # fmt: skip
def test_files_of_every_kind(tmp_path: Path, name: str, raw: bytes) -> None:
    expected = cells(pa.table({"age": [0, 1, 2, 3], "sex": ["F", "M", "a,b", "F"]}), DOMAIN)
    assert cells(saved(tmp_path, name, raw), DOMAIN) == expected


def test_rows_of_all_lengths(tmp_path: Path) -> None:
    raw = b'sex,x,age\nF,,1\nF\n,,\nM,"x,1,y\n"F","",1,2,3\n\xff,,2\n'
    file = saved(tmp_path, "a.csv", raw)
    rows = pa.table(
        {"age": ["1", None, None, None, "1", "2"], "sex": ["F", "F", None, "M", "F", None]}
    )
    assert cells(file, DOMAIN) == cells(rows, DOMAIN)


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 1000)
    lines = [f"{i % 5},{'FM'[i % 2]}" for i in range(5000)]
    file = saved(tmp_path, "a.csv", ("age,sex\n" + "\n".join(lines)).encode())
    table = pa.table(
        {"age": [i % 5 for i in range(5000)], "sex": ["FM"[i % 2] for i in range(5000)]}
    )
    assert cells(file, DOMAIN) == cells(table, DOMAIN)


def test_files_together(tmp_path: Path) -> None:
    saved(tmp_path, "a.csv", GOOD)
    saved(tmp_path, "b.tsv", b"age\tsex\n0\tF\n")
    both = cells(str(tmp_path / "*.?sv"), DOMAIN)
    assert sum(both) == 5
    assert cells(tmp_path, DOMAIN) == both
    saved(tmp_path, "c.csv", b"sex,age\nF,0\n")
    with pytest.raises(SourceError, match=r"c\.csv has a different header line than a\.csv"):
        CsvFile(hold([tmp_path / "a.csv", tmp_path / "c.csv"]))


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"\r\n", b"  \n1,2\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n1\n", b"\t\n"]
)
def test_empty_files(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(SourceError, match=r"e\.csv is empty"):
        CsvFile(hold([saved(tmp_path, "e.csv", raw)]))


SECRET = "Ada Lovelace"


@pytest.mark.parametrize(
    "raw",
    [
        f"{SECRET},36,London\n".encode(), f"{SECRET},{SECRET}\n".encode(),
        SECRET.encode() + b"\xff\n",
        SECRET.encode() + b"\ra\rb\rc,\rd\n", SECRET.encode() + b"x" * 200_000 + b"\n",
        SECRET.encode() * 200_000, b"age," + SECRET.encode() + b"\n1,2\n",
    ],
)  # fmt: skip
def test_the_first_line_is_never_repeated(tmp_path: Path, raw: bytes) -> None:
    """Where a file lacks its header, the first line is somebody's row."""
    with pytest.raises(SourceError) as refused:
        cells(saved(tmp_path, "p.csv", raw), DOMAIN)
    assert SECRET not in str(refused.value)
    assert "Ada" not in str(refused.value)
    assert SECRET not in repr(refused.value.__context__)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for raw in (b"no gzip", gzip.compress(GOOD, mtime=0)[:10], b""):
        with pytest.raises(SourceError, match=r"z\.csv\.gz"):
            CsvFile(hold([saved(tmp_path, "z.csv.gz", raw)]))
    with pytest.raises(SourceError, match="Cannot read"):
        CsvFile(hold([tmp_path / "nowhere.csv"]))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\xff,b\n1,2\n", "is not UTF-8 text"),
        (b"", "is empty"),
        (b" \r\n1\n", "is empty"),
        (b"a,a\n", "names a column twice"),
        (b"a" * product.LONGEST_HEADER, "is too long"),
    ],
    ids=["no text", "nothing", "blank", "twice", "long"],
)
def test_why_a_first_line_is_refused(tmp_path: Path, raw: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        CsvFile(hold([saved(tmp_path, "a.csv", raw)]))


def test_the_longest_first_line(tmp_path: Path) -> None:
    names = [f"{number:07}" for number in range(product.LONGEST_HEADER // 8)]
    raw = ",".join(names).encode() + b"\n"
    assert len(raw) == product.LONGEST_HEADER
    assert CsvFile(hold([saved(tmp_path, "a.csv", raw)])).header == names
