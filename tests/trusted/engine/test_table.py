"""A table behind an engine: what is asked of it, how often, and what is told."""

from __future__ import annotations

import logging
import sys
import types
import warnings
from typing import Any

import ibis
import pyarrow as pa
import pytest

from hushgram.declare.axis import Category, Date, Integer
from hushgram.declare.condition import Where
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import EngineFailed, SourceError
from hushgram.geometry.partition import Grid, Raster
from hushgram.trusted.engine.ibis import table as tables
from hushgram.trusted.engine.ibis.table import IbisTable, hide_messages, silence_spark
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.sources.stream import duckdb_backend

ROWS = pa.table({"x": [0, 1, 1, 3], "y": [2, 2, 0, 1], "who": ["a", "a", "b", "c"]})
X = Domain(x=Integer(0, 3))


def engine_table(**more: Any) -> IbisTable:
    backend = duckdb_backend()
    backend.raw_sql("CREATE OR REPLACE TEMP TABLE people (x INTEGER, y INTEGER, who VARCHAR)")
    backend.raw_sql("INSERT INTO people VALUES (0, 2, 'a'), (1, 2, 'a'), (1, 0, 'b'), (3, 1, 'c')")
    some = backend.table("people")

    def view(columns: list[str]) -> ibis.Table:
        return some.select(**{f"c{place}": some[name] for place, name in enumerate(columns)})

    return IbisTable(lambda: backend, some.schema(), view, **more)


def test_it_counts() -> None:
    table = engine_table()
    assert table.count(Grid.of_cells(X)).tolist() == [1, 2, 0, 1]
    found = table.occupied_cells(Raster.of_cells(X))
    assert (found.cells.tolist(), found.rows.tolist()) == ([0, 1, 3], [1, 2, 1])


def test_conditions_add_up() -> None:
    table = open_table(Where(Where(ROWS, "y >= 1"), "x >= 1 and who != 'c'"))
    assert isinstance(table, IbisTable)
    table.check(X, Rows())
    assert table.count(Grid.of_cells(X)).tolist() == [0, 1, 0, 0]
    assert table.rows(["who"]).columns == ("c0", "c1", "c2", "c3")
    assert table.loses_rows(X)


def test_which_tables_lose_rows() -> None:
    clamped = Domain(x=Integer(0, 3, outside="clamp"))
    assert not engine_table().loses_rows(clamped)
    assert engine_table().loses_rows(X)
    assert engine_table(lossy=True).loses_rows(clamped)


def test_rows_of_people_are_chosen_once_for_a_domain_and_unit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And anew for another domain, another bound or another unit."""
    salts: list[str] = []
    genuine = tables.bound_rows

    def bounded(owned: Any, most: int, salt: str, amounts: Any) -> Any:
        salts.append(salt)
        return genuine(owned, most, salt, amounts)

    monkeypatch.setattr(tables, "bound_rows", bounded)
    table = engine_table()
    steps = [(X, User("who", 1)), (X, User("who", 1)), (X, User("who", 2)), (X, Rows()),
             (Domain(y=Integer(0, 3)), User("who", 2)), (X, User("who", 2))]  # fmt: skip
    sums = []
    for domain, unit in steps:
        bound = table.bound_to(domain, unit)
        sums.append(int(bound.count(Grid.of_cells(domain)).sum()))
        bound.count(Grid(domain, (2,)))
    assert sums == [3, 3, 4, 4, 4, 4]
    assert len(salts) == len(set(salts)) == 5
    assert {len(salt) for salt in salts} == {32}


def test_what_is_probed_is_asked_for_no_row_before_anything_is_spent() -> None:
    table, asked = engine_table(probed=True), []
    genuine = table._run

    def run(expression: ibis.Table) -> Any:
        asked.append(genuine(expression).num_rows)
        return genuine(expression)

    table._run = run  # type: ignore[method-assign]
    table.check(X, Rows())
    table.check(X, Rows())
    assert asked == [0]
    table.check(X, User("who", 1))
    assert asked == [0, 0]
    silent = engine_table()
    silent._run = run  # type: ignore[method-assign]
    silent.check(X, Rows())
    assert asked == [0, 0]


@pytest.mark.parametrize(("unit", "named"), [(Rows(), "'x'"), (User("who", 1), "'x', 'who'")])
def test_what_an_engine_cannot_read_is_refused_for_free(unit: Any, named: str) -> None:
    table = engine_table(probed=True)

    def fail(expression: ibis.Table) -> Any:
        raise ValueError("secret")

    table._run = fail  # type: ignore[method-assign]
    with pytest.raises(SourceError, match=f"cannot read {named} as") as error:
        table.check(X, unit)
    assert error.value.__context__ is None


@pytest.mark.parametrize(
    ("connection", "share"),
    [
        (types.SimpleNamespace(query_progress=lambda: 50.0), 0.5),
        (types.SimpleNamespace(), None),
    ],
)
def test_how_much_an_engine_has_done(connection: Any, share: float | None) -> None:
    backend = types.SimpleNamespace(con=connection)
    assert IbisTable(lambda: backend, ibis.schema({}), lambda columns: None)._share() == share  # type: ignore[arg-type, return-value]
    bare = IbisTable(lambda: object(), ibis.schema({}), lambda columns: None)  # type: ignore[arg-type, return-value]
    assert bare._share() is None


def test_an_engines_words_are_not_repeated() -> None:
    def look() -> int:
        warnings.warn("secret", stacklevel=1)
        return 7

    assert hide_messages(look) == 7
    with pytest.raises(EngineFailed) as error:
        hide_messages(lambda: {}["secret"])
    assert error.value.__context__ is None
    assert "secret" not in str(error.value)


def test_a_panic_is_not_repeated_either() -> None:
    """Polars raises what is no Exception."""

    def panic() -> None:
        raise BaseException("secret")

    with pytest.raises(EngineFailed) as error:
        hide_messages(panic)
    assert error.value.__context__ is None

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hide_messages(interrupted)


def test_a_cluster_is_not_heard_while_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    there = types.SimpleNamespace(PySparkLogger=logging)
    monkeypatch.setitem(sys.modules, "pyspark.logger", there)
    loggers = [logging.getLogger(name) for name in
               ("SQLQueryContextLogger", "DataFrameQueryContextLogger")]  # fmt: skip
    record = logging.makeLogRecord({"msg": "secret"})
    with silence_spark():
        assert not any(logger.filter(record) for logger in loggers)
    assert all(logger.filter(record) for logger in loggers)
    with pytest.raises(ValueError, match="x"), silence_spark():
        raise ValueError("x")
    assert all(logger.filter(record) for logger in loggers)


@pytest.mark.parametrize(
    ("names", "told"),
    [(20, "'c19'."), (21, "'c19' and 1 more."), (1, "'c0'.")],
)
def test_so_many_columns_are_listed(names: int, told: str) -> None:
    table = open_table(pa.table({f"c{place}": [1] for place in range(names)}))
    with pytest.raises(SourceError) as error:
        table.check(X, Rows())
    assert str(error.value).endswith(told)


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        (Date("2024-01-01", "2024-12-31"), "dates, times or text"),
        (Integer(0, 1), "numbers or text"),
        (Category(["a"]), "text, whole numbers or booleans"),
    ],
)
def test_what_an_axis_wants(axis: Any, words: str) -> None:
    with pytest.raises(SourceError, match=rf"kind {axis.kind} \({words}\)"):
        open_table(pa.table({"x": [b"\0"]})).check(Domain(x=axis), Rows())
