"""What a table can be: a path, a URL, a frame, a query, counts. Types only; no table is opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from hushgram.declare.condition import Where
    from hushgram.declare.text_format import Text
    from hushgram.trusted.engine.sources.counted import Counts


class ArrowExport(Protocol):
    """A table of Arrow, pandas, Polars or Ibis: what hands its columns to others by the Arrow
    PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class LazyQuery(Protocol):
    """A lazy frame of Polars."""

    def collect_schema(self) -> Any: ...


class Relation(Protocol):
    """A relation of DuckDB."""

    def fetchall(self) -> Any: ...
    def fetchnumpy(self) -> Any: ...


class SparkFrame(Protocol):
    """A data frame of Spark."""

    def createOrReplaceTempView(self, name: str) -> Any: ...


Source: TypeAlias = (
    "str | Path | ArrowExport | LazyQuery | Relation | SparkFrame | Counts | Where | Text"
)
"""Whatever `hushgram.publish` reads."""
