"""Tables on servers: PostgreSQL, Spark, and anything else that Ibis supports."""

from __future__ import annotations

import socket
import warnings
import weakref
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import ibis

from hushgram.errors import MissingExtra, SourceError, UntestedEngine
from hushgram.trusted.engine.ibis.dialect import TESTED
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources.address import ServerAddress
from hushgram.trusted.engine.sources.files import PARQUET
from hushgram.trusted.engine.sources.old_copies import SPARK_STREAM, refuse_old_copies
from hushgram.trusted.engine.sources.relations import open_duckdb
from hushgram.trusted.engine.table import Table

ONE_SNAPSHOT = (
    "SET idle_in_transaction_session_timeout = 0",
    "BEGIN ISOLATION LEVEL REPEATABLE READ",
)
"""All passes on this connection see the same snapshot, so a row that moves between parts of the
table is never in both."""


def open_url(url: str) -> Table:
    """Open the table at a URL. Messages never show the URL's secrets."""
    address = ServerAddress.parse(url)
    return open_postgres(address) if address.scheme == "postgresql" else open_spark(address)


def open_postgres(address: ServerAddress) -> Table:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("psycopg[binary]", "postgres", "a table of PostgreSQL") from None
    if len(address.path) != 2:
        raise address.no_table_error()
    database, named = address.path
    *schema, table = address.names(named)
    if len(schema) > 1:
        raise address.no_table_error()
    try:
        connection = psycopg.connect(address.server(database), autocommit=True)
        for statement in ONE_SNAPSHOT:
            connection.execute(statement)
    except psycopg.Error:
        failed = True
    else:
        failed = False
    if failed:  # outside the handler: its error may quote the URL
        raise SourceError(
            f"Cannot open the database of {address}. Check that the server runs, that the "
            "database exists, and that user and password are right. psql shows details."
        )
    backend = ibis.postgres.from_connection(connection)
    weakref.finalize(backend, connection.close)
    return open_named(backend, table, schema, address)


def open_spark(address: ServerAddress) -> Table:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark<4.1", "spark", "a table of Spark") from None
    files = bool(address.path) and address.path[-1].lower().endswith(PARQUET)
    if not files and len(address.path) != 1:
        raise address.no_table_error()
    backend = ibis.pyspark.connect(spark_session(SparkSession, f"spark://{address.host}"))
    if files:
        return open_files(backend, address)
    *database, table = address.names(address.path[0])
    return open_named(backend, table, database, address)


def spark_session(spark: Any, master: str) -> Any:
    """Return a session of our own on a cluster. A process can be connected to one cluster only."""
    active = spark.getActiveSession()
    if active is not None and active.conf.get("spark.master") != master:
        raise SourceError(
            f"This process is connected to a different Spark cluster than {master}. Stop "
            "that session first, or publish its DataFrame."
        )
    if not is_listening(master):
        raise SourceError(f"No answer from {master}. Check that the cluster's master runs there.")
    options = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    builder = spark.builder.master(master).appName("hushgram").config(map=options)
    return builder.getOrCreate().newSession()


def is_listening(url: str) -> bool:
    """Return whether a server listens at a URL. Spark itself would retry for minutes."""
    place = urlsplit(url)
    try:
        socket.create_connection((place.hostname, place.port or 7077), timeout=5).close()
    except OSError:
        return False
    return True


def open_files(backend: Any, address: ServerAddress) -> Table:
    """Open files that a whole cluster can access. If this machine can access them too, their
    folders are checked for old copies. Spark reads the output of its own streams correctly."""
    path = "/" + "/".join(address.path)
    refuse_old_copies([Path(path, "any.parquet")], readable=[SPARK_STREAM])
    try:
        found = backend.read_parquet(path)
    except Exception:
        found = None
    if found is None:
        raise SourceError(
            f"The cluster cannot read {address}. Check that all its workers can access this path."
        )
    return open_ibis(found)


def open_named(backend: Any, table: str, inside: list[str], address: ServerAddress) -> Table:
    """Open a table of a database or catalog."""
    database = tuple(inside) or None  # a single name in a text would be cut at its dots
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = backend.table(table, database=database)
    except Exception:
        found = None
    if found is None:
        raise SourceError(
            f"There is no table {table!r} at {address}, or you have no permission to read "
            "it. For a table in another schema, write schema.table."
        )
    return open_ibis(found)


def open_frame(frame: Any) -> Table:
    """Open a Spark DataFrame in a separate session, because Ibis sets a session's time zone, and
    the steward's session must not change. The query itself was already analysed in the frame's own
    session."""
    name = ibis.util.gen_name("hushgram_frame")
    session = frame.sparkSession
    if not hasattr(session, "newSession"):
        raise SourceError(
            "A DataFrame of Spark Connect is not supported directly. Publish the Ibis "
            "table ibis.pyspark.connect(session).table(…) instead."
        )
    frame.createGlobalTempView(name)
    own = session.newSession()
    whole = f"SELECT * FROM global_temp.{name}"  # a name made above # nosec B608
    own.sql(whole).createTempView(name)
    session.catalog.dropGlobalTempView(name)
    backend = ibis.pyspark.connect(own)
    weakref.finalize(backend, own.catalog.dropTempView, name)
    return open_ibis(backend.table(name))


def open_ibis(table: ibis.Table) -> Table:
    try:
        backend = table.get_backend()
    except ibis.IbisError:
        raise SourceError("The Ibis table has no backend. Connect it first.") from None
    if backend.name == "duckdb":
        return open_duckdb(table)
    if backend.name not in TESTED:
        warnings.warn(
            f"Hushgram is not tested on {backend.name}. A value that this engine cannot "
            "read would stop the count and so reveal that it exists. See "
            "docs/guides/engines.md.",
            UntestedEngine,
            stacklevel=2,
        )

    def view(columns: list[str]) -> ibis.Table:
        return table.select(**{f"c{place}": table[name] for place, name in enumerate(columns)})

    return IbisTable(lambda: backend, table.schema(), view, lossy=True, probed=True)
