"""Arrow columns before they reach an engine."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.trusted.engine.sources.plain import (
    FAR,
    FAR_DAYS,
    decimals,
    plain,
    plain_reader,
    plain_type,
)
from tests.trusted.engine.tables import cells

RAW = [b"a", None, b"\xff", b"", b"\xc3\xa4", b"\xed\xa0\x80", b"x" * 40, b"\xc3" * 40]
READ = ["a", None, None, "", "ä", None, "x" * 40, None]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_broken_texts_are_null(kind: pa.DataType) -> None:
    wide = pa.binary() if kind == pa.string() else pa.large_binary()
    column = pa.array(RAW, wide).view(kind)
    assert plain(column).to_pylist() == READ
    assert plain(column.slice(1, 4)).to_pylist() == READ[1:5]
    assert plain(column).type == kind
    view = pa.array(RAW, pa.binary_view()).view(pa.string_view())
    assert plain(view).to_pylist() == READ
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 4]), column)
    assert plain(coded).to_pylist() == [None, "a", None, "ä"]


PIECES = [
    b"a", b"\x7f", b"\x80", b"\xc3\xa4", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xff",
]  # fmt: skip


def decode(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return None


@given(
    st.lists(st.none() | st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join), max_size=9),
    st.integers(0, 3),
    st.booleans(),
)
@example([], 0, True)
def test_texts_are_read_or_missing(raw: list[bytes | None], skip: int, long: bool) -> None:
    binary, kind = (pa.large_binary(), pa.large_string()) if long else (pa.binary(), pa.string())
    column = plain(pa.array(raw, binary).view(kind).slice(skip))
    column.validate(full=True)
    assert column.to_pylist() == [decode(one) for one in raw[skip:]]


@given(st.data(), st.sampled_from([(32, 9), (64, 18), (128, 38), (256, 76)]), st.integers(0, 3))
def test_decimals_fit_or_are_missing(
    data: st.DataObject, widest: tuple[int, int], skip: int
) -> None:
    width, digits = widest
    precision = data.draw(st.integers(1, digits))
    kind = getattr(pa, f"decimal{width}")(precision, 0)
    ends = [sign * (10**precision + step) for sign in (1, -1) for step in (-1, 0, 1)]
    edges = [*ends, 0, 2**64, -(2**64), 2 ** (width - 1) - 1, -(2 ** (width - 1))]
    inside = [one for one in edges if -(2 ** (width - 1)) <= one < 2 ** (width - 1)]
    values = st.sampled_from(inside) | st.integers(-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    numbers = data.draw(st.lists(values, max_size=9))
    raw = b"".join(one.to_bytes(width // 8, "little", signed=True) for one in numbers)
    column = pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(raw)]).slice(skip)
    found = decimals(column)
    found.validate(full=True)
    expected = [one if abs(one) < 10**precision else None for one in numbers[skip:]]
    assert [None if one is None else int(one) for one in found.to_pylist()] == expected


def test_missing_decimals_stay_missing() -> None:
    column = pa.array([None, 1, None, 22], pa.int8()).cast(pa.decimal128(3))
    assert plain(column).to_pylist() == [None, 1, None, 22]
    assert plain(column.slice(1, 2)).to_pylist() == [1, None]


def test_bounds_outside_of_the_bytes_are_no_text() -> None:
    """A broken table of Arrow may have any."""
    offsets = pa.py_buffer(np.array([0, 1, 9, 0, 1], np.int32))
    column = pa.StringArray.from_buffers(4, offsets, pa.py_buffer(b"ab"))
    assert plain(column).is_valid().to_pylist() == [True, False, False, True]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=9), st.integers(0, 3))
def test_times_become_microseconds(ticks: list[int | None], skip: int) -> None:
    for unit, per_second in {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.items():
        column = pa.array(ticks, pa.int64()).view(pa.timestamp(unit, "Asia/Tokyo")).slice(skip)
        found = plain(column)
        assert found.type == pa.timestamp("us")
        exact = [None if t is None else t * 10**6 // per_second for t in ticks[skip:]]
        for read, true in zip(found.view(pa.int64()).to_pylist(), exact, strict=True):
            if true is None or abs(true) <= FAR - 10**6:
                assert read == true
            else:
                assert FAR // 2 < (read if true > 0 else -read) <= FAR + 10**6


def test_days_too_far_away_are_moved_nearer() -> None:
    days = [-(2**31), -FAR_DAYS - 1, -FAR_DAYS, -1, None, FAR_DAYS, FAR_DAYS + 1, 2**31 - 1]
    found = plain(pa.array(days, pa.int32()).view(pa.date32())).view(pa.int32()).to_pylist()
    assert found == [*[-FAR_DAYS] * 3, -1, None, *[FAR_DAYS] * 3]
    assert FAR_DAYS * 86_400 * 10**6 <= FAR < (FAR_DAYS + 1) * 86_400 * 10**6


def test_every_type_becomes_what_was_announced() -> None:
    for kind in (
        pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.bool_(), pa.string(),
        pa.string_view(), pa.large_string(), pa.date32(), pa.date64(), pa.timestamp("ns", "UTC"),
        pa.null(),
        pa.decimal128(9, 2), pa.decimal256(60, 2), pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int8(), pa.timestamp("s")), pa.list_(pa.int8()), pa.binary(), pa.uuid(),
    ):  # fmt: skip
        for column in (pa.nulls(3, kind), pa.nulls(0, kind), pa.nulls(9, kind).slice(2, 5)):
            assert plain(column).type == plain_type(kind), kind
            assert plain(column).null_count == len(column)


def test_columns_get_names_of_our_own() -> None:
    table = pa.table({"x": [1], "X": [2], "c0": ["3"]})
    read = plain_reader(table.schema, ["X", "c0"], table.select(["X", "c0"]).to_batches())
    assert read.read_all().to_pydict() == {"c0": [2], "c1": ["3"]}
    assert np.array_equal(table["x"], [1])


def test_texts_that_lie_scattered_become_long_ones() -> None:
    """Written out in one piece, those of a batch may exceed the 2 GiB of 32-bit offsets: rows
    moved, and then the process died."""
    view = pa.array(["a", None, "b"], pa.string_view())
    for column in (view, view.cast(pa.string()).dictionary_encode()):
        assert plain_type(column.type) == pa.large_string()
        assert plain(column).type == pa.large_string()
        assert plain(column).to_pylist() == ["a", None, "b"]


def test_a_broken_text_among_pandas_strings() -> None:
    words = pd.Series(["a", "\ud800", "b"], dtype=pd.StringDtype("python"))
    domain = Domain(x=Category(["a", "b"], outside="other"))
    assert cells(pd.DataFrame({"x": words}), domain) == [1, 1, 1]


def test_an_endless_text_of_a_relation_fits_nowhere() -> None:
    rows = duckdb.sql("SELECT unnest(['a', repeat('a', 20000)]) AS x")
    domain = Domain(x=Category(["a", "b"], outside="other"))
    assert cells(rows, domain) == [1, 0, 1]


def test_numbers_beyond_every_double_fit_nowhere() -> None:
    rows = duckdb.sql("SELECT unnest([1::BIGNUM, repeat('9', 400)::BIGNUM]) AS x")
    assert cells(rows, Domain(x=Integer(0, 1))) == [0, 1]
