"""Addresses of tables on servers, refused or taken apart before any server is asked."""

from __future__ import annotations

import socket
import sys
import types
from typing import Any

import ibis
import pytest

from hushgram.errors import SourceError
from hushgram.trusted.engine.sources import servers
from hushgram.trusted.engine.sources.address import ServerAddress


class Session:
    """What Hushgram asks of Spark for."""

    def __init__(self, master: str) -> None:
        self.at = master
        self.conf = self.builder = self
        self.done: list[Any] = []

    def get(self, name: str) -> str:
        assert name == "spark.master"
        return self.at

    def getActiveSession(self) -> Session | None:
        return self if self.at else None

    def _said(self, *words: Any, **more: Any) -> Session:
        self.done.append((*words, *more.items()))
        return self

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **more: self._said(name, *words, **more)


@pytest.mark.parametrize("active", ["", "spark://h:1"], ids=["none", "the same"])
def test_a_session_of_ones_own_at_the_cluster(monkeypatch: pytest.MonkeyPatch, active: str) -> None:
    monkeypatch.setattr(servers, "is_listening", lambda master: master == "spark://h:1")
    spark = Session(active)
    assert servers.spark_session(spark, "spark://h:1") is spark
    assert [said[0] for said in spark.done] == [
        "master", "appName", "config", "getOrCreate", "newSession",
    ]  # fmt: skip


def test_another_cluster_and_a_silent_one_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "is_listening", lambda master: master == "spark://h:1")
    with pytest.raises(SourceError, match="a different Spark cluster"):
        servers.spark_session(Session("spark://h:2"), "spark://h:1")
    with pytest.raises(SourceError, match="No answer from"):
        servers.spark_session(Session(""), "spark://h:2")


def test_who_listens_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert servers.is_listening(f"spark://127.0.0.1:{server.getsockname()[1]}")
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        assert not servers.is_listening(f"spark://127.0.0.1:{deaf.getsockname()[1]}")


def test_where_a_cluster_listens_if_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def connect(place: tuple[str, int], timeout: float) -> Any:
        asked.append(place)
        raise OSError

    monkeypatch.setattr(socket, "create_connection", connect)
    assert not servers.is_listening("spark://h")
    assert not servers.is_listening("spark://h:1")
    assert asked == [("h", 7077), ("h", 1)]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Spark that opens whatever it is asked for."""
    backend = types.SimpleNamespace(
        read_parquet=lambda path: ("files", path),
        table=lambda name, database: ("table", name, database),
    )
    monkeypatch.setitem(sys.modules, "pyspark.sql", types.SimpleNamespace(SparkSession="spark"))
    monkeypatch.setattr(servers, "spark_session", lambda spark, master: (spark, master))
    connect = types.SimpleNamespace(connect=lambda session: backend)
    monkeypatch.setitem(vars(ibis), "pyspark", connect)
    monkeypatch.setattr(servers, "open_ibis", lambda table: table)
    return backend


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("trips", ("table", "trips", None)),
        ("city.trips", ("table", "trips", ("city",))),
        ("a/b/t.parquet", ("files", "/a/b/t.parquet")),
        ("t.PQ", ("files", "/t.PQ")),
    ],
)
def test_tables_and_files_of_a_cluster(cluster: Any, path: str, found: tuple[Any, ...]) -> None:
    assert servers.open_url(f"spark://h:1/{path}") == found


@pytest.mark.parametrize("path", ["", "a/b"])
def test_what_names_neither_is_refused(cluster: Any, path: str) -> None:
    with pytest.raises(SourceError, match="does not name a table"):
        servers.open_url(f"spark://h:1/{path}")


def test_what_cannot_be_read_is_said_in_our_words(cluster: Any) -> None:
    def fail(*words: Any, **more: Any) -> Any:
        raise ValueError("the value 42 of row 7")

    cluster.read_parquet = cluster.table = fail
    for path, reason in (("t.parquet", "cannot read"), ("t", "no table 't'")):
        with pytest.raises(SourceError, match=reason) as told:
            servers.open_url(f"spark://h:1/{path}")
        assert told.value.__context__ is None
        assert "42" not in str(told.value)


@pytest.mark.parametrize("path", ["", "city", "city/a.b.c", "city/a/b"])
def test_addresses_in_postgresql_that_name_no_table(path: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SourceError, match="does not name a table"):
        servers.open_url(f"postgresql://h/{path}")


def test_a_table_bound_to_nothing_is_refused() -> None:
    with pytest.raises(SourceError, match="no backend"):
        servers.open_ibis(ibis.table({"a": "int64"}, name="t"))


def test_the_warning_points_to_who_opens_the_table() -> None:
    table: Any = types.SimpleNamespace(
        get_backend=lambda: types.SimpleNamespace(name="abacus"),
        schema=lambda: ibis.schema({"a": "int64"}),
    )
    with pytest.warns(UserWarning, match="not tested on abacus") as warned:
        servers.open_ibis(table)
    assert warned[0].filename == __file__


def test_addresses_are_told_apart_without_their_secrets() -> None:
    address = ServerAddress.parse(
        "postgres://me:s3cret@h:1/city/a%2Eb.trips?host=x&sslmode=require"
    )
    assert str(address) == "postgresql://h:1/city/a%2Eb.trips"
    assert address.identity == f"{address}?host=x"
    assert address.names(address.path[1]) == ["a.b", "trips"]
    assert address.server("other").startswith("postgresql://me:s3cret@h:1/other?")
