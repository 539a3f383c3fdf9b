"""Sources of data sets: patterns, arrays of counts, rows of tables. NONPRIVATE."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.base.text import lower_first
from hushgram.declare.axis import Floats
from hushgram.errors import SourceError
from hushgram.geometry.partition import Ints
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.patterns import GENERATORS, Shape, normal
from hushgram.trusted.engine.sources.counted import Counts

ROWS = 100_000
"""The default number of rows of a generated data set."""

SHAPES: dict[int, Shape] = {1: (1024,), 2: (64, 64), 3: (16, 16, 16)}
"""The default shapes of generated data and tables, by the number of axes."""


class Source(ABC):
    """The source of a named data set."""

    name: str
    about: str

    @property
    @abstractmethod
    def axes(self) -> int: ...

    @abstractmethod
    def data(self, rows: int | None, shape: Shape | None, seed: int) -> DataSet: ...


@dataclass(frozen=True)
class GeneratedSource(Source):
    """Rows drawn from a pattern. The seed changes the rows, not the pattern."""

    name: str

    @property
    def about(self) -> str:  # type: ignore[override]
        return (GENERATORS[self.name][1].__doc__ or "").partition("\n")[0]

    @property
    def axes(self) -> int:
        return GENERATORS[self.name][0]

    def data(self, rows: int | None, shape: Shape | None, seed: int) -> DataSet:
        shape = shape or SHAPES[self.axes]
        fixed = np.random.default_rng(list(self.name.encode()))
        shares = normal(GENERATORS[self.name][1](shape, fixed))
        rng = np.random.default_rng(seed)
        found = rng.multinomial(ROWS if rows is None else rows, shares.reshape(-1))
        return DataSet(self.name, found.reshape(shape))


@dataclass(frozen=True)
class ArraySource(Source):
    """An array of counts in a file."""

    name: str
    path: Path
    about: str = "array of counts"

    @cached_property
    def counts(self) -> Ints:
        try:
            return Counts(np.load(self.path, allow_pickle=False)).array
        except SourceError as error:
            raise SourceError(f"{self.path.name}: {lower_first(str(error))}") from None
        except (OSError, ValueError, EOFError):
            raise SourceError(f"Cannot read {self.path.name} as a numpy array.") from None

    @property
    def axes(self) -> int:
        return self.counts.ndim

    def data(self, rows: int | None, shape: Shape | None, seed: int) -> DataSet:
        return DataSet(self.name, self.counts).rescale(rows, shape, seed)


@dataclass(frozen=True)
class TableSource(Source):
    """Columns of a table, counted in equal bins between bounds, or between the smallest and the
    largest value. Rows outside the bounds are left out."""

    name: str
    path: Path
    columns: tuple[str, ...]
    about: str = "rows of a table"
    bounds: tuple[tuple[float, float], ...] | None = None

    @property
    def axes(self) -> int:
        return len(self.columns)

    def data(self, rows: int | None, shape: Shape | None, seed: int) -> DataSet:
        columns = read_columns(self.path, self.columns)
        found = np.stack([as_numbers(column) for column in columns], axis=1)
        found = found[np.isfinite(found).all(axis=1)]
        if not len(found):
            raise SourceError(f"{self.name} has no rows with a value in every column.")
        ends = self.bounds or [(column.min(), column.max()) for column in found.T]
        bins = shape or self._bins(found)
        counts, _ = np.histogramdd(found, bins=bins, range=ends)
        return DataSet(self.name, counts).rescale(rows, None, seed)

    def _bins(self, found: Floats) -> Shape:
        """Return one bin per value if values are whole numbers and there are few, else the
        default."""
        usual = SHAPES.get(self.axes, (8,) * self.axes)
        if self.bounds:
            return usual
        spans = [int(min(np.ptp(column), 2**31)) + 1 for column in found.T]
        whole = (found == np.floor(found)).all(axis=0)
        return tuple(
            span if each and span <= most else most
            for span, each, most in zip(spans, whole, usual, strict=True)
        )


@dataclass(frozen=True)
class HistogramSource(Source):
    """A table with a single column ``count``, which contains counts in order."""

    name: str
    path: Path
    column: str
    about: str = "column of counts"

    @property
    def axes(self) -> int:
        return 1

    def data(self, rows: int | None, shape: Shape | None, seed: int) -> DataSet:
        (column,) = read_columns(self.path, (self.column,))
        return DataSet(self.name, column.to_numpy()).rescale(rows, shape, seed)


def column_names(path: Path) -> list[str]:
    return list(read(path).column_names)


def read_columns(path: Path, columns: Sequence[str]) -> list[Any]:
    table = read(path)
    return [table[column] for column in columns]


def read(path: Path) -> Any:
    """Read a Parquet or CSV file as an Arrow table."""
    import pyarrow as pa
    from pyarrow import csv
    from pyarrow import parquet as pq

    readers = {".parquet": pq.read_table, ".csv": csv.read_csv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise SourceError(f"Unsupported file format of {path.name}. Use .npy, .parquet or .csv.")
    try:
        return reader(path)
    except (OSError, pa.ArrowException):
        raise SourceError(f"Cannot read {path.name} as {path.suffix[1:]}.") from None


def as_numbers(column: Any) -> Floats:
    """Return a column as floats, NaN for missing values. Text values are numbered in sorted
    order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_temporal(kind):
        column = pc.cast(column, pa.timestamp("us")).cast(pa.int64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        texts = pc.cast(column, pa.string())
        known = sorted(texts.drop_null().unique().to_pylist())
        column = pc.index_in(texts, pa.array(known, pa.string()))
    return np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy())
