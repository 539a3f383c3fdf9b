"""Adding a row moves the counts by at most one, whatever the row holds, and raises nothing.

This is what the noise is calibrated to; it must hold for every value that a column can carry.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Date, Integer, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.source import open_table
from tests.strategies import domains, partitions
from tests.trusted.engine.tables import cells, counted, native_type, tables
from tests.trusted.engine.test_sources import OBJECTS

SLOW = settings(
    max_examples=12, phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip

ANY_VALUE: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    pa.float64(): st.floats(),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.timestamp("us"): st.integers(-(2**63), 2**63 - 1),
    pa.bool_(): st.booleans(),
}


def distance(a: list[int], b: list[int]) -> int:
    return int(np.abs(np.subtract(a, b)).sum())


@given(st.data())
@SLOW
def test_any_row_at_any_place(data: st.DataObject) -> None:
    domain = data.draw(domains())
    assume(domain.cells < 20_000)
    table, _ = data.draw(tables(domain, max_rows=10))
    row = {}
    for name, kind in zip(table.column_names, table.schema.types, strict=True):
        value = data.draw(st.none() | ANY_VALUE[kind])
        whole = pa.array([value], pa.int64() if kind == pa.timestamp("us") else kind)
        row[name] = whole.view(kind)
    place = data.draw(st.integers(0, table.num_rows))
    neighbour = pa.concat_tables([table.slice(0, place), pa.table(row), table.slice(place)])
    partition = data.draw(partitions(domain))
    assert distance(counted(table, partition), counted(neighbour, partition)) <= 1


DOMAIN = Domain(
    x=Regular(4, 0, 1, outside="clamp"), n=Integer(0, 3, outside="other"),
    t=Date("2024-01-01", "2024-12-31", "1mo", outside="clamp"), c=Category(["a", "b"],
    outside="other"),
)  # fmt: skip


def test_any_object_in_any_column() -> None:
    """One frame has only plain texts; its neighbours one more row of one strange object each."""
    plain = pd.DataFrame({name: pd.Series(["1", "0.5", "a"], dtype=object) for name in DOMAIN})
    before = cells(plain, DOMAIN)
    strange = pd.DataFrame({name: pd.Series(OBJECTS, dtype=object) for name in DOMAIN})
    together = cells(pd.concat([plain, strange], ignore_index=True), DOMAIN)
    alone = [cells(strange.iloc[[i]], DOMAIN) for i in range(0, len(OBJECTS), 5)]
    assert all(sum(counts) == 1 for counts in alone)
    assert distance(before, together) == len(OBJECTS)


def one_value(raw: bytes, kind: pa.DataType) -> pa.Array:
    """An array of one value with these very bytes."""
    if kind in (pa.string(), pa.large_string()):
        wide = pa.large_binary() if kind == pa.large_string() else pa.binary()
        return pa.array([raw], wide).view(kind)
    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(raw[: kind.bit_width // 8])])


RAW = [b"\x00" * 16, b"\xff" * 16, b"\x00" * 7 + b"\x80" + b"\x00" * 8,
b"\xff" * 7 + b"\x7f" + b"\xff" * 8,
       b"\x01" * 16, b"\xf0\x7f" * 8, b"\xff\xff\xff\x7f" * 4, b"\x00\x00\x00\x80" * 4]  # fmt: skip
KINDS = {
    "x": [pa.float64(), pa.float32(), pa.float16(), pa.int64(), pa.uint64(), pa.int8(),
          pa.decimal128(38, 3), pa.string(), pa.large_string()],
    "t": [pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns"),
          pa.timestamp("s", "UTC"), pa.timestamp("ns", "Asia/Tokyo"), pa.date32(), pa.date64()],
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_any_bytes_in_a_column_of_any_type(name: str) -> None:
    """Bytes that no library would write, in Arrow tables of eight rows each."""
    domain = Domain({name: DOMAIN[name]})
    for kind in KINDS[name]:
        column = pa.concat_arrays([one_value(raw, kind) for raw in RAW])
        table: Any = open_table(pa.table({name: column}))
        table.check(domain, Rows())
        for table.fast in (True, False):
            assert table.count(Grid.of_cells(domain)).sum() == len(RAW), kind


def test_broken_texts_in_parquet(tmp_path: Path) -> None:
    broken = pa.array([b"a", b"\xff", b"b"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"c": broken}), tmp_path / "t.parquet")
    assert cells(tmp_path / "t.parquet", Domain(c=DOMAIN["c"])) == [1, 1, 1]


def test_times_too_far_away_in_parquet(tmp_path: Path) -> None:
    domain = Domain(t=DOMAIN["t"])
    for kind in (pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.date32()):
        wide = pa.int32() if kind == pa.date32() else pa.int64()
        far = pa.array([2**31 - 1] if wide == pa.int32() else [2**62, -(2**62)], wide).view(kind)
        pq.write_table(pa.table({"t": far}), tmp_path / "t.parquet")
        assert sum(cells(tmp_path / "t.parquet", domain)) == len(far)


def test_the_type_of_a_column_does_not_depend_on_its_values() -> None:
    """A dictionary's words, a category's values: a row more never makes another type."""
    for values in (["1"], ["1", "x"], [None], ["1", 2, None], [], [1, 2], [1.5], [True]):
        frame = pd.DataFrame({"x": pd.Series(values, dtype=object).astype("category")})
        assert str(open_table(frame).schema["x"]) == "string"  # type: ignore[attr-defined]
        mixed = pd.DataFrame({"x": pd.Series(values, dtype=object)})
        assert str(open_table(mixed).schema["x"]) == "string"  # type: ignore[attr-defined]


def test_the_native_types_are_all_covered() -> None:
    assert {native_type(axis) for axis in DOMAIN.axes} <= set(ANY_VALUE)
    assert Grid.of_cells(DOMAIN).size == 4 * 5 * 12 * 3
