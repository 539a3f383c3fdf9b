"""The engine finds the very indices that first principles find, for the meanest values.

Many axes share one query, because what takes long is the making of a query.
"""

from __future__ import annotations

import datetime as dt
import math
import warnings
from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.declare.domain import Domain
from hushgram.trusted.engine.ibis.dialect import Dialect
from hushgram.trusted.engine.ibis.quantise import index_of, with_lookups, with_readings
from hushgram.trusted.engine.sources.plain import plain_reader
from hushgram.trusted.engine.sources.stream import duckdb_backend
from tests.reference import place
from tests.strategies import as_texts, axes
from tests.trusted.engine.tables import native_type, native_values

BACKEND = duckdb_backend()


def engine_places(columns: list[tuple[Axis, pa.Array]]) -> list[list[int | None]]:
    """The index of every value of every column, all in one query."""
    rows = max(len(column) for _, column in columns)
    padded = [
        pa.concat_arrays([column, pa.nulls(rows - len(column), column.type)])
        for _, column in columns
    ]
    named = {f"v{i}": column for i, column in enumerate(padded)} | {"row": pa.array(range(rows))}
    table = pa.table(named)
    reader = plain_reader(table.schema, table.column_names, table.to_batches())
    BACKEND.con.register("hushgram_rows", reader)
    with warnings.catch_warnings():  # Ibis 12 calls DuckDB 2 by deprecated names
        warnings.simplefilter("ignore")
        view = BACKEND.table("hushgram_rows")
    axes = [axis for axis, _ in columns]
    view = with_readings(with_lookups(view, axes, Dialect()), axes, Dialect())
    chosen: dict[str, Any] = {"row": view[f"c{len(columns)}"]}
    for i, (axis, _) in enumerate(columns):
        index, inside = index_of(view, i, axis, Dialect())
        kept = ibis.literal(True) if inside is None else inside.fill_null(False)
        chosen[f"i{i}"] = kept.ifelse(index, ibis.null())
    found = BACKEND.to_pyarrow(view.select(**chosen)).sort_by("row")
    return [found[f"i{i}"].to_pylist()[: len(column)] for i, (_, column) in enumerate(columns)]


def check(columns: list[tuple[Axis, pa.Array]], values: list[list[Any]]) -> None:
    for (axis, _), found, given_ in zip(columns, engine_places(columns), values, strict=True):
        for value, index in zip(given_, found, strict=True):
            assert index == place(axis, value), (axis, value)


@given(st.lists(axes(), min_size=8, max_size=8))
@settings(max_examples=12, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_the_meanest_values_of_each_axis(many: list[Axis]) -> None:
    columns, values = [], []
    for axis in many:
        native = native_values(axis)
        texts: list[Any] = [*as_texts([v for v in native if v is not None]), None]
        columns += [
            (axis, pa.array(native, native_type(axis))),
            (axis, pa.array(texts, pa.string())),
        ]
        values += [native, texts]
    check(columns, values)


@pytest.mark.parametrize("outside", ["drop", "clamp", "other"])
def test_a_million_bins(outside: Any) -> None:
    columns, values = [], []
    rng = np.random.default_rng(3)
    for lo, hi in ((-180, 180), (-1, 1e-17), (0.1, 0.7), (-1e-7, 3e5), (5e-300, 9e-300)):
        axis = Interval(lo, hi, outside=outside)
        edges = [axis.edge(int(i)) for i in rng.integers(0, axis.bins + 1, 200)]
        near = [
            x for e in edges for x in (e, math.nextafter(e, -math.inf), math.nextafter(e, 9e99))
        ]
        columns.append((axis, pa.array(near)))
        values.append(near)
    check(columns, values)


INTEGERS = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 10, 100, None]
DECIMALS = [Decimal(t) for t in ("0.1", "0.2", "0.3", "0.7", "1", "-0.1", "0.9999999999999999999")]


def test_numbers_of_every_type() -> None:
    bins = Regular(10, 0, 1, outside="clamp")
    near = Integer(2**53 - 5, 2**53 - 1, outside="other")
    wide = Regular(7, -1e19, 1e19, outside="other")
    small = [0.1, 0.3, 0.5, 0.7, 1.0, -0.0, math.nan, math.inf]
    thirty_two = [float(np.float32(x)) for x in small]
    unsigned = [0, 2**64 - 1, 2**63, None]
    columns = [
        (near, pa.array(INTEGERS, pa.int64())), (wide, pa.array(INTEGERS, pa.int64())),
        (wide, pa.array(unsigned, pa.uint64())), (bins, pa.array([0, 1, -128, 127], pa.int8())),
        (bins, pa.array(small, pa.float32())), (bins, pa.array(np.array(small, np.float16))),
        (bins, pa.array(DECIMALS, pa.decimal128(38, 20))),
        (wide, pa.array([Decimal(10**38 - 1), Decimal(-(10**38) + 1)], pa.decimal128(38, 0))),
        (bins, pa.array(DECIMALS, pa.decimal256(70, 30))), (bins, pa.array(DECIMALS[:5],
        pa.decimal32(9, 2))),
        (bins, pa.array(["0.3", "x", None]).dictionary_encode()), (bins, pa.nulls(3)),
        (bins, pa.array(["0.3", "1"], pa.large_string())), (bins, pa.array(["0.3"],
        pa.string_view())),
        (Category([1, 300]), pa.array([1, 300, None], pa.int16())),
        (Category(["1", str(2**64 - 1)]), pa.array([1, 2**64 - 1], pa.uint64())),
    ]  # fmt: skip
    sixteen = [float(np.float16(x)) for x in small]
    values: list[list[Any]] = [
        INTEGERS, INTEGERS, unsigned, [0, 1, -128, 127], thirty_two, sixteen, DECIMALS,
        [Decimal(10**38 - 1), Decimal(-(10**38) + 1)], DECIMALS, DECIMALS[:5],
        ["0.3", "x", None], [None] * 3, ["0.3", "1"],
        ["0.3"], [1, 300, None], [1, 2**64 - 1],
    ]  # fmt: skip
    check(columns, values)


def test_decimals_are_rounded_once() -> None:
    rng = np.random.default_rng(8)
    axis = Regular(10, 0, 1)
    edges = [Decimal(axis.edge(i)) for i in range(1, 10)]
    tick = Decimal(1).scaleb(-25)
    near = [e.quantize(tick) + int(k) * tick for e in edges for k in rng.integers(-9, 10, 20)]
    column = pa.array(near, pa.decimal128(38, 25))
    check([(axis, column)], [near])


def test_times_of_every_unit() -> None:
    axis = Date("1969-12-31", "1970-01-03", "1h", outside="clamp")
    months = Window(Date("1969-01-01", "1971-12-31", "1mo", outside="other"), 2, 37)
    seconds = [0, -1, 1, -86400, 3600, 3599, 2**62, -(2**62), 2**63 - 1, -(2**63), None]
    columns, values = [], []
    epoch = dt.datetime(1970, 1, 1)

    def moment(ticks: int | None, per_second: int) -> dt.datetime | None:
        if ticks is None:
            return None
        micros = ticks * 10**6 // per_second
        reach = 10**17  # beyond it, only the side matters
        return epoch + dt.timedelta(microseconds=min(max(micros, -reach // 2), reach))

    for unit, per_second in {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.items():
        ticks = [*seconds, *(s * per_second for s in (-1, 1, 3600) for _ in (0, 1))]
        ticks += [s * per_second - 1 for s in (0, 3600, 86400, -86400)]
        for kind in (pa.timestamp(unit), pa.timestamp(unit, "Asia/Kathmandu")):
            for one in (axis, months):
                columns.append((one, pa.array(ticks, pa.int64()).view(kind)))
                values.append([moment(t, per_second) for t in ticks])
    days = [0, -1, 1, 2**31 - 1, -(2**31), 400, None]
    columns.append((axis, pa.array(days, pa.int32()).view(pa.date32())))
    values.append([moment(None if d is None else d * 86400, 1) for d in days])
    millis = [0, -1, 86_400_000, 2**62, -(2**62), None]
    columns.append((axis, pa.array(millis, pa.int64()).view(pa.date64())))
    values.append([moment(m, 1000) for m in millis])
    check(columns, values)


def test_texts_that_are_no_utf8_are_null() -> None:
    raw = [b"a", b"\xff\xfe", b"", b"\xc3\xa4", b"\xed\xa0\x80", b"b"]
    axis = Category(["a", "ä", "b", ""], outside="other")
    plain = pa.array(raw, pa.binary()).view(pa.string())
    large = pa.array(raw, pa.large_binary()).view(pa.large_string())
    view = pa.array(["a", "ä"], pa.string_view())
    read = ["a", None, "", "ä", None, "b"]
    check([(axis, plain), (axis, large), (axis, view)], [read, read, ["a", "ä"]])


def test_many_edges_make_a_query_that_runs() -> None:
    rng = np.random.default_rng(1)
    edges = np.unique(rng.normal(size=250))
    axis = Variable(edges.tolist(), outside="other")
    values = [float(x) for e in edges for x in (e, np.nextafter(e, -9), np.nextafter(e, 9))]
    check([(axis, pa.array(values))], [values])


def test_categories_of_any_text() -> None:
    words = [
        "",
        "'",
        '"',
        "\\",
        "%_",
        "\n",
        "a\x00b",
        "\x00",
        "ä",
        "a\u0308",
        "😀",
        "NULL",
        "--",
        ";",
    ]
    many = [*words, *(f"w{i}" for i in range(100))]
    texts: list[Any] = [*many, "a", "W1", " ", None]
    column = pa.array(texts, pa.string())
    listed = [Category(words), Category(words, outside="other"), Category(many)]
    check([(axis, column) for axis in listed], [texts] * 3)


def test_domains_of_columns_whose_names_are_ours() -> None:
    """Engines mix up ``x`` and ``X``; we use ``i0`` and ``k0_place`` ourselves."""
    from tests.trusted.engine.tables import cells

    names = ["x", "X", "i0", "c0", "k0_place", "k0_text", "cell", "part", "user", "rows"]
    domain = Domain({name: Category([str(i)]) for i, name in enumerate(names)})
    wide = Domain({**domain, "k0_place": Category([str(i) for i in range(50)])})
    row = {name: [str(i)] for i, name in enumerate(names)}
    assert cells(pa.table(row), domain) == [1]
    assert sum(cells(pa.table(row), wide)) == 1
