"""How texts are written: what may be declared, and how it is shown and remembered."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.declare.date_format import DateFormat
from hushgram.declare.text_format import ENCODINGS, TextFormat
from hushgram.errors import BadInput, RequestConflict, SourceError
from hushgram.spending.identity import filter_text, source_identity
from hushgram.trusted.engine.sources.source import open_table

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"separator": ";;"}, "separator must be a single character"),
    ({"separator": ""}, "separator must be a single character"),
    ({"separator": '"'}, "separator must be a single character"),
    ({"separator": "\n"}, "separator must be a single character"),
    ({"separator": "\r"}, "separator must be a single character"),
    ({"separator": "a"}, "separator must be a single character"),
    ({"separator": "7"}, "separator must be a single character"),
    ({"separator": "·"}, "separator must be a single character"),
    ({"separator": 5}, "separator must be a single character"),
    ({"decimal": ";"}, 'decimal must be "." or ","'),
    ({"decimal": None}, 'decimal must be "." or ","'),
    ({"encoding": "utf-16"}, "encoding 'utf-16'. Use utf-8, latin-1,"),
    ({"encoding": "shift_jis"}, "save the file as UTF-8"),
    ({"encoding": "klingon"}, "Unsupported"),
    ({"encoding": "a\0b"}, "Unsupported"),
    ({"encoding": None}, "Unsupported"),
    ({"line_breaks": "always"}, 'line_breaks must be "never" or "quoted"'),
    ({"date_format": ""}, 'for example "%d.%m.%Y"'),
    ({"date_format": 7}, 'for example "%d.%m.%Y"'),
    ({"date_format": "%d.%m"}, "it must contain %d, %m and either %Y or %y"),
    ({"date_format": "%d.%m.%Y %y"}, "either %Y or %y"),
    ({"date_format": "%d.%d.%m.%Y"}, "%d occurs twice"),
    ({"date_format": "%d %b %Y"}, "%b is not supported. Supported are %Y, %y, %m"),
    ({"date_format": "%d.%m.%Y%"}, "% is not supported"),
    ({"date_format": "%d.%m.%Y %M"}, "%M needs %H"),
    ({"date_format": "%d.%m.%Y %H:%M.%f"}, "%f needs %S"),
    ({"date_format": "%d1%m.%Y"}, "'1' is not supported between fields"),
    ({"date_format": "%d[%m.%Y"}, "is not supported between fields"),
    ({"date_format": "%d\n%m.%Y"}, "is not supported between fields"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_cannot_be_declared_is_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as refused:
        hg.Text("a.csv", **options)
    assert message in str(refused.value)


def test_names_of_encodings_are_those_of_python() -> None:
    for name in ("utf8", "UTF-8", "utf-8-sig"):
        assert TextFormat(encoding=name) == TextFormat()
    assert TextFormat(encoding="ISO-8859-1").encoding == "latin-1"
    assert TextFormat(encoding="Windows-1252").encoding == "cp1252"


@pytest.mark.parametrize("encoding", sorted(set(ENCODINGS.values())))
def test_ascii_is_ascii_in_every_encoding(encoding: str) -> None:
    """So that separators, quotation marks and newlines are found byte by byte."""
    plain = bytes(range(128))
    assert plain.decode(encoding) == plain.decode("ascii")
    assert TextFormat(encoding=encoding).encoding == encoding


def test_it_prints_what_is_declared_and_no_rows_or_secrets() -> None:
    assert repr(hg.Text("a.csv")) == "Text('a.csv')"
    assert repr(hg.Text(Path("a.csv"), separator="tab", line_breaks="never")) == (
        "Text('a.csv', separator='\\t', line_breaks='never')"
    )
    assert "secret" not in repr(hg.Text("postgresql://me:secret@host/db/t", decimal=","))
    rows = hg.Text(hg.Where(pa.table({"x": ["secret"]}), "x = 'a'"), decimal=",")
    assert repr(rows) == "Text(Where(<Table>, \"x = 'a'\"), decimal=',')"


def test_a_second_declaration_is_refused() -> None:
    inner = hg.Text("a.csv", decimal=",")
    for source in (inner, hg.Where(inner, "x > 1")):
        with pytest.raises(BadInput, match="in one Text"):
            hg.Text(source, separator=";")


def test_declarations_are_part_of_what_a_request_stands_for(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n2\n")
    assert source_identity(hg.Text(file)) == source_identity(file)
    options: list[dict[str, Any]] = [
        {"separator": ";"}, {"decimal": ","}, {"encoding": "cp1252"}, {"date_format": "%d.%m.%y"},
        {"line_breaks": "never"}, {"line_breaks": "quoted"}, {},
    ]  # fmt: skip
    assert len({source_identity(hg.Text(file, **some)) for some in options}) == len(options)
    assert source_identity(hg.Text(file, encoding="latin1")) == source_identity(
        hg.Text(file, encoding="iso-8859-1")
    )
    book = hg.Ledger.in_memory()
    paid: dict[str, Any] = {"epsilon": 1, "account": "a", "ledger": book, "request": "monday"}
    first = hg.publish(hg.Text(file, decimal=","), {"x": hg.Integer(0, 3)}, **paid)
    again = hg.publish(hg.Text(file, decimal=","), {"x": hg.Integer(0, 3)}, **paid)
    assert again.to_bytes() == first.to_bytes()
    with pytest.raises(RequestConflict):
        hg.publish(file, {"x": hg.Integer(0, 3)}, **paid)


def test_conditions_are_found_on_either_side() -> None:
    inside = hg.Text(hg.Where("a.csv", "x > 1"), decimal=",")
    assert (
        filter_text(inside)
        == filter_text(hg.Where(hg.Text("a.csv", decimal=","), "x > 1"))
        == "x > 1"
    )


@pytest.mark.parametrize(
    "option", [{"separator": ";"}, {"encoding": "cp1252"}, {"line_breaks": "never"}]
)
def test_bytes_are_declared_of_text_files_only(tmp_path: Path, option: dict[str, str]) -> None:
    import pyarrow.parquet as pq

    table = pa.table({"x": ["1,5"]})
    pq.write_table(table, tmp_path / "a.parquet")
    for source in (table, table.to_pandas(), tmp_path / "a.parquet", hg.Where(table, "x = '1'")):
        with pytest.raises(SourceError, match=f"{next(iter(option))} only applies to CSV"):
            open_table(hg.Text(source, **option))
        open_table(hg.Text(source, decimal=",", date_format="%d.%m.%Y"))


def test_counts_hold_no_texts() -> None:
    with pytest.raises(BadInput, match="Counts contain no text"):
        open_table(hg.Text(hg.Counts([1, 2]), decimal=","))


FORMATS = [
    "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d.%m.%y", "%y%m%d%H%M%S", "%Y-%m-%dT%H:%M:%SZ",
    "%d.%m.%Y %H:%M", "%H Uhr am %d. %m. %Y", "%d/%m/%Y %H:%M:%S.%f", "%Y年%m月%d日", "%%%d-%m-%Y",
    "%S%M%H%d%m%Y%f",
]  # fmt: skip


@given(st.datetimes(dt.datetime(1000, 1, 1)), st.sampled_from(FORMATS))
def test_dates_that_are_written_are_read_back(moment: dt.datetime, text: str) -> None:
    form = DateFormat(text)
    written = moment.strftime(text)
    expected = dt.datetime.strptime(written, text)
    iso = form.iso(written)
    assert iso is not None
    assert dt.datetime.fromisoformat(iso) == expected
    assert form.write(moment) == (written if expected == moment else None)


@pytest.mark.parametrize(
    ("form", "text", "iso"),
    [
        ("%d.%m.%Y", "1.2.2024", "2024-02-01"), ("%d.%m.%Y", "31.02.2024", "2024-02-31"),
        ("%d.%m.%Y", "2024-02-01", None), ("%d.%m.%Y", "01.02.24", None),
        ("%d.%m.%Y", " 01.02.2024", None), ("%d.%m.%Y", "01.02.2024\n", None),
        ("%d.%m.%Y", "٠١.02.2024", None), ("%d.%m.%Y", "001.02.2024", None),
        ("%d.%m.%Y", "01x02x2024", None), ("%Y%m%d", "2024111", None),
        ("%y-%m-%d", "68-1-1", "2068-01-01"), ("%y-%m-%d", "69-1-1", "1969-01-01"),
        ("%d.%m.%Y %H", "1.2.2024 24", None), ("%d.%m.%Y %H", "1.2.2024 3", "2024-02-01 03:00"),
        ("%Y-%m-%d %H:%M", "2024-01-01 1:60", None),
        ("%Y-%m-%d %H:%M:%S.%f", "2024-1-1 1:2:3.5", "2024-01-01 01:02:03.5"),
    ],
)  # fmt: skip
def test_the_rules_for_dates(form: str, text: str, iso: str | None) -> None:
    assert DateFormat(form).iso(text) == iso
