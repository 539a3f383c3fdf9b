"""Texts are read as they are declared, on every path, as a plain loop reads them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.axis import Category, Date, Integer, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import ENCODINGS, Text, TextFormat
from hushgram.declare.unit import User
from hushgram.trusted.engine.sources.charsets import charset
from hushgram.trusted.engine.sources.csv import CsvFile
from hushgram.trusted.engine.sources.fields import split_records
from hushgram.trusted.engine.sources.held import hold
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.strategies import up_to
from tests.trusted.engine.tables import cells

NUMBERS = Domain(x=Variable([0, 1, 1.5, 2, 15], outside="other"))
NUMERAL = st.text("0123456789,.eE+- \t", max_size=6) | st.sampled_from(
    ["1,5", "1.5", "1,5,0", "1.000,5", "1,5e0", ",5", "5,", ",", "1,5\n", "-1,5", " 1,5 ", "15e-1"]
)


def number(text: str, mark: str) -> float | None:
    """A text as a number, from first principles: the other mark has no meaning."""
    other = {",": ".", ".": ","}[mark]
    return None if other in text else reference.number(text.replace(mark, "."))


def placed(domain: Domain, values: list[Any]) -> list[int]:
    (axis,) = domain.axes
    found = [0] * axis.size
    for value in values:
        index = reference.place(axis, value)
        if index is not None:
            found[index] += 1
    return found


@given(st.lists(NUMERAL, max_size=8), st.sampled_from(",."))
@settings(max_examples=up_to(60))
@example(["1,5", "1.5"], ",")
@example(["1,5", "1.5"], ".")
def test_decimals(texts: list[str], mark: str) -> None:
    table = pa.table({"x": pa.array(texts, pa.string())})
    expected = placed(NUMBERS, [number(text, mark) for text in texts])
    assert cells(Text(table, decimal=mark), NUMBERS) == expected


YEAR = Domain(day=Date("2023-12-30", "2024-03-02", outside="other"))
HOURS = Domain(day=Date("2024-02-28", "2024-03-01", "1h", outside="other"))
DAYS = st.dates(dt.date(2023, 12, 28), dt.date(2024, 3, 4))
ODD_DATES = st.sampled_from(
    ["30.02.2024", "31.04.2024", "29.02.2023", "00.01.2024", "01.13.2024", "1.1.2024", "2024-01-01",
     "01/01/2024", "01.01.2024 ", "01.01.0000", "", "0101.2024", "01.01.2024\n", "٠1.01.2024"]
)  # fmt: skip
DATE_FORMATS = ["%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d-%m-%y"]


def moment(text: str, form: str) -> dt.datetime | None:
    """A text as a date, by Python's parser, which is more generous than the grammar."""
    try:
        found = dt.datetime.strptime(text, form)
    except ValueError:
        return None
    return found if text.isascii() and text.strip() == text else None


@given(st.lists(DAYS, max_size=8), st.lists(ODD_DATES, max_size=4), st.sampled_from(DATE_FORMATS))
@settings(max_examples=up_to(60))
def test_dates(days: list[dt.date], odd: list[str], form: str) -> None:
    texts = [*(f"{day:{form}}" for day in days), *odd]
    table = pa.table({"day": pa.array(texts, pa.string())})
    expected = placed(YEAR, [moment(text, form) for text in texts])
    assert cells(Text(table, date_format=form), YEAR) == expected


@given(st.lists(st.datetimes(dt.datetime(2024, 2, 27), dt.datetime(2024, 3, 3)), max_size=8))
@settings(max_examples=up_to(30))
def test_times(moments: list[dt.datetime]) -> None:
    form = "%d.%m.%Y %H:%M:%S.%f"
    table = pa.table({"day": pa.array([f"{m:{form}}" for m in moments], pa.string())})
    assert cells(Text(table, date_format=form), HOURS) == placed(HOURS, moments)


@pytest.mark.parametrize("encoding", sorted(set(ENCODINGS.values()) - {"utf-8"}))
def test_every_byte_of_every_encoding(encoding: str) -> None:
    """By itself and among others; a byte that the encoding does not know makes a NULL."""
    found = [bytes([byte]) for byte in range(256) if bytes([byte]) not in b'\n\r",']
    found += [b"a" + one + b"\xe4" for one in found]
    block = np.frombuffer(b"".join(one + b",x\n" for one in found), dtype=np.uint8)
    texts, rest = split_records(block, ord(","), np.arange(2), characters=charset(encoding))
    texts.validate(full=True)
    assert texts.to_pylist() == [decoded(one, encoding) for one in found]
    assert set(rest.to_pylist()) == {"x"}


def decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


@given(st.lists(st.lists(st.text(max_size=5), min_size=2, max_size=2), max_size=5), st.data())
@settings(max_examples=up_to(100))
def test_files_in_an_encoding_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], data: st.DataObject
) -> None:
    import csv

    encoding = data.draw(st.sampled_from(sorted(set(ENCODINGS.values()))))
    clean = [[v.encode(encoding, "ignore").decode(encoding) for v in row] for row in rows]
    file = tmp_path_factory.mktemp("encoded") / "a.csv"
    with file.open("w", newline="", encoding=encoding) as stream:
        csv.writer(stream, delimiter=";").writerows([["a", "b"], *clean])
    form = TextFormat(separator=";", encoding=encoding, line_breaks="quoted")
    table = CsvFile(hold([file]), form).reader(["a", "b"]).read_all()
    found = zip(*(column.to_pylist() for column in table.columns), strict=True)
    assert [[value or "" for value in row] for row in found] == clean


GERMAN = {
    "separator": ";", "decimal": ",", "encoding": "cp1252", "date_format": "%d.%m.%Y",
    "line_breaks": "quoted",
}  # fmt: skip
RAW = 'größe;name;tag\n1,5;Jürgen;31.12.2024\n"1,25";"Zo\n€";1.1.2025\n1.5;x;2025-01-01\n'.encode(
    "cp1252"
)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_file_of_another_country(tmp_path: Path, swapped: bool) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(RAW)
    size = Domain({"größe": Variable([1, 1.25, 1.5, 2], outside="other")})
    names = Domain(name=Category(["Jürgen", "Zo\n€"], outside="other"))
    days = Domain(tag=Date("2024-12-30", "2025-01-02", outside="other"))
    everyone = "\"größe\" > 1 OR name = 'x'"
    source: Any = hg.Where(Text(file, **GERMAN), everyone)
    if swapped:
        source = Text(hg.Where(file, everyone), **GERMAN)
    for unit in (None, User("name", 1)):
        assert cells(source, size, unit) == [0, 1, 1, 1]
        assert cells(source, names, unit) == [1, 1, 1]
        assert cells(source, days, unit) == [0, 1, 1, 0, 1]
    assert sum(cells(hg.Where(Text(file, **GERMAN), '"größe" >= 1.25'), names)) == 2


def test_every_source_of_texts(tmp_path: Path) -> None:
    import duckdb
    import ibis
    import pyarrow.parquet as pq

    table = pa.table({"x": ["1,5", "1.5", "2", None], "day": ["1.2.2024", "2024-02-01", "", None]})
    pq.write_table(table, tmp_path / "a.parquet")
    connection = duckdb.connect()
    connection.register("theirs", table)
    sources: list[Any] = [
        table, table.to_pandas(), pl.from_arrow(table), pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
        tmp_path / "a.parquet", connection.table("theirs"), ibis.memtable(table),
        table.to_pandas().astype("category"),
    ]  # fmt: skip
    february = Domain(day=Date("2024-02-01", "2024-02-02", outside="other"))
    for source in sources:
        declared = Text(source, decimal=",", date_format="%d.%m.%Y")
        assert cells(declared, NUMBERS) == [0, 0, 1, 1, 2]
        assert cells(declared, february) == [1, 0, 3]


def test_objects_that_are_no_texts_keep_their_meaning() -> None:
    """A column of pandas may hold numbers and times as they are, beside texts."""
    numbers: list[Any] = [1.5, "1,5", "1.5", Decimal("1.75"), np.float32(1.5), 2, np.int64(2)]
    frame = pd.DataFrame({"x": pd.Series(numbers, dtype=object)})
    assert cells(Text(frame, decimal=","), NUMBERS) == [0, 0, 4, 2, 1]
    noon = dt.datetime(2024, 2, 1, 12)
    days: list[Any] = [
        dt.date(2024, 2, 1), dt.datetime(2024, 2, 1), pd.Timestamp(2024, 2, 2), "2.2.2024", noon,
        np.datetime64("2024-02-02"), pd.NaT, None,
    ]  # fmt: skip
    frame = pd.DataFrame({"day": pd.Series(days, dtype=object)})
    february = Domain(day=Date("2024-02-01", "2024-02-02", outside="other"))
    assert cells(Text(frame, date_format="%d.%m.%Y"), february) == [2, 3, 3]
    assert cells(Text(frame, date_format="%d.%m.%Y %H"), february) == [3, 2, 3]


def test_numbers_and_dates_of_their_own_types_are_untouched() -> None:
    table = pa.table({"x": [1.5, 0.5], "day": pa.array([dt.date(2024, 2, 1), None], pa.date32())})
    declared = Text(table, decimal=",", date_format="%d.%m.%Y")
    assert cells(declared, NUMBERS) == [1, 0, 1, 0, 0]
    assert cells(declared, Domain(day=Date("2024-02-01", "2024-02-01"))) == [1]


def test_a_missing_column_is_told_about_separators_not_about_the_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("secret;x\n1;2\n")
    age = Domain(x=Integer(0, 3))
    with pytest.raises(hg.HushgramError, match="--separator ';'") as refused:
        cells(file, age)
    assert "secret" not in str(refused.value)
    with pytest.raises(hg.HushgramError, match="separated by the declared separator"):
        cells(Text(file, separator="|"), age)
    assert cells(Text(file, separator=";"), age) == [0, 0, 1, 0]


def test_a_header_in_another_encoding_is_told_how_to_declare_it(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("größe\n1\n".encode("cp1252"))
    with pytest.raises(hg.HushgramError, match="--encoding cp1252"):
        open_table(file)
    assert cells(Text(file, encoding="cp1252"), Domain({"größe": Integer(0, 1)})) == [0, 1]
