"""Tables on servers: where they are found, and what is never shown."""

from __future__ import annotations

import gc
import logging
import traceback
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.errors import SourceError, UntestedEngine
from hushgram.trusted.engine.sources.address import ServerAddress
from hushgram.trusted.engine.sources.source import open_table
from tests.servers.postgres import PASSWORD, USER, Postgres
from tests.servers.spark import Spark
from tests.surface.conftest import Run, folder, run

__all__ = ["folder", "run"]

ROWS = pa.table({"x": [1, 2, 2, 3], "who": ["a", "b", "c", "d"]})


def test_an_address_hides_its_secrets() -> None:
    address = ServerAddress.parse(
        "postgres://me:secret@db.example/city/a%2Eb.trips?password=secret"
    )
    assert "secret" not in f"{address} {address!r}"
    assert str(address) == address.identity == "postgresql://db.example/city/a%2Eb.trips"
    assert address.names(address.path[1]) == ["a.b", "trips"]
    assert address.server("city") == "postgresql://me:secret@db.example/city?password=secret"


def test_options_that_lead_elsewhere_are_part_of_a_request() -> None:
    first, second = (
        ServerAddress.parse(
            f"postgresql://me:secret@db/city/trips?password=secret&options=-csearch_path={n}"
        )
        for n in ("a", "b")
    )
    assert first.identity != second.identity
    assert "secret" not in first.identity


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost", "postgresql://localhost/db", "postgresql://localhost/db/a.b.c",
        "postgresql://localhost/db/t/more", "postgresql://localhost:http/db/t", "mysql://h/db/t",
        "postgresql://me:pass/word@host/db/t", "postgresql://me:pass@word@host/db/t",
        "spark://localhost:7077", "spark://localhost:7077/a/b", "postgresql://[::1/db/t",
    ],
)  # fmt: skip
def test_urls_that_name_no_table(url: str) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("pyspark")
    with pytest.raises(SourceError, match=r"Write|Ibis|Percent-encode|none") as caught:
        open_table(url)
    assert "word@" not in str(caught.value)


def test_an_engine_that_nobody_tested(tmp_path: Path) -> None:
    backend = ibis.sqlite.connect(tmp_path / "a.db")
    table = backend.create_table("t", ROWS)
    with pytest.warns(UntestedEngine, match="sqlite"):
        open_table(table)
    backend.disconnect()


@pytest.fixture
def database(postgres: Postgres) -> str:
    url = postgres.fresh()
    with postgres.connect(url) as connection:
        connection.execute("CREATE TABLE trips (x int, who text)")
        connection.execute("INSERT INTO trips VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd')")
        connection.execute('CREATE SCHEMA "odd.schema"')
        connection.execute('CREATE TABLE "odd.schema"."Straße 7" AS SELECT * FROM trips')
        connection.execute("CREATE VIEW late AS SELECT * FROM trips WHERE x > 1")
    return url


DOMAIN = hg.Domain(x=hg.Integer(0, 4))


def counts(source: Any) -> list[int]:
    from hushgram.declare.unit import Rows
    from hushgram.geometry.partition import Grid

    table = open_table(source)
    table.check(DOMAIN, Rows())
    return list(table.count(Grid.of_cells(DOMAIN)).tolist())


@pytest.mark.engines
def test_tables_of_postgres(database: str) -> None:
    assert counts(f"{database}/trips") == [0, 1, 2, 1, 0]
    assert counts(f"{database}/public.trips") == [0, 1, 2, 1, 0]
    assert counts(f"{database}/odd%2Eschema.Stra%C3%9Fe%207") == [0, 1, 2, 1, 0]
    assert counts(f"{database}/late") == [0, 0, 2, 1, 0]


@pytest.mark.engines
def test_a_join_and_a_filter(database: str) -> None:
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        backend = ibis.postgres.from_connection(connection)
        trips = backend.table("trips")
        ages = backend.create_table("ages", pa.table({"who": ["a", "b"], "age": [30, 40]}))
        assert counts(trips.join(ages, "who").filter(ages.age > 35)) == [0, 0, 1, 0, 0]


@pytest.mark.engines
def test_publishing_by_the_command_line(postgres: Postgres, database: str, run: Run) -> None:
    """Who connects is no part of a request: with another user's password it is the same one."""
    with postgres.connect(database) as connection:
        connection.execute("DROP ROLE IF EXISTS colleague")
        connection.execute(
            "CREATE ROLE colleague LOGIN PASSWORD 'other-horse' IN ROLE pg_read_all_data"
        )
    words = ["-a", "x=0..4", "-e", "5", "--account", "trips", "--request", "once"]
    first = run("publish", f"{database}/trips", *words, "-o", "a.hush.parquet")
    assert first.code == 0
    assert PASSWORD not in first.out + first.err
    assert PASSWORD.encode() not in Path("a.hush.parquet").read_bytes()
    other = database.replace(f"{USER}:{PASSWORD}@", "colleague:other-horse@")
    assert run("publish", f"{other}/trips", *words, "-o", "b.hush.parquet").code == 0
    assert Path("a.hush.parquet").read_bytes() == Path("b.hush.parquet").read_bytes()


@pytest.mark.engines
@pytest.mark.parametrize(
    "change",
    [
        lambda url: url.replace(PASSWORD, PASSWORD + "x") + "/trips",
        lambda url: url.replace("127.0.0.1", "no-such-host.invalid") + "/trips",
        lambda url: url.rpartition("/")[0] + "/nowhere/trips",
        lambda url: url + "/nothing",
        lambda url: url + "/trips/more",
        lambda url: url + "/trips?sslmode=verify-full",
        lambda url: url + "/trips?unheard=of",
    ],
)
def test_no_message_shows_a_password(database: str, change: Any, run: Run) -> None:
    url = change(database)
    with pytest.raises(SourceError) as caught:
        open_table(url)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert PASSWORD not in told
    assert caught.value.__context__ is None
    shown = run("publish", url, "-a", "x=0..4", "-e", "1", "--account", "a")
    assert shown.code == 2
    assert PASSWORD not in shown.out + shown.err


@pytest.mark.engines
def test_all_passes_see_one_moment(postgres: Postgres, database: str) -> None:
    """The boxes of a split share a budget because no row is in two of them: not even one that
    moves from one to another while they are counted."""
    from hushgram.declare.unit import Rows
    from hushgram.geometry.partition import Grid

    table = open_table(f"{database}/trips")
    table.check(DOMAIN, Rows())
    left, right = DOMAIN.box([(0, 3)]), DOMAIN.box([(3, 5)])
    before = table.count(Grid.of_cells(left)).sum()
    with postgres.connect(database) as connection:
        connection.execute("UPDATE trips SET x = 4 WHERE x = 1")
    assert before + table.count(Grid.of_cells(right)).sum() == 4


@pytest.mark.engines
def test_types_that_the_engine_refuses_cost_nothing(postgres: Postgres, database: str) -> None:
    with postgres.connect(database) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
        connection.execute("CREATE TABLE odd (x mood, y money)")
    for column in ("x", "y"):
        with pytest.raises(SourceError, match="Cast"):
            hg.publish(f"{database}/odd", {column: hg.Integer(0, 4)}, epsilon=1, account="odd")
    assert not hg.Ledger.open().accounts()


@pytest.mark.engines
def test_connections_end(postgres: Postgres, database: str) -> None:
    """Tables that are forgotten leave no connection, and no rows in the engine, behind."""
    from hushgram.declare.unit import User
    from hushgram.geometry.partition import Grid

    table = open_table(f"{database}/trips").bound_to(DOMAIN, User("who", 1))
    assert table.count(Grid.of_cells(DOMAIN)).sum() == 4
    del table
    gc.collect()
    name = database.rpartition("/")[2]
    with postgres.connect() as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
        for _ in range(50):
            left = connection.execute(query, [name]).fetchone()[0]
            if not left:
                break
            connection.execute("SELECT pg_sleep(0.1)")
        assert left == 0


@pytest.mark.engines
def test_tables_of_spark(spark: Spark, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    session = spark.session
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    frame = session.read.parquet(str(tmp_path / "rows.parquet"))
    assert counts(frame) == [0, 1, 2, 1, 0]
    assert counts(frame.filter("x > 1")) == [0, 0, 2, 1, 0]
    assert session.conf.get("spark.sql.session.timeZone") == "America/New_York"
    assert not [t.name for t in session.catalog.listTables() if "hushgram" in t.name]
    frame.write.saveAsTable("trips")
    assert counts(f"{spark.url}/trips") == [0, 1, 2, 1, 0]
    assert counts(f"{spark.url}/default.trips") == [0, 1, 2, 1, 0]
    assert counts(f"{spark.url}{tmp_path}/rows.parquet") == [0, 1, 2, 1, 0]
    for missing in ("nothing", "nowhere.trips", "no/such.parquet"):
        with pytest.raises(SourceError):
            open_table(f"{spark.url}/{missing}")
    with pytest.raises(SourceError, match="a different Spark cluster"):
        open_table("spark://127.0.0.1:1/trips")


@pytest.mark.engines
def test_spark_logs_no_value(spark: Spark, tmp_path: Path) -> None:
    """A query that fails on a value is its author's; what it failed on is not for the log."""
    import pyarrow.parquet as pq
    from pyspark.logger import PySparkLogger

    from hushgram.errors import EngineFailed

    pq.write_table(pa.table({"n": ["Ada", "3"]}), tmp_path / "rows.parquet")
    frame = spark.session.read.parquet(str(tmp_path / "rows.parquet"))
    frame = frame.selectExpr("cast(n AS int) AS x")
    logged: list[logging.LogRecord] = []
    logger, handler = PySparkLogger.getLogger("SQLQueryContextLogger"), logging.Handler()
    handler.emit = logged.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    try:
        with pytest.raises(EngineFailed):
            counts(frame)
    finally:
        logger.removeHandler(handler)
    assert not logged
