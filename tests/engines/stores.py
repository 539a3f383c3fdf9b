"""The engines under test: how each takes a table in, and what is then given to Hushgram."""

from __future__ import annotations

import datetime as dt
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.trusted.engine.sources.stream import duckdb_backend
from tests.servers.postgres import Postgres
from tests.servers.spark import Spark

POSTGRES_TYPES = {
    pa.float64(): "float8", pa.float32(): "float4", pa.int64(): "int8", pa.int32(): "int4",
    pa.string(): "text", pa.bool_(): "bool", pa.date32(): "date", pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
}  # fmt: skip


class Store(ABC):
    """An engine that holds tables."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = itertools.count()

    @abstractmethod
    def load(self, table: pa.Table) -> Any:
        """The table in the engine, as a source to publish from."""

    def fresh_name(self) -> str:
        return f"table{next(self._numbers)}"


class ArrowStore(Store):
    """No engine at all: compiled loops over Arrow."""

    def load(self, table: pa.Table) -> Any:
        return table


class DuckDBStore(Store):
    def __init__(self) -> None:
        super().__init__()
        self.backend = duckdb_backend()

    def load(self, table: pa.Table) -> Any:
        return self.backend.create_table(self.fresh_name(), table)


class PostgresStore(Store):
    def __init__(self, server: Postgres) -> None:
        super().__init__()
        self.server = server
        self.url = server.fresh()

    def load(self, table: pa.Table) -> Any:
        name = self.fresh_name()
        columns = ", ".join(
            f"{quoted(field.name)} {POSTGRES_TYPES.get(field.type, 'numeric')}"
            for field in table.schema
        )
        with self.server.connect(self.url) as connection:
            connection.execute(f"CREATE TABLE {name} ({columns})")
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row([without_offset(value) for value in row])
        return f"{self.url}/{name}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def without_offset(value: Any) -> Any:
    """Whole zones, so that the text of a time is one that PostgreSQL reads."""
    zoned = isinstance(value, dt.datetime) and value.tzinfo is not None
    return value.astimezone(dt.UTC) if zoned else value


class SparkStore(Store):
    """Files that the cluster's workers read, as a DataFrame of a session in another time zone."""

    def __init__(self, cluster: Spark, folder: Path) -> None:
        super().__init__()
        self.session = cluster.session
        self.folder = folder

    def load(self, table: pa.Table) -> Any:
        file = self.folder / f"{self.fresh_name()}.parquet"
        pq.write_table(table, file, row_group_size=max(1, len(table) // 4))
        return self.session.read.parquet(str(file))
