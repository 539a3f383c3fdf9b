"""A column's collation, and texts and names that are odd to one engine only: still one row each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, Unit, User
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.ibis import table as engine
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.sources.stream import duckdb_backend
from tests.servers.postgres import Postgres

MANY = hg.Category([*(f"w{i}" for i in range(40)), "a", "A", "ä"], outside="other")
FEW = hg.Category(["a", "A"], outside="other")
NO_CASE = "CREATE COLLATION no_case (provider=icu, locale='und-u-ks-level2', deterministic=false)"


def counts(source: Any, domain: Domain, unit: Unit | None = None) -> list[int]:
    table = open_table(source).bound_to(domain, unit or Rows())
    return list(table.count(Grid.of_cells(domain)).tolist())


@pytest.fixture
def database(postgres: Postgres) -> str:
    url = postgres.fresh()
    with postgres.connect(url) as connection:
        connection.execute(NO_CASE)
    return url


def filled(postgres: Postgres, url: str, columns: str, *rows: str) -> str:
    with postgres.connect(url) as connection:
        connection.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})")
        for row in rows:
            connection.execute(f"INSERT INTO t VALUES ({row})")
    return f"{url}/t"


def test_a_row_counts_once_whatever_words_its_collation_takes_for_one() -> None:
    backend = duckdb_backend()
    backend.raw_sql("CREATE TABLE t (x VARCHAR COLLATE NOCASE)")
    backend.raw_sql("INSERT INTO t VALUES ('a'), ('A'), ('ä')")
    found = counts(backend.table("t"), Domain(x=MANY))
    assert found[-4:] == [1, 1, 1, 0]
    assert sum(found) == 3


@pytest.mark.engines
def test_a_row_counts_once_in_postgres(postgres: Postgres, database: str) -> None:
    source = filled(
        postgres, database, "x text COLLATE no_case", "'a'", "'A'", "'ä'", "'b'", "NULL"
    )
    assert counts(source, Domain(x=MANY))[-4:] == [1, 1, 1, 2]
    assert counts(source, Domain(x=FEW)) == [1, 1, 3]
    assert counts(hg.Where(source, "x = 'a'"), Domain(x=FEW)) == [1, 0, 0]


@pytest.mark.engines
@pytest.mark.parametrize("kind", ["text COLLATE no_case", "char(30)", "varchar(30)", "name"])
def test_texts_of_every_kind_are_read(postgres: Postgres, database: str, kind: str) -> None:
    """Patterns refuse some collations, but only once there is a row."""
    source = filled(postgres, database, f"x {kind}", "'3'", "'2024-01-02'", "'ä'")
    assert counts(source, Domain(x=hg.Integer(3, 4, outside="clamp"))) == [3, 0]
    assert counts(source, Domain(x=hg.Integer(3, 4))) == [1, 0]
    assert counts(source, Domain(x=hg.Date("2024-01-01", "2024-01-03"))) == [0, 1, 0]
    assert counts(hg.Where(source, "x > 2"), Domain(x=hg.Integer(3, 4))) == [1, 0]


@pytest.mark.engines
def test_the_lot_of_a_number_is_the_same_however_it_is_written(
    postgres: Postgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.0 and 1.00 are one person. Which of the two a row says must not move the choice, because
    what comes first among a person's equal rows depends on others' rows."""
    domain = Domain(x=hg.Integer(0, 1))
    for salt in range(10):
        monkeypatch.setattr(engine.secrets, "token_hex", lambda _, salt=salt: f"{salt:032x}")
        found = [
            counts(filled(postgres, database, "who numeric, x int", *rows), domain, User("who", 1))
            for rows in (
                ("1.0, 0", "1.00, 0", "1.0, 1", "1.00, 1"),
                ("1.00, 0", "1.0, 0", "1.00, 1", "1.0, 1"),
            )
        ]
        assert np.array_equal(*found)


@pytest.mark.engines
def test_a_text_too_long_for_a_pattern(postgres: Postgres, database: str) -> None:
    """Patterns and names need four times the memory of the text, of which there is only so much."""
    source = filled(postgres, database, "x text, y int", "repeat('x', 300000000), 1", "'me', 1")
    assert counts(source, Domain(x=hg.Date("2024-01-01", "2024-01-01", outside="other"))) == [0, 2]
    assert counts(source, Domain(y=hg.Integer(1, 1)), User("x", 5)) == [1]
