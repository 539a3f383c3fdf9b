"""What is shown of a table before anything is declared: `columns` and `read`."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.cli.columns import NO_SCHEMA
from hushgram.declare.axis_kinds import kinds_for
from tests.surface.conftest import Run

PEOPLE = pa.table(
    {
        "age": [31, 47],
        "fare": [1.5, None],
        "day": pa.array([0, 1], pa.date32()),
        "member": [True, False],
        "city": ["Bern", "secret"],
    }
)
TYPES = {"age": "int64", "fare": "float64", "day": "date", "member": "boolean", "city": "string"}


def test_columns_of_tables_in_memory_and_in_files(folder: Path) -> None:
    pq.write_table(PEOPLE, folder / "people.parquet")
    (folder / "people.csv").write_text("age;city\n31;Bern\n")
    assert hg.columns(PEOPLE) == TYPES
    assert hg.columns(folder / "people.parquet") == TYPES
    text = hg.read(folder / "people.csv", separator=";", where="age >= 18")
    assert hg.columns(text) == {"age": "string", "city": "string"}


def test_columns_never_depend_on_rows() -> None:
    assert hg.columns(PEOPLE.slice(0, 0)) == hg.columns(PEOPLE)


def test_fields_inside_of_a_column_are_not_shown() -> None:
    """They may be named after values, where a program made the table from objects."""
    table = pa.table({"age": [1], "of": [{"zoe": 5}], "tags": [["x"]]})
    assert hg.columns(table) == {"age": "int64", "of": "struct", "tags": "array"}
    for refused in (
        lambda: hg.ask(table, "sum", {"of": (0, 9)}, epsilon=1, account="a"),
        lambda: hg.ask(table, hg.Sum("of", 0, 9), epsilon=1, account="a"),
        lambda: hg.ask(table, where="of = 'x'", epsilon=1, account="a"),
        lambda: hg.publish(table, {"age": (0, 9)}, unit=hg.User("of", 2), epsilon=1, account="a"),
    ):
        with pytest.raises(hg.BadInput, match="struct") as refusal:
            refused()
        assert "zoe" not in str(refusal.value)


def test_how_many_digits_a_decimal_has_is_not_shown() -> None:
    """Arrow counts the digits of the longest one, which may be somebody's pay."""
    pay = [Decimal("10.5"), Decimal("123456789.25")]
    tables = [pa.table({"pay": pay}), pa.table({"pay": pay[:1]})]
    assert tables[0].schema != tables[1].schema
    assert [hg.columns(table) for table in tables] == [{"pay": "decimal"}] * 2
    day = hg.Date("2020-01-01", "2020-12-31")
    with pytest.raises(hg.SourceError, match="type decimal, which does not fit"):
        hg.publish(tables[0], {"pay": day}, epsilon=1, account="a")


def test_words_of_an_enumeration_are_not_shown() -> None:
    base = duckdb.connect()
    base.execute("CREATE TYPE mood AS ENUM ('secret')")
    base.execute("CREATE TABLE t (a mood, b mood[], c INT DEFAULT 5, d INTERVAL)")
    found = hg.columns(base.table("t"))
    assert found == {"a": "string", "b": "array", "c": "int32", "d": "unknown"}
    words = pa.array(["secret"]).dictionary_encode()
    field = pa.field("a", words.type, metadata={"note": "secret"})
    assert hg.columns(pa.table([words], pa.schema([field], {"all": "secret"}))) == {"a": "string"}


def test_a_column_that_a_condition_needs_must_exist() -> None:
    with pytest.raises(hg.SourceError, match="income"):
        hg.columns(hg.read(PEOPLE, where="income > 1"))


def test_the_command_says_how_to_declare_each_column(folder: Path, run: Run) -> None:
    pq.write_table(PEOPLE, folder / "people.parquet")
    result = run("columns", "people.parquet")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:5] == [
        "age     int64    --axis age=LOW..HIGH",
        "fare    float64  --axis fare=LOW:HIGH/BINS",
        "day     date     --axis day=FIRST..LAST/1mo",
        "member  boolean  --axis member=VALUE,VALUE,…",
        "city    string   --axis city=VALUE,VALUE,…, LOW:HIGH or FIRST..LAST/1mo",
    ]
    assert "secret" not in result.out
    listed = json.loads(run("columns", "people.parquet", "--json").out)
    assert {one["name"]: one["type"] for one in listed} == TYPES


def test_columns_that_no_axis_reads_are_marked(folder: Path, run: Run) -> None:
    table = pa.table({"of": [{"zoe": 5}], "at": pa.array([9], pa.time32("s")), "x": [1.5]})
    pq.write_table(table, folder / "odd.parquet")
    assert run("columns", "odd.parquet").out.splitlines()[:3] == [
        "of  struct   (no axis supports this type: cast the column)",
        "at  time     (no axis supports this type: cast the column)",
        "x   float64  --axis x=LOW:HIGH/BINS",
    ]
    assert kinds_for("float64") == ["bins", "interval", "edges", "integer"]
    assert "integer" not in kinds_for("interval('s')")[:1]


def test_json_lines_list_nothing(folder: Path, run: Run) -> None:
    (folder / "people.jsonl").write_text('{"age": 31}\n')
    assert run("columns", "people.jsonl").out == f"{NO_SCHEMA}\n"


def test_a_missing_table_is_a_message(run: Run) -> None:
    result = run("columns", "nowhere.csv")
    assert (result.code, result.out) == (2, "")
    assert "nowhere.csv" in result.err


def test_read_puts_format_and_condition_together() -> None:
    assert hg.read("a.csv") == "a.csv"
    assert hg.read("a.csv", decimal=",") == hg.Text("a.csv", decimal=",")
    both = hg.read("a.csv", decimal=",", where="age >= 18")
    assert both == hg.Where(hg.Text("a.csv", decimal=","), "age >= 18")
    with pytest.raises(hg.BadInput, match="decimal"):
        hg.read("a.csv", decimal="x")


def test_sources_show_neither_rows_nor_secrets() -> None:
    assert repr(hg.read(PEOPLE, where="age > 1")) == "Where(<Table>, 'age > 1')"
    remote = hg.read("postgresql://me:secret@host/db/t", where="age > 1")
    assert repr(remote) == "Where('postgresql://…', 'age > 1')"
