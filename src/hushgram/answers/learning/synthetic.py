"""Synthetic rows: a public table, drawn from a release.

The counts of the parts are first made non-negative (`norm_sub`). Rows are then apportioned instead
of drawn one by one: with n rows to draw, a part with a share p of the counts gets n p rows, rounded
up or down at random, so that drawing adds no noise (systematic sampling: Madow 1949). Within a
part, all values are equally likely, as `Release.count` assumes:

- a continuous value is anywhere in its bin, a whole number is one of the part's;
- a category is one of those in the part;
- a date is any day of its step, or any second if steps do not start at midnight;
- values outside a declared axis ("other") are NULL, since the release contains no more.

Columns are independent within a part. The rows are in random order, so any consecutive rows are a
sample, too. Drawing is post-processing of a public file: it costs nothing.

Synthetic rows have no error bars, and their number says nothing about their accuracy: counts of
them have at least the error of `Release.count`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hushgram.answers.counting.nonnegative import norm_sub
from hushgram.declare.axis import Axis, Category, Date, Floats, Integer
from hushgram.declare.axis.date import EPOCH, month_number
from hushgram.declare.domain import Domain
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Ints

if TYPE_CHECKING:
    import pyarrow as pa

    from hushgram.release.release import Release

BATCH = 1 << 20
"""The number of rows that are generated at a time."""

MAX_ROWS = 1 << 50
"""The most rows, so that the position of a row among all others is exact in doubles."""

DAY = 86_400


class Randomness(Protocol):
    """A source of random numbers for sampling, such as numpy's generators."""

    def random(self, size: int, /) -> Floats:
        """Random numbers in [0, 1)."""


class System:
    """The operating system's randomness."""

    def random(self, size: int, /) -> Floats:
        bits = np.frombuffer(urandom(8 * size), dtype=np.uint64)
        return np.asarray((bits >> np.uint64(11)) * 2.0**-53)


def sample(release: Release, rows: int, *, rng: Randomness | None = None) -> pa.Table:
    """``rows`` synthetic rows, as an Arrow table with the domain's columns: see the top of this
    file. Random bits come from the operating system, or from a numpy generator."""
    import pyarrow as pa

    drawing = Drawing.of(release, rows, rng or System())
    return pa.Table.from_batches(drawing.batches(), schema=drawing.schema)


def sample_to(
    release: Release,
    path: str | Path,
    rows: int,
    *,
    rng: Randomness | None = None,
    overwrite: bool = False,
) -> None:
    """Write synthetic rows as Parquet, in memory that does not depend on their number."""
    import pyarrow.parquet as pq

    from hushgram.base.files import check_format, new_file

    check_format(Path(path), "a table of synthetic rows")
    drawing = Drawing.of(release, rows, rng or System())
    with new_file(Path(path), overwrite=overwrite) as file:
        texts = [field.name for field in drawing.schema if str(field.type) == "string"]
        options = {"compression": "zstd", "use_dictionary": texts}
        with pq.ParquetWriter(file, drawing.schema, **options) as writer:
            for batch in drawing.batches():
                writer.write_batch(batch)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A number of rows to draw from boxes by their weights."""

    domain: Domain
    lower: Ints
    upper: Ints
    ends: Floats
    """The cumulative weights of the boxes."""
    rows: int
    rng: Randomness

    @classmethod
    def of(cls, release: Release, rows: int, rng: Randomness) -> Drawing:
        if not hasattr(rng, "random"):
            raise QuestionError(
                "rng must be a random generator such as numpy.random.default_rng(5). "
                f"Found {type(rng).__name__}."
            )
        layout = release.estimate.partition
        if not isinstance(layout, Boxed):
            raise NotAnswerable(
                f"A {layout.kind} layout cannot generate rows. Publish with another mechanism."
            )
        ends = np.cumsum(norm_sub(release.estimate.values))
        if checked_rows(rows) and not ends[-1] > 0:
            raise NotAnswerable(
                f"The release counts {float(np.sum(release.estimate.values)):,.0f} rows in "
                "total, so there is nothing to sample. Publish with a larger epsilon, or "
                "more rows."
            )
        return cls(release.domain, *layout.boxes(), ends, int(rows), rng)

    @cached_property
    def schema(self) -> Any:
        import pyarrow as pa

        none = np.zeros(0, dtype=np.int64)
        return pa.schema(
            [(name, column(axis, none, System()).type) for name, axis in self.domain.items()]
        )

    def batches(self) -> Iterator[Any]:
        import pyarrow as pa

        keys = (self.rng.random(4) * 2**32).astype(np.int64)
        offset = self.rng.random(1)[0]
        for start in range(0, self.rows, BATCH):
            parts = self._parts(start, min(start + BATCH, self.rows), keys, offset)
            columns = [
                column(axis, self._indices(parts, place), self.rng)
                for place, axis in enumerate(self.domain.axes)
            ]
            yield pa.record_batch(columns, schema=self.schema)

    def places(self) -> Floats:
        """The rows as points in units of indices (rows x axes), anywhere in their parts."""
        keys = (self.rng.random(4) * 2**32).astype(np.int64)
        parts = self._parts(0, self.rows, keys, self.rng.random(1)[0])
        low, high = self.lower[parts], self.upper[parts]
        shares = self.rng.random(low.size).reshape(low.shape)
        return np.asarray(
            np.minimum(low + shares * (high - low), np.nextafter(high.astype(float), 0))
        )

    def _parts(self, start: int, stop: int, keys: Ints, offset: float) -> Ints:
        """The part of each row. Rows are at equal steps along the cumulative weights."""
        from hushgram.answers.learning.shuffle import shuffle_range

        places = (shuffle_range(start, stop, self.rows, keys) + offset) / self.rows
        found = np.searchsorted(self.ends, places * self.ends[-1], side="right")
        return np.asarray(np.minimum(found, self._last))

    @cached_property
    def _last(self) -> int:
        """The last part with any weight, for products that were rounded up."""
        return int(np.searchsorted(self.ends, self.ends[-1]))

    def _indices(self, parts: Ints, place: int) -> Ints:
        """A random index of each row on one axis, within its part."""
        low, high = self.lower[parts, place], self.upper[parts, place]
        if (high - low == 1).all():
            return np.asarray(low)
        return np.asarray(low + floor(self.rng.random(len(parts)) * (high - low)))


def floor(numbers: Floats) -> Ints:
    """The numbers rounded down. The product of a random number and an integer n below 2^53 never
    becomes n: the largest random number is 1 - 2^-53, so the product is rounded to below n."""
    return numbers.astype(np.int64)


def checked_rows(rows: Any) -> int:
    if isinstance(rows, bool) or not isinstance(rows, int | np.integer):
        raise QuestionError(f"The number of rows must be a whole number. Found {rows!r}.")
    if not 0 <= rows <= MAX_ROWS:
        raise QuestionError(f"The number of rows must be from 0 to {MAX_ROWS:,}. Found {rows:,}.")
    return int(rows)


def column(axis: Axis, indices: Ints, rng: Randomness) -> Any:
    """Values of one axis with the given indices, as an Arrow array; "other" is NULL.

    >>> column(Category(["F", "M"], outside="other"), np.array([1, 2, 0]), System()).to_pylist()
    ['M', None, 'F']
    """
    import pyarrow as pa

    whole, indices = axis.whole, indices + axis.offset
    other = indices == whole.bins
    if isinstance(whole, Category):
        values = whole.values if max(map(size_of, whole.values)) < 2**63 else map(str, whole.values)
        return pa.array(list(values)).take(pa.array(indices, mask=other))
    indices = np.where(other, 0, indices)
    if isinstance(whole, Integer):
        return pa.array(whole.edges_at(indices), mask=other)
    if isinstance(whole, Date):
        return moments(whole, indices, other, rng)
    return pa.array(between(edges(whole, indices), edges(whole, indices + 1), rng), mask=other)


def size_of(value: Any) -> int:
    """The absolute value of a whole number; 0 for text."""
    return abs(value) if isinstance(value, int) else 0


def edges(axis: Axis, indices: Ints) -> Floats:
    """The bounds of many indices."""
    listed = getattr(axis, "edges", None)
    return np.asarray(axis.edges_at(indices) if listed is None else np.array(listed)[indices])


def between(low: Floats, high: Floats, rng: Randomness) -> Floats:
    """A random number in each half-open bin, never at its upper end, where the next one starts."""
    jitter = low + rng.random(len(low)) * (high - low)
    return np.minimum(jitter, np.nextafter(high, -np.inf))


def moments(axis: Date, indices: Ints, other: Any, rng: Randomness) -> Any:
    """A random day, or second, within each step."""
    import pyarrow as pa

    unit = DAY if axis.whole_days else 1
    start, stop = (seconds(axis, ends) // unit for ends in (indices, indices + 1))
    found = start + floor(rng.random(len(start)) * (stop - start))
    if axis.whole_days:
        return pa.array(found.astype("datetime64[D]"), mask=other)
    return pa.array(found.astype("datetime64[s]"), mask=other)


def seconds(axis: Date, indices: Ints) -> Ints:
    """The starts of steps, in seconds since 1970."""
    if axis.monthly:
        months = axis.first - month_number(EPOCH) + indices * axis.months
        return months.astype("datetime64[M]").astype("datetime64[s]").astype(np.int64)
    return np.asarray((axis.first + indices * axis.microseconds) // 1_000_000)
