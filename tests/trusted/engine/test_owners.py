"""People by the number of rows that they own: one row each, whatever they own."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import Text
from hushgram.declare.unit import User
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid
from hushgram.trusted.engine.ibis.owners import row_count_column
from hushgram.trusted.engine.sources.counted import Counts
from hushgram.trusted.engine.sources.source import open_table

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

INSIDE = Domain(x=Integer(0, 9))


def people(
    source: Any, column: str = "u", domain: Domain | None = None, most: int = 8
) -> list[int]:
    """How many people own 1, 2, …, ``most`` rows or more."""
    owned = Domain({row_count_column(column): Integer(1, most, outside="clamp")})
    table = open_table(source).owners(column, domain).bound_to(owned, User(column, 1))
    return table.count(Grid.of_cells(owned)).tolist()


def rows(seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    owner = rng.zipf(1.8, 3000) % 400
    names = [None if u == 0 else f"u{u}" for u in owner]
    return pa.table({"u": names, "x": rng.integers(-2, 12, 3000)})


def expected(table: pa.Table, domain: Domain | None, most: int = 8) -> list[int]:
    frame = table.to_pandas()
    if domain is not None:
        frame = frame[(frame["x"] >= 0) & (frame["x"] <= 9)]
    owned = frame["u"].dropna().value_counts().clip(upper=most)
    return [int((owned == k).sum()) for k in range(1, most + 1)]


@pytest.mark.parametrize("domain", [None, INSIDE])
def test_people_are_counted_by_what_they_own(domain: Domain | None, tmp_path: Path) -> None:
    table = rows()
    backend = ibis.duckdb.connect()
    backend.con.register("theirs", table)
    table.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    pl.from_arrow(table).write_parquet(tmp_path / "t.parquet")  # type: ignore[union-attr]
    sources: list[Any] = [
        table, table.to_pandas(), pl.from_arrow(table), tmp_path / "t.parquet",
        Text(tmp_path / "t.csv", line_breaks="quoted"), backend.table("theirs"),
        backend.con.table("theirs"),
    ]  # fmt: skip
    for source in sources:
        assert people(source, domain=domain) == expected(table, domain)


def test_one_person_with_a_million_rows_moves_one_number_by_one() -> None:
    """The attack that a bound on rows is there for: here it needs none."""
    others = rows()
    million = pa.table({"u": ["new"] * 10**6, "x": np.arange(10**6) % 10})
    for domain in (None, INSIDE):
        before = people(others, domain=domain)
        after = people(pa.concat_tables([others, million]), domain=domain)
        assert np.subtract(after, before).tolist() == [0] * 7 + [1]


def test_a_person_who_comes_goes_or_changes() -> None:
    """Over many neighbours: one entry more or less, or one less and one more."""
    rng = np.random.default_rng(3)
    table = rows(1).to_pandas()
    names = table["u"].dropna().unique()
    before = people(table, domain=INSIDE)
    for name in rng.choice(names, 12, replace=False):
        without = people(table[table["u"] != name], domain=INSIDE)
        gone = np.subtract(before, without)
        assert gone.min() >= 0
        assert gone.sum() <= 1
        other = pd.DataFrame({"u": name, "x": rng.integers(-2, 12, rng.integers(1, 500))})
        changed = people(pd.concat([table[table["u"] != name], other]), domain=INSIDE)
        assert np.abs(np.subtract(before, changed)).sum() <= 2


def test_nobody_owns_nothing() -> None:
    nobody = pa.table({"u": pa.array([None, None], pa.string()), "x": [1, 2]})
    assert people(nobody) == [0] * 8
    outside = pa.table({"u": ["a", "a", "b"], "x": [99, 99, 1]})
    assert people(outside, domain=INSIDE) == [1, *[0] * 7]
    assert people(outside.slice(0, 0)) == [0] * 8


def test_names_of_every_type() -> None:
    for names in (
        pa.array([1, 1, 2, None]), pa.array([Decimal(1), Decimal(1), Decimal(2), None]),
        pa.array(["a", "a", "b", None]), pa.array(["a", "a", "b", None]).dictionary_encode(),
    ):  # fmt: skip
        assert people(pa.table({"u": names, "x": [0] * 4}), most=2) == [1, 1]
    objects = pd.DataFrame({"u": pd.Series([1, "1", 1.0, "2", None], dtype=object)})
    assert people(objects, most=2) == [1, 1]


def test_columns_of_any_name() -> None:
    table = pa.table({"rows": ["a", "a", "b"], "rows of rows": [1, 2, 3], "c0": [1, 1, 1]})
    assert people(table, "rows", most=2) == [1, 1]
    assert people(table, "c0", most=3) == [0, 0, 1]
    domain = Domain({"rows of rows": Integer(2, 3), "rows": Category(["a", "b"])})
    assert people(table, "rows", domain, most=2) == [2, 0]
    relation = duckdb.sql("""SELECT 'a' AS "a ""b; --", 1 AS x FROM range(3)""")
    assert people(relation, 'a "b; --', most=3) == [0, 0, 1]


def test_what_cannot_be_is_refused_for_free() -> None:
    table = open_table(pa.table({"u": [1.5], "x": [1], "t": ["a"]}))
    with pytest.raises(SourceError, match="cannot identify people"):
        table.owners("u", None)
    with pytest.raises(SourceError, match="no column 'who'"):
        table.owners("who", None)
    with pytest.raises(SourceError, match="no column 'y'"):
        table.owners("t", Domain(y=Integer(0, 1)))
    with pytest.raises(SourceError, match="Counts have no users"):
        open_table(Counts([1, 2])).owners("u", None)
