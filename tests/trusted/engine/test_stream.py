"""Sources of batches: the engine's own view where there is one, and what it leaves behind."""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.sources.files import open_path
from hushgram.trusted.engine.sources.held import HeldFile, hold
from hushgram.trusted.engine.sources.parquet import open_parquet, scan_natively
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.sources.stream import duckdb_backend, duckdb_instance, open_stream

ROWS = pa.table({"a": [1, 2, 2], "b": ["x", "y", "y"]})


def streamed(native: Any) -> ArrowTable:
    table = open_stream(
        ROWS.schema, lambda columns: ROWS.select(columns).to_batches(), None, native
    )
    assert isinstance(table, ArrowTable)
    return table


def test_the_engines_own_view_is_taken() -> None:
    asked = []

    def native(backend: Any, columns: list[str]) -> Any:
        asked.append((backend.name, columns))
        return "its own"

    assert streamed(native).view(["a"]) == "its own"
    assert asked == [("duckdb", ["a"])]


def test_where_there_is_none_rows_are_streamed() -> None:
    view = streamed(lambda backend, columns: None).view(["b", "a"])
    assert view.to_pyarrow().to_pydict() == {"c0": ["x", "y", "y"], "c1": [1, 2, 2]}


def test_tasks_are_those_given_or_one_for_all() -> None:
    table = streamed(lambda backend, columns: None)
    (task,) = table.tasks(["a"])
    assert [batch.to_pydict() for batch in task()] == [{"a": [1, 2, 2]}]
    pieces = open_stream(ROWS.schema, lambda columns: [], lambda columns: ["a task"])  # type: ignore[list-item]
    assert isinstance(pieces, ArrowTable)
    assert pieces.tasks(["a"]) == ["a task"]


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(SourceError, match="two columns"):
        open_stream(pa.schema([("a", pa.int64()), ("a", pa.int64())]), lambda columns: [])


@pytest.mark.parametrize("mine", [True, False])
def test_what_the_engine_stored_goes_when_its_process_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mine: bool
) -> None:
    """And not when a fork of it ends."""
    ends: list[Any] = []
    monkeypatch.setattr(atexit, "register", ends.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    process = os.getpid() if mine else os.getpid() + 1
    engine = duckdb_instance.__wrapped__(process)
    (folder,) = tmp_path.iterdir()
    ((used,),) = engine.execute("SELECT current_setting('temp_directory')").fetchall()
    assert (Path(used), folder.stat().st_mode & 0o077) == (folder, 0)
    (clean,) = ends
    clean()
    assert folder.exists() != mine


def test_a_process_has_one_engine_and_many_connections() -> None:
    assert duckdb_instance(os.getpid()) is duckdb_instance(os.getpid())
    first, second = duckdb_backend(), duckdb_backend()
    first.con.register("only_here", ROWS)
    show = "SELECT view_name FROM duckdb_views() WHERE view_name = 'only_here'"
    assert len(first.raw_sql(show).fetchall()) == 1
    assert second.raw_sql(show).fetchall() == []
    setting = "SELECT current_setting('TimeZone'), current_setting('preserve_insertion_order')"
    assert first.raw_sql(setting).fetchall() == [("UTC", False)]
    shown = "SELECT current_setting('enable_progress_bar_print')"
    assert first.raw_sql(shown).fetchall() == [(False,)]


def test_an_engine_that_broke_down_is_replaced() -> None:
    """Else every later publish of this process would be charged, and fail."""
    duckdb_instance(os.getpid()).close()
    assert duckdb_backend().raw_sql("SELECT 7").fetchall() == [(7,)]
    assert count(streamed(lambda backend, columns: None)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("schema", "columns", "seen"),
    [
        ({"a": pa.int32(), "b": pa.uint64(), "t": pa.string()}, ["b", "a"], True),
        ({"a": pa.int32(), "x": pa.float32()}, ["a", "x"], False),
        ({"a": pa.int32(), "t": pa.string()}, ["a", "t"], False),
        ({"t": pa.string(), "a": pa.int32()}, ["t", "a"], False),
        ({"a": pa.int32(), "A": pa.int32()}, ["a"], False),
    ],
)
def test_files_of_whole_numbers_are_read_by_the_engine_itself(
    tmp_path: Path, schema: dict[str, pa.DataType], columns: list[str], seen: bool
) -> None:
    kinds = pa.schema(list(schema.items()))
    rows = {name: ["1", "2"] if kind == pa.string() else [1, 2] for name, kind in schema.items()}
    pq.write_table(pa.table(rows, kinds), tmp_path / "t.parquet")
    view = scan_natively(hold([tmp_path / "t.parquet"]), kinds, duckdb_backend(), columns)
    assert (view is not None) == seen
    if view is not None:
        assert view.columns == tuple(f"c{place}" for place in range(len(columns)))


def test_a_name_that_could_be_a_pattern_is_that_of_one_file(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t[1].parquet")
    pq.write_table(pa.table({"a": [2]}), tmp_path / "t1.parquet")
    assert count(open_parquet(hold([tmp_path / "t[1].parquet"]))) == [0, 1, 0]


def test_files_that_are_not_kept_open_are_streamed(tmp_path: Path) -> None:
    """The engine would open them by their names, whatever these stand for by then."""
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    kinds = pa.schema([("a", pa.int64())])
    files = [HeldFile(tmp_path / "t.parquet", keep_open=False)]
    assert scan_natively(files, kinds, duckdb_backend(), ["a"]) is None
    assert count(open_parquet(files)) == [0, 1, 0]


def count(table: Any) -> list[int]:
    domain = Domain(a=Integer(0, 2))
    table.check(domain, Rows())
    found: list[int] = table.count(Grid.of_cells(domain)).tolist()
    table.fast = False
    assert table.count(Grid.of_cells(domain)).tolist() == found
    return found


def test_all_files_are_read_and_their_columns_compared(tmp_path: Path) -> None:
    for number, name in enumerate("abc"):
        pq.write_table(pa.table({"a": [number] * (number + 1)}), tmp_path / f"{name}.parquet")
    assert count(open_path(tmp_path)) == [1, 2, 3]
    pq.write_table(pa.table({"a": ["1"]}), tmp_path / "d.parquet")
    with pytest.raises(
        SourceError, match=r"d\.parquet has different columns or types than a\.parquet"
    ):
        open_path(tmp_path)
    (tmp_path / "e.csv").write_text("a\n1\n")
    with pytest.raises(SourceError, match="mixes"):
        open_path(tmp_path)


def test_a_glob_takes_no_file_of_another_kind_along(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.xyz").write_text("a\n1\n")
    with pytest.raises(SourceError, match=r"Unsupported file format \"\.xyz\": b\.xyz\."):
        open_path(tmp_path / "*")
    assert count(open_path(tmp_path)) == [0, 1, 0]
    with pytest.raises(SourceError, match="matches no file"):
        open_path(tmp_path / "*.pq")
    with pytest.raises(SourceError, match="does not exist"):
        open_path(tmp_path / "c.csv")


@pytest.mark.parametrize(("length", "seen"), [(16_000, 1), (16_001, 0)])
def test_the_longest_text_of_duckdb(length: int, seen: int) -> None:
    import duckdb

    from hushgram.declare.axis import Category

    relation = duckdb.sql(f"SELECT repeat('a', {length}) AS a")
    domain = Domain(a=Category(["a" * length, "b"]))
    table = open_table(relation)
    table.check(domain, Rows())
    assert table.count(Grid.of_cells(domain)).tolist() == [seen, 0]
