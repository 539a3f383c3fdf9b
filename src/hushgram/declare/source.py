"""Types of sources: a path, a URL, a data frame, a query, counts. Nothing is opened here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from hushgram.declare.condition import Where
    from hushgram.declare.text_format import Text
    from hushgram.trusted.engine.sources.counted import Counts


class ArrowExport(Protocol):
    """A table of Arrow, pandas, Polars or Ibis: anything with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class LazyQuery(Protocol):
    """A Polars lazy frame."""

    def collect_schema(self) -> Any: ...


class Relation(Protocol):
    """A DuckDB relation."""

    def fetchall(self) -> Any: ...
    def fetchnumpy(self) -> Any: ...


class SparkFrame(Protocol):
    """A Spark data frame."""

    def createOrReplaceTempView(self, name: str) -> Any: ...


Source: TypeAlias = (
    "str | Path | ArrowExport | LazyQuery | Relation | SparkFrame | Counts | Where | Text"
)
"""Anything that `hushgram.publish` can read."""
