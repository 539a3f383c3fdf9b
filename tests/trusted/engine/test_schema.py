"""Errors of the schema are free and clear; an engine that fails says nothing of the rows."""

from __future__ import annotations

import gzip
import traceback
import warnings
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.declare.axis import Category, Date, Integer, Interval, Regular, Variable
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import Text
from hushgram.declare.unit import Rows, User
from hushgram.errors import EngineFailed, SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.ibis.table import hide_messages
from hushgram.trusted.engine.sources.source import open_table
from tests.trusted.engine.tables import cells

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

AGE = Domain(age=Integer(0, 120))
SECRET = "4242424242"


def refused(source: Any, domain: Domain = AGE, unit: Any = None) -> str:
    """What is said when a table is opened and checked; nothing is counted."""
    with pytest.raises(SourceError) as error:
        open_table(source).check(domain, unit or Rows())
    return str(error.value)


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    said = refused(pa.table({"years": [1], "sex": ["F"]}))
    assert said == "The table has no column 'age'. It has 'years', 'sex'."
    many = pa.table({f"c{i}": [1] for i in range(30)})
    assert refused(many).endswith("'c19' and 10 more.")
    assert "'AGE'" in refused(pa.table({"AGE": [1]}))


def test_a_missing_column_of_a_text_file_quotes_no_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{SECRET},F\n1,M\n")
    said = refused(tmp_path / "a.csv")
    assert "'age'" in said
    assert "first line" in said
    assert SECRET not in said
    assert SECRET not in refused(tmp_path / "a.csv", AGE, User("who", 1))


WRONG = [
    (Integer(0, 9), pa.array([True])), (Integer(0, 9), pa.array([b"1"])), (Regular(3, 0, 1),
    pa.array([[1]])),
    (Interval(0, 1), pa.array([1], pa.date32())), (Variable([0, 1]), pa.array([1],
    pa.duration("s"))),
    (Integer(0, 9), pa.array([{"a": 1}])), (Category(["a"]), pa.array([1.5])),
    (Category(["a"]), pa.array([1], pa.date32())), (Date("2024-01-01", "2024-01-02"),
    pa.array([20240101])),
    (Date("2024-01-01", "2024-01-02"), pa.array([1], pa.time32("s"))),
    (Integer(0, 9), pa.array([(1, 2, 3)], pa.month_day_nano_interval())),
]  # fmt: skip


@pytest.mark.parametrize(("axis", "column"), WRONG)
def test_a_column_of_the_wrong_type(axis: Any, column: pa.Array) -> None:
    said = refused(pa.table({"age": column}), Domain(age=axis))
    assert "Column 'age' has type" in said
    assert f"an axis of kind {axis.kind}" in said
    window = Domain(age=axis).box([(0, 1)])
    if axis.size > 1:
        assert said == refused(pa.table({"age": column}), window)


def test_columns_that_nobody_asked_for_may_be_anything(tmp_path: Path) -> None:
    junk = {
        "age": [1], "i": pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "n": pa.nulls(1),
        "h": pa.array(np.array([1], np.float16)), "d": pa.array([1], pa.decimal256(60, 2)),
        "u": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
        "r": pa.RunEndEncodedArray.from_arrays([1], [5]), "s": pa.array(["a"], pa.string_view()),
        "l": pa.array([[1]], pa.list_view(pa.int64())), "e": pa.array([b"1" * 16], pa.uuid()),
        "m": pa.array([[(1, 2)]], pa.map_(pa.int8(), pa.int8())), "Age": [5],
    }  # fmt: skip
    assert sum(cells(pa.table(junk), AGE)) == 1
    storable = {n: c for n, c in junk.items() if n not in "iurl"}
    pq.write_table(pa.table(storable), tmp_path / "t.parquet")
    assert sum(cells(tmp_path / "t.parquet", AGE)) == 1
    frame = pd.DataFrame({"age": [1], "z": [1j], "p": [pd.Period("2024-01")], "o": [object()],
                          "s": pd.arrays.SparseArray([1]), "i": [pd.Interval(0, 1)],
                          "c": pd.Categorical([(1, 2)])})  # fmt: skip
    assert sum(cells(frame, AGE)) == 1
    connection = duckdb.connect()
    relation = connection.sql("SELECT 1 AS age, INTERVAL 1 DAY AS i, '101'::BIT AS b, "
                              "1::BIGNUM AS n, union_value(k := 1) AS u, MAP {1: 2} AS m, "
                              "TIME '10:00' AS t, 'a'::ENUM('a') AS e, {'a': 1} AS s")  # fmt: skip
    assert sum(cells(relation, AGE)) == 1


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    arrow = pa.table([[1], [2]], names=["age", "age"])
    frame = pd.DataFrame([[1, 2]], columns=["age", "age"])
    mixed = pd.DataFrame([[1, 2]], columns=[1, "1"])
    (tmp_path / "a.csv").write_text("age,age\n1,2\n")
    for source in (arrow, frame, mixed):
        assert "two columns with the same name" in refused(source)
    assert "names a column twice" in refused(tmp_path / "a.csv")


def test_paths_to_nothing(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "no.csv")
    assert "Cannot open 999" in refused("9" * 5000)
    assert "does not exist" in refused("no.parquet")
    assert "matches no file" in refused(str(tmp_path / "*.csv"))
    assert "contains no CSV, Parquet, Arrow or JSON lines file" in refused(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    assert "contains no CSV, Parquet, Arrow or JSON lines file" in refused(tmp_path)
    assert "matches no file" in refused(str(tmp_path / "*.csv"))


def test_files_of_other_or_mixed_formats(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"x")
    assert "as an Excel workbook" in refused(tmp_path / "a.xlsx")
    (tmp_path / "a.csv").write_text("age\n1\n")
    pq.write_table(pa.table({"age": [1]}), tmp_path / "b.parquet")
    assert "mixes CSV and Parquet" in refused(tmp_path)


def test_parquet_that_cannot_be_read(tmp_path: Path) -> None:
    for raw in (b"", b"PAR1", b"x" * 100, b"PAR1" + b"x" * 100 + b"PAR1"):
        (tmp_path / "a.parquet").write_bytes(raw)
        assert refused(tmp_path / "a.parquet") == "Cannot read a.parquet as a Parquet file."


def test_parquet_files_that_do_not_match(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    for other in ({"age": ["1"]}, {"age": [1], "x": [1]}, {"Age": [1]}):
        pq.write_table(pa.table(other), tmp_path / "b.parquet")
        assert refused(tmp_path) == "b.parquet has different columns or types than a.parquet."


@pytest.mark.parametrize("source", [5, None, [1, 2], {"age": [1]}, b"a.csv", np.array([1]),
pd.Series([1]),
                                    pl.Series([1]), pa.array([1]), object()])  # fmt: skip
def test_what_is_no_table(source: Any) -> None:
    assert "Unsupported table of type" in refused(source)


def test_tables_without_a_backend_or_a_schema() -> None:
    assert "no backend" in refused(ibis.table({"age": "int64"}, name="t"))
    assert "not valid" in refused(pl.LazyFrame({"age": [1]}).select("nothing"))


def failing(tmp_path: Path) -> dict[str, Any]:
    """Tables whose schema is fine and whose rows make the engine stumble over a secret."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"CREATE TABLE t AS SELECT 'x{SECRET}' AS age")
    cast = backend.sql("SELECT CAST(age AS INT) AS age FROM t", schema={"age": "int32"})
    lazy = pl.LazyFrame({"age": [f"x{SECRET}"]}).select(pl.col("age").cast(pl.Int64, strict=True))
    zipped = gzip.compress(b"age\n" + f"{SECRET}\n".encode() * 500_000)
    (tmp_path / "a.csv.gz").write_bytes(zipped[: len(zipped) // 2])
    pq.write_table(pa.table({"age": [SECRET] * 1000}), tmp_path / "a.parquet", compression="zstd")
    raw = bytearray((tmp_path / "a.parquet").read_bytes())
    raw[10:60] = b"\x00" * 50
    (tmp_path / "a.parquet").write_bytes(raw)
    return {
        "ibis": cast, "lazy": lazy, "gzip": Text(tmp_path / "a.csv.gz", line_breaks="never"),
        "parquet": tmp_path / "a.parquet",
        "relation": backend.con.sql("SELECT CAST(age AS INT) AS age FROM t"),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["ibis", "lazy", "gzip", "parquet", "relation"])
@pytest.mark.parametrize("unit", [Rows(), User("age", 1)])
def test_an_engine_that_fails_is_not_quoted(
    tmp_path: Path, kind: str, unit: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    table = open_table(failing(tmp_path)[kind]).bound_to(AGE, unit)
    with pytest.raises(EngineFailed) as failed:
        table.count(Grid.of_cells(AGE))
    error = failed.value
    assert error.__context__ is None
    assert error.__cause__ is None
    everything = "".join(traceback.format_exception(error)) + "".join(capfd.readouterr())
    assert SECRET not in everything
    assert "stays spent" in str(error)


def test_warnings_of_an_engine_are_not_shown() -> None:
    def warn() -> Any:
        warnings.warn(SECRET, stacklevel=1)
        return np.zeros(1)

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        hide_messages(warn)
    assert not shown


def test_who_interrupts_is_heard() -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hide_messages(stop)


def test_which_tables_lose_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n")
    full = Domain(age=Integer(0, 120, outside="clamp"))
    assert open_table(tmp_path / "a.csv").loses_rows(full)  # blank lines are skipped
    table = open_table(pa.table({"age": [1]}))
    assert not table.loses_rows(full)
    for query in (duckdb.sql("SELECT 1 AS age WHERE random() < 2"), pl.LazyFrame({"age": [1]})):
        assert open_table(query).loses_rows(full)  # it may leave a row out for what it holds
    assert open_table(ibis.memtable(pa.table({"age": [1]}))).loses_rows(full)
    assert table.loses_rows(AGE)
    assert table.loses_rows(full.box([(0, 5)]))
