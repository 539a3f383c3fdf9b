"""One table, every kind of source, the same counts."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.declare.axis import Category, Date, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.sources.frames import text_of
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.sources.stream import duckdb_backend
from tests import reference
from tests.trusted.engine.tables import cells

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

MOMENTS = [
    dt.datetime(2024, 1, 31, 23, 59),
    dt.datetime(2024, 2, 1),
    dt.datetime(1969, 7, 20),
    None,
]
ROWS = pa.table(
    {
        "lon": pa.array([0.0, -0.0, 180.0, math.nan, math.inf, None, 1e-300, 400.0] * 4),
        "age": pa.array([17, 90, 91, None, -1, 50, 50, 2**40] * 4),
        "sex": pa.array(["F", "M", "?", None, "", "F", "f", "M "] * 4),
        "day": pa.array((MOMENTS * 2 + MOMENTS[::-1] * 2) * 2, pa.timestamp("us")),
        "true": pa.array([True, False, None, True] * 8),
        "list": pa.array([[1], [], None, [2, 3]] * 8),
    }
)
DOMAIN = Domain(
    lon=Regular(8, -180, 180, outside="clamp"), age=Integer(17, 90, outside="other"),
    sex=Category(["F", "M"], outside="other"), day=Date("2024-01-01", "2024-12-31", "1mo"),
    true=Category([True, False], outside="other"),
)  # fmt: skip
GRID = Grid(DOMAIN, (4, 7, 2, 12, 2))
EXPECTED = reference.count(GRID, [[row[name] for name in DOMAIN] for row in ROWS.to_pylist()])


def parquet(folder: Path) -> str:
    pq.write_table(ROWS, folder / "a.parquet", row_group_size=5)
    return str(folder / "a.parquet")


def parquet_parts(folder: Path) -> Path:
    (folder / "deep").mkdir()
    pq.write_table(ROWS.slice(0, 9), folder / "a.parquet")
    pq.write_table(ROWS.slice(9), folder / "deep" / "b.pq")
    return folder


def parquet_glob(folder: Path) -> str:
    parquet_parts(folder)
    return str(folder / "**" / "*.p*q*")


def odd_name(folder: Path) -> Path:
    pq.write_table(ROWS, folder / "odd [1] *.parquet")
    pq.write_table(ROWS.slice(0, 1), folder / "odd 1 x.parquet")
    return folder / "odd [1] *.parquet"


def csv(folder: Path) -> Path:
    frame = ROWS.drop_columns(["list"]).to_pandas().replace({"lon": {math.inf: 1e300}})
    frame.to_csv(folder / "a.csv", index=False, date_format="%Y-%m-%d %H:%M:%S")
    return folder / "a.csv"


def objects(folder: Path) -> pd.DataFrame:
    return pd.DataFrame(
        {n: pd.Series(ROWS[n].to_pylist(), dtype=object) for n in ROWS.column_names}
    )


def categoricals(folder: Path) -> pd.DataFrame:
    frame = ROWS.to_pandas()
    frame["age"] = ROWS["age"].to_pandas(integer_object_nulls=True).astype("Int64")
    frame["sex"] = frame["sex"].astype("category")
    frame["true"] = frame["true"].astype("category")
    return frame.assign(age=frame["age"].astype("category"))


def nullable(folder: Path) -> pd.DataFrame:
    frame = ROWS.to_pandas()
    return frame.assign(age=pd.array(ROWS["age"].to_pylist(), dtype="Int64"),
                        true=pd.array(ROWS["true"].to_pylist(), dtype="boolean"),
                        sex=pd.array(ROWS["sex"].to_pylist(), dtype="string"),
                        day=frame["day"].astype("datetime64[s]").dt.tz_localize("UTC")
                        .dt.tz_convert("Asia/Tokyo"), odd=1j)  # fmt: skip


def backend_table(folder: Path) -> Any:
    backend = ibis.duckdb.connect()
    backend.raw_sql("SET TimeZone='Asia/Tokyo'")
    backend.con.register("theirs", ROWS)
    return backend.table("theirs")


def zoned_table(folder: Path) -> Any:
    """Times with a zone are read in UTC, whatever the session's zone."""
    table = backend_table(folder)
    at_utc = ibis.udf.scalar.builtin(fn=lambda zone, x: None, name="timezone",
                                     signature=(("string", "timestamp"),
                                     "timestamp('UTC')"))  # fmt: skip
    return table.mutate(day=at_utc("UTC", table.day))


def relation(folder: Path) -> Any:
    return duckdb.connect().from_arrow(ROWS)


def zoned_relation(folder: Path) -> Any:
    connection = duckdb.connect()
    connection.execute("SET TimeZone='America/New_York'")
    connection.register("theirs", ROWS)
    return connection.sql("SELECT * REPLACE (timezone('UTC', day) AS day) FROM theirs")


def enums(folder: Path) -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TYPE sex AS ENUM ('F', 'M', '?', '', 'f', 'M ')")
    connection.register("theirs", ROWS)
    return connection.sql("SELECT * REPLACE (sex::sex AS sex, age::HUGEINT AS age) FROM theirs")


SOURCES: list[Callable[[Path], Any]] = [
    lambda _: ROWS,
    lambda _: ROWS.combine_chunks().to_batches()[0],
    lambda _: pa.concat_tables([ROWS.slice(0, 3), ROWS.slice(3, 0), ROWS.slice(3)]),
    lambda _: ROWS.set_column(2, "sex", ROWS["sex"].dictionary_encode()),
    lambda _: ROWS.to_pandas().drop(columns="age").assign(age=ROWS["age"].to_pandas()),
    objects,
    categoricals,
    nullable,
    lambda _: pl.from_arrow(ROWS),
    lambda _: pl.from_arrow(ROWS).with_columns(pl.col("sex").cast(pl.Categorical)),
    lambda _: pl.from_arrow(ROWS).lazy(),
    lambda _: pl.from_arrow(ROWS).with_columns(what=pl.Series([object()] * 32, dtype=pl.Object)),
    relation,
    zoned_relation,
    enums,
    backend_table,
    zoned_table,
    lambda _: ibis.memtable(ROWS),
    parquet,
    parquet_parts,
    parquet_glob,
    odd_name,
    csv,
]


@pytest.mark.parametrize("make", SOURCES, ids=lambda make: make.__name__)
def test_every_source_gives_the_same_counts(tmp_path: Path, make: Callable[[Path], Any]) -> None:
    table: Any = open_table(make(tmp_path))
    table.check(DOMAIN, Rows())
    for fast in (True, True, False):  # the compiled path twice, where there is one; the engine
        table.fast = fast
        assert table.count(GRID).tolist() == EXPECTED


def test_the_table_of_these_tests_has_something_to_count() -> None:
    assert sum(EXPECTED) == 16
    assert len([count for count in EXPECTED if count]) > 5


def test_geopandas_frames_are_frames() -> None:
    import geopandas
    from shapely.geometry import Point

    frame = geopandas.GeoDataFrame({"x": [1, 2]}, geometry=[Point(0, 0), Point(1, 1)])
    assert cells(frame, Domain(x=Integer(0, 3))) == [0, 1, 1, 0]


class Bad:
    def __str__(self) -> str:
        raise RuntimeError("my value is secret")

    def __ne__(self, other: object) -> bool:
        raise RuntimeError("my value is secret")

    __hash__ = None  # type: ignore[assignment]


OBJECTS = [
    None, math.nan, math.inf, -math.inf, pd.NA, pd.NaT, np.datetime64("NaT"), True, np.bool_(False),
    1, np.int8(2), 10**400, -(10**5000), 0.5, np.float32(0.1), Decimal("0.1"), Decimal("NaN"),
    Decimal("sNaN"), Decimal("Infinity"), Fraction(1, 3), "0.1", " 2 ", "x", "", "\ud800", b"1",
    [1], {"a": 1}, np.array([1.0, 2.0]), np.array([]), Bad(), Bad, dt.date(2024, 1, 5),
    dt.datetime(2024, 1, 5, 1), dt.datetime(2024, 1, 6, 0, 30,
    tzinfo=dt.timezone(dt.timedelta(hours=1))),
    pd.Timestamp("2024-01-05 00:00:00.123456789"), np.datetime64("2024-01-05"), 1j, dt.time(1),
    object,
]  # fmt: skip


@pytest.mark.parametrize("outside", ["drop", "clamp", "other"])
def test_columns_of_objects_count_what_the_objects_are(outside: Any) -> None:
    """Every object is one row or none, by the axis's own rules, and no object is an error."""
    column = pd.Series(OBJECTS, dtype=object)
    for axis in (
        Regular(4, 0, 1, outside=outside),
        Integer(0, 3, outside=outside),
        Date("2024-01-01", "2024-01-31", outside=outside),
        Category(["x", "", "true"], outside="drop" if outside == "clamp" else outside),
    ):
        domain = Domain(x=axis)
        expected = [0] * axis.size
        for value in OBJECTS:
            if (index := axis.index(value)) is not None:
                expected[index] += 1
        assert cells(pd.DataFrame({"x": column}), domain) == expected, axis


def test_texts_of_objects() -> None:
    assert text_of(math.inf) == "1e999"
    assert text_of(-math.inf) == "-1e999"
    assert text_of(np.float32(0.1)) == "0.10000000149011612"
    assert text_of(True) == "true"
    assert text_of(10**5000) == "1e999"
    assert text_of(Bad()) is None
    assert text_of(dt.date(2024, 1, 5)) == "2024-01-05"


def test_polars_names_are_no_patterns() -> None:
    frame = pl.DataFrame({"^x$": [1], "x": [2], "*": [3]})
    domain = Domain({"*": Integer(0, 3), "^x$": Integer(0, 3)})
    expected = cells(pa.table({"*": [3], "^x$": [1]}), domain)
    assert cells(frame, domain) == cells(frame.lazy(), domain) == expected


def test_names_with_dots_and_quotes(tmp_path: Path) -> None:
    names = ["a.b", 'q"q', "sp ace", "a", "ä", ".x", "[0]"]
    table = pa.table({name: [i] for i, name in enumerate(names)} | {"s": [{"b": 9}]})
    domain = Domain({name: Integer(i, i) for i, name in enumerate(names)})
    pq.write_table(table, tmp_path / "t.parquet")
    connection = duckdb.connect()
    connection.register("theirs", table)
    for source in (table, tmp_path / "t.parquet", table.to_pandas(), connection.table("theirs")):
        assert cells(source, domain) == [1]


def test_a_lazy_frame_runs_once() -> None:
    calls = []

    def spy(column: pl.Series) -> pl.Series:
        calls.append(len(column))
        return column

    lazy = pl.LazyFrame({"x": [1, 2]}).with_columns(
        pl.col("x").map_batches(spy, return_dtype=pl.Int64)
    )
    table = open_table(lazy)
    domain = Domain(x=Integer(0, 3))
    table.check(domain, Rows())
    for _ in range(3):
        assert table.count(Grid.of_cells(domain)).tolist() == [0, 1, 1, 0]
    assert [n for n in calls if n] == [2]


EXOTIC = {
    "hugeint": ("170141183460469231731687303715884105727::HUGEINT", 1.7e38),
    "uhugeint": ("340282366920938463463374607431768211455::UHUGEINT", 3.4e38),
    "uint64": ("18446744073709551615::UBIGINT", 2.0**64),
    "decimal": ("99999999999999999999999999999999999999::DECIMAL(38, 0)", 1e38),
    "small decimal": ("0.1::DECIMAL(3, 2)", 0.1),
    "float32": ("0.1::FLOAT", float(np.float32(0.1))),
    "infinity": ("'inf'::FLOAT", math.inf),
    "nan": ("'nan'::DOUBLE", math.nan),
    "int8": ("(-128)::TINYINT", -128),
}


@pytest.mark.parametrize("kind", EXOTIC)
def test_numbers_of_duckdb(kind: str) -> None:
    sql, value = EXOTIC[kind]
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"CREATE TABLE t AS SELECT {sql} AS x, [1, 2] AS junk, INTERVAL 1 DAY AS i")
    axis = Regular(7, -1e39, 1e39, outside="clamp")
    near = Interval(-200, 0.2, 1001, outside="other")
    sources = [backend.con.table("t")]
    if kind != "uhugeint":  # Ibis does not know that type
        sources.append(backend.table("t"))
    for source in sources:
        for one in (axis, near):
            found = cells(source, Domain(x=one))
            assert found == reference.count(Grid.of_cells(Domain(x=one)), [[value]])


@pytest.mark.parametrize("kind", ["VARCHAR", "JSON"])
def test_long_texts_of_duckdb_are_missing(kind: str) -> None:
    """Handed over with a hundred thousand others, they would not fit into a batch."""
    import duckdb

    with duckdb.connect() as connection:
        long = '"' + "x" * 20_000 + '"'
        source = connection.sql(f"SELECT x::{kind} AS x FROM (VALUES ('{long}'), ('1')) AS t(x)")
        assert cells(source, Domain(x=Category([long, "1"], outside="other"))) == [0, 1, 1]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "day"])
def test_times_too_far_away_for_duckdb_are_no_errors(unit: str) -> None:
    kind = pa.date32() if unit == "day" else pa.timestamp(unit)
    most = 2**31 if unit == "day" else 2**63
    ticks = pa.array([most - 1, most // 2, 0, -most // 2, 1 - most], pa.int64())
    column = ticks.cast(pa.int32()).view(kind) if unit == "day" else ticks.view(kind)
    backend = ibis.duckdb.connect()
    backend.con.register("theirs", pa.table({"x": column}))
    axis = Date("1970-01-01", "1970-01-01")
    every = Date("1970-01-01", "1970-01-01", outside="other")
    for source in (backend.table("theirs"), backend.con.table("theirs")):
        assert cells(source, Domain(x=axis)) == [1]
        assert cells(source, Domain(x=every)) == [1, 4]


DATES = ["DATE '5881580-07-10'", "DATE '-infinity'", "DATE '4714-01-01 (BC)'", "DATE 'infinity'",
         "TIMESTAMP 'infinity'", "TIMESTAMP_S '294247-01-10'", "TIMESTAMP_MS '290000-01-01 (BC)'",
         "TIMESTAMPTZ 'infinity'", "TIMESTAMP_NS '2262-01-01'", "NULL::DATE",
         "TIMESTAMP '-infinity'",
         "DATE '1200-01-01'", "TIMESTAMPTZ '2024-05-05 00:00:00+00'"]  # fmt: skip


@pytest.mark.parametrize("sql", DATES)
def test_dates_of_duckdb_are_no_errors(sql: str) -> None:
    """Also in a window, where the index is computed before the row is left out."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"CREATE TABLE t AS SELECT {sql} AS x, 'a' AS u")
    above = sql.startswith(("DATE '58", "DATE 'inf", "TIMESTAMP 'inf", "TIMESTAMP_S",
    "TIMESTAMPTZ 'inf",
                            "TIMESTAMP_NS"))  # fmt: skip
    inside = sql.startswith("TIMESTAMPTZ '2024")
    step = "1mo" if len(sql) % 2 else "1d"
    axis = Date("2024-01-01", "2024-12-31", step)
    clamped = Date("2024-01-01", "2024-12-31", step, outside="clamp")
    for source in (backend.table("t"), backend.con.table("t")):
        assert sum(cells(source, Domain(x=axis))) == inside
        assert sum(cells(source, Domain(x=axis).box([(0, 5)]))) == (inside and step == "1mo")
        found = np.flatnonzero(cells(source, Domain(x=clamped))).tolist()
        assert found == [axis.index("2024-05-05") if inside else axis.bins - 1 if above else 0]


def test_what_does_not_fit_into_memory_stays_private() -> None:
    setting = duckdb_backend().con.sql("SELECT current_setting('temp_directory')")
    folder = Path(setting.fetchall()[0][0])
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o077 == 0
