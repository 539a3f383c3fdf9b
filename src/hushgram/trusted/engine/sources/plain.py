"""Make Arrow columns safe, so that no engine can fail on a value.

An engine may refuse a whole table because of one text that is not UTF-8, one decimal with too many
digits or one time out of range, which a neighbouring table may not have. Here, before the engine
sees them, such texts and decimals become NULL, and such times are moved to limits beyond every
axis. The resulting type depends only on the column's type. String views and dictionaries become
large strings, with 64-bit offsets, because a batch of them may exceed the 2 GiB that 32-bit offsets
allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ibis
import ibis.expr.datatypes as types
import numpy as np
import pyarrow as pa

ROWS = 1 << 17
"""Rows per batch: enough to amortise each call, few enough for every core to get some."""

FAR = 2**60
"""36,000 years in microseconds: beyond every date axis, within the range of every engine."""

LONGEST = 1 << 30
"""The maximum number of bytes of a text, as in PostgreSQL. Engines may fail on longer ones."""

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
FAR_DAYS = FAR // (86_400 * PER_SECOND["us"])


def plain_schema(schema: pa.Schema) -> ibis.Schema:
    """Return the schema that the engine will see. Types that Ibis does not know are unknown."""
    return ibis.schema({field.name: ibis_type(field.type) for field in schema})


def ibis_type(kind: pa.DataType) -> types.DataType:
    try:
        return types.DataType.from_pyarrow(plain_type(kind))
    except Exception:
        return types.unknown


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that `plain` gives to a column."""
    if pa.types.is_dictionary(kind):
        return plain_type(long_text(kind.value_type))
    if pa.types.is_timestamp(kind) or pa.types.is_date64(kind):
        return pa.timestamp("us")
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_null(kind) or pa.types.is_decimal256(kind):
        return pa.string()
    return long_text(kind) if kind == pa.string_view() else kind


def long_text(kind: pa.DataType) -> pa.DataType:
    """Return the text type with 64-bit offsets; other types are unchanged."""
    return pa.large_string() if pa.types.is_string(kind) or kind == pa.string_view() else kind


def plain_reader(
    schema: pa.Schema, columns: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> pa.RecordBatchReader:
    """Return the named columns as ``c0``, ``c1``, …, because engines confuse names that differ only
    in case."""
    kinds = [plain_type(schema.field(name).type) for name in columns]
    target = pa.schema([(f"c{place}", kind) for place, kind in enumerate(kinds)])

    def rows() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = [plain(batch.column(place)) for place in range(len(columns))]
            yield pa.record_batch(arrays, schema=target)

    return pa.RecordBatchReader.from_batches(target, rows())


def plain(column: pa.Array) -> pa.Array:
    """Return a column without values on which an engine could fail, of type `plain_type`."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain(spelled_out(column))
    if pa.types.is_timestamp(kind):
        return moments(column, PER_SECOND[kind.unit])
    if pa.types.is_date64(kind):
        return moments(column, PER_SECOND["ms"])
    if pa.types.is_date32(kind):
        return days(column)
    if pa.types.is_decimal(kind):
        return decimals(column).cast(plain_type(kind))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return texts(column)
    if kind == pa.string_view():
        return texts(column.view(pa.binary_view()).cast(pa.large_binary()).view(pa.large_string()))
    return column if plain_type(kind) == kind else column.cast(plain_type(kind))


def spelled_out(column: pa.DictionaryArray) -> pa.Array:
    """Return the values of a dictionary column in place of their numbers."""
    values = column.dictionary
    if long_text(values.type) != values.type:
        values = plain(values).cast(pa.large_string())
    return values.take(column.indices)


def moments(column: pa.Array, per_second: int) -> pa.Array:
    """Return times as microseconds in UTC, rounded down and limited to `FAR`."""
    ticks = numbers(column, pa.int64())
    if per_second > PER_SECOND["us"]:
        micros = ticks // (per_second // PER_SECOND["us"])
    else:
        unit = PER_SECOND["us"] // per_second
        micros = np.clip(ticks, -FAR // unit, FAR // unit) * unit
    return with_nulls(micros, column, pa.timestamp("us"))


def days(column: pa.Array) -> pa.Array:
    near = np.clip(numbers(column, pa.int32()), -FAR_DAYS, FAR_DAYS)
    return with_nulls(near, column, pa.date32())


def numbers(column: pa.Array, kind: pa.DataType) -> Any:
    return column.view(kind).fill_null(0).to_numpy(zero_copy_only=False)


def with_nulls(values: Any, column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return values as a column of a type, with the NULLs of another column."""
    buffers = [bitmap(present(column)), pa.py_buffer(values)]
    return pa.Array.from_buffers(kind, len(column), buffers)


def decimals(column: pa.Array) -> pa.Array:
    """Return decimals with NULL for those with more digits than their type allows, which a broken
    file may contain. Engines fail on them, or use a value left behind by another row.

    All are compared with the bounds word by word, so a value that does not fit takes no longer than
    others.
    """
    kind = column.type
    words = words_of(column)
    largest = 10**kind.precision - 1
    fit = at_most(words, largest) & ~at_most(words, -largest - 1)
    values = np.where(fit[:, np.newaxis], words, words.dtype.type(0))
    buffers = [bitmap(fit & present(column)), pa.py_buffer(values)]
    return pa.Array.from_buffers(kind, len(column), buffers)


def words_of(column: pa.Array) -> Any:
    """Return the 64-bit words (or one 32-bit word) of each number, the lowest first."""
    size = min(column.type.bit_width, 64)
    each, stop = column.type.bit_width // size, column.offset + len(column)
    raw = np.frombuffer(column.buffers()[1] or b"", f"<u{size // 8}", stop * each)
    return raw.reshape(stop, each)[column.offset :]


def at_most(words: Any, bound: int) -> Any:
    """Return which numbers are at most a bound, both in two's complement. From the lowest word up:
    a higher word decides unless it is equal."""
    size = words.itemsize * 8
    found: Any = True
    for place in range(words.shape[1]):
        word = words[:, place]
        if place == words.shape[1] - 1:  # has the sign
            word = word.view(f"<i{words.itemsize}")
            limit = word.dtype.type(bound >> size * place)
        else:
            limit = word.dtype.type((bound >> size * place) % (1 << size))
        found = (word < limit) | ((word == limit) & found)
    return found


def texts(column: pa.Array) -> pa.Array:
    """Return texts with NULL for those that are too long or not UTF-8, which a broken file may
    contain.

    One compiled loop reads all of them, so a broken text takes no longer than others.
    """
    from hushgram.trusted.engine.sources.fields import sound_texts  # compiled: loaded when needed

    width = "<i8" if pa.types.is_large_string(column.type) else "<i4"
    _, places, data = column.buffers()
    stop = column.offset + len(column) + 1 if len(column) else 0
    bounds = np.frombuffer(places or b"", width, stop)[column.offset :]
    sound = sound_texts(seal(np.frombuffer(data or b"", np.uint8)), seal(bounds), LONGEST)
    buffers = [bitmap(sound & present(column)), pa.py_buffer(bounds), data]
    return pa.Array.from_buffers(column.type, len(column), buffers)


def seal(values: Any) -> Any:
    """Return a read-only, contiguous array, so that loops are compiled for one array type only."""
    values = np.ascontiguousarray(values).view()
    values.flags.writeable = False
    return values


def present(column: pa.Array) -> Any:
    """Return which values are not NULL. Takes the same time whether or not some are NULL."""
    bits, stop = column.buffers()[0], column.offset + len(column)
    if bits is None:
        return np.ones(len(column), np.bool_)
    known = np.unpackbits(np.frombuffer(bits, np.uint8), count=stop, bitorder="little")
    return known[column.offset :].view(np.bool_)


def bitmap(valid: Any) -> pa.Buffer:
    """Return an Arrow validity bitmap."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
